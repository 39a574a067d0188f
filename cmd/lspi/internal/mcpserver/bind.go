package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/tools/session"
)

// binder is what bind_workspace does for a host; nil where the workspace is not the host's to say.
func (s *Service) binder(host *mcp.ServerSession) func(context.Context, string) (*session.Session, error) {
	if s.opt.Bind == nil {
		return nil
	}
	return func(ctx context.Context, cwd string) (*session.Session, error) {
		if err := s.opt.Bind(cwd); err != nil {
			return nil, err
		}
		session, giveBack, err := s.session.use(ctx, rootsOf(ctx, host))
		defer giveBack()
		if err == nil {
			err = s.opt.Bind(cwd) // another call may have opened it meanwhile, with a folder of its own
		}
		if err != nil {
			return nil, err
		}
		s.greeted.Do(func() { s.warmup(host) })
		return session, nil
	}
}
