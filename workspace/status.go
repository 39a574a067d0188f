package workspace

import (
	"slices"
	"strings"
	"time"

	"lspi/pool"
)

// Status is one open workspace.
type Status struct {
	Root     string
	Sessions int
	Unused   time.Time // since when no session has it; zero while one has it
	Servers  []pool.ServerStatus
}

// Status lists the workspaces that sessions have or that linger, by root, then by age. It asks no server.
func (p *Process) Status() []Status {
	p.mu.Lock()
	var out []Status
	var pools []*pool.Pool
	for _, w := range p.open {
		s, started := Status{Root: w.Root, Sessions: w.sessions, Unused: w.unused}, (*pool.Pool)(nil)
		select {
		case <-w.started:
			started = w.Pool
		default:
		}
		out, pools = append(out, s), append(pools, started)
	}
	p.mu.Unlock()
	for i, servers := range pools {
		if servers != nil {
			out[i].Servers = servers.Status()
		}
	}
	slices.SortStableFunc(out, func(a, b Status) int { return strings.Compare(a.Root, b.Root) })
	return out
}
