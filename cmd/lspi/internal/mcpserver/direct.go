package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/mcpserver/facade"
	"lspi/contract"
	"lspi/mcpclient"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// directCalls are the calls of one connection that go past the SDK: those of tools of other MCP servers, where nothing has to be waited for. The SDK
// alone adds more to such a call than lspi may (docs/mcp-servers.md has the figures; go-sdk 1.8.0). What is unusual in any way goes through the SDK:
// then nothing was done yet, and [Service.handleOther] does it all. Of a call that was begun here the end is made here, also when it is unusual.
type directCalls struct {
	s         *Service
	conn      mcp.Connection // set before connected is closed
	connected chan struct{}

	mu    sync.Mutex
	calls map[jsonrpc.ID]*directCall // guarded by mu
	ended bool                       // no more calls begin; guarded by mu
	under sync.WaitGroup             // calls under way; entered under mu while ended is not set
	stop  func() bool
}

// directCall is one of them.
type directCall struct {
	began     time.Time
	settings  *session.Settings
	host      *directHost
	request   answer.Request
	cancel    func(error) // nil before the call was begun
	cancelled error       // before cancel was known
}

// directHost is what is known about the host of a session whose calls may go past the SDK.
type directHost struct {
	session *mcp.ServerSession
	host    session.Host
	request answer.Request // what all of its calls have in common
}

// noteDirect notes the host when it has shaken hands. Hosts without a handshake (protocol 2026-07-28) say with each call who they are, and results for
// them have a type.
func (s *Service) noteDirect(client *mcp.ServerSession) {
	if s.opt.sessionID != nil || !hasShaken(client) {
		return
	}
	host := session.Host{}
	if info := client.InitializeParams().ClientInfo; info != nil {
		host.Name = info.Name
	}
	s.direct.Store(&directHost{session: client, host: host, request: answer.Request{Host: host, Bind: s.binder(client), MCPServers: s.others.Status}})
}

func newDirectCalls(s *Service) *directCalls {
	s.direct.Store(nil)
	d := &directCalls{s: s, connected: make(chan struct{}), calls: map[jsonrpc.ID]*directCall{}}
	d.stop = context.AfterFunc(s.ctx, func() { d.end(context.Cause(s.ctx)) })
	return d
}

// connect says over which connection the host is answered.
func (d *directCalls) connect(c mcp.Connection) {
	d.conn = c
	close(d.connected)
}

// write answers a call.
func (d *directCalls) write(id jsonrpc.ID, result json.RawMessage) {
	<-d.connected                                                                     // there is a connection: the call was read from it
	_ = d.conn.Write(context.Background(), &jsonrpc.Response{ID: id, Result: result}) // who reads the connection hears of its end
}

// close ends the calls under way, and returns when they are answered.
func (d *directCalls) close() {
	d.stop()
	d.end(context.Canceled)
	d.under.Wait()
}

// end cancels all calls, and lets no more begin.
func (d *directCalls) end(why error) {
	d.mu.Lock()
	d.ended = true
	var all []jsonrpc.ID
	for id := range d.calls {
		all = append(all, id)
	}
	d.mu.Unlock()
	for _, id := range all {
		d.cancel(id, why)
	}
}

// cancel ends the call of a request; false when there is none.
func (d *directCalls) cancel(id jsonrpc.ID, why error) bool {
	d.mu.Lock()
	call := d.calls[id]
	if call == nil {
		d.mu.Unlock()
		return false
	}
	call.cancelled = why
	cancel := call.cancel
	d.mu.Unlock()
	if cancel != nil {
		cancel(why)
	}
	return true
}

// take takes a message of the host that is a call for here, or the cancellation of one.
func (d *directCalls) take(r *jsonrpc.Request) bool {
	switch {
	case r.Method == "tools/call" && r.IsCall():
		return d.begin(r)
	case r.Method == "notifications/cancelled" && !r.IsCall():
		var params struct {
			ID any `json:"requestId"`
		}
		if json.Unmarshal(r.Params, &params) != nil {
			return false
		}
		id, err := jsonrpc.MakeID(params.ID)
		return err == nil && d.cancel(id, context.Canceled)
	}
	return false
}

// directParams are the parameters of a call of the form that almost all hosts send.
type directParams struct {
	name      string
	arguments json.RawMessage // an object; nil when there are none
	token     json.RawMessage // for progress; nil when there is none
	meta      json.RawMessage // _meta, when it has more than the token; else nil
}

// read reads the parameters of a call; false for what has to be looked at more closely.
func (p *directParams) read(params json.RawMessage) bool {
	return contract.Members(params, func(name, value jsontext.Value) bool {
		switch string(name) {
		case `"name"`:
			var plain bool
			if p.name, plain = contract.PlainText(value); !plain {
				return false
			}
		case `"arguments"`:
			p.arguments = json.RawMessage(value)
			return value[0] == '{'
		case `"_meta"`:
			return contract.Members(value, func(name, member jsontext.Value) bool {
				switch {
				case string(name) == `"progressToken"` && (member[0] == '"' || member[0] == '-' || '0' <= member[0] && member[0] <= '9'):
					p.token = json.RawMessage(member)
				case bytes.IndexByte(name, '\\') >= 0 || bytes.HasPrefix(name, []byte(`"lspi/`)) || bytes.HasPrefix(name, []byte(`"io.modelcontextprotocol/`)):
					return false
				default:
					p.meta = json.RawMessage(value)
				}
				return true
			})
		default:
			return false
		}
		return true
	})
}

// begin begins a call; false when it is none for here.
func (d *directCalls) begin(r *jsonrpc.Request) bool {
	s, host := d.s, d.s.direct.Load()
	if host == nil || s.opt.Events.On() || len(s.settings.Load().MCPServers) == 0 {
		return false
	}
	var p directParams
	if !p.read(r.Params) {
		return false
	}
	// Lspi's own tools are told apart before the disk is looked at. What the call obeys is what there is behind that look: a session that is opened anew
	// meanwhile has stored its settings before it counts as up to date.
	if _, ok := IsOthers(s.settings.Load(), p.name); !ok || !s.session.upToDate() {
		return false
	}
	settings := s.settings.Load()
	id, ok := IsOthers(settings, p.name)
	if !ok || len(settings.Defaults[p.name]) > 0 || !s.enter() {
		return false
	}
	call := &directCall{began: time.Now(), settings: settings, host: host, request: host.request}
	call.request.Tool, call.request.Arguments = p.name, p.arguments
	if !d.enter(r.ID, call) {
		s.work.Done()
		return false
	}
	started, ok := s.others.Start(facade.ToolCall{
		Ctx: s.ctx, Name: p.name, Arguments: p.arguments, Meta: p.meta, Progress: host.progress(p.token),
		Allowed: func(e *session.Entry) bool { return answer.Refused(settings, e) == nil },
		End: func(t facade.Tool, result *mcp.CallToolResult, sent json.RawMessage, err error) {
			defer d.under.Done()
			out := d.finish(call, id, t, result, sent, err)
			d.forget(r.ID) // before the host has the answer and may use its id again
			s.work.Done()  // a host that reads nothing does not hold up the end of the service
			d.write(r.ID, out)
		},
	})
	if !ok {
		d.forget(r.ID)
		d.under.Done()
		s.work.Done()
		return false
	}
	s.seen.note(host.host.Name, true)
	d.mu.Lock()
	call.cancel = started.Cancel
	why := call.cancelled
	d.mu.Unlock()
	if why != nil {
		started.Cancel(why)
	}
	return true
}

// enter counts a call; false when none may begin, or the id is that of one under way.
func (d *directCalls) enter(id jsonrpc.ID, call *directCall) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended || d.calls[id] != nil {
		return false
	}
	d.calls[id] = call
	d.under.Add(1)
	return true
}

// forget has a call be cancelled no more.
func (d *directCalls) forget(id jsonrpc.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.calls, id)
}

// progress passes progress on to the host; nil when it gave no token.
func (h *directHost) progress(raw json.RawMessage) func(mcpclient.Progress) {
	if raw == nil {
		return nil
	}
	return func(p mcpclient.Progress) {
		var token any
		_ = json.Unmarshal(raw, &token) // of JSON that was read before
		_ = h.session.NotifyProgress(context.Background(), &mcp.ProgressNotificationParams{ProgressToken: token, Progress: p.Progress, Total: p.Total, Message: p.Message})
	}
}

// finish is the result for the host. sent is that of the server as it was sent, nil when that is not what the host gets.
func (d *directCalls) finish(call *directCall, server string, t facade.Tool, result *mcp.CallToolResult, sent json.RawMessage, err error) (out json.RawMessage) {
	log := d.s.opt.Log
	defer func() {
		if p := recover(); p != nil { // it would kill the process
			log.Error("panic in a call of another MCP server", "tool", call.request.Tool, "panic", p, "stack", string(debug.Stack()))
			out = mustRaw(failed(call.settings, call.request, panicked(call.request.Tool, p)))
		}
	}()
	if err == nil {
		bounded := bound(call.settings, call.host.host, t, result)
		if bounded != result {
			sent = nil
		}
		result = bounded
	} else {
		result, sent = failed(call.settings, call.request, err), nil
	}
	logOther(log, call.request, server, result, err, time.Since(call.began))
	if sent != nil {
		return sent
	}
	return mustRaw(result)
}

// panicked is the error of a call in which lspi panicked.
func panicked(tool string, with any) error {
	return contract.Errorf(contract.KindPanic, contract.Facts{"tool": tool}, "%s failed because of a bug in lspi: %v", tool, with)
}
