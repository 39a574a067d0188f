package session

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/router"
)

// Process is what one process of lspi has, however many hosts it serves: caches, the log, the folder of edits, and
// the workspaces that are open. Its exported fields are not changed once a workspace is open. Whoever sets Linger
// has to call [Process.Close].
type Process struct {
	Version string // of lspi
	Log     *slog.Logger
	Texts   *source.Cache
	Files   source.Files
	// EditDir is where the journals of edits are, so that one that is cut off by a crash is finished; absolute,
	// outside of the workspace, shared by all processes of the user. "" when there is no place for it: nothing is
	// edited then.
	EditDir string
	// Linger is how long a workspace that no session has any more stays open, with its servers and journals as they
	// are, for the next session with the same key. 0 ends it with its last session.
	Linger  time.Duration
	Sharing Sharing

	edits       edits
	transcripts transcripts
	servers     router.Group // of all workspaces, over which limits hold

	mu     sync.Mutex
	closed bool         // guarded by mu
	open   []*Workspace // that sessions have, or that linger; guarded by mu
	ending []*Workspace // whose servers are being ended; guarded by mu

	// waits of lingering workspaces, and ends that no session waits for; entered under mu while closed is not set
	work sync.WaitGroup
}

// errProcessClosed is told to who opens a workspace while lspi ends.
var errProcessClosed = contract.Errorf(contract.KindCancelled, nil, "lspi is shutting down")

// Sharing says whether the process serves all hosts of the user.
type Sharing struct {
	Shared bool   `json:"shared"`
	PID    int    `json:"pid,omitempty"`    // of the shared process
	Reason string `json:"reason,omitempty"` // why it is not shared; "" when nobody wanted it
}

// Open gives one more session the workspace that was opened with this key, or opens it with the table and the
// pool's options, of which Open sets Table, Log, Texts, Group and Hold. Equal keys mean equal tables and equal
// options; "" is shared with nobody. Workspaces at the same root share the servers that are the same for both. One
// there that only lingers, with another key, is ended: what decided about its servers is outdated, or of a host
// that is gone, and else there would be two servers at one project of which nobody asks the older. Those that both
// would have go on. Open waits for nothing; it is the start of a server that waits until the one whose place it
// takes is gone. Its only error is that the process is closed. The session that has the workspace calls
// [Session.Close].
func (p *Process) Open(key string, table *router.Table, o router.PoolOptions) (*Workspace, error) {
	w, err := p.claim(key, table)
	if err != nil {
		return nil, err
	}
	w.start.Do(func() { // not under the lock, because it looks at the disk
		o.Table, o.Log, o.Texts, o.Group, o.Hold = w.Table, p.Log, p.Texts, &p.servers, p.edits.barriers.hold
		w.Pool = router.NewPool(o)
		close(w.started)
		p.endOutdated(w) // only now, when the new pool has its share of the servers
	})
	return w, nil
}

// claim counts one more session of the workspace.
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

// endOutdated ends the workspaces that linger at the root of w, in the background.
func (p *Process) endOutdated(w *Workspace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range slices.Clone(p.open) {
		if !p.closed && other.sessions == 0 && other.Root == w.Root {
			p.work.Go(p.takeOut(other))
		}
	}
}
