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

// decodable is a transport whose calls of tools the SDK can always decode: it replaces parameters that the SDK could
// not decode, and notes the fault in _meta for the handler. The SDK would answer them before any middleware with a
// JSON-RPC error (go-sdk 1.8.0), of which hosts show the model no more than that the call failed.
type decodable struct {
	mcp.Transport
	events *events.Recorder
}

// Connect is part of mcp.Transport.
func (t decodable) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return decodableConn{c, t.events}, nil
}

type decodableConn struct {
	mcp.Connection
	events *events.Recorder
}

// Read is part of mcp.Connection.
func (c decodableConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.Method == "tools/call" && r.IsCall() {
		if fault := faultIn(r.Params); fault != "" {
			r.Params = decodableParams(r.Params, fault)
		}
	}
	if r, ok := m.(*jsonrpc.Request); ok && err == nil {
		withID(r, c.events)
	}
	return m, err
}

// faultIn returns why the SDK cannot decode the parameters of a call; "" when it can.
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

// typeWord returns the JSON name of a Go type.
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

// faultKey is the key in _meta by which the transport tells the handler what is wrong with a call.
const faultKey = "lspi/fault"

// decodableParams returns parameters that the SDK can decode: the name, arguments and _meta of params as far as they
// have the right types, and the fault under faultKey.
func decodableParams(params json.RawMessage, fault string) json.RawMessage {
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
	raw, _ := contract.Marshal(out) // cannot fail: every part was JSON
	return raw
}

// faultOf returns the fault that decodable found in a call; nil when there is none.
func faultOf(req *mcp.CallToolRequest) error {
	fault, ok := req.Params.Meta[faultKey].(string)
	if !ok {
		return nil
	}
	argument, _, _ := strings.Cut(fault, " ")
	return contract.Errorf(contract.KindInvalidArgument, contract.Facts{"argument": argument, "reason": fault},
		"reading the call of a tool: %s", fault)
}
