package mcpclient_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
	"lspi/mcpclient"
	"lspi/mcpclient/mcptest"
)

func TestCall(t *testing.T) {
	c := inProcess(t, plain.Serve)
	testkit.Equal(t, c.Status().State, mcpclient.NotStarted, "state")
	got := call(t, c, "echo", `{"z":12345678901234567890,"a":[1.0]}`)
	testkit.Equal(t, got, `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"sent":{"_meta":{"progressToken":1},"name":"echo","arguments":{"z":12345678901234567890,"a":[1.0]}}}}`, "result")
	got = call(t, c, "echo", `{"cut":"\ud83d"}`) // half a character
	testkit.Equal(t, got, `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"sent":{"_meta":{"progressToken":2},"name":"echo","arguments":{"cut":"\ud83d"}}}}`, "result")
	st := c.Status()
	testkit.Equal(t, st.State, mcpclient.Ready, "state")
	testkit.Equal(t, st.Info.Name+" "+st.Info.Version, "scripted 1.2.3", "server")
}

// A result outside of the protocol is mended, and told with what was sent; the SDK's own client fails for each of these.
func TestRepairs(t *testing.T) {
	var events recorder[mcpclient.Event]
	answers := map[string]string{
		"array":    `[1,2]`,
		"typeless": `{"content":[{"text":"a sesame-open"}]}`,
		"object":   `{"rows":[{"id":1}]}`,
		"null":     `null`,
		"video":    `{"content":[{"type":"video"}]}`,
	}
	c := inProcess(t, with(mcptest.Handlers{
		"tools/call":          func(c *mcptest.Conn, m mcptest.Message) { c.Result(m, answers[mcptest.ToolName(m)]) },
		"prompts/get":         mcptest.Answer(`"do this"`),
		"resources/read":      mcptest.Answer(`{"contents":{"text":"x"}}`),
		"completion/complete": mcptest.Answer(`[]`),
	}).Serve, func(s *spec, _ *host, o *opts) { o.Events, s.Token = events.hear, "sesame-open" })
	for tool := range answers {
		r, err := c.CallTool(t.Context(), mcpclient.Call{Name: tool})
		testkit.Must(t, err)
		if r.Repaired == "" || len(r.Decoded.Content) != 1 {
			t.Errorf("%s: %q %s", tool, r.Repaired, r.Raw)
		}
	}
	p, err := c.GetPrompt(t.Context(), "p", nil)
	testkit.Must(t, err)
	testkit.Equal(t, string(p.Raw), `{"messages":[{"role":"user","content":{"type":"text","text":"do this"}}]}`, "prompt")
	r, err := c.ReadResource(t.Context(), "a:b")
	testkit.Must(t, err)
	testkit.Equal(t, string(r.Raw), `{"contents":[{"text":"x","uri":"a:b"}]}`, "resource")
	done, err := c.Complete(t.Context(), &mcp.CompleteParams{Argument: mcp.CompleteParamsArgument{Name: "a"}})
	testkit.Must(t, err)
	testkit.Equal(t, len(done.Decoded.Completion.Values), 0, "completion")
	heard := events.heard()
	testkit.Equal(t, len(heard), len(answers)+3, "events")
	for _, e := range heard {
		if e.Kind != "decode_failed" || e.Method == "" || e.Detail == "" || !json.Valid(e.Raw) || strings.Contains(string(e.Raw), "sesame-open") {
			t.Errorf("%+v", e)
		}
	}
	testkit.Equal(t, c.Status().Decodes, len(heard), "counted")
}
