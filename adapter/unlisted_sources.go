package adapter

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"lspi/lsp"
	"lspi/source"
)

// Unloaded is the adapter of a server that searches the projects of the files that were opened, and does not say which files these projects
// have. Sources that hold a name and that the server was not shown yet count as left out, so that they are shown to it before an answer about
// the name is called complete.
type Unloaded struct{ *Base }

// NewUnloaded is [lsp.NewAdapter] for it.
func NewUnloaded(s *lsp.Server) lsp.Adapter { return &Unloaded{NewBase(s)} }

// Unlisted is of [UnlistedReader].
func (a *Unloaded) Unlisted(_ context.Context, root, _ string, asked time.Time) []Uncovered {
	var files []string
	for path := range a.Server.Journal().Files() {
		if _, below := source.RelativeTo(root, path); below && a.Server.Spec().Serves(filepath.Base(path)) && !a.Server.Folders().Skips(root, path) &&
			!a.Server.Documents().HasSeen(path, asked) {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return Because(NotOfProject, files, true)
}
