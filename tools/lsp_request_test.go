//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/servers"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

// The text of the tool names every method that may be passed on, by its last part at least.
func TestLSPRequestNamesItsMethods(t *testing.T) {
	words := strings.FieldsFunc(lspRequest.Input.Properties["method"].Description, func(r rune) bool {
		return strings.ContainsRune(" ,;.", r)
	})
	for _, m := range lsp.RawMethods(servers.Servers()) {
		if !slices.Contains(words, m) && !slices.Contains(words, strings.TrimPrefix(m, "textDocument/")) {
			t.Errorf("%s is not named", m)
		}
	}
}

func rawAt(line, character int) map[string]any {
	return map[string]any{"position": map[string]any{"line": line, "character": character}}
}

func TestLSPRequest(t *testing.T) {
	s := newScripted(t, nil, playing(on("textDocument/foldingRange", lsptest.Action{Result: []byte("null")})),
		"a.w", "é def\ndef X\n", "b.w", "X X\n")
	s.RawMethodsFor(lsp.RawMethods(nil)...)
	ask := func(method string, params map[string]any, more ...any) reply {
		arguments := map[string]any{"method": method, "file_path": "a.w", "params": params}
		for i := 0; i < len(more); i += 2 {
			arguments[more[i].(string)] = more[i+1]
		}
		return run(t, s.Session, "lsp_request", arguments)
	}
	a := ask(lsp.MethodReferences, rawAt(1, 4))
	equal(t, "completeness", a["completeness"], any("complete"))
	equal(t, "encoding", a["position_encoding"], any("utf-16"))
	equal(t, "total", a["total"], any(2.0))
	first := a["result"].([]any)[0].(map[string]any)
	equal(t, "uri", first["uri"], any("file://"+filepath.Join(s.dir, "b.w")))
	equal(t, "range", fmt.Sprint(first["range"]), "map[end:map[character:1 line:0] start:map[character:0 line:0]]")

	s.write("b.w", "X\n") // read your writes, as everywhere
	equal(t, "after an edit", ask(lsp.MethodReferences, rawAt(1, 4))["total"], any(1.0))
	a = ask(lsp.MethodHover, rawAt(1, 4), "file_path", nil, "params",
		map[string]any{"position": rawAt(1, 4)["position"],
			"textDocument": map[string]any{"uri": "file://" + filepath.Join(s.dir, "a.w")}})
	if a["ok"] != true || a["total"] != nil || !strings.Contains(fmt.Sprint(a["result"]), "def X") {
		t.Errorf("by a URI: %v", a)
	}
	a = ask("workspace/symbol", map[string]any{"query": "X"}, "file_path", nil, "server_id", "fake1")
	equal(t, "symbols", a["total"], any(1.0))
	s.want(s.brief(ask("textDocument/foldingRange", nil)), "fake1 request_unsupported")
	s.want(s.brief(ask("textDocument/rename", rawAt(1, 4))), "<nil> invalid_argument")
	s.want(s.brief(ask("textDocument/hover", nil, "file_path", nil)), "<nil> missing_argument")
	s.want(s.brief(ask("workspace/symbol", nil, "file_path", nil)), "<nil> missing_argument")
	s.want(s.brief(ask("textDocument/hover", rawAt(1, 4), "server_id", "fake2")), "fake2 unknown_server")
	s.want(s.brief(ask("textDocument/hover", map[string]any{"partialResultToken": 1})), "<nil> invalid_argument")
	s.want(s.brief(ask("textDocument/hover",
		map[string]any{"textDocument": map[string]any{"uri": "file:///etc/passwd.w"}}, "file_path", nil)),
		"<nil> outside_workspace")
	s.want(s.brief(ask("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": "git:/x.w"}},
		"file_path", nil)),
		"<nil> invalid_argument")
	s.want(s.brief(ask("textDocument/hover", nil, "params", []int{1})), "<nil> invalid_argument")
	s.RawMethodsFor(lsp.MethodHover)
	s.want(s.brief(ask(lsp.MethodReferences, rawAt(1, 4))), "<nil> tool_disabled")
	s.RawMethodsFor()
	s.want(s.brief(ask(lsp.MethodHover, rawAt(1, 4))), "<nil> tool_disabled")
	for _, served := range Served(&s.Settings) {
		if served.Name == "lsp_request" {
			t.Error("it is served though it is off")
		}
	}
	s.RawMethodsFor(lsp.MethodHover)
	s.Settings.ReadOnly = true
	s.want(s.brief(ask(lsp.MethodHover, rawAt(1, 4))), "<nil> read_only")
}

// No step after a refused method that may write, or is not known, proposes to allow it or to leave read-only mode.
func TestLSPRequestNeverProposesToAllowAWrite(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n")
	for _, state := range []struct {
		name     string
		methods  []string
		readOnly bool
	}{{"off", nil, false}, {"on", []string{lsp.MethodHover}, false}, {"read-only", nil, true},
		{"on and read-only", []string{lsp.MethodHover}, true}} {
		s.RawMethodsFor(state.methods...)
		s.Settings.ReadOnly = state.readOnly
		proposed := func(method string) string {
			a := run(t, s.Session, "lsp_request", map[string]any{"method": method, "file_path": "a.w"})
			if a["ok"] != false {
				t.Errorf("%s: %s is passed on", state.name, method)
			}
			if strings.Contains(fmt.Sprint(a["message"]), "did you mean") {
				t.Errorf("%s: %v", state.name, a["message"])
			}
			return fmt.Sprint(a["next_steps"])
		}
		for _, method := range []string{"textDocument/rename", "workspace/executeCommand", "nonsense/x"} {
			if said := proposed(method); strings.Contains(said, "mcp.tools.lsp_request") ||
				strings.Contains(said, "--read-write") {
				t.Errorf("%s: %s: %s", state.name, method, said)
			}
		}
		if said := proposed(lsp.MethodReferences); !strings.Contains(said, "config") {
			t.Errorf("%s: what only reads may be allowed: %s", state.name, said)
		}
	}
	equal(t, "a slip of the pen", lsp.ClosestMethod("textDocument/hove", lsp.RawMethods(nil)), lsp.MethodHover)
}

// RawMethodsFor switches lsp_request on for methods.
func (s *scripted) RawMethodsFor(methods ...string) { s.Settings.RawMethods = methods }

// A list that is too long is cut at an item and continued by its step; another answer is refused.
func TestLSPRequestTooLarge(t *testing.T) {
	s := newScripted(t, nil, playing(on(lsp.MethodHover, lsptest.Action{ResultBytes: 5000})), "a.w", "def X\n"+
		strings.Repeat("X\n", 60))
	s.RawMethodsFor(lsp.MethodReferences, lsp.MethodHover)
	arguments := map[string]any{"method": lsp.MethodReferences, "file_path": "a.w", "params": rawAt(0, 4),
		"max_total_chars": 2000}
	seen := map[string]bool{}
	for arguments != nil {
		a := run(t, s.Session, "lsp_request", arguments)
		equal(t, "total", a["total"], any(60.0))
		list := a["result"].([]any)
		equal(t, "returned", a["returned"], any(float64(len(list))))
		for _, item := range list {
			seen[fmt.Sprint(item)] = true
		}
		arguments = nil
		if steps := a["next_steps"].([]any); len(steps) > 0 {
			equal(t, "completeness", a["completeness"], any("partial"))
			arguments = steps[0].(map[string]any)["arguments"].(map[string]any)
		}
	}
	equal(t, "every item once", len(seen), 60)
	a := run(t, s.Session, "lsp_request", map[string]any{"method": lsp.MethodHover, "file_path": "a.w",
		"max_total_chars": 2000})
	s.want(s.brief(a), "fake1 response_too_large")
}

// A place in a file that is gone shows that the answer is of an older state.
func TestLSPRequestNamesAFileThatIsGone(t *testing.T) {
	s := newScripted(t, nil, nil, "a.w", "def X\n")
	gone := map[string]any{"uri": "file://" + filepath.Join(s.dir, "gone.w"), "range": map[string]any{}}
	s.play(playing(on(lsp.MethodDefinition, lsptest.Action{Result: lsptest.Raw([]any{gone})}))...)
	s.RawMethodsFor(lsp.MethodDefinition)
	a := run(t, s.Session, "lsp_request", map[string]any{"method": lsp.MethodDefinition, "file_path": "a.w",
		"params": rawAt(0, 4)})
	s.want(s.brief(a), "fake1 partial 1 stale_dropped")
}

// The requests that clangd and rust-analyzer have of their own.
func TestLSPRequestOfRealServers(t *testing.T) {
	for _, c := range []struct {
		server, program string
		files           map[string]string
		calls           []map[string]any
		want            []string // in each result
	}{
		{"clangd", "clangd", map[string]string{"a.cc": "#include \"a.h\"\nint f() { return 1; }\n",
			"a.h": "int f();\n", "compile_flags.txt": "-xc++\n"},
			[]map[string]any{
				{"method": lsp.MethodSwitchHeader, "file_path": "a.cc"},
				{"method": "textDocument/ast", "file_path": "a.cc", "params": map[string]any{"range": map[string]any{
					"start": map[string]int{"line": 1, "character": 0},
					"end":   map[string]int{"line": 1, "character": 21}}}},
				{"method": "rust-analyzer/expandMacro", "file_path": "a.cc", "params": rawAt(0, 0)},
			}, []string{"a.h", "ReturnStmt|Return", "request_unsupported"}},
		{"rust-analyzer", "rust-analyzer",
			map[string]string{"Cargo.toml": "[package]\nname = \"zz\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"Cargo.lock":  "version = 4\n\n[[package]]\nname = \"zz\"\nversion = \"0.1.0\"\n",
				"src/main.rs": "mod m;\nmacro_rules! one { () => { 1 } }\nfn main() { let _ = one!(); }\n",
				"src/m.rs":    "pub fn f() {}\n"},
			[]map[string]any{
				{"method": "rust-analyzer/expandMacro", "file_path": "src/main.rs", "params": rawAt(2, 21)},
				{"method": "experimental/parentModule", "file_path": "src/m.rs", "params": rawAt(0, 8)},
			}, []string{"expansion", "main.rs"}},
		{"gopls", "gopls", map[string]string{"go.mod": "module x\n\ngo 1.24\n",
			"a.go": "package x\n\nfunc F() { F() }\n"},
			[]map[string]any{
				{"method": lsp.MethodDocumentHighlight, "file_path": "a.go", "params": rawAt(2, 5)},
				{"method": lsp.MethodFoldingRange, "file_path": "a.go"},
				{"method": lsp.MethodSignatureHelp, "file_path": "a.go", "params": rawAt(2, 13)},
			}, []string{"kind", "[]|startLine", "func F()|F()"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.Real(t, project(t, c.files), c.server)
			session.Settings.RawMethods = lsp.RawMethods(session.Workspace.Table.Specs)
			if c.server == "clangd" {
				session.Settings.RawMethods = lsp.RawMethods(servers.Servers())
			}
			for i, arguments := range c.calls {
				raw, _ := json.Marshal(arguments)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				r := Run(ctx, session, nil, answer.Request{Tool: "lsp_request", Arguments: raw})
				cancel()
				if !slices.ContainsFunc(strings.Split(c.want[i], "|"), func(w string) bool {
					return strings.Contains(string(r.Structured), w)
				}) {
					t.Errorf("%v: %s", arguments, r.Structured)
				}
			}
		})
	}
}
