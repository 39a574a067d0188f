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

// FoundCode is one kind of code of a workspace that a server would run.
type FoundCode struct {
	Spec  *spec.Spec
	What  string
	Files []string // the first few, relative to the workspace; none when it is the server's whole work
	More  int      // files beyond these
}

const (
	maxFoundFiles  = 8
	maxCodeFolders = 20_000
)

// ProjectCode lists the code of the workspace that servers which it has files for would run if it were trusted, in
// the order of the table. It looks at the workspace's own files, and into folders that git ignores only where a row
// names them. It gives what it has when ctx ends, with the error.
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
			f.look(t.Workspace, run, own, folders)
			if len(f.Files) > 0 || len(run.Files) == 0 {
				out = append(out, f)
			}
		}
	}
	return out, err
}

// installed reports whether a program of the server is there, be it in the workspace. No program of the workspace
// is run to find out ([spec.Command.Resolve]): whoever asks has not trusted it yet.
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

func ownFiles(ctx context.Context, t *Table) []string {
	j := watch.Open(t.Workspace, watch.Options{Mode: watch.Compare, SkipDir: func(path string) bool {
		return path != t.Workspace && NeverWatched(path)
	}})
	defer j.Close()
	_, _ = j.Barrier(ctx)
	return slices.Collect(j.Files())
}

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

func (f *FoundCode) look(workspace string, run spec.ProjectRun, files, folders []string) {
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
