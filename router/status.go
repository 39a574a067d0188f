package router

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// ServerStatus is the state of one server at one root, over all of its processes.
type ServerStatus struct {
	Spec       *spec.Spec // in Pool.Status from the pool's own table
	Root       string
	Server     *lsp.Server // nil when no process runs
	State      string      // "starting", "running", "stopped", "failed", "disabled", "missing"
	LastUsed   time.Time
	Restarts   int           // processes that took the place of an earlier one
	Crashes    int           // within the crash window; failed starts count too
	LastErr    error         // the last crash or failed start; nil when there was none
	LastErrAt  time.Time     // when that was
	RetryAfter time.Duration // until a disabled server may be started again
	Evicted    string        // why a limit ended its last process; "" when none did, or the server runs
}

// Status lists the servers of the pool that were asked for so far, in the order of the table, then of their roots.
func (p *Pool) Status() []ServerStatus {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	now := time.Now()
	var out []ServerStatus
	for _, sl := range p.slots() {
		out = append(out, sl.statusAt(now))
		out[len(out)-1].Spec = sl.spec
	}
	return out
}

// Status lists the servers that were asked for so far in a workspace, over all of its pools and each once, by their
// ids and roots.
func (g *Group) Status(workspace string) []ServerStatus {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	var out []ServerStatus
	for _, sl := range g.slots {
		if sl.workspace() == workspace {
			out = append(out, sl.statusAt(now))
		}
	}
	slices.SortFunc(out, func(a, b ServerStatus) int {
		return cmp.Or(strings.Compare(a.Spec.ID, b.Spec.ID), strings.Compare(a.Root, b.Root))
	})
	return out
}

// statusAt returns the state of the slot. Group.mu is held.
func (sl *slot) statusAt(now time.Time) ServerStatus {
	st := ServerStatus{Spec: sl.spec, Root: sl.root, Server: sl.server, State: "stopped",
		LastUsed: sl.lastUsed, Restarts: max(sl.starts-1, 0), Crashes: len(sl.failures.recent(now)),
		LastErr: sl.failures.last, LastErrAt: sl.failures.lastAt, Evicted: sl.evicted}
	switch {
	case sl.starting != nil:
		st.State = "starting"
	case sl.server != nil:
		st.State = "running"
	case sl.failures.disabled(sl.spec.ID, now) != nil || sl.memoryError(now) != nil:
		st.State, st.RetryAfter = "disabled", max(sl.failures.retryAfter(now), sl.memoryRetry(now))
	case notInstalled(sl.err):
		st.State = "missing" // a call tried it after other servers for the same files
	case sl.err != nil:
		st.State = "failed"
	}
	return st
}

func notInstalled(err error) bool {
	e := (*contract.Error)(nil)
	return errors.As(err, &e) && e.Kind == contract.KindServerNotInstalled
}
