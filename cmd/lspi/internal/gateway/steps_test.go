package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
)

// exposed are the names of an lspi with the id big that has two tools.
func exposed(tool string) (string, bool) {
	return "big__" + tool, slices.Contains([]string{"hover", "find_references"}, tool)
}

// Only the names of tools in the steps of an envelope are others, in both forms of the answer; every other byte stays.
func TestExposeSteps(t *testing.T) {
	for name, c := range map[string]struct{ raw, text, wantRaw, wantText string }{
		"steps": {
			`{ "schema_version":1, "tool":"hover","next_steps" : [ {"kind":"doc","message":"hover {"},` +
				`{"kind":"tool","message":"Use hover.","tool":"hover","arguments":{"tool":"hover","a":[1.50]}}, {"tool" : "find_references","kind":"tool"}],"x":"hover" }`,
			"1. a → hover {}\nNext steps:\n1. hover → hover {}\n2. Use hover. → hover {\"tool\":\"hover\"}\n3. → find_references {}\nend → hover {}",
			`{ "schema_version":1, "tool":"hover","next_steps" : [ {"kind":"doc","message":"hover {"},` +
				`{"kind":"tool","message":"Use hover.","tool":"big__hover","arguments":{"tool":"hover","a":[1.50]}}, {"tool" : "big__find_references","kind":"tool"}],"x":"hover" }`,
			"1. a → hover {}\nNext steps:\n1. hover → hover {}\n2. Use hover. → big__hover {\"tool\":\"hover\"}\n3. → big__find_references {}\nend → hover {}",
		},
		"sentences": {
			`{"schema_version":1,"next_steps":[{"message":"Call find_references, not xfind_references or hover.","kind":"doc"},{"kind":"config","message":"find_references"},` +
				`{"kind":"tool","message":"find_references","tool":"other"},{"kind":"tool","message":"Not find_references.","tool":"hover"}]}`,
			"Call find_references\nNext steps:\n1. Call find_references, not hover.\n2. find_references\n3. find_references → other {}\n4. Not find_references. → hover {}",
			`{"schema_version":1,"next_steps":[{"message":"Call big__find_references, not xfind_references or hover.","kind":"doc"},{"kind":"config","message":"big__find_references"},` +
				`{"kind":"tool","message":"find_references","tool":"other"},{"kind":"tool","message":"Not find_references.","tool":"big__hover"}]}`,
			"Call find_references\nNext steps:\n1. Call big__find_references, not hover.\n2. big__find_references\n3. find_references → other {}\n4. Not find_references. → big__hover {}",
		},
		"a text that is the steps alone": {
			`{"next_steps":[{"kind":"tool","tool":"hover"}],"schema_version":1}`, "Next steps:\n1. a → hover {}",
			`{"next_steps":[{"kind":"tool","tool":"big__hover"}],"schema_version":1}`,
			"Next steps:\n1. a → big__hover {}",
		},
		"no tool of the server": {`{"schema_version":1,"next_steps":[{"kind":"tool","tool":"other"}]}`, "", "", ""},
		"another kind":          {`{"schema_version":1,"next_steps":[{"kind":"config","tool":"hover"}]}`, "", "", ""},
		"deeper": {`{"schema_version":1,"a":{"next_steps":[{"kind":"tool","tool":"hover"}]}}`, "", "",
			""},
		"no version": {`{"schema_version":"1","next_steps":[{"kind":"tool","tool":"hover"}]}`, "", "", ""},
		"no list":    {`{"schema_version":1,"next_steps":{"kind":"tool","tool":"hover"}}`, "", "", ""},
		"no steps": {
			`{"schema_version":1,"next_steps":[7,null,[{"kind":"tool","tool":"hover"}],{"tool":7,"kind":"tool"},{"kind":7,"tool":"hover"}]}`, "", "", ""},
		"no object": {`["schema_version","next_steps"]`, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.wantRaw == "" {
				c.wantRaw, c.text, c.wantText = c.raw, "Next steps:\n1. a → hover {}", "Next steps:\n1. a → hover {}"
			}
			given := &mcp.CallToolResult{StructuredContent: json.RawMessage(c.raw),
				Content: []mcp.Content{&mcp.TextContent{Text: c.text}}}
			got := exposeSteps(given, exposed)
			testkit.Equal(t, fmt.Sprintf("%s", got.StructuredContent), c.wantRaw, "structured")
			testkit.Equal(t, got.Content[0].(*mcp.TextContent).Text, c.wantText, "text")
			testkit.Equal(t, fmt.Sprintf("%s", given.StructuredContent), c.raw, "what was given")
			testkit.Equal(t, given.Content[0].(*mcp.TextContent).Text, c.text, "the text that was given")
		})
	}
}
