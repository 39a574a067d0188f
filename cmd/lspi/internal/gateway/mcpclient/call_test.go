package mcpclient_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/mcptest"
	"lspi/internal/testkit"
)

func TestCall(t *testing.T) {
	c := inProcess(t, plain.Serve)
	testkit.Equal(t, c.Status().State, mcpclient.NotStarted, "state")
	got := call(t, c, "echo", `{"z":12345678901234567890,"a":[1.0]}`)
	testkit.Equal(t, got,
		`{"content":[{"type":"text","text":"ok"}],"structuredContent":{"sent":{"_meta":{"progressToken":1},"name":"echo","arguments":{"z":12345678901234567890,"a":[1.0]}}}}`, "result")
	got = call(t, c, "echo", `{"cut":"\ud83d"}`) // half a character
	testkit.Equal(t, got,
		`{"content":[{"type":"text","text":"ok"}],"structuredContent":{"sent":{"_meta":{"progressToken":2},"name":"echo","arguments":{"cut":"\ud83d"}}}}`, "result")
	st := c.Status()
	testkit.Equal(t, st.State, mcpclient.Ready, "state")
	testkit.Equal(t, st.Info.Name+" "+st.Info.Version, "scripted 1.2.3", "server")
}

// Each row is what a server answers to tools/call, and what a host gets; "" for what is passed on as it was sent.
// What does not decode is told; the SDK's own client fails for most of it.
func TestMalformedTool(t *testing.T) {
	for name, c := range map[string]struct{ sent, got string }{
		"well formed":             {`{"content":[{"type":"text","text":"a"}],"x":1,"isError":false}`, ""},
		"order and big numbers":   {`{"structuredContent":{"z":12345678901234567890,"a":1},"content":[]}`, ""},
		"unknown member of block": {`{"content":[{"type":"text","text":"a","later":{"b":1}}]}`, ""},
		"text without type":       {`{"content":[{"text":"a <b>"}]}`, `{"content":[{"text":"a <b>","type":"text"}]}`},
		"image without type": {`{"content":[{"data":"AAAA","mimeType":"image/png"}]}`,
			`{"content":[{"data":"AAAA","mimeType":"image/png","type":"image"}]}`},
		"audio without type": {`{"content":[{"data":"AAAA","mimeType":"audio/wav"}]}`,
			`{"content":[{"data":"AAAA","mimeType":"audio/wav","type":"audio"}]}`},
		"resource without type": {`{"content":[{"resource":{"uri":"a:b","text":"x"}}]}`,
			`{"content":[{"resource":{"uri":"a:b","text":"x"},"type":"resource"}]}`},
		"link without type": {`{"content":[{"uri":"a:b","name":"x"}]}`,
			`{"content":[{"name":"x","type":"resource_link","uri":"a:b"}]}`},
		"type of no protocol": {`{"content":[{"type":"video"}]}`,
			`{"content":[{"type":"text","text":"{\"content\":[{\"type\":\"video\"}]}"}],"structuredContent":{"content":[{"type":"video"}]}}`},
		"block of sampling": {`{"content":[{"type":"tool_use","id":"1","name":"n","input":{}}]}`,
			`{"content":[{"type":"text","text":"{\"content\":[{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"n\",\"input\":{}}]}"}],"structuredContent":{"content":[{"type":"tool_use","id":"1","name":"n","input":{}}]}}`},
		"no content": {`{"rows":[1]}`,
			`{"content":[{"type":"text","text":"{\"rows\":[1]}"}],"structuredContent":{"rows":[1]}}`},
		"a failure": {`{"rows":1,"isError":true}`,
			`{"content":[{"type":"text","text":"{\"rows\":1,\"isError\":true}"}],"structuredContent":{"rows":1,"isError":true},"isError":true}`},
		"structured is an array": {`{"content":[],"structuredContent":[1]}`,
			`{"content":[],"structuredContent":{"result":[1]}}`},
		"structured is null": {`{"content":[],"structuredContent":null}`, `{"content":[]}`},
		"array": {`[1,2]`,
			`{"content":[{"type":"text","text":"[1,2]"}],"structuredContent":{"result":[1,2]}}`},
		"string": {`"a"`,
			`{"content":[{"type":"text","text":"\"a\""}],"structuredContent":{"result":"a"}}`},
		"null": {`null`,
			`{"content":[{"type":"text","text":"null"}],"structuredContent":{"result":null}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var events recorder[mcpclient.Event]
			client := inProcess(t, with(mcptest.Handlers{"tools/call": mcptest.Answer(c.sent)}).Serve,
				func(_ *spec, _ *host, o *opts) {
					o.Events = events.hear
				})
			got, err := client.CallTool(t.Context(), mcpclient.Call{Name: "echo"})
			testkit.Must(t, err)
			testkit.Equal(t, string(got.Raw), cmp.Or(c.got, c.sent), "result")
			testkit.Equal(t, got.Undecoded != "", c.got != "", "told")
			testkit.Equal(t, len(events.heard()) == 1, c.got != "", "event")
			var again mcp.CallToolResult
			testkit.Must(t, json.Unmarshal(got.Raw, &again))
			testkit.Equal(t, len(again.Content), len(got.Decoded.Content), "blocks")
		})
	}
}

// What else does not decode is an error that says so, and told with what was sent, without secrets.
func TestMalformed(t *testing.T) {
	var events recorder[mcpclient.Event]
	c := inProcess(t, with(mcptest.Handlers{
		"prompts/get":         mcptest.Answer(`"do sesame-open"`),
		"resources/read":      mcptest.Answer(`{"contents":{"text":"x"}}`),
		"completion/complete": mcptest.Answer(`[]`),
	}).Serve, func(s *spec, _ *host, o *opts) { o.Events, s.Token = events.hear, "sesame-open" })
	_, prompt := c.GetPrompt(t.Context(), "p", nil)
	testkit.Equal(t, wantKind(t, prompt, mcpclient.BadAnswer).Message, "prompts/get: the result is no object", "prompt")
	_, resource := c.ReadResource(t.Context(), "a:b")
	wantKind(t, resource, mcpclient.BadAnswer)
	_, done := c.Complete(t.Context(), &mcp.CompleteParams{Argument: mcp.CompleteParamsArgument{Name: "a"}})
	wantKind(t, done, mcpclient.BadAnswer)
	heard := events.heard()
	testkit.Equal(t, len(heard), 3, "events")
	for _, e := range heard {
		if e.Kind != "decode_failed" || e.Method == "" || e.Detail == "" || !json.Valid(e.Raw) ||
			strings.Contains(string(e.Raw), "sesame-open") {
			t.Errorf("%+v", e)
		}
	}
	testkit.Equal(t, c.Status().Decodes, len(heard), "counted")
}
