package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/events"
	"lspi/tools"
	"lspi/tools/answer"
)

// recorded is middleware that records the host's requests and their answers (package events). Requests to servers on
// their behalf find the host's request in the context.
func (s *Service) recorded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if !s.opt.Events.On() {
			return next(ctx, method, req)
		}
		asked, ok := requestOf(method, req)
		if !ok {
			return next(ctx, method, req)
		}
		asked.ID, asked.Host = takeID(req), s.Host()
		if named, ok := req.(interface{ ClientInfo() *mcp.Implementation }); ok && named.ClientInfo() != nil {
			asked.Host = named.ClientInfo().Name
		}
		ctx, call := s.opt.Events.Begin(ctx, asked)
		if r, ok := req.(*mcp.CallToolRequest); ok {
			if fault := faultOf(r); fault != nil {
				call.DecodeFailed(events.Undecoded{Reason: fault.Error()})
			}
		}
		result, err := next(ctx, method, req)
		call.End(answerOf(ctx, result, err))
		return result, err
	}
}

// requestOf returns a request as it is recorded; ok is false for methods that are not recorded.
func requestOf(method string, req mcp.Request) (q events.Request, ok bool) {
	q.Method = method
	switch r := req.(type) {
	case *mcp.CallToolRequest:
		q.Tool, q.Arguments = r.Params.Name, r.Params.Arguments
	case *mcp.GetPromptRequest:
		q.Tool = r.Params.Name
		if r.Params.Arguments != nil {
			q.Arguments = mustRaw(r.Params.Arguments)
		}
	case *mcp.ReadResourceRequest:
		q.Tool = r.Params.URI
	case *mcp.CompleteRequest:
		if ref := r.Params.Ref; ref != nil {
			q.Tool = ref.Name + ref.URI
		}
		q.Arguments = mustRaw(r.Params.Argument)
	default:
		return q, false
	}
	return q, true
}

// denials are the kinds of errors that refuse a tool to the session.
var denials = map[contract.Kind]bool{contract.KindNotAllowedByPreset: true, contract.KindReadOnly: true,
	contract.KindToolDisabled: true}

// The recorded kinds of errors that have no kind of lspi.
const (
	toolError     = "tool_error"     // isError in the result of another MCP server
	protocolError = "protocol_error" // a JSON-RPC error
)

// answerOf returns what a host gets as it is recorded.
func answerOf(ctx context.Context, result mcp.Result, err error) events.Answer {
	if err != nil {
		a := events.Answer{Error: protocolError, Message: err.Error()}
		if ctx.Err() != nil {
			a.Error = string(contract.KindCancelled)
		}
		if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
			a.Code = int(e.Code)
		}
		return a
	}
	a := events.Answer{Result: func() []byte { return mustRaw(result) }}
	r, ok := result.(*mcp.CallToolResult)
	if !ok {
		a.Bytes = len(mustRaw(result))
		return a
	}
	envelope := structured(r)
	a.Bytes = len(envelope)
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			a.Bytes += len(c.Text)
		case *mcp.ImageContent:
			a.Bytes += len(c.Data)
		case *mcp.AudioContent:
			a.Bytes += len(c.Data)
		}
	}
	if r.IsError {
		failure(&a, envelope)
	}
	return a
}

// failure adds the error of an envelope to what is recorded.
func failure(a *events.Answer, envelope raw) {
	var head struct {
		Error struct {
			Message string
			Data    struct {
				Reason struct {
					Kind   contract.Kind
					Preset string
				} `json:"lspi_error"`
			}
		}
	}
	_ = json.Unmarshal(envelope, &head)
	reason := head.Error.Data.Reason
	a.Error, a.Message, a.Preset, a.Denied = string(reason.Kind), head.Error.Message, reason.Preset,
		denials[reason.Kind]
	if a.Error == "" {
		a.Error = toolError
	}
}

// RunRecorded runs and records a call of a tool that did not come over a connection, such as that of lspi call.
func RunRecorded(ctx context.Context, to *events.Recorder, r answer.Request,
	run func(context.Context) tools.Result) tools.Result {
	ctx, call := to.Begin(ctx, events.Request{Host: r.Host.Name, Method: "tools/call", Tool: r.Tool,
		Arguments: r.Arguments})
	result := run(ctx)
	if call == nil {
		return result
	}
	a := events.Answer{Bytes: len(result.Structured) + len(result.Text), Result: func() []byte {
		return result.Structured
	}}
	if !result.OK {
		failure(&a, result.Structured)
	}
	call.End(a)
	return result
}

// idKey is the key in _meta under which the transport passes the id of a request to recorded: the SDK shows it to no
// handler (go-sdk 1.8.0).
const idKey = "lspi/request"

// withID puts the id of a request into its _meta when the request is recorded; put reports whether it did.
func withID(r *jsonrpc.Request, to *events.Recorder) (put bool) {
	switch r.Method {
	case "tools/call", "prompts/get", "resources/read", "completion/complete":
	default:
		return false
	}
	if !to.On() || !r.IsCall() {
		return false
	}
	var params, meta map[string]json.RawMessage
	if json.Unmarshal(r.Params, &params) != nil || params == nil {
		return false // the SDK refuses such parameters
	}
	_ = json.Unmarshal(params["_meta"], &meta)
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	id, err := contract.Marshal(r.ID.Raw())
	if err != nil {
		return false
	}
	meta[idKey] = id
	params["_meta"] = mustRaw(meta)
	r.Params = json.RawMessage(mustRaw(params))
	return true
}

// takeID removes the id of a request from its _meta, so that no server gets it, and returns it; nil when there is none.
func takeID(req mcp.Request) json.RawMessage {
	params, ok := req.GetParams().(interface{ GetMeta() map[string]any })
	if !ok {
		return nil
	}
	meta := params.GetMeta()
	id, known := meta[idKey]
	if !known {
		return nil
	}
	delete(meta, idKey)
	return json.RawMessage(mustRaw(id))
}
