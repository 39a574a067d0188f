package workspace

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"lspi/contract"
	"lspi/disk"
	"lspi/pool"
	"lspi/router"
	"lspi/source"
)

// Process is what one process of lspi has, however many hosts it serves: caches, the log, the folder of edits, and the workspaces that
// are open. Its exported fields are not changed once a workspace is open. Whoever sets Linger has to call [Process.Close].
type Process struct {
	Version string // of lspi
	Log     *slog.Logger
	Texts   *source.Cache
	Files   disk.Files
	// EditDir is where the journals of edits are, so that one that is cut off by a crash is finished; absolute, outside of the
	// workspace, shared by all processes of the user. "" when there is no place for it: nothing is edited then.
	EditDir string
	// Linger is how long a workspace that no session has any more stays open, with its servers and journals as they are, for the next
	// session with the same key. 0 ends it with its last session.
	Linger  time.Duration
	Sharing Sharing

	edits   edits
	servers pool.Group // of all workspaces, over which limits hold

	mu     sync.Mutex
	closed bool         // guarded by mu
	open   []*Workspace // that sessions have, or that linger; guarded by mu
	ending []*Workspace // whose servers are being ended; guarded by mu

	work sync.WaitGroup // waits of lingering workspaces, and ends that no session waits for; entered under mu while closed is not set
}

// errProcessClosed is told to who opens a workspace while lspi ends.
var errProcessClosed = contract.Errorf(contract.KindCancelled, nil, "lspi is shutting down")

// Sharing says whether the process serves all hosts of the user.
type Sharing struct {
	Shared bool   `json:"shared"`
	PID    int    `json:"pid,omitempty"`    // of the shared process
	Reason string `json:"reason,omitempty"` // why it is not shared; "" when nobody wanted it
}

// Open gives one more session the workspace that was opened with this key, or opens it with the table and the pool's options, of which
// Open sets Table, Log, Texts and Group. Equal keys mean equal roots and equal servers; "" is shared with nobody. While servers at the same
// root are being ended Open waits for them, because two servers at one project may fight for its index. For the same reason a workspace
// at the same root that only lingers, with another key, is ended: what decided about its servers is outdated, or of a host that is gone.
// Its only errors are the end of ctx and that of the process. The session that has the workspace calls [Session.Close].
func (p *Process) Open(ctx context.Context, key string, table *router.Table, o pool.Options) (*Workspace, error) {
	for {
		w, ending, err := p.claim(key, table)
		switch {
		case err != nil:
			return nil, err
		case ending == nil:
			w.start.Do(func() { // not under the lock, because it looks at the disk
				o.Table, o.Log, o.Texts, o.Group = w.Table, p.Log, p.Texts, &p.servers
				w.Pool = pool.New(o)
				close(w.started)
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
func (p *Process) claim(key string, table *router.Table) (w, ending *Workspace, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errProcessClosed
	}
	if i := slices.IndexFunc(p.open, func(w *Workspace) bool { return w.key == key }); i >= 0 && key != "" {
		w = p.open[i]
		w.sessions++
		w.stopLingering()
		return w, nil, nil
	}
	for _, other := range slices.Clone(p.open) {
		if other.sessions == 0 && other.Root == table.Workspace {
			p.work.Go(p.takeOut(other))
		}
	}
	if i := slices.IndexFunc(p.ending, func(w *Workspace) bool { return w.Root == table.Workspace }); i >= 0 {
		return nil, p.ending[i], nil
	}
	w = newWorkspace(p, table)
	w.opened = opened{key: key, sessions: 1, started: make(chan struct{}), ended: make(chan struct{})}
	p.open = append(p.open, w)
	return w, nil, nil
}
