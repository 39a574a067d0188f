package stdio

import (
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lspi/internal/testkit"
)

// A result is written as it is, in one line; all else is written as the SDK does it.
func TestEncode(t *testing.T) {
	id := func(v any) jsonrpc.ID {
		out, err := jsonrpc.MakeID(v)
		testkit.Must(t, err)
		return out
	}
	for _, c := range []struct {
		m    jsonrpc.Message
		want string
	}{
		{&jsonrpc.Response{ID: id(7.0), Result: []byte(`{ "b": 1.10, "a": "<" }`)}, `{"jsonrpc":"2.0","id":7,"result":{ "b": 1.10, "a": "<" }}`},
		{&jsonrpc.Response{ID: id(7.0), Result: []byte("{\n\"a\": 1}")}, `{"jsonrpc":"2.0","id":7,"result":{"a":1}}`},
		{&jsonrpc.Response{ID: id("x\"y"), Result: []byte(`{}`)}, `{"jsonrpc":"2.0","id":"x\"y","result":{}}`},
		{&jsonrpc.Response{ID: id(7.0), Error: &jsonrpc.Error{Code: -32603, Message: "no"}}, `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no"}}`},
		{&jsonrpc.Response{ID: id(7.0), Result: []byte(`{}`), Error: errors.New("both")}, `{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":0,"message":"both"}}`},
		{&jsonrpc.Request{Method: "notifications/x"}, `{"jsonrpc":"2.0","method":"notifications/x"}`},
	} {
		got, err := encode(c.m)
		testkit.Must(t, err)
		testkit.Equal(t, string(got), c.want, "line")
	}
}

// A call is named by its id as the answer has it, however the host writes it: so the process that takes the place of this one names it, too
// (package daemon).
func TestNamesByID(t *testing.T) {
	for given, want := range map[string]string{"5": "5", "5.0": "5", "1e2": "100", "-0": "0", `"5"`: `"5"`, `"a\/b"`: `"a/b"`, `"<\u0061>"`: `"\u003ca\u003e"`, `"é"`: `"é"`} {
		in := strings.NewReader(`{"jsonrpc":"2.0","id":` + given + `,"method":"tools/call","params":{"name":"x"}}` + "\n")
		conn := NewConn(in, &kept{}, func(error) {}, slog.New(slog.DiscardHandler))
		named := make(chan string, 1)
		conn.NameCalls("key", func(id, tool string, _ json.RawMessage) string {
			named <- id
			return id
		})
		_, err := conn.Connect(t.Context())
		testkit.Must(t, err)
		_, err = conn.next(t.Context())
		testkit.Must(t, err)
		testkit.Equal(t, <-named, want, "the id of "+given)
		testkit.Must(t, conn.Close())
	}
}

// FuzzDecodeCall holds the decoder of plain requests against that of the SDK.
func FuzzDecodeCall(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":1.0}}}`,
		`{"jsonrpc":"2.0","id":1e3,"method":"x"}`, `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, `{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}`,
		`{"jsonrpc":"2.0","id":null,"method":"x"}`, `{"jsonrpc":"2.0","id":"1","method":"x"}`, `{"jsonrpc":"2.0","ID":1,"method":"x"}`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":null}`, `{"jsonrpc":"2.0","id":-0,"method":"\u0078","params":[]}`, `{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}`,
		`{"jsonrpc":"2.0","id":1,"method":"x"} {}`, `{"jsonrpc":"1.0","id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":"x","more":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := decodeCall(text)
		if got == nil {
			return
		}
		want, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			t.Fatalf("%s: a request, and the SDK says %v", text, err)
		}
		if !reflect.DeepEqual(jsonrpc.Message(got), want) {
			t.Errorf("%s: %+v, and the SDK has %+v", text, got, want)
		}
	})
}
