package tools

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// errorsOf asks for the errors of a file and tells how many there are, what the answer claims, and what it leaves
// pending.
func errorsOf(t *testing.T, env *session.Session, file, wait string) string {
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
func newlyFound(t *testing.T, env *session.Session, file string) string {
	t.Helper()
	return toldOf(t, run(t, env, "get_document_symbols", map[string]any{"file_path": file}))
}

// toldOf is what an answer says of the stages that an earlier one left pending; "" when it says nothing.
func toldOf(t *testing.T, a reply) string {
	t.Helper()
	for _, w := range a["warnings"].([]any) {
		switch w := w.(map[string]any); w["kind"] {
		case "new_diagnostics":
			return fmt.Sprint(w["total"], w["files"])
		case "diagnostics_unfinished":
			for _, step := range a["next_steps"].([]any) {
				if step := step.(map[string]any); step["tool"] == "get_diagnostics" {
					return fmt.Sprint(w["reason"], " ", step["arguments"])
				}
			}
			t.Errorf("no step to wait for %v", w)
		}
	}
	return ""
}

// Where a test beside a file holds a name of it, and has errors, gopls is asked for everything, so that nothing is
// pending; what that brings in other files is told all the same.
func TestErrorsOfUsersAreToldWhereNothingIsPending(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	a := "package a\n\nfunc F(x int) int { return x }\n"
	dir := project(t, map[string]string{"go.mod": "module m\n\ngo 1.24\n", "a/a.go": a,
		"a/a_test.go": "package a\n\nvar _ = F(x)\n\nconst x = 1\n",
		"b/b.go":      "package b\n\nimport \"m/a\"\n\nvar X = a.F(2)\n"})
	session := toolstest.Real(t, dir, "gopls")
	testkit.Equal(t, errorsOf(t, session, "a/a.go", "all"), "0 complete")
	write(t, dir, "a/a.go", strings.Replace(a, "x int", "x, y int", 1))
	answer := run(t, session, "get_diagnostics", map[string]any{"file_path": "a/a.go"})
	testkit.Equal(t, fmt.Sprint(answer["total"], answer["pending"], " ", toldOf(t, answer)),
		"0 <nil> 2 [a/a_test.go b/b.go]")
	testkit.Equal(t, newlyFound(t, session, "a/a.go"), "", "once")
}

// The errors of a Go file are told before gopls has looked at the packages that use it, and what these then have is
// told once, by any answer. What a file has together with the tests of its package only is told at once.
func TestErrorsOfAGoFileComeFirst(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	const sound = "package a\n\nfunc F() int { return 1 }\n"
	dir := project(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "a/a.go": sound,
		"a/a_test.go": "package a\n\nfunc helper() int { return 1 }\n",
		"b/b.go":      "package b\n\nimport \"example.com/m/a\"\n\nfunc H() int { return a.F() }\n"})
	env := toolstest.Real(t, dir, "gopls")
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

// What rust-analyzer itself finds is told before cargo check is over, and what that finds is told once by a later
// answer.
func TestErrorsOfARustFileComeBeforeCargoCheck(t *testing.T) {
	testkit.Always(t, "rust-analyzer") // TestErrorsOfAGoFileComeFirst is the same of gopls
	t.Parallel()
	needServer(t, "rust-analyzer")
	const sound = "pub mod user;\npub fn f(s: String) -> usize { s.len() }\n"
	dir := project(t,
		map[string]string{"Cargo.toml": "[package]\nname = \"st\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"Cargo.lock": "version = 3\n\n[[package]]\nname = \"st\"\nversion = \"0.1.0\"\n", "src/lib.rs": sound,
			"src/user.rs": "pub fn u() -> usize { crate::f(String::new()) }\n"})
	env := toolstest.Real(t, dir, "rust-analyzer")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", "all"), "0 complete")
	// Only the compiler judges the life of a reference to what is dropped.
	write(t, dir, "src/lib.rs",
		sound+"pub fn g() -> usize { let r: &String; { let s = String::new(); r = &s; } r.len() }\n")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "1 complete", "no error is told before cargo check is over")
	write(t, dir, "src/lib.rs", sound+"pub fn g() -> usize { undefined() }\n")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "1 complete", "a name that only the compiler misses")
	write(t, dir, "src/lib.rs", sound+"pub fn g() -> usize { \"s\" }\n")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "1 complete cargo check", "rust-analyzer itself finds one")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", "all"), "1 complete")
	testkit.Equal(t, newlyFound(t, env, "src/lib.rs"), "", "of what was shown")
	// What it brings behind an answer is told once.
	write(t, dir, "src/lib.rs", sound+"pub fn g() -> usize { \"s\" }\npub fn h() -> usize { undefined() }\n")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "1 complete cargo check")
	found := ""
	until(t, "cargo check", func() bool {
		found = newlyFound(t, env, "src/lib.rs")
		return found != ""
	})
	testkit.Equal(t, found, "1 [src/lib.rs]")
	testkit.Equal(t, newlyFound(t, env, "src/lib.rs"), "", "told twice")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "2 complete", "when all is there")
	write(t, dir, "src/lib.rs", sound)
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "0 complete", "mended")
	// What it finds in other files, while the answer waits for it, that answer tells.
	for _, wait := range []string{"errors", "all"} {
		write(t, dir, "src/lib.rs", strings.Replace(sound, "s: String", "s: String, _n: u8", 1))
		a := run(t, env, "get_diagnostics", map[string]any{"file_path": "src/lib.rs", "severities": []string{"error"},
			"wait": wait})
		testkit.Equal(t, fmt.Sprint(a["total"], " ", a["completeness"], " ", a["pending"], " ", toldOf(t, a)),
			"0 complete <nil> 1 [src/user.rs]", wait)
		testkit.Equal(t, newlyFound(t, env, "src/user.rs"), "", "told twice")
		write(t, dir, "src/lib.rs", sound)
		testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "0 complete", "mended")
	}
}

// What was pending and came to no end is told once, with the call that waits for it.
func TestPendingDiagnosticsThatCameToNoEnd(t *testing.T) {
	begin, end := progress("check/0", "begin"), progress("check/0", "end")
	for name, c := range map[string]struct{ rules, tool, arguments, want string }{
		"an edit was tried": {`{"method":"run","nth":1,"actions":[` + begin + `]},{"method":"textDocument/didChange","actions":[` + end + `]},
			{"method":"run","actions":[` + begin + "," + end + `]}`, "check_edit", `{"edits":[{"file_path":"a.w","old_text":"def X","new_text":"def Y"}]}`,
			"an edit was tried in memory meanwhile"},
		"the server ended": {`{"run":1,"method":"textDocument/references","actions":[{"kill":"SIGKILL"}]},{"run":1,"method":"run","actions":[` + begin + `]},
			{"method":"run","actions":[` + begin + "," + end + `]}`, "find_references", `{"file_path":"a.w","line":1,"character":5}`, "its process ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := toolstest.Open(t, project(t, map[string]string{"a.w": "def X\n", "b.w": "X\n"}),
				toolstest.Fake(t, "checker",
					`{"language":"words","rules":[`+c.rules+`]}`, checking))
			testkit.Equal(t, errorsOf(t, session, "a.w", ""), "0 partial the check")
			var arguments map[string]any
			testkit.Must(t, json.Unmarshal([]byte(c.arguments), &arguments))
			told := toldOf(t, run(t, session, c.tool, arguments))
			until(t, "word of the check", func() bool {
				told += newlyFound(t, session, "b.w")
				return told != ""
			})
			testkit.Equal(t, told, c.want+" map[file_paths:[a.w] wait:all]")
			testkit.Equal(t, newlyFound(t, session, "b.w"), "", "told twice")
			testkit.Equal(t, errorsOf(t, session, "a.w", "all"), "0 complete")
			testkit.Equal(t, newlyFound(t, session, "b.w"), "", "when it was waited for")
		})
	}
}

// That cargo check cannot run is told by the answer where no error is known, and else by a later one.
func TestPendingCargoCheckThatCannotRun(t *testing.T) {
	testkit.Always(t, "rust-analyzer") // TestTheReasonOfRustIsTold has such a check
	t.Parallel()
	needServer(t, "rust-analyzer")
	dir := project(t,
		map[string]string{
			"Cargo.toml": "[package]\nname = \"st\"\nversion = \"0.1.0\"\nedition = \"2021\"\nrust-version = \"1.999\"\n", "src/lib.rs": "pub fn f() {}\n"})
	env := toolstest.Real(t, dir, "rust-analyzer")
	answer := run(t, env, "get_diagnostics", map[string]any{"file_path": "src/lib.rs"})
	if answer["completeness"] != "partial" || !strings.Contains(fmt.Sprint(answer["warnings"]),
		"is not supported by the following packages") {
		t.Errorf("%v", answer)
	}
	testkit.Equal(t, newlyFound(t, env, "src/lib.rs"), "", "told again")
	write(t, dir, "src/lib.rs", "pub fn f() -> usize { \"s\" }\n")
	testkit.Equal(t, errorsOf(t, env, "src/lib.rs", ""), "1 partial cargo check") // the server says that it is not well
	told := ""
	until(t, "word of cargo check", func() bool {
		told = newlyFound(t, env, "src/lib.rs")
		return told != ""
	})
	if !strings.Contains(told, "is not supported by the following packages") || !strings.Contains(told, "wait:all") {
		t.Errorf("told: %s", told)
	}
	testkit.Equal(t, newlyFound(t, env, "src/lib.rs"), "", "told twice")
}

// Who waits for all hears what was pending in other files.
func TestWaitingForAllTellsWhatWasPending(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n",
		"a/a.go": "package a\n\nfunc F() int { return 1 }\n",
		"b/b.go": "package b\n\nimport \"example.com/m/a\"\n\nfunc H() int { return a.F() }\n"})
	env := toolstest.Real(t, dir, "gopls")
	testkit.Equal(t, errorsOf(t, env, "a/a.go", "all"), "0 complete")
	write(t, dir, "a/a.go", "package a\n\nfunc F2() int { return 1 }\n")
	told := toldOf(t, run(t, env, "get_diagnostics", map[string]any{"file_path": "a/a.go"}))
	told += toldOf(t, run(t, env, "get_diagnostics", map[string]any{"file_path": "a/a.go", "wait": "all"}))
	testkit.Equal(t, told, "1 [b/b.go]")
	testkit.Equal(t, newlyFound(t, env, "b/b.go"), "", "told twice")
}

// A question about the workspace has an answer in time: what is known by then, as a part, with the call that waits.
// It never says that there are no errors before the server has looked at all files.
func TestErrorsOfTheWorkspaceSoFar(t *testing.T) {
	for server, files := range map[string]map[string]string{
		"gopls": {"go.mod": "module example.com/m\n\ngo 1.24\n", "a/a.go": "package a\n\nfunc F() int { return 1 }\n",
			"b/b.go": "package b\n\nimport \"example.com/m/a\"\n\nfunc H() string { return a.F() }\n"},
		"rust-analyzer": {"Cargo.toml": "[package]\nname = \"st\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"src/lib.rs": "pub fn g() -> usize { let r: &String; { let s = String::new(); r = &s; } r.len() }\n"},
	} {
		t.Run(server, func(t *testing.T) {
			testkit.Always(t, server, "gopls")
			t.Parallel()
			needServer(t, server)
			env := toolstest.Real(t, project(t, files), server)
			partial, wait := 0, 100
			whole := func() bool {
				a := run(t, env, "get_diagnostics", map[string]any{"wait_ms": wait})
				wait = 200
				pending, steps := fmt.Sprint(a["pending"]), fmt.Sprint(a["next_steps"])
				if a["completeness"] == "complete" {
					testkit.Equal(t, fmt.Sprint(a["total"], " ", pending), "1 <nil>")
					return true
				}
				partial++
				if pending == "<nil>" || !strings.Contains(steps, "wait:all") {
					t.Errorf("pending, with a step: %v", a)
				}
				return t.Failed()
			}
			// On a busy machine a server may have looked at everything before this process sees that the time is
			// over: another start shows it then.
			until(t, "an answer before the server has looked at everything", func() bool {
				wait = 100 // ms, the least there is: a quick machine looks at everything in less than 200
				env.Workspace.Pool.Stop(func(*spec.Spec) bool { return true })
				until(t, "the whole answer", whole)
				return partial > 0
			})
			testkit.Equal(t, fmt.Sprint(run(t, env, "get_diagnostics", map[string]any{"wait": "all"})["total"]), "1")
		})
	}
}

// The errors of files that are open, or had some, are told while the server looks at the rest, of the texts that
// are on disk.
func TestErrorsOfTheWorkspaceThatAreKnown(t *testing.T) {
	dir, err := filepath.EvalSymlinks(project(t, map[string]string{"a.w": "one\ntwo\n", "b.w": "one\n"}))
	testkit.Must(t, err)
	item := func(line int) string {
		return fmt.Sprintf(
			`{"result":{"items":[{"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":3}},"message":"m","severity":1}]}}`, line, line)
	}
	session := toolstest.Open(t, dir, toolstest.Fake(t, "pusher", `{"capabilities_patch":{"executeCommandProvider":{"commands":["gopls.diagnose_files"]}},"rules":[
		{"method":"workspace/executeCommand","nth":1,"actions":[`+push(dir, "", 1)+`,{"result":null}]},
		{"method":"workspace/executeCommand","actions":[{"hang":true}]},
		{"method":"textDocument/diagnostic","actions":[`+item(0)+`]}]}`, func(s *spec.Spec) {
		s.Kind, s.Diagnostics = "gopls", spec.Diagnostics{Versioned: true, Workspace: true,
			First: &spec.FirstErrors{Languages: []string{s.LanguageID("a.w")}, Pending: "dependents"}}
	}))
	wantFound(t, run(t, session, "get_diagnostics", nil), "complete", "a.w: 2:1 error pusher")
	wantFound(t, run(t, session, "get_diagnostics", nil), "complete", "a.w: 2:1 error pusher") // nobody is asked again
	write(t, dir, "a.w", "one\n")
	for range 2 {
		a := run(t, session, "get_diagnostics", map[string]any{"wait_ms": 800})
		wantFound(t, a, "partial", "a.w: 1:1 error pusher")
		testkit.Equal(t, fmt.Sprint(a["pending"], kinds(a)), "[map[server_id:pusher stage:workspace]]part_failed")
	}
}
