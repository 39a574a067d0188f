package mcpclient

import (
	"encoding/json"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// Hosts take a schema of an object without alternatives at its root. What an argument may be is still there, and what
// every alternative requires.
func TestInputSchema(t *testing.T) {
	for _, c := range []struct{ name, given, want string }{
		{"an object stays as it is sent", `{"type":"object", "properties":{"a":{"anyOf":[{},true]}}}`,
			`{"type":"object", "properties":{"a":{"anyOf":[{},true]}}}`},
		{"no type", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`},
		{"an object or null", `{"type":["object","null"]}`, `{"type":"object"}`},
		{"what is needed", `{"type":"object","description":"Reads.","properties":{"path":{"type":"string"},"url":{},"n":{}},` +
			`"required":["n"],"anyOf":[{"required":["path"]},{"required":["url","n"]}]}`,
			`{"description":"Reads. At least one of these is needed: path; url.","properties":{"n":{},"path":{"type":"string"},` +
				`"url":{}},"required":["n"],"type":"object"}`},
		{"alternatives", `{"oneOf":[{"type":"object","properties":{"op":{"const":"a"},"x":{"type":"string"}},"required":["op","x"]},` +
			`{"type":"object","properties":{"op":{"const":"b"},"y":{}},"required":["op"]},{"type":"null"}]}`,
			`{"properties":{"op":{"anyOf":[{"const":"a"},{"const":"b"}]},"x":{"type":"string"},"y":{}},"required":["op"],"type":"object"}`},
		{"all of", `{"allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`,
			`{"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`},
		{"a reference", `{"$ref":"#/$defs/In","$defs":{"In":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"]},` +
			`"A":{"type":"string"}}}`,
			`{"$defs":{"A":{"type":"string"},"In":{"properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],"type":"object"}},` +
				`"properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],"type":"object"}`},
		{"alternatives by reference", `{"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}],"$defs":{"A":{"properties":{"a":{}},` +
			`"required":["a"]},"B":{"properties":{"b":{}},"required":["b"]}}}`,
			`{"$defs":{"A":{"properties":{"a":{}},"required":["a"]},"B":{"properties":{"b":{}},"required":["b"]}},` +
				`"description":"At least one of these is needed: a; b.","properties":{"a":{},"b":{}},"type":"object"}`},
		{"a circle", `{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}`, ""},
		{"no object among them", `{"anyOf":[{"type":"string"},{"type":"array"}]}`, ""},
		{"a string", `{"type":"string"}`, ""},
		{"a list", `[1]`, ""},
		{"null", `null`, ""},
	} {
		out, changed, err := inputSchema(json.RawMessage(c.given))
		testkit.Equal(t, string(out), c.want, c.name)
		if (err == nil) != (c.want != "") || changed != (c.want != "" && c.want != c.given) {
			t.Errorf("%s: changed %v, %v", c.name, changed, err)
		}
	}
}

func TestOutputSchema(t *testing.T) {
	for given, want := range map[string]string{
		`{"type":"object", "oneOf":[{}]}`: `{"type":"object", "oneOf":[{}]}`,
		`{"oneOf":[{"required":["a"]}]}`:  `{"oneOf":[{"required":["a"]}],"type":"object"}`,
		`{"type":"array"}`:                "",
		`null`:                            "",
	} {
		out, err := outputSchema(json.RawMessage(given))
		testkit.Equal(t, string(out), want, given)
		testkit.Equal(t, err == nil, want != "", given)
	}
}

// A tool with alternatives at the root is listed, and the status tells that its schema is another one.
func TestToolOfAlternatives(t *testing.T) {
	tools, warnings := toolsOf(raws(`{"name":"either","inputSchema":{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}}`,
		`{"name":"plain","inputSchema":{"type":"object"}}`), "id")
	if len(tools) != 2 || len(warnings) != 1 || !strings.Contains(warnings[0], `"either" is listed with another input schema`) {
		t.Fatalf("%v, %q", tools, warnings)
	}
	testkit.Equal(t, string(tools[0].Item.InputSchema.(json.RawMessage)),
		`{"description":"Exactly one of these is needed: a; b.","properties":{},"type":"object"}`, "schema")
	testkit.Equal(t, string(tools[0].Raw),
		`{"name":"either","inputSchema":{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}}`, "as sent")
}
