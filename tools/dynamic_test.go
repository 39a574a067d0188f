package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// dynamicOf are the files of which an answer says that uses in them are open, with their counts.
func dynamicOf(a reply) string {
	counts := map[string]any{}
	for _, w := range a["warnings"].([]any) {
		if w := w.(map[string]any); w["kind"] == "unexplained" || w["kind"] == "mentions" {
			for _, f := range w["files"].([]any) {
				f := f.(map[string]any)
				n, _ := counts[f["file_path"].(string)].(float64)
				counts[f["file_path"].(string)] = n + f["count"].(float64)
			}
		}
	}
	if len(counts) == 0 {
		return ""
	}
	return fmt.Sprint(counts)
}

// A member is used by its name alone where nobody says what it belongs to: pyright and tsserver find no such use,
// and do not say so (pyright 1.1.414, typescript-language-server 6.0.2).
func TestUntypedReceiversMakeAnAnswerPartial(t *testing.T) {
	// TestUsesByNameThatPyrightDoesNotFollow and scripts/typescript-language-server/receivers_of_any.txtar
	// have such uses
	testkit.Always(t, "pyright")
	t.Parallel()
	needServer(t, "pyright-langserver")
	session := toolstest.Real(t, project(t, map[string]string{
		"pyrightconfig.json": "{}",
		"cli/core.py": "class Context:\n    def invoke(self, fn):\n        \"\"\"Invokes.\n\n        >>> ctx.invoke(print)\n        \"\"\"\n" +
			"        return fn(self)\n\n    def fail(self):\n        self.label = 1\n        return self.label\n\n    def close(self): pass\n\n" +
			"class Other:\n    def invoke(self, fn): pass\n    def close(self): pass\n\ndef use(ctx: Context):\n    ctx.invoke(print) # not x.invoke\n",
		"tests/test_cli.py":  "def test(runner):\n    runner.invoke(print)\n    runner.invoke(print)\n\ndef test_made(make):\n    make().invoke(print)\n",
		"tests/test_text.py": "def test(x):\n    getattr(x, \"invoke\")(print)\n    x[\"invoke\"] = \".invoke(\"\n",
		"tests/test_other.py": "from cli.core import Other\n\ndef test():\n    other = Other()\n    other.invoke(print)\n    Other().close()\n" +
			"    \"text\".label\n",
	}), "pyright")
	const open = "map[tests/test_cli.py:3 tests/test_text.py:1]"
	for _, q := range []struct{ tool, symbol, want string }{
		{"find_references", "Context.invoke", open},
		{"call_hierarchy", "Context.invoke", open},
		{"symbol_bundle", "Context.invoke", open},
		{"find_references", "Context.close", ""},
		{"find_references", "Context.fail", ""},
		{"find_references", "use", ""},
		{"hover", "Context.invoke", ""},
	} {
		a := run(t, session, q.tool, map[string]any{"file_path": "cli/core.py", "symbol_name": q.symbol})
		claim := "complete"
		if q.want != "" {
			claim = "partial"
		}
		if got := dynamicOf(a); got != q.want || a["completeness"] != claim {
			t.Errorf("%s of %s: %s, want %s: %v", q.tool, q.symbol, got, q.want, a)
		}
	}
	label := run(t, session, "find_references", map[string]any{"file_path": "cli/core.py", "line": 10,
		"symbol_name": "label"})
	if got := dynamicOf(label); got != "" || label["completeness"] != "complete" {
		t.Errorf("what the server knows to be a text has no label: %v", label)
	}
	preview := run(t, session, "rename_symbol", map[string]any{"file_path": "cli/core.py",
		"symbol_name": "Context.invoke", "new_name": "call"})
	if dynamicOf(preview) != open || preview["completeness"] != "partial" ||
		strings.Contains(fmt.Sprint(preview["next_steps"]), "kind:tool") {
		t.Errorf("%v", preview)
	}
	wantDynamicTrials(t, session, "cli/core.py", []dynamicTrial{
		// and its typed use, below
		{"    def invoke(self, fn):\n        \"", "    def call(self, fn):\n        \"", open},
		{"    def invoke(self, fn):\n        \"", "    def invoke(self, fn, more):\n        \"", open},
		{"    def invoke(self, fn):\n        \"", "    def invoke(self, fn, more: int = 1, *, last=None):\n        \"",
			""},
		{"    def invoke(self, fn):\n        \"", "    def invoke(self, fn):  # :\n        \"", ""},
		{"        return fn(self)\n", "        return fn(self) or 1\n", ""},
		{"    def close(self): pass\n\nclass Other:\n", "    def shut(self): pass\n\nclass Other:\n", ""},
		{"class Other:\n    def invoke", "class Other:\n    def __init__(self, n=1): pass\n\n    def invoke", ""},
	})
}

// dynamicTrial is an edit with the files in which uses by the name of what it changes are open.
type dynamicTrial struct{ old, new, want string }

// wantDynamicTrials checks that edits are partial, and neither recommended nor applied, where such uses are open,
// and complete elsewhere.
func wantDynamicTrials(t *testing.T, session *session.Session, file string, trials []dynamicTrial) {
	t.Helper()
	for _, c := range trials {
		edits := []map[string]any{{"file_path": file, "old_text": c.old, "new_text": c.new}}
		if strings.Contains(c.new, "call") {
			edits = append(edits, map[string]any{"file_path": file, "old_text": "    ctx.invoke(print)",
				"new_text": "    ctx.call(print)"})
		}
		a := run(t, session, "check_edit", map[string]any{"edits": edits, "apply_if_clean": c.want != ""})
		partial := warningOf(a, "unexplained") != nil
		applies := strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean")
		if got := dynamicOf(a); got != c.want || (a["completeness"] == "partial") != partial ||
			applies != (c.want == "") || a["applied"] == true {
			t.Errorf("%q: %s, want %s: %v", c.new, got, c.want, a)
		}
	}
}

// Where the server does not answer a question about a place, nobody knows whether it is a use, so an answer is not
// complete. The server lists none but the place that was asked about.
func TestUnansweredQuestionsAboutUsesByName(t *testing.T) {
	t.Parallel()
	const refused = `"actions":[{"error":{"code":-32603,"message":"boom"}}]}`
	for _, c := range []struct{ name, rules, want string }{
		{"none", ``, "complete"},
		{"where the place leads", `,{"method":"textDocument/definition","contains":"use.w",` + refused,
			"partial unexplained"},
		{"what the module is",
			`,{"method":"textDocument/definition","contains":"use.w","actions":[{"result":null}]},{"method":"textDocument/hover","contains":"use.w",` + refused,
			"partial unexplained"},
		{"what declares the name", `,{"method":"textDocument/documentSymbol","contains":"core.w",` + refused,
			"complete"}, // the place leads to it all the same
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session := toolstest.Open(t, project(t, map[string]string{"core.w": "def load\n", "use.w": "core.load\n"}),
				toolstest.Fake(t, "words",
					`{"language":"words","rules":[{"method":"textDocument/references","actions":[{"result":[]}]}`+
						c.rules+`]}`,
					func(s *spec.Spec) {
						s.Dynamic = &spec.Dynamic{Injected: "fixture"}
					}))
			a := run(t, session, "find_references", map[string]any{"file_path": "core.w", "line": 1, "character": 5,
				"include_declaration": true})
			if got := strings.Join(append([]string{fmt.Sprint(a["completeness"])}, a.kinds()...), " "); got != c.want {
				t.Errorf("%s, want %s: %v", got, c.want, a)
			}
		})
	}
}

// A source that is too large to be read as text is not searched, and told when it holds the name: uses there are
// not known.
func TestLargeFilesAreToldAsUnsearched(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "pyright-langserver")
	large := strings.Repeat("# "+strings.Repeat("x", 77)+"\n", source.MaxBytes/80+1)
	dir := project(t, map[string]string{"pyrightconfig.json": "{}"})
	session := toolstest.Real(t, dir, "pyright")
	cases := []struct{ declared, end, want string }{
		{"class Square:\n    def area_of(self) -> int:\n        return 1\n", "def use(x):\n    return x.area_of()\n",
			"partial unexplained"},
		{"class Square:\n    def area_of(self) -> int:\n        return 1\n", "def use(x):\n    return x.size_of()\n",
			"complete"},
		{"def area_of() -> int:\n    return 1\n", "import importlib\nimportlib.import_module(\"a\").area_of()\n",
			"partial part_failed"}, {"def area_of() -> int:\n    return 1\n", "", "complete"},
	}
	for _, c := range cases[:testkit.Times(2, len(cases))] {
		write(t, dir, "a.py", c.declared)
		write(t, dir, "large.py", large+c.end)
		a := run(t, session, "find_references", map[string]any{"file_path": "a.py", "symbol_name": "area_of"})
		if got := strings.Join(append([]string{a["completeness"].(string)}, a.kinds()...), " "); got != c.want ||
			c.want != "complete" && !strings.Contains(fmt.Sprint(a["warnings"]), "large.py") {
			t.Errorf("%s: %v", got, a)
		}
	}
}
