package router

import (
	"context"
	"sync"
	"time"

	"lspi/lsp"
	"lspi/lsp/spec"
)

// staysFor is how long a separate process stays that nobody asks: an agent that mends an edit asks again within a
// minute or so.
const staysFor = 2 * time.Minute

// separate is a separate process that waits for the next question about its file. A pool has at most one. It is no
// server of the pool: no list has it, and it goes first where the limits are reached.
type separate struct {
	server *lsp.Server
	of     *spec.Spec // of the route that it was started for
	root   string
	since  time.Time
}

// Separate gives a process of its own to a question about a file, with the spec s, which is that of the route for
// such processes: the one that stayed from the question before, when it says the same as a new one would, else a
// new one. Nobody else uses it. The caller must release it; with stay it stays for the next question where that is
// possible. release does not wait until a process is gone, which the end of the pool does.
func (p *Pool) Separate(ctx context.Context, s *spec.Spec, r Route, path string) (server *lsp.Server,
	release func(stay bool), err error) {
	if server = p.takeSeparate(ctx, r, path); server == nil {
		o := p.options(s, r.Root)
		o.Launcher, o.Separate = p.launcher(s), true
		if server, err = lsp.Start(ctx, o); err != nil {
			return nil, nil, err
		}
		server.Stays(path)
	}
	var once sync.Once
	return server, func(stay bool) {
		once.Do(func() {
			if !stay || !p.keepSeparate(server, r) {
				p.closeBehind(server)
			}
		})
	}, nil
}

// takeSeparate is the process that stayed, nil when there is none that can be asked. One of another file is ended.
func (p *Pool) takeSeparate(ctx context.Context, r Route, path string) *lsp.Server {
	p.group.mu.Lock()
	have := p.separate
	p.separate = nil
	p.group.mu.Unlock()
	switch {
	case have == nil:
		return nil
	case have.of == r.Spec && have.root == r.Root && have.server.Reuse(ctx, path):
		return have.server
	}
	p.closeBehind(have.server)
	return nil
}

// keepSeparate makes a process stay; false where it may not, or another one stays already.
func (p *Pool) keepSeparate(s *lsp.Server, r Route) bool {
	may := s.MayStay()
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if !may || p.separate != nil || p.ctx.Err() != nil {
		return false
	}
	p.separate = &separate{s, r.Spec, r.Root, time.Now()}
	return true
}

// dropSeparate takes the process that stays out of the pool where drop says so, and ends it behind its caller.
// Group.mu is held.
func (p *Pool) dropSeparate(drop func(*separate) bool) (s *lsp.Server) {
	if p.separate == nil || !drop(p.separate) {
		return nil
	}
	s = p.separate.server
	p.separate = nil
	p.work.Go(s.Close)
	return s
}

// dropSeparates ends the separate processes that stay, of all pools, among the given ones. mu is held.
func (g *Group) dropSeparates(among func(*lsp.Server) bool) (dropped []*lsp.Server) {
	for _, p := range g.pools {
		if s := p.dropSeparate(func(one *separate) bool { return among(one.server) }); s != nil {
			dropped = append(dropped, s)
		}
	}
	return dropped
}
