package session

import (
	"os"
	"slices"
	"sync"

	"lspi/internal/source"
	"lspi/lsp/watch"
	"lspi/router"
	"lspi/tools/audit/words"
)

// Workspace is what all sessions with the same root and the same servers share: which servers there are
// and which run, the journals of changes on disk (in Pool), and which files outside of it servers have
// named.
type Workspace struct {
	Process *Process      // never nil
	Root    string        // absolute, symbolic links resolved; "" when no session could be opened
	Table   *router.Table // nil when no session could be opened
	Pool    *router.Pool  // nil when no session could be opened

	Named namedFiles

	reach *source.Reach // the files of the workspace
	words sync.Map      // *words.Index by *watch.Journal, see Words
	opened
}

// newWorkspace returns a workspace without a pool. table may be nil.
func newWorkspace(p *Process, table *router.Table) *Workspace {
	w := &Workspace{Process: p, Table: table}
	if table != nil {
		w.Root, w.reach = table.Workspace, source.NewReach(table.Allowed()...)
	}
	return w
}

// Text returns the text of a file of the workspace as it is on disk. What lies outside is read only
// through the server that named it.
func (w *Workspace) Text(path string) (*source.Text, error) {
	return w.Process.Texts.Load(path, w.reach)
}

// Words returns the index of the words of the files in the working tree that holds path, and where that is one of
// [Workspace.Trees] in the others. The workspace must be open.
func (w *Workspace) Words(path string) words.All {
	own := w.Pool.Journal(path)
	out := words.All{w.indexOf(own)}
	trees := w.Trees()
	if own == nil || !slices.Contains(trees, own.Root()) { // such as a linked working tree, which is one of its own
		return out
	}
	for _, tree := range trees {
		if tree != own.Root() {
			out = append(out, w.indexOf(w.Pool.Journal(tree)))
		}
	}
	return out
}

func (w *Workspace) indexOf(j *watch.Journal) *words.Index {
	index, _ := w.words.LoadOrStore(j, words.New(j))
	return index.(*words.Index)
}

// Trees returns the folders that make up the workspace, its root first: the allowed roots that are there, without those
// that lie in another one.
func (w *Workspace) Trees() (out []string) {
	roots := w.EditRoots()
	for _, root := range roots {
		if !slices.ContainsFunc(roots, func(other string) bool { return other != root && source.Within(other, root) }) {
			out = append(out, root)
		}
	}
	return out
}

// EditRoots returns the folders in which files may be changed: the allowed roots that exist.
func (w *Workspace) EditRoots() []string {
	out := []string{w.Root}
	for _, root := range w.Table.Allowed()[1:] {
		if _, err := os.Stat(root); err == nil {
			out = append(out, root)
		}
	}
	return out
}

// maxNamed bounds how many files outside of the workspace are remembered.
const maxNamed = 20_000

// namedFiles remembers the files outside of the workspace that servers have named in answers: sources
// of dependencies. Only these may be asked about in turn, since the server that named them knows their
// project; nothing else outside may be read.
type namedFiles struct {
	mu   sync.Mutex
	from map[string]router.Route // by absolute path; guarded by mu
}

// Add remembers a file with the route of the server that named it.
func (p *namedFiles) Add(path string, r router.Route) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from == nil {
		p.from = map[string]router.Route{}
	}
	if len(p.from) < maxNamed {
		p.from[path] = r
	}
}

// Route returns the route of the server that named a file; false for a file that none has named.
func (p *namedFiles) Route(path string) (router.Route, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.from[path]
	return r, ok
}
