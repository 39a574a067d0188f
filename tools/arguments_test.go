package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// Which answers repeat their arguments is what the configuration says, of errors too.
func TestEchoOfArguments(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def one\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	for _, c := range []struct {
		echo               string
		onSuccess, onError bool
	}{{"", false, true}, {"errors", false, true}, {"always", true, true}, {"never", false, false}} {
		session.Settings.EchoInput = c.echo
		for file, want := range map[string]bool{"a.w": c.onSuccess, "b.w": c.onError} {
			if _, echoed := run(t, session, "get_document_symbols", map[string]any{"file_path": file})["input"]; echoed != want {
				t.Errorf("echo_input %q: the answer about %s repeats its arguments: %v", c.echo, file, echoed)
			}
		}
	}
}

// What a call means is taken where it can mean only that; an answer says so where something of it was left out, or was
// of another type.
func TestArgumentsAsTheyAreMeant(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "def one\ndef two\n", "b.w": "use one\n", "a.w:2": "def colon\n",
		"sub/[id].w": "def page\n"})
	session := toolstest.Open(t, dir, toolstest.Fake(t, "words", `{"language":"words"}`))
	session.Settings.EchoInput = "always"
	uri := "file://" + filepath.ToSlash(session.Workspace.Root)
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		input     string // what lspi took
		warned    string // the arguments that it says it took in another form
		fault     string
	}{
		// A path with its line, as answers, compilers and web pages show it.
		{"hover", map[string]any{"file_path": "a.w:1:5"}, `map[character:5 file_path:a.w line:1]`, "[]", ""},
		{"hover", map[string]any{"file_path": "a.w:1:5:", "line": 1}, `map[character:5 file_path:a.w line:1]`, "[]", ""},
		{"hover", map[string]any{"file_path": "a.w#L1", "symbol_name": "one"},
			`map[file_path:a.w line:1 symbol_name:one]`, "[]", ""},
		{"hover", map[string]any{"file_path": uri + "/a.w:1:5"},
			`map[character:5 file_path:` + uri + `/a.w line:1]`, "[]", ""},
		{"hover", map[string]any{"file_path": "file:///a.w", "symbol_name": "one"},
			`map[file_path:file:///a.w symbol_name:one]`, "[]", ""},
		{"hover", map[string]any{"file_path": "file:a.w", "symbol_name": "one"},
			`map[file_path:file:a.w symbol_name:one]`, "[]", ""},
		{"hover", map[string]any{"symbols": []any{uri + "/a.w:1:5"}}, `map[symbols:[` + uri + `/a.w:1:5]]`, "[]", ""},
		{"hover", map[string]any{"file_path": "a.w:1"}, `map[file_path:a.w line:1]`, "[]", "missing_argument"},
		{"hover", map[string]any{"file_path": "a.w:1:5", "line": 2}, `map[file_path:a.w:1:5 line:2]`, "[]",
			"invalid_argument"},
		{"hover", map[string]any{"file_path": "c.w:1:5"}, `map[character:5 file_path:c.w line:1]`, "[]",
			"file_not_found"},
		{"hover", map[string]any{"file_path": "a.w:0:5"}, `map[character:5 file_path:a.w line:0]`, "[]",
			"invalid_argument"},
		// The name of a file.
		{"get_diagnostics", map[string]any{"file_path": "a.w:2"}, `map[file_path:a.w:2]`, "[]",
			"no_server_for_extension"},
		{"get_document_symbols", map[string]any{"file_path": "a.w:1"}, `map[file_path:a.w]`, "[file_path]", ""},
		{"get_diagnostics", map[string]any{"file_paths": []any{"a.w:1", "b.w"}}, `map[file_paths:[a.w b.w]]`,
			"[file_paths[0]]", ""},
		// An edit at a line is none of the whole file.
		{"check_edit", map[string]any{"edits": []any{map[string]any{"file_path": "a.w:1", "new_text": "x"}}},
			`map[edits:[map[file_path:a.w line:1 new_text:x]] wait:all]`, "[]", "missing_argument"},
		{"check_edit", map[string]any{"edits": []any{map[string]any{"file_path": "a.w:1", "old_text": "one",
			"new_text": "six"}}}, `map[edits:[map[file_path:a.w new_text:six old_text:one]] wait:all]`, "[edits[0].file_path]",
			""},
		// Values of other types in strings.
		{"hover", map[string]any{"file_path": "a.w", "line": "1", "character": " 5 "},
			`map[character:5 file_path:a.w line:1]`, "[character line]", ""},
		{"hover", map[string]any{"file_path": "a.w", "line": "0", "character": "5"},
			`map[character:5 file_path:a.w line:0]`, "[character line]", "invalid_argument"},
		{"hover", map[string]any{"file_path": "a.w", "line": "one"}, `map[file_path:a.w line:one]`, "[]",
			"invalid_argument"},
		{"get_document_symbols", map[string]any{"file_path": "a.w", "detail": "True"}, `map[detail:true file_path:a.w]`,
			"[detail]", ""},
		{"get_document_symbols", map[string]any{"file_path": "a.w", "detail": "yes"}, `map[detail:yes file_path:a.w]`,
			"[]", "invalid_argument"},
		{"hover", map[string]any{"symbols": `["one", "two"]`}, `map[symbols:[one two]]`, "[symbols]", ""},
		{"hover", map[string]any{"symbols": "one"}, `map[symbols:[one]]`, "[symbols]", ""},
		{"hover", map[string]any{"symbols": "one, two"}, `map[symbols:one, two]`, "[]", "invalid_argument"},
		{"get_diagnostics", map[string]any{"file_paths": "a.w:1", "severities": "error,warning"},
			`map[file_paths:[a.w] severities:[error warning]]`, "[file_paths file_paths[0] severities]", ""},
		{"get_diagnostics", map[string]any{"file_paths": "sub/[id].w"}, `map[file_paths:[sub/[id].w]]`, "[file_paths]",
			""},
		{"check_edit", map[string]any{"edits": `[{"file_path": "a.w", "line": "1", "character": 5, "end_line": 1,
			"end_character": 8, "new_text": "six"}]`},
			`map[edits:[map[character:5 end_character:8 end_line:1 file_path:a.w line:1 new_text:six]] wait:all]`,
			"[edits edits[0].line]", ""},
		// Kinds and other names in any case, as the original lspi took them.
		{"hover", map[string]any{"file_path": "a.w", "symbol_name": "one", "symbol_kind": "FUNCTION"},
			`map[file_path:a.w symbol_kind:function symbol_name:one]`, "[]", ""},
		{"hover", map[string]any{"file_path": "a.w", "symbol_name": "one", "symbol_kind": "EnumMember"},
			`map[file_path:a.w symbol_kind:enum_member symbol_name:one]`, "[]", "symbol_not_found"},
		{"hover", map[string]any{"file_path": "a.w", "symbol_name": "one", "symbol_kind": "thing"},
			`map[file_path:a.w symbol_kind:thing symbol_name:one]`, "[]", "invalid_argument"},
		{"search_workspace_symbols", map[string]any{"query": "one", "kinds": []any{"Type-Parameter", "function"}},
			`map[kinds:[type_parameter function] query:one wait_ms:50000]`, "[]", ""},
		{"get_diagnostics", map[string]any{"file_path": "a.w", "severities": []any{"Error"}},
			`map[file_path:a.w severities:[error]]`, "[]", ""},
	} {
		name := fmt.Sprint(c.tool, " ", c.arguments)
		a := run(t, session, c.tool, c.arguments)
		warned := "[]"
		for _, w := range a["warnings"].([]any) {
			if w := w.(map[string]any); w["kind"] == "argument_form" {
				warned = fmt.Sprint(w["arguments"])
			}
		}
		fault, _, _ := strings.Cut(a.fault(), " ")
		equal(t, name, fmt.Sprint(withoutDefaults(t, c.tool, a["input"], c.arguments), " ", warned, " ", fault), c.input+" "+c.warned+" "+c.fault)
	}
	// Either step after a contradiction is the whole call.
	for i, want := range []string{"file_path:a.w line:2 symbol_name:two", "file_path:a.w line:1 symbol_name:two"} {
		a := run(t, session, "hover", map[string]any{"file_path": "a.w:1", "line": 2, "symbol_name": "two"})
		step := a["next_steps"].([]any)[i].(map[string]any)
		equal(t, "step", fmt.Sprint(step["arguments"]), "map["+want+"]")
		equal(t, "followed", run(t, session, "hover", step["arguments"].(map[string]any))["ok"], any(true))
	}
}

// withoutDefaults is the input of an answer without the defaults of what was not given.
func withoutDefaults(t *testing.T, tool string, input any, given map[string]any) any {
	t.Helper()
	echoed, ok := input.(map[string]any)
	if !ok {
		return input
	}
	of, err := Lookup(tool)
	testkit.Must(t, err)
	maps.DeleteFunc(echoed, func(name string, v any) bool {
		raw, _ := json.Marshal(v)
		return given[name] == nil && (name == "max_total_chars" ||
			of.Input.Properties[name] != nil && string(raw) == string(of.Input.Properties[name].Default))
	})
	return echoed
}

// On success the echo has what was not given with its default; an error repeats the call as it was.
func TestEchoHasDefaults(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def one\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	input := func(tool string, arguments map[string]any) string {
		return fmt.Sprint(run(t, session, tool, arguments)["input"])
	}
	one := map[string]any{"file_path": "a.w", "symbol_name": "one"}
	for echo, want := range map[string][]string{
		"":      {"<nil>", "map[include_env:false max_total_chars:24000]"},
		"never": {"<nil>", "<nil>"},
		"always": {"map[file_path:a.w include_declaration:true include_snippet:true max_results:200 " +
			"max_total_chars:24000 offset:0 symbol_name:one]", "map[include_env:false max_total_chars:24000]"},
	} {
		session.Settings.EchoInput = echo
		equal(t, echo+" references", input("find_references", one), want[0])
		equal(t, echo+" configuration", input("get_current_config", nil), want[1])
	}
	session.Settings.EchoInput = "always"
	equal(t, "given", input("get_current_config", map[string]any{"include_env": true, "max_total_chars": 9e9}),
		"map[include_env:true max_total_chars:2e+06]")
	equal(t, "an error", input("find_references", map[string]any{"file_path": "gone.w", "symbol_name": "one"}),
		"map[file_path:gone.w symbol_name:one]")
}

// A limit out of its range is taken as the nearest that is allowed, in every tool, and the answer says so.
func TestLimitsOutOfTheirRange(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "def one\n"})
	session := toolstest.Open(t, dir, toolstest.Fake(t, "words", `{"language":"words"}`))
	for _, tool := range All() {
		for _, name := range tool.Input.PropertyOrder {
			s := tool.Input.Properties[name]
			if s.Type != "integer" || s.Maximum == nil {
				continue
			}
			a := run(t, session, tool.Name, map[string]any{"file_path": "a.w", "symbol_name": "one", name: 1e6})
			reason := fmt.Sprint(a["error"])
			if strings.Contains(reason, "argument:"+name) {
				t.Errorf("%s refuses %s 1000000: %s", tool.Name, name, reason)
			}
			equal(t, tool.Name+" "+name, clampedTo(a, name), any(*s.Maximum))
		}
	}
	a := run(t, session, "get_document_symbols", map[string]any{"file_path": "a.w", "max_total_chars": 100})
	equal(t, "below", clampedTo(a, "max_total_chars"), any(500.))
	equal(t, "below", a["ok"], any(true))
	// Nobody can tell whether it means none or all.
	for _, value := range []float64{0, -1, 1.5} {
		a = run(t, session, "get_document_symbols", map[string]any{"file_path": "a.w", "max_depth": value})
		equal(t, "no limit", strings.HasPrefix(a.fault(), "invalid_argument"), true)
	}
}

// clampedTo is what an answer says that it took for a limit; nil when it says nothing of it.
func clampedTo(a reply, name string) any {
	for _, w := range a["warnings"].([]any) {
		if w := w.(map[string]any); w["kind"] == "clamped" && w["argument"] == name {
			return w["limit"]
		}
	}
	return nil
}
