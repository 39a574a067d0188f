package stdio

import (
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

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
