package session

import (
	"os"
	"path/filepath"
	"sync"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/router"
)

// Workspace is what all sessions with the same root and the same servers share: which servers there are and which
// of them run, the journals of changes on disk (in Pool), and what servers have named outside of it.
type Workspace struct {
	Process *Process      // never nil
	Root    string        // absolute, symbolic links resolved; "" when no session could be opened
	Table   *router.Table // nil when no session could be opened
	Pool    *router.Pool  // nil when no session could be opened

	Pointed     pointed
	Conditional lang.ConditionalWords
	MacroTexts  lang.ConditionalWords // of the texts of macros instead

	reach *source.Reach // the files of the workspace
	opened
}

// newWorkspace is a workspace without a pool. table may be nil.
func newWorkspace(p *Process, table *router.Table) *Workspace {
	w := &Workspace{Process: p, Table: table}
	if table != nil {
		w.Root, w.reach = table.Workspace, source.NewReach(table.Allowed()...)
	}
	return w
}

// Show is a path as answers have it: relative to the workspace with forward slashes inside it, absolute outside.
func (w *Workspace) Show(path string) string {
	if rel, ok := source.RelativeTo(w.Root, path); ok {
		path = filepath.ToSlash(rel)
	}
	return contract.EscapeLine(path)
}

// Text is the text of a file of the workspace as it is on disk. What lies elsewhere is read by the server's leave
// alone.
func (w *Workspace) Text(path string) (*source.Text, error) {
	return w.Process.Texts.Load(path, w.reach)
}

// EditRoots are the folders in which files may be changed: the allowed roots that exist.
func (w *Workspace) EditRoots() []string {
	out := []string{w.Root}
	for _, root := range w.Table.Allowed()[1:] {
		if _, err := os.Stat(root); err == nil {
			out = append(out, root)
		}
	}
	return out
}

// maxPointed bounds how many files outside of the workspace are remembered.
const maxPointed = 20_000

// pointed remembers the files outside of the workspace that servers pointed at and that may be shown: sources of
// dependencies. Those may be asked about in turn, and the server that named them knows their project; nothing else
// outside may be read.
type pointed struct {
	mu   sync.Mutex
	from map[string]router.Route // by absolute path; guarded by mu
}

// Add remembers a file with the route of the server that named it.
func (p *pointed) Add(path string, r router.Route) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from == nil {
		p.from = map[string]router.Route{}
	}
	if len(p.from) < maxPointed {
		p.from[path] = r
	}
}

// Route is that of the server that named a file; false for one that none has named.
func (p *pointed) Route(path string) (router.Route, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.from[path]
	return r, ok
}
