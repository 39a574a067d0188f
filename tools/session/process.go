package session

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/router"
)

// Process is what one process of lspi has, however many hosts it serves: caches, the log, the folder
// for journals of edits, and the open workspaces. Its exported fields do not change once a workspace is
// open. Whoever sets Linger has to call [Process.Close].
type Process struct {
	Version string // of lspi
	Log     *slog.Logger
	Texts   *source.Cache
	Files   source.Files
	// EditDir is the folder of the journals of edits, from which an edit that a crash cut off is finished: absolute,
	// outside of the workspace, shared by all processes of the user. "" when there is no place for it; then nothing
	// can be edited.
	EditDir string
	// Linger is how long a workspace stays open after its last session, with its servers and journals as they are, for
	// the next session with the same key. 0 ends it with its last session.
	Linger  time.Duration
	Sharing Sharing

	edits       edits
	transcripts transcriptStores
	servers     router.Group // of all workspaces, over which limits hold

	mu     sync.Mutex
	closed bool         // guarded by mu
	open   []*Workspace // that sessions have, or that linger; guarded by mu
	ending []*Workspace // whose servers are being ended; guarded by mu

	// work has the goroutines of lingering workspaces, and of ends that no session waits for. They are added under mu
	// while closed is false, so that Close does not miss one.
	work sync.WaitGroup
}

// errProcessClosed is the error of opening a workspace while lspi ends.
var errProcessClosed = contract.Errorf(contract.KindCancelled, nil, "lspi is shutting down")

// Sharing says whether the process serves all hosts of the user.
type Sharing struct {
	Shared bool   `json:"shared"`
	PID    int    `json:"pid,omitempty"`    // of the shared process
	Reason string `json:"reason,omitempty"` // why it is not shared; "" when nobody wanted it
}

// Open returns the workspace that was opened with this key, or opens it with the table and the pool's
// options, of which Open itself sets Table, Log, Texts, Group, Hold and Beside. The caller's session has it
// until [Session.Close].
//
// Equal keys mean equal tables and options; the key "" is shared with nobody. Workspaces at the same
// root share the servers that are the same for both. A workspace there that only lingers, with another
// key, is ended: its configuration is outdated, or of a host that is gone, and otherwise two servers
// would run at one project of which nobody asks the older. Servers that both would have go on.
//
// Open waits for nothing; the start of a server waits until the one whose place it takes is gone. The
// only error is that the process is closed.
func (p *Process) Open(key string, table *router.Table, o router.PoolOptions) (*Workspace, error) {
	w, err := p.claim(key, table)
	if err != nil {
		return nil, err
	}
	p.begin(w, o)
	return w, nil
}

// begin makes the pool of a workspace that was claimed for the first time.
func (p *Process) begin(w *Workspace, o router.PoolOptions) {
	w.start.Do(func() { // not under the lock, because it looks at the disk
		o.Table, o.Log, o.Texts, o.Group, o.Hold = w.Table, p.Log, p.Texts, &p.servers, p.edits.barriers.hold
		o.Beside = func(ctx context.Context) { w.Words(w.Root).Build(ctx) }
		w.Pool = router.NewPool(o)
		close(w.started)
		p.endOutdated(w) // only now, when the new pool has its share of the servers
	})
}

// claim adds a session to the open workspace with this key, or lists a new one without a pool.
func (p *Process) claim(key string, table *router.Table) (*Workspace, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errProcessClosed
	}
	if i := slices.IndexFunc(p.open, func(w *Workspace) bool { return w.key == key }); i >= 0 && key != "" {
		w := p.open[i]
		w.sessions++
		w.stopLingering()
		return w, nil
	}
	w := newWorkspace(p, table)
	w.opened = opened{key: key, sessions: 1, started: make(chan struct{})}
	p.open = append(p.open, w)
	return w, nil
}

// endOutdated ends the workspaces at the root of w that linger, or that only guests have, in the background.
func (p *Process) endOutdated(w *Workspace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range slices.Clone(p.open) {
		if !p.closed && other != w && other.sessions == other.guests && other.Root == w.Root {
			p.work.Go(p.takeOut(other))
		}
	}
}
