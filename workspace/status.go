package workspace

import (
	"slices"
	"strings"
	"time"

	"lspi/pool"
)

// Status is what is open at one root.
type Status struct {
	Root     string
	Sessions int
	Unused   time.Time // since when no session has it; zero while one has it
	Servers  []pool.ServerStatus
}

// Status lists the roots at which workspaces are open, sessions having them or not, in their order. It asks no server.
func (p *Process) Status() []Status {
	var out []Status
	p.mu.Lock()
	for _, w := range p.open {
		i := slices.IndexFunc(out, func(s Status) bool { return s.Root == w.Root })
		if i < 0 {
			i, out = len(out), append(out, Status{Root: w.Root})
		}
		out[i].Sessions += w.sessions
		if w.unused.After(out[i].Unused) {
			out[i].Unused = w.unused
		}
	}
	p.mu.Unlock()
	for i := range out {
		if out[i].Sessions > 0 {
			out[i].Unused = time.Time{}
		}
		out[i].Servers = p.servers.Status(out[i].Root)
	}
	slices.SortFunc(out, func(a, b Status) int { return strings.Compare(a.Root, b.Root) })
	return out
}
