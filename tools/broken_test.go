//go:build unix

package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// With a go.mod that does not parse gopls refuses positions and finds no symbols; cured, it goes on refusing for a
// second (0.23.0).
func TestABrokenGoModIsToldAndItsCureIsSeenAtOnce(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	const mod = "module ex.com/gp\n\ngo 1.24\n"
	dir := project(t, map[string]string{
		"go.mod": mod,
		"a/a.go": "package a\n\nfunc Foo() int { return 1 }\n",
		"b/b.go": "package b\n\nimport \"ex.com/gp/a\"\n\nvar X = a.Foo()\n",
	})
	foo := map[string]any{"file_path": "a/a.go", "symbol_name": "Foo"}
	search := map[string]any{"query": "Foo"}
	whole := func(session *session.Session) {
		t.Helper()
		if a := run(t, session, "find_references", foo); a["completeness"] != "complete" || a["total"] != 2.0 {
			t.Errorf("%v", a)
		}
		if a := run(t, session, "search_workspace_symbols", search); a["completeness"] != "complete" ||
			a["total"] != 1.0 {
			t.Errorf("%v", a)
		}
	}
	broken := func(session *session.Session) {
		t.Helper()
		a := run(t, session, "find_references", foo)
		if a["ok"] != false || !strings.Contains(a["message"].(string), "unknown directive: requ") {
			t.Errorf("%v", a)
		} else if e := a["error"].(map[string]any); e["kind"] != "unavailable" {
			t.Errorf("%v", a)
		}
		step := a["next_steps"].([]any)[0].(map[string]any)
		if a := run(t, session, step["tool"].(string), step["arguments"].(map[string]any)); a["total"] != 1.0 {
			t.Errorf("%v: %v", step, a)
		}
		if a := run(t, session, "search_workspace_symbols", search); a["completeness"] != "partial" ||
			len(a["warnings"].([]any)) != 1 {
			t.Errorf("%v", a)
		}
		if a := run(t, session, "get_document_symbols",
			map[string]any{"file_path": "a/a.go"}); a["completeness"] != "complete" {
			t.Errorf("%v", a)
		}
	}
	session := toolstest.Real(t, dir, "gopls")
	whole(session)
	for range 3 {
		write(t, dir, "go.mod", mod+"\nrequ ire x\n")
		broken(session)
		write(t, dir, "go.mod", mod)
		whole(session)
	}
	write(t, dir, "go.mod", mod+"\nrequ ire x\n")
	session = toolstest.Real(t, dir, "gopls")
	broken(session)
	write(t, dir, "go.mod", mod)
	whole(session)
}

// Of the sources of a project whose go.mod does not parse gopls says nothing, which is no sign that they are right
// (0.23.0).
func TestDiagnosticsWithABrokenGoModAreNotComplete(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "modul x\n((\n",
		"a.go":   "package a\n\nfunc Foo() int { return \"1\" }\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	broken := func(a reply, what string) {
		t.Helper()
		if w := warningOf(a, "project_broken"); a["completeness"] != "partial" || w == nil ||
			w["file_path"] != "go.mod" ||
			!strings.Contains(w["message"].(string), "go.mod:3: syntax error") {
			t.Errorf("%s: %v", what, a)
		}
	}
	a := run(t, session, "get_diagnostics", map[string]any{"file_path": "a.go"})
	broken(a, "a file")
	step := firstOf(a, "next_steps")
	if step["tool"] != "get_diagnostics" {
		t.Fatalf("%v", a)
	}
	if a := run(t, session, "get_diagnostics", step["arguments"].(map[string]any)); a["completeness"] != "complete" ||
		a["total"] == 0.0 {
		t.Errorf("go.mod itself: %v", a)
	}
	broken(run(t, session, "get_diagnostics", map[string]any{"wait": "all"}), "the workspace")
	a = tryEdits(t, session, "a.go", "Foo() int", "Foo() string")
	broken(a, "an edit")
	if steps := fmt.Sprint(a["next_steps"]); strings.Contains(steps, "apply_if_clean") {
		t.Errorf("an edit is recommended: %s", steps)
	}
	write(t, dir, "go.mod", "module ex.com/gp\n\ngo 1.24\n")
	if a := run(t, session, "get_diagnostics", map[string]any{"file_path": "a.go"}); a["completeness"] != "complete" ||
		a["total"] != 1.0 {
		t.Errorf("cured: %v", a)
	}
}
