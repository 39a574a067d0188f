package tools

import (
	"encoding/json"
	"fmt"
	"lspi/internal/testkit"
	"reflect"
	"testing"
)

// An integer of JSON Schema may be written with a fraction of zero or an exponent.
func TestDecodeWholeNumbers(t *testing.T) {
	tool, err := Lookup("find_references")
	testkit.Must(t, err)
	for given, want := range map[string]string{
		"4": "4", "4.0": "4", "1e1": "10", "40e-1": "4",
		"4.5": "the argument line must be a whole number of at least 1, not 4.5", "0.0": "the argument line must be a whole number of at least 1, not 0.0",
		"1e300": "the argument line must be below 2^53, not 1e300", `"4"`: `the argument line must be a whole number of at least 1, not "4"`,
		"1e999": "the argument line must be a whole number of at least 1, not 1e999",
	} {
		in, err := decode[findReferencesIn](tool.Input, json.RawMessage(`{"line":`+given+`}`))
		got := fmt.Sprint(in.Line)
		if err != nil {
			got = err.Error()
		}
		equal(t, given, got, want)
	}
}

// Errors name the place, what is allowed there, and what was probably meant; null is an argument that is not given.
func TestDecodeNested(t *testing.T) {
	type item struct {
		N int    `json:"n"`
		S string `json:"s" enum:"one,two,three" required:"true"`
	}
	type arguments struct {
		Items []item                     `json:"items"`
		Words []string                   `json:"words" enum:"error,hint"`
		Texts map[string]string          `json:"texts"`
		Raw   map[string]json.RawMessage `json:"raw"`
		Yes   bool                       `json:"yes" default:"true"`
	}
	schema := objectSchema(reflect.TypeFor[arguments](), func(string) string { return "" })
	for given, want := range map[string]string{
		`{"items":[{"n":4.0,"s":"one"},{"n":null,"s":"two"}],"raw":{"x":1.5,"y":null}}`: `{[{4 one} {0 two}] [] map[] map[x:[49 46 53] y:[110 117 108 108]] true}`,
		`{"items":[{"n":4}]}`:                     "the argument items[0].s is missing",
		`{"items":[{"s":null}]}`:                  "the argument items[0].s is missing",
		`{"items":[{"s":"thre"}]}`:                `the argument items[0].s must be one of one, two, three, not "thre": did you mean three?`,
		`{"items":[{"s":"one"},{"s":"a","m":1}]}`: `unknown argument "items[1].m"; the tool takes n, s`,
		`{"items":[null]}`:                        "the argument items[0] must be an object, not null",
		`{"items":{}}`:                            "the argument items must be an array of objects, not an object",
		`{"words":["hint",1]}`:                    "the argument words[1] must be one of error, hint, not 1",
		`{"words":"hint"}`:                        `the argument words must be an array of strings, not a string`,
		`{"texts":{"a":null,"b":1}}`:              "the argument texts.b must be a string, not a number",
		`{"texts":{"a":"\u0000"}}`:                "the argument texts.a contains a NUL character",
		`{"texts":[]}`:                            "the argument texts must be an object, not an array",
		`{"raw":1}`:                               "the argument raw must be an object, not a number",
		`{"yes":"no"}`:                            `the argument yes must be true or false, not a string`,
		`{"item":[]}`:                             `unknown argument "item": did you mean items?`,
		`[]`:                                      "the arguments must be one JSON object, not an array",
	} {
		in, err := decode[arguments](schema, json.RawMessage(given))
		got := fmt.Sprint(in)
		if err != nil {
			got = err.Error()
		}
		equal(t, given, got, want)
	}
}
