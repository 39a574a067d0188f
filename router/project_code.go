package router

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// FoundCode is one kind of code in a workspace that a server would run if the user trusted the workspace.
type FoundCode struct {
	Spec  *spec.Spec
	What  string   // for people, such as "build scripts"
	Files []string // the first few, relative, with slashes; none when the server runs code whatever files there are
	More  int      // files beyond these
}

// maxFoundFiles bounds FoundCode.Files, and maxCodeFolders the folders that are looked into for files in hidden and
// named folders: the list is for a user who decides about trust, and must come soon in any repository.
const (
	maxFoundFiles  = 8
	maxCodeFolders = 20_000
)

// ProjectCode lists the code of the workspace that its servers would run if the workspace were trusted, in the order
// of the table. Only servers that are installed and have files there count. It looks at the workspace's own files,
// and into folders that git ignores where a row of the catalogue names them. When ctx ends it returns what it has
// found so far, with the error.
func ProjectCode(ctx context.Context, t *Table, files source.Files) ([]FoundCode, error) {
	found, err := SurveyWorkspace(ctx, t, files)
	own := ownFiles(ctx, t)
	folders := foldersOf(t.Workspace, own)
	var out []FoundCode
	seen := map[*spec.Spec]bool{}
	for _, k := range found.Kinds() {
		for _, spec := range k.Candidates {
			seen[spec] = true
		}
	}
	for i := range t.Specs {
		spec := &t.Specs[i]
		if !seen[spec] || spec.Code == nil {
			continue
		}
		if !installed(*spec, t.Workspace) {
			continue
		}
		for _, run := range spec.Code.Runs {
			f := FoundCode{Spec: spec, What: run.What}
			f.collect(t.Workspace, run, own, folders)
			if len(f.Files) > 0 || len(run.Files) == 0 {
				out = append(out, f)
			}
		}
	}
	return out, err
}

// installed reports whether a program of the server exists, be it in the workspace itself. It looks a second time
// with the workspace as untrusted, because then FindCommands also reports what lies there. It runs no program to find
// out ([spec.Command.Resolve] is cleared): with bin/rustup of a repository on PATH, `rustup which rust-analyzer`
// would run a stranger's program before the user was asked.
func installed(spec spec.Spec, workspace string) bool {
	all := spec
	all.Commands = slices.Clone(spec.Commands)
	for i := range all.Commands {
		all.Commands[i].Resolve = nil
	}
	if found, _ := launch.FindCommands(&all); len(found) > 0 {
		return true
	}
	spec.Untrusted = []string{workspace}
	found, _ := launch.FindCommands(&spec)
	return len(found) > 0
}

// ownFiles lists the files of the workspace that git does not ignore, hidden folders included, where code that runs
// commonly lies. When ctx ends it returns those found so far.
func ownFiles(ctx context.Context, t *Table) []string {
	j := watch.Open(t.Workspace, watch.Options{Mode: watch.Compare, SkipDir: func(path string) bool {
		return path != t.Workspace && NeverWatched(path)
	}})
	defer j.Close()
	_, _ = j.Barrier(ctx)
	return slices.Collect(j.Files())
}

// foldersOf lists the folders of files, the workspace first, at most maxCodeFolders. Files come in the order of a
// walk, so that looking at the last few folders finds nearly all duplicates; one that stays costs a lookup and no
// more.
func foldersOf(workspace string, files []string) []string {
	out := []string{workspace}
	for _, f := range files {
		if dir := filepath.Dir(f); dir != out[len(out)-1] && len(out) < maxCodeFolders &&
			!slices.Contains(out[max(0, len(out)-8):], dir) {
			out = append(out, dir)
		}
	}
	return out
}

// collect adds the files that run names. A pattern with a folder, or of a hidden file, is looked for below each
// folder, since the walk may have skipped what git ignores; any other is matched with the names of files.
func (f *FoundCode) collect(workspace string, run spec.ProjectRun, files, folders []string) {
	hit := map[string]bool{}
	add := func(file string) {
		if rel, ok := source.RelativeTo(workspace, file); ok && !hit[rel] && run.In(file) {
			hit[rel] = true
			if len(f.Files) < maxFoundFiles {
				f.Files = append(f.Files, filepath.ToSlash(rel))
			} else {
				f.More++
			}
		}
	}
	for _, glob := range run.Files {
		if strings.Contains(glob, "/") || strings.HasPrefix(glob, ".") {
			for _, dir := range folders {
				add(filepath.Join(dir, filepath.FromSlash(glob)))
			}
			continue
		}
		for _, file := range files {
			if ok, _ := path.Match(glob, filepath.Base(file)); ok {
				add(file)
			}
		}
	}
}
