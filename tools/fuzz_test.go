package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// maxErrorChars is more than any error needs: its parts are cut one by one.
const maxErrorChars = 20_000

// FuzzArguments calls every tool with whatever a host may give it, where no server is installed: the answer is
// always an envelope, of bounded size and never a mistake of lspi, and the steps that it offers can be run as they
// are.
func FuzzArguments(f *testing.F) {
	dir := f.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n", "a.go": "package m\n\nfunc Löad() {} // 𝒳\n",
		"b.none": "x"} {
		testkit.Must(f, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	session := toolstest.Real(f, dir, "gopls")
	session.Workspace.Table.Specs[0].Commands = []spec.Command{{Name: "no-such-program"}}
	seeds := []string{``, `null`, `{}`, `[]`, `7`, `"x"`, `{"symbol_name":"Löad"}`,
		`{"file_path":"a.go","symbol_name":"Löad"}`,
		`{"file_path":"a.go","line":3,"character":6}`,
		`{"file_path":"a.go","line":3,"symbol_name":"Löad","max_results":5}`, `{"file_path":"/etc/passwd"}`,
		`{"file_path":"file:///a.go","line":-1,"character":1e99}`, `{"file_path":"../x","line":1.5}`,
		`{"file_path":"a.go\u0000","symbol_name":""}`,
		`{"query":"(","match":"regex","kinds":["function"],"path":"**/*.go","server_id":"gopls"}`,
		`{"query":"x","match":"exact","file_path":"a.go"}`,
		`{"query":"((((((((((a{1000}){1000}))))))))","match":"regex"}`,
		`{"file_paths":["a.go","b.none",""],"severities":["error"],"offset":9223372036854775807}`,
		`{"symbol_name":"(*T).x::y/z","symbol_kind":"method","direction":"both","max_depth":6,"max_breadth":80,"max_total_chars":500}`,
		`{"simbol_name":"x"}`, `{"file_path":null,"symbol_name":null}`, `{"file_path":"a.go","file_path":"b.none"}`,
		`{"all":true,"include_env":true}`,
		`{"references_limit":0,"implementations_limit":300,"symbol_name":"Löad","include_snippet":"yes"}`,
		"{\"symbol_name\":\"\xff\"}",
	}
	for i := range All() {
		for _, seed := range seeds {
			f.Add(uint8(i), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, arguments []byte) {
		tool := All()[int(which)%len(All())]
		for _, step := range called(t, session, tool.Name, arguments) {
			if step.Tool == "" {
				continue
			}
			raw, err := json.Marshal(step.Arguments)
			testkit.Must(t, err)
			if step.Arguments["server_id"] != nil {
				continue // only the workspace tells whether it serves something there
			}
			r := Run(t.Context(), session, nil, answer.Request{Tool: step.Tool, Arguments: raw})
			switch kind := kindIn(t, r); kind {
			case "invalid_argument", "missing_argument", "unknown_argument", "unknown_tool":
				t.Errorf("the step %s %s is refused: %s", step.Tool, raw, r.Structured)
			}
		}
	})
}

// called runs a tool, looks at its envelope, and returns its steps.
func called(t *testing.T, session *session.Session, tool string, arguments []byte) []contract.NextStep {
	began := time.Now()
	r := Run(t.Context(), session, nil, answer.Request{Tool: tool, Arguments: arguments})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	var e struct {
		SchemaVersion int `json:"schema_version"`
		OK            bool
		Tool          string
		Error         *struct{ Message string }
		Warnings      []contract.Warning
		NextSteps     []struct {
			Tool      string
			Arguments map[string]any
		} `json:"next_steps"`
	}
	if err := json.Unmarshal(r.Structured, &e); err != nil || !utf8.Valid(r.Structured) {
		t.Fatalf("%v\n%s", err, r.Structured)
	}
	switch {
	case e.SchemaVersion != contract.SchemaVersion || e.Tool != tool || e.OK != r.OK || e.OK != (e.Error == nil) ||
		e.Warnings == nil || e.NextSteps == nil:
		t.Errorf("no envelope: %s", r.Structured)
	case !e.OK && (len(e.NextSteps) == 0 || e.Error.Message == "" || r.Text == ""):
		t.Errorf("an error without a way on: %s", r.Structured)
	case !e.OK && utf8.RuneCount(r.Structured) > maxErrorChars:
		t.Errorf("an error of %d characters", utf8.RuneCount(r.Structured))
	case kindIn(t, r) == string(contract.KindPanic):
		t.Errorf("a mistake of lspi: %s", r.Structured)
	}
	var steps []contract.NextStep
	for _, s := range e.NextSteps {
		steps = append(steps, contract.NextStep{Tool: s.Tool, Arguments: s.Arguments})
	}
	return steps
}

// kindIn is the precise kind of an answer's error; "" for a success.
func kindIn(t *testing.T, r Result) string {
	var e struct {
		Error struct {
			Data struct {
				LspiError struct{ Kind string } `json:"lspi_error"`
			}
		}
	}
	testkit.Must(t, json.Unmarshal(r.Structured, &e))
	return e.Error.Data.LspiError.Kind
}

// An integer of JSON Schema may be written with a fraction of zero or an exponent.
func TestDecodeWholeNumbers(t *testing.T) {
	tool, err := Lookup("find_references")
	testkit.Must(t, err)
	for given, want := range map[string]string{
		"4": "4", "4.0": "4", "1e1": "10", "40e-1": "4",
		"4.5":   "the argument line must be a whole number of at least 1, not 4.5",
		"0.0":   "the argument line must be a whole number of at least 1, not 0.0",
		"1e300": "the argument line must be below 2^53, not 1e300",
		`"4"`:   `the argument line must be a whole number of at least 1, not "4"`,
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
