package session

import (
	"slices"

	"lspi/router"
)

// OpenGuest is [Process.Open] for a session of lspi's own, a guest, such as that of a host's hooks: it takes the
// workspace that a host's session has, though its own key may be another one. A host gives its hooks other variables
// than its MCP servers, and a second set of servers at the same project would cost more than the difference is worth.
//
// It takes the first of these: an open workspace with the key, one that hosts have and that fits, one that lingers
// and fits. Only without any it opens one. fits is asked about workspaces at the root of the table, and must not
// block. A workspace that only guests have ends when a host opens another one at its root.
func (p *Process) OpenGuest(key string, table *router.Table, o router.PoolOptions,
	fits func(*router.Table) bool) (*Workspace, error) {
	if w := p.join(key, table.Workspace, fits); w != nil {
		<-w.started // the session that has it makes the pool, and waits for nothing
		return w, nil
	}
	w, err := p.claim(key, table)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	w.guests++
	p.mu.Unlock()
	p.begin(w, o)
	return w, nil
}

// join adds a guest to an open workspace; nil when none fits.
func (p *Process) join(key, root string, fits func(*router.Table) bool) *Workspace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	better := func(w *Workspace) int { // the smaller, the better
		switch {
		case w.sessions > w.guests && w.key == key && key != "":
			return 0
		case w.sessions > w.guests:
			return 1
		case w.key == key && key != "":
			return 2
		}
		return 3
	}
	var best *Workspace
	for _, w := range p.open {
		if w.Root == root && fits(w.Table) && (best == nil || better(w) < better(best)) {
			best = w
		}
	}
	if best != nil {
		best.sessions++
		best.guests++
		best.stopLingering()
	}
	return best
}

// Attended reports whether a host's session has the workspace.
func (w *Workspace) Attended() bool {
	w.Process.mu.Lock()
	defer w.Process.mu.Unlock()
	return w.sessions > w.guests
}

// Closed reports whether the workspace has ended, so that a guest has to open another one.
func (w *Workspace) Closed() bool {
	w.Process.mu.Lock()
	defer w.Process.mu.Unlock()
	return !slices.Contains(w.Process.open, w)
}

// Attended reports whether a host's session has a workspace at a root.
func (p *Process) Attended(root string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.open, func(w *Workspace) bool { return w.Root == root && w.sessions > w.guests })
}
