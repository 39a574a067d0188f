package mcpclient

import (
	"encoding/json"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/session"
)

func raws(list ...string) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, s := range list {
		out[i] = json.RawMessage(s)
	}
	return out
}

// A tool that hosts cannot take is left out, and told; the others stay.
func TestTools(t *testing.T) {
	long := strings.Repeat("n", 100)
	tools, warnings := toolsOf(raws(
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
		`null`, `7`), "id")
	var got []string
	for _, x := range tools {
		got = append(got, x.Exposed)
	}
	testkit.Equal(t, strings.Join(got, " "), "good typeless union a_b a_c "+session.Exposed("id", long), "tools")
	testkit.Equal(t, string(tools[0].Raw),
		`{"name":"good","inputSchema":{"type":"object","properties":{"z":{},"a":{}}},"later":1}`, "as sent")
	testkit.Equal(t, string(tools[0].Item.InputSchema.(json.RawMessage)),
		`{"type":"object","properties":{"z":{},"a":{}}}`, "schema")
	told := strings.Join(warnings, "\n")
	for _, w := range []string{"none", "null", "array", "typeless", "string", "union", "output", "notes", "a.b", "a/c",
		"a:c", "good", long[:60], "header"} {
		if !strings.Contains(told, w) {
			t.Errorf("%s is not told:\n%s", w, told)
		}
	}
}

func TestOtherLists(t *testing.T) {
	prompts, warnings := promptsOf(raws(`{"name":"p q"}`, `{"title":"x"}`, `{"name":"r","arguments":[{"name":7}]}`), "id")
	testkit.Equal(t, len(prompts), 1, "prompts")
	testkit.Equal(t, prompts[0].Exposed+" "+prompts[0].Name, "p_q p q", "exposed")
	testkit.Equal(t, len(warnings), 3, "warnings")
	resources, warnings := resourcesOf(raws(`{"uri":"a://b","name":"x"}`, `{"uri":"a://b"}`, `{"name":"x"}`,
		`{"uri":"%zz"}`, `{"uri":"c://d","size":"big"}`))
	testkit.Equal(t, len(resources), 1, "resources")
	testkit.Equal(t, len(warnings), 4, "warnings")
	templates, _ := templatesOf(raws(`{"uriTemplate":"a://{b}","name":"x"}`, `{"uriTemplate":"a://{","name":"x"}`))
	testkit.Equal(t, len(templates), 1, "templates")
}
