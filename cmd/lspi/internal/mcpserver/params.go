package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/events"
	"lspi/tools/answer"
)

// legible is a transport whose calls of tools the SDK can decode. What it cannot decode it answers with a JSON-RPC
// error that quotes everything, before any middleware (go-sdk 1.8.0); and no model sees more of that than that a
// call failed.
type legible struct {
	mcp.Transport
	events *events.Recorder
}

// Connect is part of mcp.Transport.
func (t legible) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return legibleConn{c, t.events}, nil
}

type legibleConn struct {
	mcp.Connection
	events *events.Recorder
}

// Read is part of mcp.Connection.
func (c legibleConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
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
	var call mcp.CallToolParamsRaw
	err := json.Unmarshal(params, &call)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &wrong):
		return "params cannot be read: " + answer.CutText(err.Error(), answer.MaxFact)
	}
	return strings.TrimSuffix("params."+wrong.Field, ".") + " must be " + article(typeWord(wrong.Type)) + ", not " +
		article(wrong.Value)
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
