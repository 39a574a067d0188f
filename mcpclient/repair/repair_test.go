package repair

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
)

// Each row is what a server answers to tools/call, and what a host gets; "" for what passes as it was sent.
func TestTool(t *testing.T) {
	for name, c := range map[string]struct{ sent, got string }{
		"well formed":              {`{"content":[{"type":"text","text":"a"}],"x":1,"isError":false}`, ""},
		"order and big numbers":    {`{"structuredContent":{"z":12345678901234567890,"a":1},"content":[]}`, ""},
		"unknown members of block": {`{"content":[{"type":"text","text":"a","later":{"b":1}}]}`, ""},
		"text without type":        {`{"content":[{"text":"a"}]}`, `{"content":[{"type":"text","text":"a"}]}`},
		"image without type":       {`{"content":[{"data":"AAAA","mimeType":"image/png"}]}`, `{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`},
		"audio without type":       {`{"content":[{"data":"AAAA","mimeType":"audio/wav"}]}`, `{"content":[{"type":"audio","data":"AAAA","mimeType":"audio/wav"}]}`},
		"resource without type":    {`{"content":[{"resource":{"uri":"a:b","text":"x"}}]}`, `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"x"}}]}`},
		"link without type":        {`{"content":[{"uri":"a:b","name":"x"}]}`, `{"content":[{"type":"resource_link","uri":"a:b","name":"x"}]}`},
		"contents of a resource":   {`{"content":[{"uri":"a:b","text":"x"}]}`, `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"x"}}]}`},
		"type null":                {`{"content":[{"type":null,"text":"a"}]}`, `{"content":[{"type":"text","text":"a"}]}`},
		"type of no protocol":      {`{"content":[{"type":"video","url":"x"}]}`, `{"content":[{"type":"text","text":"{\"type\":\"video\",\"url\":\"x\"}"}]}`},
		"block of sampling":        {`{"content":[{"type":"tool_use","id":"1","name":"n","input":{}}]}`, `{"content":[{"type":"text","text":"{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"n\",\"input\":{}}"}]}`},
		"bad base64":               {`{"content":[{"type":"image","data":"*","mimeType":"image/png"}]}`, `{"content":[{"type":"text","text":"{\"type\":\"image\",\"data\":\"*\",\"mimeType\":\"image/png\"}"}]}`},
		"bad annotations":          {`{"content":[{"type":"text","text":"a","annotations":7}]}`, `{"content":[{"type":"text","text":"a"}]}`},
		"text that is a number":    {`{"content":[{"type":"text","text":7}]}`, `{"content":[{"type":"text","text":"{\"type\":\"text\",\"text\":7}"}]}`},
		"block that is a string":   {`{"content":["a",null]}`, `{"content":[{"type":"text","text":"a"},{"type":"text","text":"null"}]}`},
		"resource that is null":    {`{"content":[{"type":"resource"}]}`, `{"content":[{"type":"text","text":"{\"type\":\"resource\"}"}]}`},
		"content is one block":     {`{"content":{"type":"text","text":"a"}}`, `{"content":[{"type":"text","text":"a"}]}`},
		"content is a string":      {`{"content":"a","isError":"true"}`, `{"content":[{"type":"text","text":"a"}],"isError":true}`},
		"no content":               {`{"rows":[1]}`, `{"content":[{"type":"text","text":"{\"rows\":[1]}"}],"structuredContent":{"rows":[1]}}`},
		"no content, an error":     {`{"rows":1,"isError":true}`, `{"content":[{"type":"text","text":"{\"rows\":1,\"isError\":true}"}],"structuredContent":{"rows":1,"isError":true},"isError":true}`},
		"structured only":          {`{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":1},"content":[{"type":"text","text":"{\"a\":1}"}]}`},
		"structured is an array":   {`{"content":[],"structuredContent":[1]}`, `{"content":[],"structuredContent":{"result":[1]}}`},
		"structured is null":       {`{"content":[],"structuredContent":null}`, `{"content":[]}`},
		"array":                    {`[1,2]`, `{"content":[{"type":"text","text":"[1,2]"}],"structuredContent":{"result":[1,2]}}`},
		"string":                   {`"a"`, `{"content":[{"type":"text","text":"a"}],"structuredContent":{"result":"a"}}`},
		"null":                     {`null`, `{"content":[{"type":"text","text":"null"}],"structuredContent":{"result":null}}`},
		"nothing":                  {``, `{"content":[{"type":"text","text":"null"}],"structuredContent":{"result":null}}`},
		"meta is a string":         {`{"content":[],"_meta":"x"}`, `{"content":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			mended, decoded, what := Tool([]byte(c.sent))
			want := c.got
			if want == "" {
				want = c.sent
			}
			testkit.Equal(t, string(mended), want, "result")
			testkit.Equal(t, what != "", c.got != "", "told")
			var again mcp.CallToolResult
			testkit.Must(t, json.Unmarshal(mended, &again))
			if decoded == nil || decoded.Content == nil {
				t.Error("it is not decoded")
			}
		})
	}
	deep := strings.Repeat(`[`, 2000) + strings.Repeat(`]`, 2000)
	if mended, decoded, what := Tool([]byte(`{"content":[],"structuredContent":{"a":` + deep + `}}`)); decoded == nil || what == "" || !json.Valid(mended) {
		t.Errorf("%v %q", decoded, what)
	}
}

func TestPromptAndResource(t *testing.T) {
	for name, c := range map[string]struct{ sent, got string }{
		"well formed":  {`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`, ""},
		"no role":      {`{"messages":[{"content":{"text":"a"}}]}`, `{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`},
		"a string":     {`{"messages":[{"role":"assistant","content":"a"}]}`, `{"messages":[{"role":"assistant","content":{"type":"text","text":"a"}}]}`},
		"a list":       {`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`, `{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`},
		"bare text":    {`"do"`, `{"messages":[{"role":"user","content":{"type":"text","text":"do"}}]}`},
		"no messages":  {`{"a":1}`, `{"messages":[{"role":"user","content":{"type":"text","text":"{\"a\":1}"}}]}`},
		"message null": {`{"messages":[null]}`, `{"messages":[{"role":"user","content":{"type":"text","text":"null"}}]}`},
	} {
		mended, decoded, what := Prompt([]byte(c.sent))
		if want := c.got; want == "" {
			testkit.Equal(t, string(mended), c.sent, name)
		} else {
			testkit.Equal(t, string(mended), want, name)
		}
		testkit.Equal(t, what != "", c.got != "", name+" told")
		testkit.Equal(t, decoded != nil, true, name+" decoded")
	}
	for name, c := range map[string]struct{ sent, got string }{
		"well formed": {`{"contents":[{"uri":"a:b","text":"x"}]}`, ""},
		"no uri":      {`{"contents":[{"text":"x"}]}`, `{"contents":[{"text":"x","uri":"u:r"}]}`},
		"one":         {`{"contents":{"uri":"a:b","text":"x"}}`, `{"contents":[{"uri":"a:b","text":"x"}]}`},
		"a string":    {`"x"`, `{"contents":[{"uri":"u:r","text":"x"}]}`},
		"text is 7":   {`{"contents":[{"uri":"a:b","text":7}]}`, `{"contents":[{"uri":"u:r","text":"{\"uri\":\"a:b\",\"text\":7}"}]}`},
	} {
		mended, decoded, what := Resource([]byte(c.sent), "u:r")
		if want := c.got; want == "" {
			testkit.Equal(t, string(mended), c.sent, name)
		} else {
			testkit.Equal(t, string(mended), want, name)
		}
		testkit.Equal(t, what != "", c.got != "", name+" told")
		testkit.Equal(t, decoded != nil, true, name+" decoded")
	}
}

func raws(list ...string) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, s := range list {
		out[i] = json.RawMessage(s)
	}
	return out
}

// What a server lies about its tools costs the tool at most, and is told.
func TestTools(t *testing.T) {
	long := strings.Repeat("n", 100)
	tools, warnings := Tools(raws(
		`{"name":"good","inputSchema":{"type":"object","properties":{"z":{},"a":{}}},"later":1}`,
		`{"name":"none"}`,
		`{"name":"null","inputSchema":null}`,
		`{"name":"array","inputSchema":[1]}`,
		`{"name":"typeless","inputSchema":{"properties":{}}}`,
		`{"name":"string","inputSchema":{"type":"string"}}`,
		`{"name":"union","inputSchema":{"type":["object","null"]}}`,
		`{"name":"output","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`,
		`{"name":"notes","inputSchema":{"type":"object"},"annotations":"x","title":"T"}`,
		`{"name":"a.b","inputSchema":{"type":"object"}}`,
		`{"name":"a_b","inputSchema":{"type":"object"}}`,
		`{"name":"a/c","inputSchema":{"type":"object"}}`,
		`{"name":"a:c","inputSchema":{"type":"object"}}`,
		`{"name":"good","inputSchema":{"type":"object"}}`,
		`{"name":"`+long+`","inputSchema":{"type":"object"}}`,
		`{"inputSchema":{"type":"object"}}`,
		`{"name":"header","inputSchema":{"type":"object","properties":{"a":{"type":"array","x-mcp-header":"h"}}}}`,
		`null`, `7`), len("id__"))
	var got []string
	for _, x := range tools {
		got = append(got, x.Exposed)
		if schema, _ := x.Tool.InputSchema.(json.RawMessage); !ofObject(schema) {
			t.Errorf("%s: %s", x.Name, schema)
		}
		if !json.Valid(x.Raw) {
			t.Errorf("%s: %s", x.Name, x.Raw)
		}
	}
	testkit.Equal(t, strings.Join(got, " "), "good none null array typeless output notes a_b a_c "+Exposed(long, 4), "tools")
	testkit.Equal(t, len(Exposed(long, 4)), 60, "length")
	testkit.Equal(t, string(tools[0].Raw), `{"name":"good","inputSchema":{"type":"object","properties":{"z":{},"a":{}}},"later":1}`, "as sent")
	told := strings.Join(warnings, "\n")
	for _, w := range []string{"none", "null", "array", "typeless", "string", "union", "output", "notes", "a.b", "a/c", "a:c", "good", long[:60], "header"} {
		if !strings.Contains(told, w) {
			t.Errorf("%s is not told:\n%s", w, told)
		}
	}
	testkit.Equal(t, tools[6].Tool.Title, "T", "title stays")
}

func TestOtherLists(t *testing.T) {
	prompts, warnings := Prompts(raws(`{"name":"p q"}`, `{"title":"x"}`, `{"name":"r","arguments":[{"name":7}]}`), 4)
	testkit.Equal(t, len(prompts), 2, "prompts")
	testkit.Equal(t, prompts[0].Exposed+" "+prompts[0].Name, "p_q p q", "exposed")
	testkit.Equal(t, len(warnings), 1, "warnings")
	resources, warnings := Resources(raws(`{"uri":"a://b","name":"x"}`, `{"uri":"a://b"}`, `{"name":"x"}`, `{"uri":"%zz"}`, `{"uri":"c://d","size":"big"}`))
	testkit.Equal(t, len(resources), 2, "resources")
	testkit.Equal(t, len(warnings), 3, "warnings")
	templates, _ := Templates(raws(`{"uriTemplate":"a://{b}","name":"x"}`, `{"uriTemplate":"a://{","name":"x"}`))
	testkit.Equal(t, len(templates), 1, "templates")
}
