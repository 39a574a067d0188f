package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/events"
	"lspi/tools/answer"
)

// legible is a transport whose calls of tools the SDK can decode. What it cannot decode it answers with a JSON-RPC error
// that quotes everything, before any middleware (go-sdk 1.8.0); and no model sees more of that than that a call failed.
//
// Calls that need not the SDK at all do not come to it (directCalls).
type legible struct {
	mcp.Transport
	events *events.Recorder
	direct *directCalls
}

// interceptor is a transport that shows what it has read as soon as it has ([lspi/cmd/lspi/internal/stdio.Conn]).
type interceptor interface {
	Intercept(take func(*jsonrpc.Request) bool)
}

// Connect is part of mcp.Transport.
func (t legible) Connect(ctx context.Context) (mcp.Connection, error) {
	take := t.direct.take
	if early, ok := t.Transport.(interceptor); ok {
		early.Intercept(t.direct.take)
		take = nil
	}
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.direct.connect(c)
	return legibleConn{c, t.events, take}, nil
}

type legibleConn struct {
	mcp.Connection
	events *events.Recorder
	take   func(*jsonrpc.Request) bool // nil where the transport does that
}

// Read is part of mcp.Connection.
func (c legibleConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	for c.take != nil && err == nil {
		r, ok := m.(*jsonrpc.Request)
		if !ok || !c.take(r) {
			break
		}
		m, err = c.Connection.Read(ctx)
	}
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.Method == "tools/call" && r.IsCall() {
		if fault := faultIn(r.Params); fault != "" {
			r.Params = legibleParams(r.Params, fault)
		}
	}
	if r, ok := m.(*jsonrpc.Request); ok && err == nil {
		withID(r, c.events)
	}
	return m, err
}

// faultIn is why the parameters of a call cannot be decoded; "" when they can.
func faultIn(params json.RawMessage) string {
	if len(params) == 0 || string(params) == "null" {
		return "params is missing"
	}
	if isPlain(params) {
		return ""
	}
	var call mcp.CallToolParamsRaw
	err := json.Unmarshal(params, &call)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &wrong):
		return "params cannot be read: " + answer.CutText(err.Error(), answer.MaxFact)
	}
	return strings.TrimSuffix("params."+wrong.Field, ".") + " must be " + article(typeWord(wrong.Type)) + ", not " + article(wrong.Value)
}

// isPlain reports whether parameters are of the form that almost all hosts send, which can be decoded. It takes a fifth of the time of decoding them.
func isPlain(params json.RawMessage) bool {
	var p struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
		Meta      jsontext.Value `json:"_meta"`
	}
	return jsonv2.Unmarshal(params, &p, jsonv2.RejectUnknownMembers(true)) == nil && (p.Meta == nil || p.Meta[0] == '{')
}

func typeWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	}
	return t.String()
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// faultKey carries what is wrong with a call from the transport to its handler, in _meta.
const faultKey = "lspi/fault"

// legibleParams is what can be kept of parameters, with what is wrong with them.
func legibleParams(params json.RawMessage, fault string) json.RawMessage {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(params, &given)
	out := map[string]any{}
	var name string
	if json.Unmarshal(given["name"], &name) == nil {
		out["name"] = name
	}
	if arguments := given["arguments"]; arguments != nil {
		out["arguments"] = arguments
	}
	meta := map[string]any{}
	_ = json.Unmarshal(given["_meta"], &meta)
	if meta == nil { // it was null
		meta = map[string]any{}
	}
	meta[faultKey] = fault
	out["_meta"] = meta
	raw, _ := contract.Marshal(out) // of what was JSON
	return raw
}

// faultOf is what is wrong with a call; nil when nothing is.
func faultOf(req *mcp.CallToolRequest) error {
	fault, ok := req.Params.Meta[faultKey].(string)
	if !ok {
		return nil
	}
	argument, _, _ := strings.Cut(fault, " ")
	return contract.Errorf(contract.KindInvalidArgument, contract.Facts{"argument": argument, "reason": fault},
		"reading the call of a tool: %s", fault)
}
