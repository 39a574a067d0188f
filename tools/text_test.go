//go:build unix

package tools

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// textCase is one call whose text is a golden.
type textCase struct{ tool, what, arguments string }

// textCases are for each tool a success, an error, and an answer at its cap. Those that end servers come last.
var textCases = []textCase{
	{"find_definition", "success", `{"file_path":"b.w","line":2,"symbol_name":"alpha"}`},
	{"find_definition", "error", `{"file_path":"b.w","symbol_name":"alpa"}`},
	{"find_definition", "cap", `{"file_path":"many.w","symbol_name":"m0","max_total_chars":900}`},
	{"find_references", "success", `{"file_path":"a.w","symbol_name":"beta"}`},
	{"find_references", "error", `{"file_path":"nope.w","symbol_name":"beta"}`},
	{"find_references", "cap", `{"file_path":"a.w","symbol_name":"alpha","max_total_chars":900}`},
	{"find_implementations", "success", `{"file_path":"a.w","symbol_name":"alpha","max_results":2}`},
	{"find_implementations", "error", `{"symbol_name":"alpha","file":"a.w"}`},
	{"find_implementations", "cap", `{"file_path":"a.w","symbol_name":"alpha","max_total_chars":800}`},
	{"call_hierarchy", "success", `{"file_path":"a.w","symbol_name":"beta","direction":"both","max_depth":3}`},
	{"call_hierarchy", "error", `{"file_path":"a.w","symbol_name":"beta","direction":"up"}`},
	{"call_hierarchy", "cap", `{"file_path":"a.w","symbol_name":"alpha","max_total_chars":500}`},
	{"type_hierarchy", "success", `{"file_path":"a.w","symbol_name":"alpha"}`},
	{"type_hierarchy", "error", `{"file_path":"a.w","line":900,"character":1}`},
	{"type_hierarchy", "cap", `{"file_path":"a.w","symbol_name":"alpha","max_total_chars":560}`},
	{"hover", "success", `{"file_path":"b.w","line":2,"symbol_name":"alpha","include_snippet":true}`},
	{"hover", "error", `{"file_path":"file:///tmp/b.w","line":2,"character":1}`},
	{"hover", "cap", `{"file_path":"long.w","symbol_name":"long","max_total_chars":700}`},
	{"get_document_symbols", "success", `{"file_path":"a.w"}`},
	{"get_document_symbols", "error", `{}`},
	{"get_document_symbols", "cap", `{"file_path":"many.w","max_total_chars":600}`},
	{"search_workspace_symbols", "success", `{"query":"beta"}`},
	{"search_workspace_symbols", "error", `{"query":"(","match":"regex"}`},
	{"search_workspace_symbols", "cap", `{"query":"m","max_total_chars":700}`},
	{"get_diagnostics", "success", `{"file_paths":["a.w","bad.w"]}`},
	{"get_diagnostics", "error", `{"file_path":"a.w","severities":["fatal"]}`},
	{"get_diagnostics", "cap", `{"file_path":"bad.w","max_total_chars":1100}`},
	{"symbol_bundle", "success", `{"file_path":"a.w","symbol_name":"beta"}`},
	{"symbol_bundle", "error", `{"symbol_name":"Gamma"}`},
	{"symbol_bundle", "cap", `{"file_path":"a.w","symbol_name":"alpha","max_total_chars":2000}`},
	{"change_impact", "success", `{"edits":[{"file_path":"a.w","old_text":"def alpha","new_text":"def delta"}]}`},
	{"change_impact", "error", `{"revision":"-x"}`},
	{"change_impact", "cap", `{"edits":[{"file_path":"many.w","old_text":"` + strings.ReplaceAll(manyDefs(20), "\n",
		`\n`) + `","new_text":""}],"max_total_chars":1000}`},
	{"switch_source_header", "success", `{"file_path":"a.w"}`},
	{"switch_source_header", "error", `{"file_path":"x.zig"}`},
	{"switch_source_header", "cap", `{"file_path":"b.w","max_total_chars":500}`},
	{"get_current_config", "success", `{"include_env":true}`},
	{"get_current_config", "error", `{"include_env":1}`},
	{"get_current_config", "cap", `{"max_total_chars":2000}`},
	{"list_servers", "success", `{}`},
	{"list_servers", "error", `{"every":true}`},
	{"list_servers", "cap", `{"all":true,"max_total_chars":900}`},
	{"rename_symbol", "success", `{"file_path":"a.w","line":1,"symbol_name":"beta","new_name":"gamma"}`},
	{"rename_symbol", "error", `{"file_path":"a.w","line":1,"symbol_name":"beta","new_name":"a b"}`},
	{"edit_symbol", "success",
		`{"file_path":"a.w","symbol_name":"beta","operation":"insert_before","new_text":"def omega"}`},
	{"edit_symbol", "error", `{"file_path":"a.w","symbol_name":"alpha","operation":"delete"}`},
	{"edit_symbol", "cap",
		`{"file_path":"a.w","symbol_name":"beta","operation":"insert_before","max_total_chars":900,"new_text":"def omega"}`},
	{"rename_symbol", "cap",
		`{"file_path":"a.w","line":3,"symbol_name":"alpha","new_name":"delta","max_total_chars":1200}`},
	{"code_actions", "success", `{"file_path":"a.w","line":1}`},
	{"code_actions", "error", `{"file_path":"a.w","line":1,"kinds":["quickfx"]}`},
	{"code_actions", "cap", `{"file_path":"a.w","line":1,"max_total_chars":900}`},
	{"check_edit", "success", `{"edits":[{"file_path":"b.w","old_text":"use","new_text":"BAD use"}]}`},
	{"check_edit", "error", `{"edits":[{"file_path":"b.w","old_text":"is not there","new_text":"x"}]}`},
	{"check_edit", "cap", `{"edits":[{"file_path":"n.w","new_text":"` + strings.Repeat(`BAD\n`, 30) +
		`"}],"max_total_chars":1600}`},
	{"lsp_request", "success",
		`{"method":"textDocument/hover","file_path":"a.w","params":{"position":{"line":0,"character":5}}}`},
	{"lsp_request", "error", `{"method":"textDocument/rename","file_path":"a.w"}`},
	{"lsp_request", "cap",
		`{"method":"textDocument/references","file_path":"a.w","params":{"position":{"line":2,"character":5}},"max_total_chars":900}`},
	{"get_first_request", "success", `{"session_id":"` + chatID(1) + `"}`},
	{"get_first_request", "error", `{}`},
	{"get_first_request", "cap", `{"session_id":"` + threadID(2) + `","max_total_chars":1000}`},
	{"get_request", "success", `{"index":2,"session_id":"` + chatID(1) + `"}`},
	{"get_request", "error", `{"index":3,"session_id":"` + chatID(1) + `"}`},
	{"get_request", "cap", `{"index":1,"session_id":"` + threadID(2) + `","offset":60,"max_total_chars":800}`},
	{"list_sessions", "success", `{}`},
	{"list_sessions", "error", `{"limit":0}`},
	{"list_sessions", "cap", `{"max_total_chars":900}`},
	{"get_server_status", "success", `{"server_id":"words"}`},
	{"get_server_status", "error", `{"server_id":"wards"}`},
	{"get_server_status", "cap", `{"max_total_chars":1500}`},
	{"restart_server", "success", `{"server_id":"words"}`},
	{"restart_server", "error", `{}`},
	// whether process ids have three digits or seven, one server is shown
	{"restart_server", "cap", `{"extensions":["w","w1","w2","w3","w4","w5"],"max_total_chars":508}`},
	{"stop_server", "success", `{"server_id":"words"}`},
	{"stop_server", "error", `{"extensions":["zig"]}`},
	{"stop_server", "cap", `{"extensions":["w","w1","w2","w3","w4","w5"],"max_total_chars":540}`},
}

// textSession is a workspace with a server that does everything, five that do little, and rows of servers that are not
// installed.
func textSession(t *testing.T) *scripted {
	t.Helper()
	long := strings.Repeat("long", 45)
	s := newScripted(t, nil, nil, "a.w", "def beta\n  alpha\ndef alpha\n  beta \"quoted\"\n", "b.w",
		"impl alpha\nuse alpha beta\n",
		"bad.w", "BAD one\n  WARN two\n"+strings.Repeat("BAD more\n", 20), "many.w", manyDefs(60),
		"long.w", "def long\n"+strings.Repeat("  a line of its body\n", 60), long+".w", "x\n", "1.w1", "def x\n",
		"1.w2", "def x\n", "1.w3", "def x\n", "1.w4", "def x\n", "1.w5", "def x\n")
	for i := range 12 {
		s.write(fmt.Sprintf("use%02d.w", i), "impl alpha\ndef user_"+fmt.Sprint(i)+"\n  alpha\n  alpha again\n")
	}
	var actions []any
	for i := range 12 {
		actions = append(actions, s.titled(fmt.Sprintf("Extract number %d", i), "refactor.extract"))
	}
	item := func(name string, line, end int) map[string]any {
		at := map[string]any{"start": map[string]any{"line": line, "character": 4},
			"end": map[string]any{"line": line, "character": end}}
		return map[string]any{"name": name, "kind": 5, "uri": s.uriOf("a.w"), "range": at, "selectionRange": at}
	}
	var definitions []any
	for i := range 12 {
		definitions = append(definitions, map[string]any{"uri": s.uriOf("many.w"), "range": map[string]any{
			"start": map[string]any{"line": i, "character": 4},
			"end":   map[string]any{"line": i, "character": 4 + len(fmt.Sprint("m", i))}}})
	}
	var subtypes []any
	for i := range 10 {
		subtypes = append(subtypes, item(fmt.Sprintf("sub_%d", i), 2, 9))
	}
	words := &lsptest.Script{Language: "words", CapabilitiesPatch: json.RawMessage(
		strings.TrimSuffix(actionPatch, "}") + `,"typeHierarchyProvider":true}`), Rules: []lsptest.Rule{
		on(lsp.MethodCodeAction, result(actions)),
		on("textDocument/prepareTypeHierarchy", result([]any{item("alpha", 2, 9)})),
		on("typeHierarchy/supertypes", result([]any{item("beta", 0, 8)})),
		{Method: "typeHierarchy/subtypes", Contains: `"alpha"`, Actions: []lsptest.Action{result(subtypes)}},
		on("typeHierarchy/subtypes", result([]any{})),
		{Method: "textDocument/switchSourceHeader", Contains: "a.w", Actions: []lsptest.Action{result(s.uriOf("b.w"))}},
		on("textDocument/switchSourceHeader", result(s.uriOf(long+".w"))),
		{Method: lsp.MethodDefinition, Contains: "many.w", Actions: []lsptest.Action{result(definitions)}},
		{Method: "textDocument/hover", Contains: "long.w",
			Actions: []lsptest.Action{result(map[string]any{"contents": map[string]any{
				"kind": "markdown", "value": "```words\ndef long\n```\n" +
					strings.Repeat("A line of *documentation*.\n",
						60)}})}},
	}}
	s.change = func(specs []spec.Spec) {
		specs[0].ID, specs[0].Unannounced = "words", []string{lsp.MethodSwitchHeader}
		for i := range specs[1:] {
			specs[i+1].Languages = []spec.Language{{ID: "words", Extensions: []string{fmt.Sprintf("w%d", i+1)}}}
		}
	}
	few := &lsptest.Script{Language: "words"}
	s.play(words, few, few, few, few, few)
	conf := &session.Configuration{MCP: map[string]any{"text": "auto"},
		Sources: []session.ConfigSource{{Path: "lspi.toml", Kind: "workspace", Trusted: true}},
		Findings: []session.ConfigFinding{{Severity: "warning", Kind: "unknown_key", File: "lspi.toml", Line: 3,
			Key: "mcp.txt", Message: "unknown key", Fix: "write mcp.text"}}}
	for i := range 8 {
		id := fmt.Sprintf("other%d", i)
		s.Workspace.Table.Specs = append(s.Workspace.Table.Specs,
			spec.Spec{ID: id, Title: "Other " + id, Commands: []spec.Command{{Name: "lspi-no-such-" + id}},
				Languages: []spec.Language{{ID: id, Extensions: []string{id}}}})
		conf.Servers = append(conf.Servers, session.ServerConfig{ID: id, Kind: "generic", Extensions: []string{id},
			LanguageID: id,
			File:       "lspi.toml", Enabled: true, EnvKeys: []string{"TOKEN"}})
	}
	s.Settings.Configuration = conf
	s.Settings.RawMethods = lsp.RawMethods(nil)
	h := recalling(s.TB, s.Session)
	h.claude(1, s.dir, time.Hour, "Mend the parser.\n\nIt drops the last line.", "Now the tests.")
	h.codex(2, s.dir, 2*time.Hour, strings.Repeat("Rewrite the documentation of everything, page by page.\n", 40))
	for i := range 6 {
		h.codex(10+i, s.dir, 3*time.Hour, fmt.Sprintf("Task number %d", i))
	}
	return s
}

func manyDefs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "def m%d\n", i)
	}
	return b.String()
}

// volatile are the parts of a text that differ from run to run.
var volatile = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(
		`\b(pid|pid_before|uptime_ms|last_used_ms_ago|for_ms|ms_ago|took_ms|memory_bytes|changed_files|updated_ms) \d+`), "$1 N"},
	{regexp.MustCompile(`pid \d+`), "pid N"},
	{regexp.MustCompile(` (memory_bytes|last_used_ms_ago) N;`), ""}, // of Linux only; of who was asked a moment ago
	{regexp.MustCompile(`state (ready|indexing)`), "state ready"},
	{regexp.MustCompile(`/[^ ;]*(tools\.test|fakels)`), "$$EXE"},
	{regexp.MustCompile(`preview_id(\W+)[0-9a-f]{16}`), "preview_id${1}ID"}, // of the folder too
}

func (s *scripted) steady(text string) string {
	text = strings.ReplaceAll(text, s.dir, "$DIR")
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.with)
	}
	return text
}

// textHost shows the text alone.
var textHost = session.Host{Name: "opencode"}

// The text of every tool is the whole answer where the host shows nothing else, never larger than the envelope, and one
// line where the host shows the envelope.
func TestText(t *testing.T) {
	t.Parallel()
	s := textSession(t)
	for _, extension := range []string{"1.w1", "1.w2", "1.w3", "1.w4", "1.w5"} {
		run(t, s.Session, "get_document_symbols", map[string]any{"file_path": extension})
	}
	goldens, seen := map[string]string{}, map[string]string{}
	for _, c := range textCases {
		r := Run(t.Context(), s.Session, nil, answer.Request{Tool: c.tool, Arguments: json.RawMessage(c.arguments),
			Host: textHost})
		if r.OK != (c.what != "error") && c.tool != "switch_source_header" {
			t.Errorf("%s %s: %s", c.tool, c.what, r.Text)
		}
		validAnswer(t, c.tool, r.Structured)
		text, envelope := utf8.RuneCountInString(r.Text), utf8.RuneCount(r.Structured)
		if text > envelope {
			t.Errorf("%s %s: the text has %d characters, the envelope %d:\n%s\n%s", c.tool, c.what, text, envelope,
				r.Text, r.Structured)
		}
		var in answer.Caps
		if json.Unmarshal([]byte(c.arguments), &in) == nil && in.MaxTotalChars > 0 && r.OK &&
			max(text, envelope) > in.MaxTotalChars {
			t.Errorf("%s %s: %d and %d characters, the cap is %d", c.tool, c.what, text, envelope, in.MaxTotalChars)
		}
		// The first two have one item; all of the hierarchy fits without source lines.
		if c.what == "cap" && !slices.Contains([]string{"switch_source_header", "edit_symbol", "type_hierarchy"},
			c.tool) {
			wantCut(t, c.tool, r)
		}
		if arguments := c.arguments; len(arguments) < 300 {
			goldens[c.tool] += fmt.Sprintf("== %s: %s\n", c.what, arguments)
		} else {
			goldens[c.tool] += fmt.Sprintf("== %s: %s…\n", c.what, arguments[:60])
		}
		goldens[c.tool] += s.steady(r.Text) + "\n"
		seen[c.tool] += c.what
	}
	for _, tool := range All() {
		if tool.Class == answer.Binding { // which has a test of its own
			continue
		}
		testkit.Equal(t, seen[tool.Name], "successerrorcap", tool.Name, "has the texts")
		golden(t, filepath.Join("testdata", "text", tool.Name+".txt"), goldens[tool.Name])
	}
}

// wantCut holds an answer at its cap to be cut, to say so, and to say how to have the rest.
func wantCut(t *testing.T, tool string, r Result) {
	t.Helper()
	var e struct {
		Truncated bool `json:"truncated"`
		Steps     []struct {
			Kind, Tool string
			Arguments  map[string]any
		} `json:"next_steps"`
	}
	testkit.Must(t, json.Unmarshal(r.Structured, &e))
	leads := false
	for _, step := range e.Steps {
		leads = leads || step.Kind == "tool" && step.Tool != "" &&
			(step.Tool == "get_server_status" || step.Arguments["offset"] != nil ||
				step.Arguments["max_total_chars"] != nil)
	}
	if !e.Truncated || !leads {
		t.Errorf("%s at its cap: truncated %v, steps %v\n%s", tool, e.Truncated, e.Steps, r.Text)
	}
}

// What a host shows of an answer is within its cap, and no more than what it shows is said twice.
func TestTextByHost(t *testing.T) {
	t.Parallel()
	s := textSession(t)
	ask := func(host, text string) Result {
		s.Settings.Text = text
		return Run(t.Context(), s.Session, nil, answer.Request{Tool: "find_references", Host: session.Host{Name: host},
			Arguments: json.RawMessage(`{"file_path":"a.w","symbol_name":"beta"}`)})
	}
	for _, c := range []struct {
		host, text string
		whole      bool
	}{
		{"opencode", "auto", true}, {"gemini-cli-mcp-client", "", true}, {"Gemini-CLI-mcp-client-v2", "", true},
		{"qwen-cli-mcp-client-lspi", "", false}, {"continue-cli-client", "", true}, {"somebody", "", true},
		{"", "", true}, {"mcp", "", true},
		{"mcp-inspector", "", true}, {"claude-code", "", false}, {"codex-mcp-client", "", false},
		{"copilot-cli", "", false},
		{"@cline/core", "", false}, {"kimi-code", "", false},
		{"opencode", "short", false}, {"claude-code", "full", true},
	} {
		r := ask(c.host, c.text)
		if got := strings.Contains(r.Text, "\n  1:5 def beta"); got != c.whole || !c.whole &&
			strings.Contains(r.Text, "\n") {
			t.Errorf("%q, %q: %s", c.host, c.text, r.Text)
		}
	}
}
