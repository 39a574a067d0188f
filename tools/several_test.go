//go:build unix

package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// resultsOf are the answers about several symbols, a line each: what was asked, and what a field of it has, or the
// error.
func resultsOf(t *testing.T, a reply, show func(one map[string]any) string) string {
	t.Helper()
	var out []string
	results, _ := a["results"].([]any)
	for _, r := range results {
		one := r.(map[string]any)
		text := ""
		if e, ok := one["error"].(map[string]any); ok {
			text = fmt.Sprint(e["kind"])
		} else {
			text = show(one)
		}
		out = append(out, fmt.Sprint(one["asked"], " ", text))
	}
	return strings.Join(out, "\n")
}

// Several symbols in one call have the answers that calls of their own have; one that fails costs itself alone.
func TestSeveralSymbols(t *testing.T) {
	for server, files := range map[string]map[string]string{
		"gopls": {"go.mod": "module example.com/m\n\ngo 1.24\n",
			"a.go": "package m\n\n// F is one.\nfunc F() int { return G() }\n\nfunc G() int { return 2 }\n\nvar X = F() + G()\n"},
		"pyright": {"pyrightconfig.json": "{}",
			"a.py": "def F():\n    return G()\n\n\ndef G():\n    return 2\n\n\nX = F() + G()\n"},
	} {
		t.Run(server, func(t *testing.T) {
			testkit.Always(t, server, "gopls")
			t.Parallel()
			needServer(t, map[string]string{"gopls": "gopls", "pyright": "pyright-langserver"}[server])
			session := toolstest.Real(t, project(t, files), server)
			file := map[string]string{"gopls": "a.go", "pyright": "a.py"}[server]
			at := map[string]string{"gopls": "a.go:6:6", "pyright": "a.py:5:5"}[server]
			several := map[string]any{"symbols": []string{"F", "none", at}}
			hovers := run(t, session, "hover", several)
			testkit.Equal(t, resultsOf(t, hovers, func(one map[string]any) string {
				return fmt.Sprint(one["symbol"], " ", one["kind"])
			}),
				"F F function\nnone symbol_not_found\n"+at+" G function")
			testkit.Equal(t, hovers["completeness"], "partial", "one has no answer")
			testkit.Equal(t, fmt.Sprint(hovers.kinds()), "[part_failed]")

			found := run(t, session, "find_definition", map[string]any{"symbols": []string{"F", "G"},
				"file_path": file})
			for i, name := range []string{"F", "G"} {
				alone := run(t, session, "find_definition", map[string]any{"symbol_name": name, "file_path": file})
				testkit.Equal(t, fmt.Sprint(found["results"].([]any)[i].(map[string]any)["definitions"]),
					fmt.Sprint(alone["definitions"]), name)
			}
			testkit.Equal(t, fmt.Sprint(found["completeness"], found["definitions"]), "complete[]")

			uses := run(t, session, "find_references", map[string]any{"symbols": []string{"F", "G"}, "max_results": 2,
				"include_declaration": false})
			testkit.Equal(t, resultsOf(t, uses, func(one map[string]any) string {
				return fmt.Sprint(one["returned"], " of ", one["total"])
			}), "F 1 of 1\nG 2 of 2")
			uses = run(t, session, "find_references", map[string]any{"symbols": []string{"F", "G"}, "max_results": 2})
			testkit.Equal(t, resultsOf(t, uses, func(one map[string]any) string {
				return fmt.Sprint(one["returned"], " of ", one["total"])
			}), "F 2 of 2\nG 2 of 3")
			testkit.Equal(t, uses["truncated"], true)
			step := uses["next_steps"].([]any)[0].(map[string]any)
			rest := run(t, session, fmt.Sprint(step["tool"]), step["arguments"].(map[string]any))
			testkit.Equal(t, fmt.Sprint(rest["returned"], " of ", rest["total"]), "1 of 3",
				"the step goes on with G alone")
			failed := run(t, session, "hover", map[string]any{"symbols": []string{"none", "gone/" + at, "Gone"}})
			for i, o := range failed["error"].(map[string]any)["data"].(map[string]any)["lspi_error"].(map[string]any)["results"].([]any) {
				one := o.(map[string]any)
				testkit.Equal(t, fmt.Sprint(one["asked"], " ", one["error"].(map[string]any)["kind"]),
					[]string{"none symbol_not_found", "gone/" + at + " file_not_found", "Gone symbol_not_found"}[i])
				testkit.Holds(t, fmt.Sprint(failed["message"]),
					fmt.Sprint(one["asked"], ": ", one["error"].(map[string]any)["message"]))
			}
		})
	}
}

// What has no room is asked for by the step, and nothing is left out without a word.
func TestSeveralSymbolsInParts(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	var text strings.Builder
	text.WriteString("package m\n")
	var names []string
	for n := range 12 {
		names = append(names, fmt.Sprint("Function", n))
		fmt.Fprintf(&text, "\nfunc Function%d() int {\n%s\treturn %d\n}\n", n, strings.Repeat("\t_ = 1\n", 5), n)
	}
	session := toolstest.Real(t,
		project(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "a.go": text.String()}), "gopls")
	var got []string
	arguments := map[string]any{"symbols": names, "include_body": true, "max_total_chars": 1200}
	for range len(names) {
		a := run(t, session, "find_definition", arguments)
		for _, r := range a["results"].([]any) {
			one := r.(map[string]any)
			for _, d := range one["definitions"].([]any) {
				if d := d.(map[string]any); d["rest_lines"] == nil && strings.HasSuffix(fmt.Sprint(d["body"]), "}") {
					got = append(got, fmt.Sprint(one["asked"]))
				}
			}
		}
		if a["truncated"] != true {
			break
		}
		arguments = a["next_steps"].([]any)[0].(map[string]any)["arguments"].(map[string]any)
	}
	testkit.Equal(t, strings.Join(got, " "), strings.Join(names, " "))
}

func TestSeveralSymbolsThatAreNone(t *testing.T) {
	many := make([]string, maxSeveral+1)
	for _, arguments := range []map[string]any{
		{"symbols": []string{"F"}, "symbol_name": "G"}, {"symbols": []string{"F"}, "line": 3},
		{"symbols": []string{" "}}, {"symbols": many},
		{"symbols": []string{"a.w:1"}},
	} {
		session := toolstest.Open(t, project(t, map[string]string{"a.w": "X\n"}))
		if fault := run(t, session, "hover", arguments).fault(); !strings.HasPrefix(fault, "invalid_argument ") {
			t.Errorf("%v: %q", arguments, fault)
		}
	}
}

// Symbols are named as answers write them, and what failed is told with the paths that answers show.
func TestSeveralSymbolsByTheirLines(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def X\ndef Y\nX Y\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	asked := []string{"a.w:2:5", "a.w:1 X", "a.w:2 generated @3,4 seen +2 function Y | def Y",
		"a.w:1 function X: func()", "a.w:9:1"}
	a := run(t, session, "find_definition", map[string]any{"symbols": asked, "include_snippet": false})
	testkit.Equal(t, resultsOf(t, a, func(one map[string]any) string {
		return fmt.Sprint(one["definitions"].([]any)[0].(map[string]any)["line"])
	}),
		asked[0]+" 2\n"+asked[1]+" 1\n"+asked[2]+" 2\n"+asked[3]+" 1\n"+asked[4]+" position_out_of_range")
	testkit.Equal(t, a["results"].([]any)[4].(map[string]any)["error"].(map[string]any)["message"],
		any("line 9 is outside of a.w, which has 4 lines"))
	testkit.Equal(t, fmt.Sprint(firstOf(a, "next_steps")["arguments"]), "map[file_path:a.w]")
}

// A node of a type hierarchy, with the lines of its declaration, names a symbol.
func TestNodeOfTypesNamesASymbol(t *testing.T) {
	one := map[string]json.RawMessage{}
	testkit.Must(t, named(one, "a/b.go:7-9 generated class m.Square | type Square struct {"))
	got, err := json.Marshal(one)
	testkit.Must(t, err)
	testkit.Equal(t, string(got), `{"file_path":"a/b.go","line":7,"symbol_name":"m.Square"}`)
}
