package packages

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// place is from where a package is looked for.
type place struct {
	from         string   // a source of the workspace
	root         string   // of its workspace
	dependencies []string // folders
	read         func(path string) string
}

// above returns the folders around the source up to the root, from the inside out.
func (l *place) above() (out []string) {
	for dir := filepath.Dir(l.from); source.Within(l.root, dir); dir = filepath.Dir(dir) {
		out = append(out, dir)
		if dir == l.root {
			break
		}
	}
	return out
}

// first returns the first of paths that is there.
func first(paths ...string) string {
	for _, path := range paths {
		if source.Exists(path) {
			return path
		}
	}
	return ""
}

// sourceIn returns a source of Go of a folder; "" for none.
func sourceIn(dir string) string {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !e.IsDir() {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// goPackage: a package of the module, vendored, of the standard library, or of a module that go.mod asks for.
func goPackage(l *place, name string) (string, []string) {
	var known []string
	for _, dir := range l.above() {
		mod, err := modfile.ParseLax("go.mod", []byte(l.read(filepath.Join(dir, "go.mod"))), nil)
		if err != nil || mod.Module == nil {
			continue
		}
		folders := map[string]string{mod.Module.Mod.Path: dir}
		for _, r := range mod.Require {
			known = append(known, r.Mod.Path)
			escaped, err := module.EscapePath(r.Mod.Path)
			version, versionErr := module.EscapeVersion(r.Mod.Version)
			for _, cache := range l.dependencies {
				if in := filepath.Join(cache, filepath.FromSlash(escaped)+"@"+version); err == nil && versionErr == nil && source.IsFolder(in) {
					folders[r.Mod.Path] = in
				}
			}
		}
		if path := sourceIn(filepath.Join(dir, "vendor", filepath.FromSlash(name))); path != "" {
			return path, known
		}
		for prefix := name; ; {
			if in, ok := folders[prefix]; ok {
				if path := sourceIn(filepath.Join(in, filepath.FromSlash(strings.TrimPrefix(name, prefix)))); path != "" {
					return path, known
				}
			}
			i := strings.LastIndexByte(prefix, '/')
			if i < 0 {
				break
			}
			prefix = prefix[:i]
		}
	}
	for _, dir := range l.dependencies {
		if found := sourceIn(filepath.Join(dir, "src", filepath.FromSlash(name))); found != "" {
			return found, known
		}
		parent := path.Dir(name)
		for _, near := range entries(filepath.Join(dir, "src", filepath.FromSlash(parent))) {
			known = append(known, path.Join(parent, near))
		}
	}
	return "", known
}

// pythonModule: a module below the folders from which the interpreter imports.
func pythonModule(l *place, name string) (string, []string) {
	rel := filepath.FromSlash(strings.ReplaceAll(name, ".", "/"))
	var folders, known []string
	for _, dir := range l.above() {
		folders = append(folders, dir, filepath.Join(dir, "src"))
		for _, env := range []string{".venv", "venv"} {
			folders = append(folders, source.Glob(dir, env+"/lib/python3*/site-packages")...)
		}
	}
	for _, dir := range l.dependencies {
		folders = append(folders, dir, filepath.Join(dir, "site-packages"))
		// What the interpreter makes at run time (os.path) only the stubs of a server have.
		folders = append(folders, source.Glob(dir, "*/dist/typeshed-fallback/stdlib")...)
	}
	for _, dir := range folders {
		base := filepath.Join(dir, rel)
		if path := first(filepath.Join(base, "__init__.py"), base+".py", filepath.Join(base, "__init__.pyi"), base+".pyi"); path != "" {
			return path, nil
		}
		if filepath.Base(dir) == "site-packages" {
			known = append(known, entries(dir)...)
		}
	}
	return "", known
}

// entries are the names in a folder of packages.
func entries(dir string) (out []string) {
	all, _ := os.ReadDir(dir)
	for _, e := range all {
		if name := e.Name(); !strings.Contains(name, "-info") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".") {
			out = append(out, strings.TrimSuffix(name, ".py"))
		}
	}
	return out
}

// nodeModule: the declarations that package.json of a package in node_modules names.
func nodeModule(l *place, name string) (string, []string) {
	parts := strings.SplitN(name, "/", 3)
	n := 1
	if strings.HasPrefix(name, "@") {
		n = 2
	}
	pkg, sub := strings.Join(parts[:min(n, len(parts))], "/"), strings.Join(parts[min(n, len(parts)):], "/")
	var known []string
	for _, dir := range l.above() {
		modules := filepath.Join(dir, "node_modules")
		for _, in := range []string{filepath.Join(modules, pkg), filepath.Join(modules, "@types", strings.ReplaceAll(strings.TrimPrefix(pkg, "@"), "/", "__"))} {
			base := filepath.Join(in, sub)
			var manifest struct{ Types, Typings, Main string }
			_ = lang.DecodeJSON([]byte(l.read(filepath.Join(base, "package.json"))), &manifest)
			for _, named := range []string{manifest.Types, manifest.Typings, strings.TrimSuffix(manifest.Main, ".js") + ".d.ts", "index.d.ts", manifest.Main, "index.js"} {
				if path := filepath.Join(base, named); named != "" && named != ".d.ts" && source.Exists(path) && !source.IsFolder(path) {
					return path, nil
				}
			}
			if path := first(base+".d.ts", base+".js"); sub != "" && path != "" {
				return path, nil
			}
		}
		known = append(known, entries(modules)...)
	}
	return "", known
}

// rustModule: a module of a crate that Cargo.lock names, or of the standard library.
func rustModule(l *place, name string) (string, []string) {
	parts := strings.Split(name, "::")
	var lib string
	var known []string
	for _, dir := range l.above() {
		var lock struct {
			Package []struct{ Name, Version string }
		}
		if _, err := lang.DecodeTOML(l.read(filepath.Join(dir, "Cargo.lock")), &lock); err != nil {
			continue
		}
		for _, p := range lock.Package {
			known = append(known, p.Name)
			if strings.ReplaceAll(p.Name, "-", "_") != parts[0] || lib != "" {
				continue
			}
			for _, registry := range l.dependencies {
				if found := source.Glob(registry, "*/"+p.Name+"-"+p.Version+"/src/lib.rs"); len(found) > 0 {
					lib = found[0]
				}
			}
		}
	}
	for _, dir := range l.dependencies {
		lib = first(lib, filepath.Join(dir, "lib/rustlib/src/rust/library", parts[0], "src/lib.rs"), filepath.Join(dir, "src/rust/library", parts[0], "src/lib.rs"))
	}
	dir := filepath.Dir(lib)
	for _, part := range parts[1:] {
		if lib == "" {
			break
		}
		lib = first(filepath.Join(dir, part, "mod.rs"), filepath.Join(dir, part+".rs"))
		dir = filepath.Join(dir, part)
	}
	return lib, known
}

// header: a header below a folder that compilers search.
func header(l *place, name string) (string, []string) {
	rel := filepath.FromSlash(strings.Trim(name, "<>"))
	for _, dir := range l.above() {
		if path := first(filepath.Join(dir, rel), filepath.Join(dir, "include", rel)); path != "" && !source.IsFolder(path) {
			return path, nil
		}
	}
	var known []string
	for _, dir := range l.dependencies {
		versions := source.Glob(dir, "c++/*")
		slices.Reverse(versions)
		for _, in := range append([]string{dir}, append(versions, source.Glob(dir, "c++/v1")...)...) {
			if path := filepath.Join(in, rel); source.Exists(path) && !source.IsFolder(path) {
				return path, nil
			}
			if strings.HasPrefix(filepath.Dir(in), filepath.Join(dir, "c++")) {
				known = append(known, entries(in)...)
			}
		}
	}
	return "", known
}
