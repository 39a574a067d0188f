package gopls

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/internal/lang/golang"
	"lspi/lsp/watch"
)

// maxModules bounds the folders outside of the workspace that are followed for one process.
const maxModules = 16

// followModules follows the folders that go.mod and go.work of the workspace folders name (replace, use) and that
// lie outside of every tree that is followed: gopls takes them for parts of the project.
func (a *Process) followModules(ctx context.Context) error {
	a.mu.Lock()
	followed := a.followed
	// Set before the files are read: a change that comes meanwhile sets it back, and the next sync reads them again.
	a.followed = true
	a.mu.Unlock()
	if followed {
		return nil
	}
	var dirs []string
	for _, folder := range a.Server.Folders().All() {
		dirs = append(dirs, slices.Concat(golang.ReplacedFolders(folder),
			golang.WorkFolders(filepath.Join(folder, "go.work")))...)
	}
	return a.Server.FollowOutside(ctx, dirs, maxModules)
}

// modulesChanged makes the next sync look at go.mod and go.work again when one of them changed.
func (a *Process) modulesChanged(changes []watch.Change) {
	if slices.ContainsFunc(changes, projectFile) {
		// Only noted: Changed may read no file, and the next sync does.
		a.mu.Lock()
		a.followed = false
		clear(a.projects)
		a.mu.Unlock()
	}
}
