package repair

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// FuzzPlain holds the decoder of plain results against that of the SDK.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"x"}]}`,
		`{"content":[{"text":"\ud83d\ude00\ud800","type":"text"},{"type":"text","text":""}],"structuredContent":{"a":[1.50,{"b":null}]},"isError":true}`,
		`{"content":[],"structuredContent":{}}`,
		`{"content":[{"type":"text"}]}`, `{"content":null}`, `{"content":[{"type":"text","text":"x","_meta":{}}]}`, `{"content":[{"type":"image","data":"","mimeType":"x"}]}`,
		`{"content":[{"type":"text","text":"x"}],"structuredContent":null}`, `{"content":[{"type":"text","text":"x"}],"structuredContent":[]}`,
		`{"content":[{"type":"text","text":"x"}],"isError":null}`, `{"Content":[]}`, `{"content":[],"content":[{"type":"text","text":"x"}]}`, `{"content":[]} x`, `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := decodePlain(raw)
		if !ok {
			return
		}
		var want mcp.CallToolResult
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("%s: plain, and the SDK says %v", raw, err)
		}
		var structured any
		if sent, ok := got.StructuredContent.(json.RawMessage); ok {
			if err := json.Unmarshal(sent, &structured); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(structured, want.StructuredContent) || got.IsError != want.IsError || !reflect.DeepEqual(got.Content, want.Content) {
			t.Errorf("%s: %+v, and the SDK has %+v", raw, got, want)
		}
	})
}
