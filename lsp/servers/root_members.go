package servers

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp/spec"
)

// The rules of [spec.MarkerGroup.Members]: whether the project of a marker file takes in the file at path.

// inGoWork: gopls loads the modules that a go.work uses; a file of another module below it gets a view of its own
// module, as if there were no go.work (gopls 0.23.0).
func inGoWork(files source.Files, marker, file string) bool {
	top := filepath.Dir(marker)
	module := golang.ModuleOf(files, file, top)
	if module == "" {
		return true // no module between it and the go.work claims it
	}
	work, ok := golang.ParseWork(top, files.Read(marker))
	if !ok {
		return true // half-written: gopls loads nothing by it anyway, the root stays where it was
	}
	return slices.Contains(work.Uses, module)
}

// withOthers: a project below a file of a project, or below an environment that it shares, is one with it, unless it
// has twins or is a repository of its own (a submodule, a clone), which may be a copy.
func withOthers(files source.Files, marker, file string) bool {
	project := projectBelow(files, marker, file)
	return project == "" || !hasTwins(files, project) && !files.Has(project, ".git")
}

// withNeighbours: a project that has neighbours, in the repository of marker, is one with these, unless it has twins.
func withNeighbours(files source.Files, marker, file string) bool {
	project := projectBelow(files, marker, file)
	return project != "" && !hasTwins(files, project) && !files.Has(project, ".git") &&
		slices.ContainsFunc(neighbours(files, project), func(dir string) bool {
			return slices.ContainsFunc(pythonManifests, func(name string) bool { return files.Has(dir, name) })
		})
}

// projectBelow is the nearest folder above a file with the file of a project, below the folder with the marker; "" when
// there is none.
func projectBelow(files source.Files, marker, file string) (project string) {
	for dir := filepath.Dir(file); !source.Within(dir, marker); dir = filepath.Dir(dir) {
		if slices.ContainsFunc(pythonManifests, func(name string) bool { return files.Has(dir, name) }) {
			return dir
		}
	}
	return ""
}

// hasTwins reports whether a neighbour of a project has a package or module of the same name in its src, as services
// that are alike do (src/app in each): one process would import that of the first for all of them.
func hasTwins(files source.Files, project string) bool {
	if files.Has(project, "src/__init__.py") {
		return false
	}
	beside := neighbours(files, project)
	return slices.ContainsFunc(files.Names(filepath.Join(project, "src"), "*"), func(name string) bool {
		module := path.Join("src", name)
		if !strings.HasSuffix(name, ".py") {
			module = path.Join(module, "__init__.py")
		}
		return files.Has(project, module) &&
			slices.ContainsFunc(beside, func(dir string) bool { return files.Has(dir, module) })
	})
}

// neighbours are the other entries of the folder that a folder is in.
func neighbours(files source.Files, dir string) (out []string) {
	above := filepath.Dir(dir)
	for _, name := range files.Names(above, "*") {
		if other := filepath.Join(above, name); other != dir {
			out = append(out, other)
		}
	}
	return out
}

// inGoModule: the go.mod of a vendored module makes no module.
func inGoModule(files source.Files, marker, _ string) bool {
	return !golang.Vendored(files, filepath.Dir(marker))
}

// goAside: modules in testdata are no part of those around them. Of a module whose folder has a name that the go
// command passes over it lists nothing, and gopls has the packages of open files alone (go 1.26, gopls 0.23.0).
func goAside(rel string) spec.Aside {
	switch base := path.Base(rel); {
	case rel == ".":
		return spec.Within
	case base == "testdata", base[0] == '_', base[0] == '.':
		return spec.Apart
	case slices.Contains(strings.Split(rel, "/"), "testdata"):
		return spec.Named
	}
	return spec.Within
}
