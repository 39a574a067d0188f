//go:build unix

package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// shownBy is what a host shows of a result, as HOSTS.md of the project's facts has it, and its length in the unit
// of the cut.
func shownBy(t *testing.T, host string, r Result) int {
	t.Helper()
	switch {
	case strings.HasPrefix(host, "@cline"):
		var structured any
		testkit.Must(t, json.Unmarshal(r.Structured, &structured))
		whole, err := contract.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": r.Text}},
			"structuredContent": structured})
		testkit.Must(t, err)
		return utf8.RuneCount(whole)
	case host == "copilot-cli", host == "kimi-code", strings.HasPrefix(host, "qwen"):
		return utf8.RuneCountInString(r.Text) + 1 + utf8.RuneCount(r.Structured)
	case host == "codex-mcp-client":
		return len(r.Structured)
	case host == "opencode":
		if n := strings.Count(r.Text, "\n") + 1; n > 2000 {
			t.Errorf("%d lines", n)
		}
		return len(r.Text)
	case host == "mcp":
		return max(utf8.RuneCountInString(r.Text), utf8.RuneCount(r.Structured))
	}
	return utf8.RuneCountInString(r.Text)
}

// Where each host cuts, in what it counts.
var cuts = map[string]int{"@cline/core": 8_000, "copilot-cli": 20_000, "kimi-code": 50_000, "codex-mcp-client": 12_000,
	"opencode": 51_200,
	"mcp":      16_000, "gemini-cli-mcp-client": 40_000, "qwen-cli-mcp-client-lspi": 25_000}

// No host cuts what it is sent, by default and when the model asks for more than the host shows; and paging gives every
// item once.
func TestNoHostCuts(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.w": "def alpha\n"}
	many := testkit.Times(12, 40)
	for i := range many { // code that is not ASCII counts more bytes than characters, and quotes are escaped in JSON
		files[fmt.Sprintf("sub/file%02d.w", i)] = strings.Repeat("  alpha \"größe\" \\ äöü 漢字 漢字 漢字 漢字\n", 60)
	}
	opened := toolstest.Open(t, project(t, files), toolstest.Fake(t, "w", `{"language":"words"}`))
	for host, cut := range cuts {
		for _, asked := range []string{"", `,"max_total_chars":300000`} {
			arguments := json.RawMessage(`{"file_path":"a.w","symbol_name":"alpha","max_results":5000` + asked + `}`)
			seen, pages := map[string]int{}, 0
			for arguments != nil {
				r := Run(t.Context(), opened, nil, answer.Request{Tool: "find_references", Arguments: arguments,
					Host: session.Host{Name: host}})
				most := cut
				if host == "codex-mcp-client" && asked != "" {
					most = 48_000
				}
				if n := shownBy(t, host, r); n > most || !r.OK {
					t.Fatalf("%s%s: %d of %d: %.300s", host, asked, n, most, r.Text)
				}
				arguments = collect(t, r, seen)
				pages++
			}
			testkit.Equal(t, len(seen), 60*many+1, host, asked, pages)
			for place, n := range seen {
				testkit.Equal(t, n, 1, host, asked, place, "is there")
			}
		}
	}
}

// collect counts the places of a page and returns the arguments of the next; nil after the last.
func collect(t *testing.T, r Result, seen map[string]int) json.RawMessage {
	t.Helper()
	var a struct {
		Files []struct {
			FilePath   string `json:"file_path"`
			References []string
		}
		NextSteps []struct {
			Message   string
			Arguments json.RawMessage
		} `json:"next_steps"`
	}
	testkit.Must(t, json.Unmarshal(r.Structured, &a))
	for _, f := range a.Files {
		for _, ref := range f.References {
			at, _, _ := strings.Cut(ref, " ")
			seen[f.FilePath+":"+at]++
		}
	}
	for _, s := range a.NextSteps {
		if s.Message == answer.ContinueHere {
			return s.Arguments
		}
	}
	return nil
}

// An error keeps its message and a step, and is within what the host shows however large the arguments were.
func TestNoHostCutsAnError(t *testing.T) {
	files := map[string]string{}
	for i := range 9 {
		files[strings.Repeat("folder/", 40)+fmt.Sprintf("f%d.w", i)] = "def same\n"
	}
	opened := toolstest.Open(t, project(t, files), toolstest.Fake(t, "w", `{"language":"words"}`))
	for host, cut := range cuts {
		for _, arguments := range []string{`{"symbol_name":"same"}`, `{"file_path":"` + strings.Repeat("x", 3000) +
			`.w","line":1,"symbol_name":"` + strings.Repeat("é", 3000) + `"}`} {
			r := Run(t.Context(), opened, nil,
				answer.Request{Tool: "find_references", Arguments: json.RawMessage(arguments),
					Host: session.Host{Name: host}})
			n := shownBy(t, host, r)
			if host == "gemini-cli-mcp-client" || strings.HasPrefix(host, "qwen") {
				n = utf8.RuneCount(r.Structured) + 2*utf8.RuneCountInString(r.Text)
			}
			if r.OK || n > cut || !strings.Contains(r.Text, "Next steps:\n1. ") {
				t.Errorf("%s: %d of %d: %.200s", host, n, cut, r.Text)
			}
			validAnswer(t, "find_references", r.Structured)
		}
	}
}

// What does not fit at a host even alone is had by a command, not by a call that would be cut in the same way.
func TestStepWhereNoCallHelps(t *testing.T) {
	opened := toolstest.Open(t, project(t, map[string]string{"a.w": "def alpha\n" + strings.Repeat("  alpha\n", 9)}),
		toolstest.Fake(t, "w",
			`{"language":"words","rules":[{"method":"textDocument/hover","actions":[{"result":{"contents":{"kind":"markdown","value":"`+
				"```words\\ndef alpha\\n```\\n"+strings.Repeat("long ", 4000)+`"}}}]}]}`))
	r := Run(t.Context(), opened, nil,
		answer.Request{Tool: "hover", Arguments: json.RawMessage(`{"file_path":"a.w","symbol_name":"alpha"}`),
			Host: session.Host{Name: "@cline/core"}})
	if !r.OK || !strings.Contains(string(r.Structured), `"command":"lspi call hover '{`) ||
		strings.Contains(string(r.Structured), `"kind":"tool"`) {
		t.Errorf("%s", r.Structured)
	}
}

// gemini-cli adds an argument to every schema and passes it on.
func TestArgumentOfTheHost(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def alpha\n  alpha\n  alpha\n"}),
		toolstest.Fake(t, "w", `{"language":"words"}`))
	for _, value := range []any{true, "yes", nil} {
		a := run(t, session, "find_references", map[string]any{"file_path": "a.w", "symbol_name": "alpha",
			"max_results": 1, "wait_for_previous": value})
		if a["ok"] != true || strings.Contains(fmt.Sprint(a["next_steps"]), "wait_for_previous") {
			t.Errorf("%v: %v", value, a)
		}
	}
	for _, tool := range All() {
		r := Run(t.Context(), session, nil,
			answer.Request{Tool: tool.Name, Arguments: json.RawMessage(`{"wait_for_previous":false}`)})
		if strings.Contains(r.Text, "wait_for_previous") {
			t.Errorf("%s: %s", tool.Name, r.Text)
		}
	}
}
