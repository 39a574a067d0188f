package lsp

import (
	"context"
	"sync"

	"lspi/lsp/watch"
)

// ByEdits remembers what was found out about a tree, by a key, until a file of the tree changes. The zero value is
// ready.
type ByEdits[T any] struct {
	mu    sync.Mutex
	edits uint64       // Server.Edits when the values were found out; guarded by mu
	known map[string]T // guarded by mu
}

// Get is what is remembered by a key, else what read gives. ok is false when read says so, which is not remembered,
// and when ctx or the server ended.
func (b *ByEdits[T]) Get(ctx context.Context, s *Server, key string, read func() (value T, ok bool)) (value T,
	ok bool) {
	edits, err := s.Documents().Edits(ctx)
	if err != nil {
		return value, false
	}
	b.mu.Lock()
	if b.known == nil || b.edits != edits {
		b.known, b.edits = map[string]T{}, edits
	}
	value, ok = b.known[key]
	b.mu.Unlock()
	if ok {
		return value, true
	}
	if value, ok = read(); ok {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.edits == edits {
			b.known[key] = value
		}
	}
	return value, ok
}

// Has reports whether a value is remembered by a key, of whatever edit.
func (b *ByEdits[T]) Has(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.known[key]
	return ok
}

// treeNotes are what is kept of the tree of a server, whichever it is, until a file changes. They have locks of their
// own.
type treeNotes struct {
	// which project uses which: folders of projects to those that they use by path
	linked     ByEdits[map[string][]string]
	unreadable *unreadableFiles // never nil; it may outlive the server
}

// changed notes what a sync saw.
func (n *treeNotes) changed(changes []watch.Change) {
	n.unreadable.changed(changes)
}
