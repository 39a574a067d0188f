package wire

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// rawLogged is how many bytes of a message that cannot be decoded are in the debug log.
const rawLogged = 2 << 10

// codec is the library's Codec for payloads. The library calls Unmarshal on the goroutine of the Call, not on the one
// that reads.
type codec struct{ log *slog.Logger }

// Marshal implements jsonrpc2.Codec.
func (codec) Marshal(v any) ([]byte, error) { return encodePayload(v) }

// Unmarshal implements jsonrpc2.Codec. data belongs to the call: nothing else refers to it, so raw JSON is not
// copied.
func (c codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*stdjson.RawMessage); ok {
		*raw = data
		return nil
	}
	err := decodeInto(data, v)
	if err == nil {
		return nil
	}
	c.log.Debug("a result that cannot be decoded", "type", fmt.Sprintf("%T", v), "cause", err, "raw",
		clip(data, rawLogged))
	return &DecodeError{Size: len(data), Err: err}
}

// decodeInto decodes protocol types, and what contains them, with protocol's codec, which alone knows their unions;
// everything else with encoding/json. A panic in generated code becomes an error of this result.
func decodeInto(data []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decoder panicked: %v", p)
		}
	}()
	if usesProtocol(reflect.TypeOf(v)) {
		return protocol.Unmarshal(data, v)
	}
	return stdjson.Unmarshal(data, v)
}

// encodeOptions are the rules of encoding/json, so that local structs and maps are encoded as usual. encoding/json
// itself does not do: it would not see the encoders of protocol types that are in a value of type any.
var encodeOptions = json.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

// encodePayload encodes params, or the result of a request of the server.
func encodePayload(v any) ([]byte, error) {
	if raw, ok := v.(stdjson.RawMessage); ok {
		return encodeRaw(raw)
	}
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return encodeRaw(stdjson.RawMessage(raw))
	}
	if t := reflect.TypeOf(v); t != nil && ofProtocol(t) {
		return protocol.Marshal(v)
	}
	return json.Marshal(v, encodeOptions)
}

// encodeRaw returns raw JSON as it is. It refuses what is not JSON, which would break the message around it.
func encodeRaw(raw []byte) ([]byte, error) {
	if raw == nil {
		return []byte("null"), nil
	}
	if !stdjson.Valid(raw) {
		return nil, errors.New("raw payload is not JSON")
	}
	return bytes.TrimSpace(raw), nil
}

const protocolPath = "go.lsp.dev/protocol"

// ofProtocol reports whether t, behind its pointers, is declared in package protocol.
func ofProtocol(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == protocolPath
}

// usesProtocolCache holds results of usesProtocol: a type always gives the same, and walking it costs more than
// decoding a small message.
var usesProtocolCache sync.Map // reflect.Type → bool

// usesProtocol reports whether a value of type t can hold a protocol type.
func usesProtocol(t reflect.Type) bool {
	if t == nil {
		return false
	}
	if uses, ok := usesProtocolCache.Load(t); ok {
		return uses.(bool)
	}
	uses := containsProtocol(t, make(map[reflect.Type]bool))
	usesProtocolCache.Store(t, uses)
	return uses
}

// containsProtocol is usesProtocol without the cache. seen holds the types on the way, since types may be recursive.
// An interface says nothing about what it may hold: decoding into it is left to encoding/json.
func containsProtocol(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if strings.HasPrefix(t.PkgPath(), protocolPath) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return containsProtocol(t.Elem(), seen)
	case reflect.Map:
		return containsProtocol(t.Key(), seen) || containsProtocol(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if containsProtocol(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
