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

// recorded has what the host asks for, and what it is answered, recorded (package events). What is asked of servers
// meanwhile finds the request in its context.
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

// requestOf is a request that is recorded; ok is false for all others.
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

// denials are the kinds of errors which say that the session may not call the tool.
var denials = map[contract.Kind]bool{contract.KindNotAllowedByPreset: true, contract.KindReadOnly: true,
	contract.KindToolDisabled: true}

// The kinds of errors that are none of lspi's own answers.
const (
	toolError     = "tool_error"     // of the tool of another MCP server
	protocolError = "protocol_error" // of JSON-RPC
)

// answerOf is what a host gets, as it is recorded.
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

// failure adds what an envelope says of its error.
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

// RunRecorded runs the call of a tool that no host sends over a connection, and records it.
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

// idKey is the key in _meta under which the id of a request reaches those who record it: the SDK keeps it to itself
// (go-sdk 1.8.0).
const idKey = "lspi/request"

// withID puts the id of a request into its parameters, when it is one that is recorded now.
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
		return false // refused by who reads it next
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

// takeID takes the id of a request out of its parameters, so that nobody passes it on; nil when it is not there.
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
