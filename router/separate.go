package router

import (
	"context"
	"sync"
	"time"

	"lspi/lsp"
	"lspi/lsp/spec"
)

// keepFor is how long an unused separate process is kept: an agent that mends an edit checks it again within a minute
// or so.
const keepFor = 2 * time.Minute

// keptProcess is a separate process that waits for the next question about its file. A pool keeps at most one. It is
// not a server of the pool: no list shows it, no other question gets it, and it ends first where a limit is reached.
type keptProcess struct {
	server *lsp.Server
	of     *spec.Spec // the route's; the process itself may run with other settings
	root   string
	since  time.Time
}

// Separate returns a process of its own for a question about the file at path, such as the diagnostics of a text that
// is not on disk at a server whose documents depend on each other (clangd). s is the spec for such a process, derived
// from that of the route r. Nobody else uses the process.
//
// The process kept from the question before is used again when it would answer as a new one (see [lsp.Server.Reuse]):
// with clangd a new one first compiles every header again. The caller must call release; with stay the process is
// kept for the next question where possible. release does not wait for the end of a process; Close of the pool does.
func (p *Pool) Separate(ctx context.Context, s *spec.Spec, r Route, path string) (server *lsp.Server,
	release func(stay bool), err error) {
	if server = p.takeKept(ctx, r, path); server == nil {
		o := p.options(s, r.Root)
		o.Launcher, o.Separate = p.newLauncher(s), true
		if server, err = lsp.Start(ctx, o); err != nil {
			return nil, nil, err
		}
		server.Stays(path)
	}
	var once sync.Once
	return server, func(stay bool) {
		once.Do(func() {
			if !stay || !p.keep(server, r) {
				p.closeAsync(server)
			}
		})
	}, nil
}

// takeKept returns the kept process when it may be asked about path, else nil. A kept process that may not is closed.
// Only one question at a time can take it.
func (p *Pool) takeKept(ctx context.Context, r Route, path string) *lsp.Server {
	p.group.mu.Lock()
	have := p.kept
	p.kept = nil
	p.group.mu.Unlock()
	switch {
	case have == nil:
		return nil
	case have.of == r.Spec && have.root == r.Root && have.server.Reuse(ctx, path):
		return have.server
	}
	p.closeAsync(have.server)
	return nil
}

// keep stores a process for the next question. It returns false, and the caller has to close the process, when the
// process may not stay, another one is stored, or the pool ends.
func (p *Pool) keep(s *lsp.Server, r Route) bool {
	may := s.MayStay() // outside of Group.mu: it takes locks of package lsp
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if !may || p.kept != nil || p.ctx.Err() != nil {
		return false
	}
	p.kept = &keptProcess{s, r.Spec, r.Root, time.Now()}
	return true
}

// dropKept closes the kept process when drop says so, in the background, and returns it; else nil. Group.mu is held.
func (p *Pool) dropKept(drop func(*keptProcess) bool) (s *lsp.Server) {
	if p.kept == nil || !drop(p.kept) {
		return nil
	}
	s = p.kept.server
	p.kept = nil
	p.work.Go(s.Close)
	return s
}

// dropAllKept closes the kept processes of all pools for which among is true, and returns them. mu is held.
func (g *Group) dropAllKept(among func(*lsp.Server) bool) (dropped []*lsp.Server) {
	for _, p := range g.pools {
		if s := p.dropKept(func(one *keptProcess) bool { return among(one.server) }); s != nil {
			dropped = append(dropped, s)
		}
	}
	return dropped
}
