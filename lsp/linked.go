package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// linked remembers the projects of a tree that use each other by path.
type linked struct {
	mu    sync.Mutex
	read  bool     // guarded by mu
	edits uint64   // Server.edits when it was read; guarded by mu
	dirs  []string // guarded by mu
}

// LinkedApart are the folders of the projects in the tree that use another by path (go.mod: "replace … => ../"), where
// the server answers for one project at a time: an answer about the project at root lacks what the others have. Nil where
// the root joins them (go.work), or nothing of the kind is there.
func (s *Server) LinkedApart(ctx context.Context, root string) []string {
	p := s.spec.Project
	if p == nil || p.Link == nil || exists(filepath.Join(root, p.Link.Joined)) {
		return nil
	}
	edits, err := s.edited(ctx)
	if err != nil {
		return nil
	}
	s.linked.mu.Lock()
	dirs, fresh := s.linked.dirs, s.linked.read && s.linked.edits == edits
	s.linked.mu.Unlock()
	if fresh {
		return dirs
	}
	dirs = s.findLinked(p.Link)
	s.linked.mu.Lock()
	defer s.linked.mu.Unlock()
	s.linked.read, s.linked.edits, s.linked.dirs = true, edits, dirs
	return dirs
}

// findLinked reads the project files of the tree.
func (s *Server) findLinked(l *Link) []string {
	var out []string
	for path := range s.journal.Files() {
		if baseName(path) != l.File || s.skipped(s.journal.Root(), path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err == nil && slices.ContainsFunc(l.Signs, func(sign string) bool { return strings.Contains(string(text), sign) }) {
			out = append(out, filepath.Dir(path))
		}
	}
	slices.Sort(out)
	return out
}
