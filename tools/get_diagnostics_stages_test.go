package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/workspace"
)

// errorsOf asks for the errors of a file and tells how many there are, what the answer claims, and what it leaves pending.
func errorsOf(t *testing.T, env *workspace.Session, file, wait string) string {
	t.Helper()
	arguments := map[string]any{"file_path": file, "severities": []string{"error"}}
	if wait != "" {
		arguments["wait"] = wait
	}
	a := run(t, env, "get_diagnostics", arguments)
	text := fmt.Sprint(a["total"], " ", a["completeness"])
	pending, _ := a["pending"].([]any)
	for _, p := range pending {
		text += fmt.Sprint(" ", p.(map[string]any)["stage"])
	}
	if len(pending) > 0 != strings.Contains(fmt.Sprint(a["next_steps"]), "wait:all") {
		t.Errorf("a step to wait for what is pending: %v", a)
	}
	return text
}

// newlyFound is what an answer about something else says of errors that were found meanwhile; "" when it says nothing.
func newlyFound(t *testing.T, env *workspace.Session, file string) string {
	t.Helper()
	for _, w := range run(t, env, "get_document_symbols", map[string]any{"file_path": file})["warnings"].([]any) {
		if w := w.(map[string]any); w["kind"] == "new_diagnostics" {
			return fmt.Sprint(w["total"], w["files"])
		}
	}
	return ""
}

// The errors of a Go file are told before gopls has looked at the packages that use it, and what these then have is told once, by any
// answer. What a file has together with the tests of its package only is told at once.
func TestErrorsOfAGoFileComeFirst(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	const sound = "package a\n\nfunc F() int { return 1 }\n"
	dir := project(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "a/a.go": sound, "a/a_test.go": "package a\n\nfunc helper() int { return 1 }\n",
		"b/b.go": "package b\n\nimport \"example.com/m/a\"\n\nfunc H() int { return a.F() }\n"})
	env := sessions.Real(t, dir, "gopls")
	testkit.Equal(t, errorsOf(t, env, "a/a.go", "all"), "0 complete")
	for round := range 3 {
		write(t, dir, "a/a.go", "package a\n\nfunc F2() int { return 1 }\n")
		testkit.Equal(t, errorsOf(t, env, "a/a.go", ""), "0 complete dependents", round)
		found := ""
		until(t, "the errors of the package that uses it", func() bool {
			found = newlyFound(t, env, "a/a.go")
			return found != ""
		})
		testkit.Equal(t, found, "1 [b/b.go]", round)
		testkit.Equal(t, newlyFound(t, env, "a/a.go"), "", "told twice", round)
		testkit.Equal(t, errorsOf(t, env, "a/a.go", ""), "0 complete", "when all is there", round)
		write(t, dir, "a/a.go", sound+"\nvar x int = \"s\"\n")
		testkit.Equal(t, errorsOf(t, env, "a/a.go", ""), "1 complete dependents", round)
		write(t, dir, "a/a.go", sound+"\nfunc helper() {}\n")
		testkit.Equal(t, errorsOf(t, env, "a/a.go", ""), "1 complete", "with the tests", round)
		write(t, dir, "a/a.go", sound)
		testkit.Equal(t, errorsOf(t, env, "a/a.go", "all"), "0 complete", round)
		testkit.Equal(t, newlyFound(t, env, "b/b.go"), "", "of older texts", round)
	}
}

// What rust-analyzer itself finds is told before cargo check is over, and what that finds is told once by a later answer.
func TestErrorsOfARustFileComeBeforeCargoCheck(t *testing.T) {
	t.Parallel()
	needServer(t, "rust-analyzer")
	const sound = "pub fn f(s: String) -> usize { s.len() }\n"
	dir := project(t, map[string]string{"Cargo.toml": "[package]\nname = \"st\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "Cargo.lock": "version = 3\n\n[[package]]\nname = \"st\"\nversion = \"0.1.0\"\n", "src/lib.rs": sound})
	env := sessions.Real(t, dir, "rust-analyzer")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", "all"), "0 complete")
	// Only the compiler judges the life of a reference to what is dropped.
	write(t, dir, "src/lib.rs", sound+"pub fn g() -> usize { let r: &String; { let s = String::new(); r = &s; } r.len() }\n")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "0 complete cargo check")
	found := ""
	until(t, "cargo check", func() bool {
		found = newlyFound(t, env, "src/lib.rs")
		return found != ""
	})
	testkit.Equal(t, found, "1 [src/lib.rs]")
	testkit.Equal(t, newlyFound(t, env, "src/lib.rs"), "", "told twice")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "1 complete", "when all is there")
	write(t, dir, "src/lib.rs", sound+"pub fn g() -> usize { \"s\" }\n")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "1 complete cargo check")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", "all"), "1 complete")
	testkit.Equal(t, newlyFound(t, env, "src/lib.rs"), "", "of what was shown")
}
