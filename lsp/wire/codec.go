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

// rawLogged is how much of what could not be decoded goes to the debug log.
const rawLogged = 2 << 10

// codec is the library's Codec for payloads. The library calls Unmarshal on the goroutine of the Call.
type codec struct{ log *slog.Logger }

// Marshal implements jsonrpc2.Codec.
func (codec) Marshal(v any) ([]byte, error) { return encode(v) }

// Unmarshal implements jsonrpc2.Codec. data belongs to the call: nothing else refers to it.
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

// decodeInto decodes protocol types, and whatever contains them, with protocol's codec, because their unions exist only
// there; all else with encoding/json. A panic of generated code is an error of this result.
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

// encodeOptions are the rules of encoding/json, so that local structs and maps look as everybody expects; its own
// Marshal would not see the encoders of protocol types that stand in an any.
var encodeOptions = json.JoinOptions(jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))

// encode encodes params or the result of a request.
func encode(v any) ([]byte, error) {
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

// encodeRaw passes JSON through. It must be JSON: anything else would break the message around it.
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

// ofProtocol reports whether t, behind its pointers, is declared by the protocol package.
func ofProtocol(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == protocolPath
}

// known caches usesProtocol: a type never changes its answer, and the walk costs more than a small message.
var known sync.Map // reflect.Type → bool

// usesProtocol reports whether a value of type t can hold a protocol type.
func usesProtocol(t reflect.Type) bool {
	if t == nil {
		return false
	}
	if uses, ok := known.Load(t); ok {
		return uses.(bool)
	}
	uses := walk(t, make(map[reflect.Type]bool))
	known.Store(t, uses)
	return uses
}

func walk(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if strings.HasPrefix(t.PkgPath(), protocolPath) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return walk(t.Elem(), seen)
	case reflect.Map:
		return walk(t.Key(), seen) || walk(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if walk(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
