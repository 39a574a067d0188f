package workspace

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"lspi/disk"
	"lspi/pool"
	"lspi/router"
	"lspi/source"
)

// Process is what one process of lspi has, however many hosts it serves: caches, the log, the folder of edits, and the workspaces that
// are open. Its exported fields are not changed once a workspace is open.
type Process struct {
	Version string // of lspi
	Log     *slog.Logger
	Texts   *source.Cache
	Files   disk.Files
	// EditDir is where the journals of edits are, so that one that is cut off by a crash is finished; absolute, outside of the
	// workspace, shared by all processes of the user. "" when there is no place for it: nothing is edited then.
	EditDir string

	edits   edits
	servers pool.Group // of all workspaces, over which limits hold

	mu     sync.Mutex
	open   map[string]*Workspace // by the key they were opened with; guarded by mu
	ending []*Workspace          // whose servers are being ended; guarded by mu
}

// opened is the part of a workspace that belongs to the process which opened it.
type opened struct {
	key      string
	sessions int           // that have it; guarded by Process.mu
	start    sync.Once     // makes the pool
	ended    chan struct{} // closed when the servers have ended
}

// Open gives one more session the workspace that was opened with this key, or opens it with the table and the pool's options, of which
// Open sets Table, Log, Texts and Group. Equal keys mean equal roots and equal servers; "" is shared with nobody. While servers at the same
// root are being ended Open waits for them, because two servers at one project may fight for its index; the end of ctx is its only
// error. The session that has it calls [Session.Close].
func (p *Process) Open(ctx context.Context, key string, table *router.Table, o pool.Options) (*Workspace, error) {
	for {
		w, ending := p.claim(key, table)
		if ending == nil {
			w.start.Do(func() { // not under the lock, because it looks at the disk
				o.Table, o.Log, o.Texts, o.Group = w.Table, p.Log, p.Texts, &p.servers
				w.Pool = pool.New(o)
			})
			return w, nil
		}
		select {
		case <-ending.ended:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// claim counts one more session of the workspace, or finds the one whose end has to be waited for.
func (p *Process) claim(key string, table *router.Table) (w, ending *Workspace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.open[key]; w != nil && key != "" {
		w.sessions++
		return w, nil
	}
	if i := slices.IndexFunc(p.ending, func(w *Workspace) bool { return w.Root == table.Workspace }); i >= 0 {
		return nil, p.ending[i]
	}
	w = newWorkspace(p, table)
	w.opened = opened{key: key, sessions: 1, ended: make(chan struct{})}
	if key != "" {
		if p.open == nil {
			p.open = map[string]*Workspace{}
		}
		p.open[key] = w
	}
	return w, nil
}

// release counts one session off, and returns what is left to do: for the last one to end the servers, which takes seconds.
func (w *Workspace) release() (end func()) {
	p := w.Process
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.sessions--; w.sessions > 0 {
		return func() {}
	}
	delete(p.open, w.key)
	p.ending = append(p.ending, w)
	return sync.OnceFunc(func() {
		w.Pool.Close()
		p.mu.Lock()
		p.ending = slices.DeleteFunc(p.ending, func(other *Workspace) bool { return other == w })
		p.mu.Unlock()
		close(w.ended)
	})
}
