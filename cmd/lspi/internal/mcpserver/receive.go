package mcpserver

//lint:file-ignore SA1019 roots, sampling and log messages are deprecated since 2026-07-28, and what the hosts and servers of today have.

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// receive stands before everything that the host asks. The call of an unknown tool never reaches the SDK's own
// dispatch, where it is a protocol error (go-sdk 1.8.0); of a known one it is decoded and guarded against panics by
// [Run].
func (s *Service) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if lists := listsFor[method]; lists != nil {
			<-s.listed
			s.awaitLists(ctx, req, lists)
		}
		switch method {
		case "tools/list":
			return s.list.read(func() (mcp.Result, error) { return next(ctx, method, req) })
		case "logging/setLevel":
			<-s.listed
			s.begin(hostSession(req))
		case "tools/call":
			<-s.listed
			// Of what it knows the SDK marks the result with the type that 2026-07-28 has.
			if call, ok := req.(*mcp.CallToolRequest); ok && !s.list.has(call.Params.Name) {
				return s.handle(ctx, call)
			}
		case "notifications/initialized", "server/discover":
			host := hostSession(req)
			s.noteHost(host)
			if s.opt.Bind == nil { // else the workspace is not known yet
				s.greeted.Do(func() { s.warmup(host) })
			}
		}
		res, err := next(ctx, method, req)
		if set, ok := req.GetParams().(*mcp.SetLoggingLevelParams); ok && err == nil {
			s.others.SetLevel(ctx, set.Level)
		}
		return res, err
	}
}

// hostSession is the session of the SDK that a request belongs to; nil when it belongs to none.
func hostSession(req mcp.Request) *mcp.ServerSession {
	host, _ := req.GetSession().(*mcp.ServerSession)
	return host
}

// handle answers one call; its error is always nil.
func (s *Service) handle(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, cancel := both(ctx, s.ctx)
	defer cancel()
	began := time.Now()
	r := answer.Request{Tool: req.Params.Name, Arguments: req.Params.Arguments, Host: hostOf(req),
		Progress: progressTo(ctx, req),
		Fault:    faultOf(req), ID: callID(req), Origin: originOf(req), Bind: s.binder(req.Session),
		MCPServers: s.others.Status}
	s.seen.note(r.Host.Name, true)
	if id, ok := IsOthers(s.settings.Load(), r.Tool); ok {
		return s.handleOther(ctx, req, r, id)
	}
	result := s.call(ctx, req.Session, r)
	LogCall(s.opt.Log, r, result, time.Since(began))
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: result.Text}},
		StructuredContent: result.Structured,
		IsError:           !result.OK,
	}, nil
}

// call opens the session when this is its first call.
func (s *Service) call(ctx context.Context, host *mcp.ServerSession, r answer.Request) tools.Result {
	if r.Fault != nil {
		return tools.Run(ctx, session.Unopened(s.opt.Settings, nil), nil, r)
	}
	if !s.enter() {
		return tools.Run(ctx, nil, notBegun(s.ctx), r)
	}
	defer s.work.Done()
	session, giveBack, err := s.session.use(ctx, rootsOf(ctx, host))
	defer giveBack()
	return tools.Run(ctx, session, err, r)
}

// CallKey is the key in _meta of a call whose value is the id of the call ([answer.Request].ID). In the shared
// process the connection puts it there for the thin process, in the place of whatever the host said. Where there is
// no thin process a host may say something: then a record is kept for a day that nobody asks for.
const CallKey = "lspi/call"

// callID is the id of a call; "" when it has none.
func callID(req *mcp.CallToolRequest) string {
	id, _ := req.Params.Meta[CallKey].(string)
	return id
}

// hostOf names the host: by the handshake, or by the request itself since 2026-07-28, where both are optional.
func hostOf(req *mcp.CallToolRequest) session.Host {
	if info := req.ClientInfo(); info != nil {
		return session.Host{Name: info.Name}
	}
	return session.Host{}
}

// quiet keeps the SDK's own log for who looks for mistakes: it tells of every connection at info, and of every end by a
// signal as an error (go-sdk 1.8.0). What matters of it comes back as the error of Run.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(demoted{log.Handler()}) }

// demoted logs everything at debug.
type demoted struct{ slog.Handler }

func (d demoted) Enabled(ctx context.Context, _ slog.Level) bool {
	return d.Handler.Enabled(ctx, slog.LevelDebug)
}

func (d demoted) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return d.Handler.Handle(ctx, r)
}

func (d demoted) WithAttrs(a []slog.Attr) slog.Handler { return demoted{d.Handler.WithAttrs(a)} }
func (d demoted) WithGroup(name string) slog.Handler   { return demoted{d.Handler.WithGroup(name)} }
