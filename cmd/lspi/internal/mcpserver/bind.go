package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/tools/session"
)

// binder returns what the tool bind_workspace does for a host; nil unless the host names its workspace that way.
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
			err = s.opt.Bind(cwd) // another call may have bound and opened another folder in between
		}
		if err != nil {
			return nil, err
		}
		s.warmOnce.Do(func() { s.warmup(host) })
		return session, nil
	}
}
