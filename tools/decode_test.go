package tools

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// An integer of JSON Schema may be written with a fraction of zero or an exponent.
func TestDecodeWholeNumbers(t *testing.T) {
	tool, err := Lookup("find_references")
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"4": "4", "4.0": "4", "1e1": "10", "40e-1": "4",
		"4.5": "the argument line must be a whole number, not 4.5", "0.0": "the argument line must be at least 1, not 0",
		"1e300": "the argument line must be below 2^53, not 1e300", `"4"`: `the argument line must be a whole number, not "4"`,
	} {
		in, err := decode[findReferencesIn](tool.Input, json.RawMessage(`{"line":`+given+`}`))
		got := fmt.Sprint(in.Line)
		if err != nil {
			got = err.Error()
		}
		equal(t, given, got, want)
	}
	nested := &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object",
		Properties: map[string]*jsonschema.Schema{"n": {Type: "integer"}, "s": {Type: "string"}}}}
	equal(t, "nested", string(whole(nested, json.RawMessage(`[{"n":4.0,"s":"4.0"},{"n":null,"x":1.5}]`))),
		`[{"n":4,"s":"4.0"},{"n":null,"x":1.5}]`)
}
