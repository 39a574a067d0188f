package tsserver

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang/typescript"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/watch"
)

// unnoticed is in the paths of files in node_modules whose changes tsserver leaves out (6.0.3). One of node_modules
// itself makes it look at all that it has read there.
var unnoticed = string(filepath.Separator) + "node_modules" + string(filepath.Separator) + "."

// afterTell is [lsp.SyncHooks].AfterTell.
func (a *Process) afterTell(ctx context.Context, changes []watch.Change) error {
	var folders []watch.Change
	for _, c := range changes {
		if i := strings.Index(c.Path, unnoticed); i >= 0 {
			folder := watch.Change{Path: c.Path[:i+len(unnoticed)-2], Kind: watch.Changed}
			if !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	if len(folders) == 0 {
		return nil
	}
	return a.Server.TellWatched(ctx, folders)
}

// followProject has the journal follow what the project of an open file has read and git ignores: packages, and clients
// that tools generate into them, which change in place. tsserver learns of that by lspi alone (6.0.2). It asks once
// for what the file imports.
func (a *Process) followProject(ctx context.Context, text *source.Text) error {
	imports := strings.Join(typescript.ImportedFiles(text.Content()), "\n")
	if was, ok := a.imported.Load(text.Path); ok && was == imports {
		return nil
	}
	var told struct{ FileNames []string }
	if err := Ask(ctx, a.Server, "projectInfo", map[string]any{"file": text.Path, "needFileNameList": true},
		&told); err != nil {
		return err
	}
	a.imported.Store(text.Path, imports)
	a.projects.followRead(a.Server, told.FileNames)
	return nil
}

// followRead has the journal follow those of files, with slashes, that it does not follow with the tree.
func (t *projects) followRead(s *lsp.Server, files []string) {
	var read []string
	for _, file := range files {
		if path := filepath.FromSlash(file); !s.Journal().Tracks(path) {
			read = append(read, path)
		}
	}
	s.Journal().ExtraRead(t.began, read...)
}
