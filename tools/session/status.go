package session

import (
	"slices"
	"strings"
	"time"

	"lspi/router"
)

// Status is what is open at one root, over all its workspaces.
type Status struct {
	Root     string
	Sessions int       // without guests
	Unused   time.Time // since when no session has it; zero while one has it
	Servers  []router.ServerStatus
}

// Status returns what is open, sorted by root, whether sessions have it or it lingers. It asks no
// server.
func (p *Process) Status() []Status {
	var out []Status
	p.mu.Lock()
	for _, w := range p.open {
		i := slices.IndexFunc(out, func(s Status) bool { return s.Root == w.Root })
		if i < 0 {
			i, out = len(out), append(out, Status{Root: w.Root})
		}
		out[i].Sessions += w.sessions - w.guests
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

// MCPServerStatus is what a host sees of another MCP server of its session. No secret is in it.
type MCPServerStatus struct {
	ID         string   `json:"mcp_server"`
	State      string   `json:"state"`
	Transport  string   `json:"transport,omitempty"`
	Command    string   `json:"command,omitempty"`
	PID        int      `json:"pid,omitempty"`
	Version    string   `json:"version,omitempty"`
	Protocol   string   `json:"protocol,omitempty"`
	Tools      int      `json:"tools"`
	Prompts    int      `json:"prompts,omitempty"`
	Resources  int      `json:"resources,omitempty"`
	Cached     bool     `json:"cached,omitempty"` // the lists are those of an earlier time
	Warnings   []string `json:"list_warnings,omitempty"`
	LastError  string   `json:"last_error,omitempty"`
	RetryAfter int64    `json:"retry_after_ms,omitempty"`
	Restarts   int      `json:"restarts"`
	InFlight   int      `json:"in_flight,omitempty"`
	StderrTail []string `json:"stderr_tail,omitempty"`
}
