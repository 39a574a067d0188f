package clangd

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/lsp"
	"lspi/lsp/watch"
)

// maxRebuilt bounds the files that are built anew because a file came that they may have lacked.
// Each is a whole translation unit, and a quarter of what may be open.
const maxRebuilt = 16

// afterTell is [lsp.SyncHooks].AfterTell. It has files that did not compile built anew when a file comes, which may
// be the header that they lacked: opened, a file counts as it is now, while the index keeps what it has as long as
// the text of the file is the same. With more of them than are built, those that write the name of the file come
// first. The caller holds the document lock.
func (a *Process) afterTell(ctx context.Context, changes []watch.Change) error {
	s := a.Server
	var came []string
	for _, c := range changes {
		if c.Kind == watch.Created && s.Spec().Serves(filepath.Base(c.Path)) {
			came = append(came, c.Path)
		}
	}
	// Without a new file nothing can have been lacking; reading the index would cost each sync.
	if len(came) == 0 {
		return nil
	}
	// What came itself is opened by the sync anyway.
	broken := slices.DeleteFunc(failed(s, a.readShards(ctx, s.Root())), func(path string) bool {
		return slices.Contains(came, path)
	})
	// Those that name the new file are most likely mended by it; the others may include it over a header.
	if len(broken) > maxRebuilt {
		slices.SortStableFunc(broken, func(one, other string) int {
			return a.writes(other, came) - a.writes(one, came)
		})
		broken = broken[:maxRebuilt]
	}
	for _, path := range broken {
		if err := s.Documents().ParseAnew(ctx, path); lsp.UnlessGone(err) != nil {
			return err
		}
	}
	return nil
}

// writes is 1 when a file holds the base name of one of others, else 0.
func (a *Process) writes(path string, others []string) int {
	text, err := a.Server.Documents().Load(path)
	if err == nil && slices.ContainsFunc(others, func(o string) bool {
		return strings.Contains(text.Content(), filepath.Base(o))
	}) {
		return 1
	}
	return 0
}
