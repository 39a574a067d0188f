package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/session"
)

// warmup opens the session and starts the servers that the workspace needs, in the background.
func (s *Service) warmup(host *mcp.ServerSession) {
	if !s.opt.Warmup || !s.enter() {
		return
	}
	go func() {
		defer s.work.Done()
		session, giveBack, err := s.session.use(s.ctx, func(ctx context.Context) []string {
			return hostRoots(ctx, host)
		})
		defer giveBack()
		switch {
		case err == nil:
			answer.Guarded(s.ctx, s.opt.Log, "warming up", func(ctx context.Context) { Warmup(ctx, session) })
		case s.ctx.Err() == nil:
			s.opt.Log.Warn("warming up", "error", err)
		}
	}()
}

// Warmup starts the servers that the workspace needs and waits until they are ready, or ctx ends. A failure is only
// logged, at info: the call that needs the server returns the reason.
func Warmup(ctx context.Context, s *session.Session) {
	c, log := answer.NewCall(s, nil, answer.Request{}), s.Workspace.Process.Log
	if unsettled(s.Workspace) {
		log.Info("no server is started before it is asked, because an edit was interrupted", "root", s.Workspace.Root)
		return
	}
	routes, err := ask.WorkspaceRoutes(ctx, c, lsp.MethodDefinition)
	if err != nil {
		if ctx.Err() == nil {
			log.Info("warming up", "error", err)
		}
		return
	}
	answer.Parallel(len(routes), 0, func(i int) {
		r := routes[i]
		if err := warm(ctx, c, r); err != nil && ctx.Err() == nil {
			log.Info("warming up", "server_id", r.Spec.ID, "root", r.Root, "error", err)
		}
	})
}

// unsettled reports whether a killed process left an edit half written. The first call finishes it and reports that. A
// server started before would read new files beside old ones, and would not learn when the old ones go.
func unsettled(w *session.Workspace) bool {
	writer := w.Process.Writer()
	if writer == nil {
		return false
	}
	files, err := writer.Unfinished(w.EditRoots())
	return err != nil || len(files) > 0
}

// warm starts one server, brings it up to date, opens a file where it needs one, and waits until it is ready.
func warm(ctx context.Context, c *answer.Call, r router.Route) error {
	s, release, err := c.Servers.Get(ctx, r)
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
