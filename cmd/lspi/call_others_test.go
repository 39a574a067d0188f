package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/answer"
)

// A call of another MCP server is never repeated: when the process has ended, its answer says that the outcome is
// unknown.
func TestCallOfAnotherServerIsNotRepeated(t *testing.T) {
	for _, c := range []struct {
		tool, arguments string
		want            bool
	}{
		{"one__write", `{}`, true},
		{"one:write", `7`, true},
		{"find_definition", `{}`, false},
		{"no_such_tool", `{}`, false},
		{"rename_symbol", `{"dry_run": false}`, true},
	} {
		testkit.Equal(t, changes(c.tool, json.RawMessage(c.arguments)), c.want, c.tool)
	}
	s := newWiring(&sessionFlags{}, io.Discard)
	got := s.interrupted(t.Context(), answer.Request{Tool: "one__write", Arguments: json.RawMessage(`{}`)}, "x/1")
	if got.OK || !strings.Contains(string(got.Structured), `"kind":"call_interrupted"`) ||
		!strings.Contains(got.Text, "Find out whether the call had an effect") {
		t.Errorf("%s\n%s", got.Structured, got.Text)
	}
}

// Words become values by the schema of another server, in whatever form that gives the type.
func TestWordsOfAnotherServer(t *testing.T) {
	schema := schemaOf(json.RawMessage(`{"type":"object","properties":{
		"z":{"anyOf":[{"type":"null"},{"type":"integer"}]}, "a":{"type":["null","boolean"]}, "n":{"type":"number"}, "s":{"type":"string"},
		"l":{"type":"array","items":{"type":"number"}}, "any":{"type":"array"}, "rows":{"type":"array","items":{"type":"array"}}, "o":{"type":"object"}, "free":{}, "bad":7, "yes":true}}`))
	testkit.Equal(t, strings.Join(schema.PropertyOrder, " "), "z a n s l any rows o free bad yes")
	words := arguments{words: []word{{"z", "7"}, {"a", "true"}, {"n", "1.5"}, {"s", "7"}, {"l", "1,2.5"},
		{"any", `["x", 1]`}, {"rows", `[[1,"x"],[]]`}, {"o", `{"k":1}`}, {"free", "7"}, {"bad", "x"}, {"yes", "1"},
		{"new", "x"}}}
	testkit.Equal(t, string(words.values(schema.Properties, "")),
		`{"a":true,"any":["x","1"],"bad":"x","free":"7","l":[1,2.5],"n":1.5,"new":"x","o":{"k":1},"rows":[[1,"x"],[]],"s":"7","yes":"1","z":7}`)
	for _, raw := range []string{``, `7`, `{"properties":7}`, `{"properties":null}`, `{"properties":[]}`} {
		if s := schemaOf(json.RawMessage(raw)); len(s.PropertyOrder) > 0 {
			t.Errorf("%s: %v", raw, s.PropertyOrder)
		}
	}
}

// When arguments do not fit the schema of another server's tool, the error has the tool's help as a next step; when
// they fit, it does not.
func TestArgumentsThatAnotherServerTakes(t *testing.T) {
	schema := schemaOf(
		json.RawMessage(
			`{"type":"object","properties":{"a":{"type":"number"},"b":{"anyOf":[{"type":"null"},{"type":"string"}]}},"required":["a"]}`))
	for given, want := range map[string]bool{
		`{"a":1}`: true, `{"a":1,"b":"x"}`: true, `{}`: false, `{"a":"x"}`: false, `{"a":1,"c":2}`: false, `[]`: false,
	} {
		testkit.Equal(t, takes(schema, json.RawMessage(given)), want, given)
	}
	testkit.Equal(t, takes(schemaOf(nil), json.RawMessage(`{"any":1}`)), true, "a schema that says nothing")
	testkit.Equal(t, takes(schemaOf(json.RawMessage(`{"properties":{"a":{"$ref":"#/no/such"}}}`)),
		json.RawMessage(`{"a":1}`)), true, "a schema that cannot be resolved")
}
