package tools

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/lsp"
	"lspi/router"
)

// warmup opens the session and starts the servers that the workspace needs, in the background.
func (s *Service) warmup(host *mcp.ServerSession) {
	if !s.opt.Warmup || !s.enter() {
		return
	}
	go func() {
		defer s.work.Done()
		env, giveBack, err := s.session.use(s.ctx, func(ctx context.Context) []string { return hostRoots(ctx, host) })
		defer giveBack()
		switch {
		case err == nil:
			env.guarded(s.ctx, "warming up", func(ctx context.Context) { env.Warmup(ctx) })
		case s.ctx.Err() == nil:
			s.opt.Log.Warn("warming up", "error", err)
		}
	}()
}

// Warmup starts the servers that the workspace needs and waits until they are ready, or ctx ends. Who fails is logged;
// the call that needs that server tells why.
func (e *Env) Warmup(ctx context.Context) {
	c := &Call{env: e}
	routes, err := c.workspaceRoutes(ctx, lsp.MethodDefinition)
	if err != nil {
		if ctx.Err() == nil {
			e.Log.Warn("warming up", "error", err)
		}
		return
	}
	together(len(routes), 0, func(i int) {
		r := routes[i]
		if err := c.warm(ctx, r); err != nil && ctx.Err() == nil {
			e.Log.Warn("warming up", "server_id", r.Spec.ID, "root", r.Root, "error", err)
		}
	})
}

func (c *Call) warm(ctx context.Context, r router.Route) error {
	s, release, err := c.env.Pool.Get(ctx, r)
	if err != nil {
		return err
	}
	defer release()
	if err := s.Sync(ctx); err != nil {
		return err
	}
	if err := s.OpenAny(ctx); err != nil {
		return err
	}
	s.Ready(ctx, lsp.DefaultWarmup, nil)
	return nil
}
