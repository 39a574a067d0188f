package mcpserver

//lint:file-ignore SA1019 MCP 2026-07-28 deprecates roots, sampling and logs; hosts and servers of today use them.

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// receive is the middleware for requests of the host: lists wait for what they show, and the end of the handshake
// starts the warm-up. It answers the call of an unknown tool itself, because the SDK's dispatch would return a protocol
// error (go-sdk 1.8.0).
func (s *Service) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if lists := listsFor[method]; lists != nil {
			<-s.listed
			s.awaitLists(ctx, req, lists)
		}
		switch method {
		case "tools/list":
			list, _ := req.(*mcp.ListToolsRequest)
			return s.list.read(hostOf(list).Row(), func() (mcp.Result, error) { return next(ctx, method, req) })
		case "logging/setLevel":
			<-s.listed
			s.begin(hostSession(req))
		case "tools/call":
			<-s.listed
			// Known tools go through the SDK, which adds the type of the result that 2026-07-28 has.
			if call, ok := req.(*mcp.CallToolRequest); ok && !s.list.has(call.Params.Name) {
				return s.handle(ctx, call)
			}
		case "prompts/get":
			req = listedPrompt(req)
		case "notifications/initialized", "server/discover":
			host := hostSession(req)
			s.noteHost(host)
			if s.opt.Bind == nil { // else the workspace is not known yet
				s.warmOnce.Do(func() { s.warmup(host) })
			}
		}
		res, err := next(ctx, method, req)
		if set, ok := req.GetParams().(*mcp.SetLoggingLevelParams); ok && err == nil {
			s.others.SetLevel(ctx, set.Level)
		}
		return res, err
	}
}

// listedPrompt returns the request of a prompt with the name under which the prompt is listed, as tools are named in
// any spelling: the SDK looks for that name alone.
func listedPrompt(req mcp.Request) mcp.Request {
	get, ok := req.(*mcp.GetPromptRequest)
	if !ok || get.Params == nil {
		return req
	}
	whole, params := *get, *get.Params
	params.Name = session.Listed(params.Name)
	whole.Params = &params
	return &whole
}

// hostSession returns the SDK's session that a request belongs to; nil when it belongs to none.
func hostSession(req mcp.Request) *mcp.ServerSession {
	host, _ := req.GetSession().(*mcp.ServerSession)
	return host
}

// handle answers one call of a tool. Its error is always nil: failures are results, which the model sees.
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

// call runs one of lspi's own tools; the first call opens the session.
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

// CallKey is the key in _meta of a call for the id of the call ([answer.Request].ID). In the shared process the
// connection sets it for the thin process and overwrites what the host sent. Without a thin process a host's own value
// gets through; it costs a record of the call that is kept for a day and never asked for.
const CallKey = "lspi/call"

// callID returns the id of a call; "" when it has none.
func callID(req *mcp.CallToolRequest) string {
	id, _ := req.Params.Meta[CallKey].(string)
	return id
}

// hostOf returns the host as the handshake names it, or, since MCP 2026-07-28, the request. Both may omit the name.
func hostOf[P mcp.Params](req *mcp.ServerRequest[P]) session.Host {
	if info := req.ClientInfo(); info != nil {
		return session.Host{Name: info.Name}
	}
	return session.Host{}
}

// quiet returns the logger for the SDK, which writes at debug only: the SDK logs every connection at info, and every
// end by a signal as an error (go-sdk 1.8.0). Real failures come back as the error of Run.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(demoted{log.Handler()}) }

// demoted is a handler that logs everything at debug.
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
