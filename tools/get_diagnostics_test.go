package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/diagnostics"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// found writes an answer as "file: line:character severity source code message", one line each.
func found(a reply) string {
	files, ok := a["files"].([]any)
	if !ok {
		return fmt.Sprint(a["error"])
	}
	var out []string
	for _, f := range files {
		file := f.(map[string]any)
		all := file["diagnostics"].([]any)
		if len(all) == 0 {
			out = append(out, fmt.Sprintf("%v: none", file["file_path"]))
		}
		for _, d := range all {
			m := d.(map[string]any)
			line, _, _ := strings.Cut(m["message"].(string), "\n")
			out = append(out, fmt.Sprintf("%v: %v:%v %v %v %v %s", file["file_path"], m["line"], m["character"],
				m["severity"],
				m["source"], m["code"], line))
		}
	}
	return strings.Join(out, "\n")
}

// wantFound compares files, positions and codes; the words of messages belong to the servers.
func wantFound(t *testing.T, a reply, completeness string, want ...string) {
	t.Helper()
	got := strings.Split(found(a), "\n")
	ok := len(got) == len(want) && a["completeness"] == completeness
	for i := range want {
		ok = ok && i < len(got) && strings.HasPrefix(got[i], want[i])
	}
	if !ok {
		raw, _ := json.MarshalIndent(a, "", " ")
		t.Errorf("got %s\n%s\nwant %s\n%s\n%s", a["completeness"], strings.Join(got, "\n"), completeness,
			strings.Join(want, "\n"), raw)
	}
}

func TestDiagnosticsOfGo(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod":       "module example.com/x\n\ngo 1.24\n",
		"a.go":         "package x\n\nfunc A() int { return \"s\" }\n",
		"b.go":         "package x\n\nfunc B() int { return A() }\n",
		"sub/c.go":     "package sub\n\nimport \"fmt\"\n\nfunc C() { fmt.Printf(\"%d\", \"x\") }\n",
		"other/go.mod": "module example.com/other\n\ngo 1.24\n",
		"other/d.go":   "package other\n\nvar D int = \"d\"\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	file := func(name string) reply { return run(t, session, "get_diagnostics", map[string]any{"file_path": name}) }
	const broken, vet, module = "a.go: 3:23 error compiler IncompatibleAssign", "sub/c.go: 5:24 warning printf",
		"other/d.go: 3:13 error compiler IncompatibleAssign"
	wantFound(t, file("a.go"), "complete", broken)
	wantFound(t, file("b.go"), "complete", "b.go: none")
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"wait": "all"}), "complete", broken, module, vet)
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_paths": []string{"sub", "oth*/*"}, "wait": "all"}),
		"complete", module, vet)

	write(t, dir, "a.go", "package x\n\nfunc A(int) int { return 1 }\n") // fixed, and it breaks its caller
	wantFound(t, file("a.go"), "complete", "a.go: none")
	wantFound(t, file("b.go"), "complete", "b.go: 3:25 error compiler WrongArgCount")
	write(t, dir, "n.go", "package x\n\nvar N int = \"n\"\n")
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"severities": []string{"error"}, "wait": "all"}),
		"complete",
		"b.go: 3:25 error", "n.go: 3:13 error", module)
	for _, gone := range []string{"n.go", "sub/c.go", "other/d.go"} {
		testkit.Must(t, os.Remove(filepath.Join(dir, gone)))
	}
	write(t, dir, "b.go", "package x\n\nfunc B() int { return A(1) }\n")
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"wait": "all"}), "complete", "")
	if a := file("n.go"); a["error"].(map[string]any)["kind"] != "not_found" {
		t.Errorf("a file that is gone: %v", a)
	}
	a := run(t, session, "get_diagnostics", map[string]any{"file_paths": []string{"n.go", "b.go"}})
	wantFound(t, a, "partial", "b.go: none")
	equal(t, "warnings", kinds(a), "file_skipped")
}

func TestDiagnosticsOfCpp(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"compile_commands.json": `[{"directory":"$DIR","file":"a.cc","command":"c++ -c a.cc"}]`,
		"a.h":                   "#pragma once\nint f(int);\n",
		"a.cc":                  "#include \"a.h\"\nint main() { return f(1); }\n",
		"closed.cc":             "int other() { return 2; }\n",
	})
	session := toolstest.Real(t, dir, "clangd")
	file := func() reply { return run(t, session, "get_diagnostics", map[string]any{"file_path": "a.cc"}) }
	wantFound(t, file(), "complete", "a.cc: none")
	write(t, dir, "a.h", "#pragma once\nint f(int, int);\n") // the file itself did not change
	wantFound(t, file(), "complete", "a.cc: 2:21 error clang ovl_no_viable")
	write(t, dir, "a.h", "#pragma once\nint f(int);\n")
	wantFound(t, file(), "complete", "a.cc: none")
	for range 3 { // back and forth: a text that was built before
		write(t, dir, "a.cc", "#include \"a.h\"\nint main() { return g(1); }\n")
		wantFound(t, file(), "complete", "a.cc: 2:21 error clang undeclared_var_use")
		write(t, dir, "a.cc", "#include \"a.h\"\nint main() { return f(1); }\n")
		wantFound(t, file(), "complete", "a.cc: none")
	}
	wantFound(t, file(), "complete", "a.cc: none")
	for range 3 { // both, so that clangd first tells of the new text with the old header
		write(t, dir, "a.h", "#pragma once\nint f(int, int);\n")
		write(t, dir, "a.cc", "#include \"a.h\"\nint main() { return f(1, 2); }\n")
		wantFound(t, file(), "complete", "a.cc: none")
		write(t, dir, "a.h", "#pragma once\nint f(int);\n")
		write(t, dir, "a.cc", "#include \"a.h\"\nint main() { return f(1); }\n")
		wantFound(t, file(), "complete", "a.cc: none")
	}
	a := run(t, session, "get_diagnostics", map[string]any{"wait": "all"})
	equal(t, "warnings", kinds(a), "unlisted_sources") // closed.cc
	equal(t, "completeness", a["completeness"], any("partial"))
}

func TestDiagnosticsOfRust(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "rust-analyzer")
	needServer(t, "cargo")
	dir := project(t, map[string]string{
		"Cargo.toml":  "[package]\nname = \"zz\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"Cargo.lock":  "version = 4\n\n[[package]]\nname = \"zz\"\nversion = \"0.1.0\"\n",
		"src/main.rs": "mod m;\nfn main() { let _x: i32 = \"s\"; m::f(); }\n",
		"src/m.rs":    "pub fn f() { let unused = 1; }\n",
	})
	session := toolstest.Real(t, dir, "rust-analyzer")
	const broken, unused = "src/main.rs: 2:27 error rustc E0308", "src/m.rs: 1:18 warning rustc unused_variables"
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_path": "src/main.rs", "wait": "all"}),
		"complete", broken)
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"wait": "all"}), "complete", unused, broken)
	write(t, dir, "src/main.rs", "mod m;\nfn main() { let _x: i32 = 1; m::f(); nope(); }\n")
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_path": "src/main.rs", "wait": "all"}),
		"complete", "src/main.rs: 2:38 error rustc E0425")
	write(t, dir, "src/main.rs", "mod m;\nfn main() { let _x: i32 = 1; m::f(); }\n")
	write(t, dir, "src/m.rs", "pub fn f() {}\n")
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"wait": "all"}), "complete", "")
}

func TestDiagnosticsOfTypeScript(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	dir := project(t, map[string]string{
		"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"strict":true}}`,
		"a.ts":          "export function f(n: number) { return n; }\n",
		"b.ts":          "import { f } from './a';\nconst e = '😀'; f('x');\n",
	})
	session := toolstest.Real(t, dir, "typescript-language-server")
	file := func(name string) reply { return run(t, session, "get_diagnostics", map[string]any{"file_path": name}) }
	wantFound(t, file("b.ts"), "complete", "b.ts: 2:18 error typescript 2345")
	write(t, dir, "a.ts", "export function f(n: string) { return n; }\n")
	wantFound(t, file("b.ts"), "complete", "b.ts: none")
	write(t, dir, "c.ts", "export const c: number = 'c';\n")
	wantFound(t, file("c.ts"), "complete", "c.ts: 1:14 error typescript 2322")
	write(t, dir, "b.ts", "import { c } from './c';\nc.nope;\n")
	wantFound(t, file("b.ts"), "complete", "b.ts: 2:3 error typescript 2339")
	testkit.Must(t, os.Remove(filepath.Join(dir, "c.ts")))
	wantFound(t, file("b.ts"), "complete", "b.ts: 1:19 error typescript 2307")
	a := run(t, session, "get_diagnostics", map[string]any{"wait": "all"})
	wantFound(t, a, "complete", "b.ts: 1:19 error typescript 2307")
}

func TestDiagnosticsOfPython(t *testing.T) {
	for _, c := range []struct{ row, program, source string }{
		{"pyright", "pyright-langserver", "Pyright"}, {"basedpyright", "basedpyright-langserver", "basedpyright"},
	} {
		t.Run(c.row, func(t *testing.T) {
			testkit.Always(t, c.row, "pyright")
			t.Parallel()
			needServer(t, c.program)
			needServer(t, "ruff")
			dir := project(t, map[string]string{
				"pyproject.toml": "",
				"a.py":           "def f(n: int) -> int:\n    return n\n",
				"b.py":           "import os\n\nfrom a import f\n\nf(\"s\")\n",
			})
			session := toolstest.Real(t, dir, c.row, "ruff")
			arguments := map[string]any{"file_path": "b.py"}
			if c.row == "basedpyright" {
				arguments["severities"] = []string{"error"} // it warns of much by default
			} else {
				wantFound(t, run(t, session, "get_diagnostics", arguments), "complete",
					"b.py: 1:8 warning Ruff F401", "b.py: 5:3 error "+c.source+" reportArgumentType")
			}
			write(t, dir, "b.py", "from a import f\n\nf(\"s\")\n")
			wantFound(t, run(t, session, "get_diagnostics", arguments), "complete", "b.py: 3:3 error "+c.source+
				" reportArgumentType")
			write(t, dir, "a.py", "def f(n: str) -> str:\n    return n\n")
			wantFound(t, run(t, session, "get_diagnostics", arguments), "complete", "b.py: none")
		})
	}
}

func TestDiagnosticsThatNeedAProgram(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "bash-language-server")
	session := toolstest.Real(t, project(t, map[string]string{"b.sh": "#!/bin/bash\nif true; then\n"}),
		"bash-language-server")
	t.Setenv("PATH", onlyPath(t, "bash-language-server", "node"))
	a := run(t, session, "get_diagnostics", map[string]any{"file_path": "b.sh"})
	wantFound(t, a, "partial", "")
	equal(t, "warnings", kinds(a), "part_failed")
}

// onlyPath is a PATH with some programs of the present one.
func onlyPath(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		for _, from := range filepath.SplitList(os.Getenv("PATH")) {
			if _, err := os.Stat(filepath.Join(from, name)); err == nil {
				testkit.Must(t, os.Symlink(filepath.Join(from, name), filepath.Join(dir, name)))
				break
			}
		}
	}
	return dir
}

// pushing makes a scripted server that pushes, by version when versioned.
func pushing(versioned bool) func(*spec.Spec) {
	return func(s *spec.Spec) { s.Diagnostics = spec.Diagnostics{Versioned: versioned} }
}

// push is an action that pushes diagnostics of a.w in dir.
func push(dir, version string, lines ...int) string {
	var all []string
	for _, n := range lines {
		all = append(all,
			fmt.Sprintf(
				`{"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":3}},"message":"m%d"}`, n, n,
				n))
	}
	return fmt.Sprintf(
		`{"notify":{"method":"textDocument/publishDiagnostics","params":{"uri":"file://%s/a.w"%s,"diagnostics":[%s]}}}`,
		dir, version, strings.Join(all, ","))
}

// openPusher opens a session on a project of one file and a scripted server that pushes; actions are its script, by
// the directory.
func openPusher(t *testing.T, change func(*spec.Spec), actions func(dir string) string) (*session.Session, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(project(t, map[string]string{"a.w": "one\ntwo\nthree\n"}))
	testkit.Must(t, err)
	session := toolstest.Open(t, dir, toolstest.Fake(t, "pusher", `{"rules":[`+actions(dir)+`]}`, change))
	return session, dir
}

func TestDiagnosticsLateAndOfAnOlderText(t *testing.T) {
	session, dir := openPusher(t, pushing(true), func(dir string) string {
		return `{"method":"textDocument/didOpen","actions":[{"delay_ms":300},` + push(dir, `,"version":1`, 1) + `]},
			{"method":"textDocument/didChange","actions":[` + push(dir, `,"version":1`, 0) + `,{"delay_ms":300},` +
			push(dir, `,"version":1`, 0) + `,` + push(dir, `,"version":2`, 2) + `]}`
	})
	ask := func() reply { return run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w"}) }
	wantFound(t, ask(), "complete", "a.w: 2:1 error pusher")
	write(t, dir, "a.w", "one\ntwo\nTHREE\n")
	wantFound(t, ask(), "complete", "a.w: 3:1 error pusher")
}

// late is the answer of a call whose server has little time. On a busy machine that is over before the server is asked,
// which the answer says; then the call is made again with more.
func late(session *session.Session, ask func() reply) reply {
	for limit := 300 * time.Millisecond; ; limit *= 2 {
		session.Settings.CallTimeout = diagnostics.DiagnoseReserve + limit
		if a := ask(); a.fault() != "request_timeout" || limit > 10*time.Second {
			return a
		}
	}
}

func TestDiagnosticsThatNeverCome(t *testing.T) {
	session, dir := openPusher(t, pushing(true), func(dir string) string {
		return `{"method":"textDocument/didOpen","actions":[` + push(dir, `,"version":1`, 1) + `]},
			{"method":"textDocument/didChange","actions":[` + push(dir, `,"version":1`, 0) + `]}`
	})
	ask := func() reply { return run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w"}) }
	wantFound(t, ask(), "complete", "a.w: 2:1 error pusher")
	write(t, dir, "a.w", "one\n")
	a := late(session, ask)
	wantFound(t, a, "partial", "") // neither the stale ones nor an empty list that looks final
	equal(t, "warnings", kinds(a), "part_failed")
}

func TestDiagnosticsWithoutVersion(t *testing.T) {
	dir, err := filepath.EvalSymlinks(project(t, map[string]string{"a.w": "one\ntwo\nthree\n"}))
	testkit.Must(t, err)
	script := `{"capabilities_patch":{"diagnosticProvider":null},
		"rules":[{"method":"textDocument/didOpen","actions":[{"delay_ms":100},` + push(dir, "", 1) + `]}]}`
	session := toolstest.Open(t, dir, toolstest.Fake(t, "pusher", script, pushing(false)))
	a := run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w"})
	wantFound(t, a, "unknown", "a.w: 2:1 error pusher")
}

func TestDiagnosticsFlood(t *testing.T) {
	t.Parallel()
	lines := make([]int, 5000)
	for i := range lines {
		lines[i] = i
	}
	session, dir := openPusher(t, pushing(true), func(dir string) string {
		flood := strings.Repeat(push(dir, `,"version":0`, lines[:50]...)+",", testkit.Times(50, 200))
		return `{"method":"textDocument/didOpen","actions":[` + flood + push(dir, `,"version":1`, lines...) + `]}`
	})
	write(t, dir, "a.w", strings.Repeat("word\n", 5000))
	seen := 0
	arguments := map[string]any{"file_path": "a.w", "max_results": 500}
	for {
		a := run(t, session, "get_diagnostics", arguments)
		if a["ok"] != true || a["total"] != 2000.0 || a["completeness"] != "partial" ||
			!strings.Contains(kinds(a), "server_limit") {
			t.Fatalf("%v %v %v %v", a["ok"], a["total"], a["completeness"], kinds(a))
		}
		if first := a["files"].([]any)[0].(map[string]any)["diagnostics"].([]any)[0].(map[string]any)["line"]; first != float64(seen+1) {
			t.Fatalf("page at %d begins with line %v", seen, first)
		}
		seen += int(a["returned"].(float64))
		steps := a["next_steps"].([]any)
		if len(steps) == 0 {
			break
		}
		arguments = steps[0].(map[string]any)["arguments"].(map[string]any)
	}
	equal(t, "every diagnostic once", seen, 2000)
}

func TestDiagnosticsByPull(t *testing.T) {
	t.Parallel()
	item := `{"range":{"start":{"line":1,"character":0},"end":{"line":2,"character":0}},"severity":%s,"code":%s,"message":"m","tags":[1]}`
	for _, c := range []struct{ answer, completeness, want string }{
		{`{"result":{"kind":"","items":[` + fmt.Sprintf(item, "2", "7") + `]}}`, "complete",
			"a.w: 2:1 warning pusher 7 m"},
		{`{"result":{"kind":"full","items":[` + fmt.Sprintf(item, "null", `"x"`) + `]}}`, "complete",
			"a.w: 2:1 error pusher x m"},
		{`{"result":{"items":[` + fmt.Sprintf(item, "1", "7") + `,{"range":5}]}}`, "partial",
			"a.w: 2:1 error pusher 7 m"},
		{`{"result":{"items":[{"range":{"start":{"line":-1,"character":-1},"end":{"line":0,"character":1}},"message":"m"}]}}`, "complete", "a.w: 1:1 error pusher <nil> m"},
		{`{"result":{"items":[]}}`, "complete", "a.w: none"},
		{`{"result":null}`, "partial", ""},
		{`{"result":{"kind":"full"}}`, "partial", ""},
		{`{"result":{"kind":"unchanged","resultId":"1"}}`, "partial", ""},
		{`{"error":{"code":-32603,"message":"boom"}}`, "partial", ""},
	} {
		session, _ := openPusher(t, func(s *spec.Spec) {
			s.Diagnostics = spec.Diagnostics{Pull: true}
		}, func(string) string {
			return `{"method":"textDocument/diagnostic","actions":[` + c.answer + `]}`
		})
		wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w"}), c.completeness, c.want)
	}
}

// A server that offers to be asked, and whose row knows nothing of its diagnostics, is asked: waiting for it could
// be in vain.
func TestDiagnosticsByPullWithoutARow(t *testing.T) {
	session, _ := openPusher(t, func(s *spec.Spec) { s.Diagnostics = spec.Diagnostics{} }, func(dir string) string {
		return `{"method":"textDocument/didOpen","actions":[` + push(dir, "", 0) + `]},
			{"method":"textDocument/diagnostic","actions":[{"result":{"kind":"full","items":[]}}]}`
	})
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w"}), "complete", "a.w: none")
}

// A diagnostic comes with the lines of its range, at most ten.
func TestDiagnosticsPreview(t *testing.T) {
	session, dir := openPusher(t, func(s *spec.Spec) {
		s.Diagnostics = spec.Diagnostics{Pull: true}
	}, func(string) string {
		return `{"method":"textDocument/diagnostic","actions":[{"result":{"items":[
			{"range":{"start":{"line":0,"character":1},"end":{"line":2,"character":0}},"message":"two lines"},
			{"range":{"start":{"line":1,"character":0},"end":{"line":30,"character":1}},"message":"thirty lines"}]}}]}`
	})
	write(t, dir, "a.w", "one\ntwo\n"+strings.Repeat("more\n", 40))
	a := run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w"})
	all := a["files"].([]any)[0].(map[string]any)["diagnostics"].([]any)
	for i, want := range []string{"one\ntwo", "two\n" + strings.Repeat("more\n", 8) + "more"} {
		d := all[i].(map[string]any)
		equal(t, "preview", d["preview"], any(want))
		equal(t, "truncated", d["preview_truncated"], any(i == 1))
		equal(t, "unavailable", d["preview_unavailable"], any(false))
		if d["uri"] != nil {
			t.Errorf("it has a URI: %v", d)
		}
	}
}

// Errors and warnings are told by default, the rest where it is asked for.
func TestDiagnosticsBySeverity(t *testing.T) {
	session, _ := openPusher(t, func(s *spec.Spec) {
		s.Diagnostics = spec.Diagnostics{Pull: true}
	}, func(string) string {
		var items []string
		for severity := range 4 {
			items = append(items, fmt.Sprintf(
				`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"severity":%d,"message":"m"}`,
				severity+1))
		}
		return `{"method":"textDocument/diagnostic","actions":[{"result":{"items":[` + strings.Join(items, ",") + `]}}]}`
	})
	for _, c := range []struct {
		severities []string
		want       string
	}{{nil, "error warning"}, {[]string{"hint"}, "hint"}, {[]string{"information", "error"}, "error information"}} {
		arguments := map[string]any{"file_path": "a.w"}
		if c.severities != nil {
			arguments["severities"] = c.severities
		}
		a := run(t, session, "get_diagnostics", arguments)
		var got []string
		for _, d := range a["files"].([]any)[0].(map[string]any)["diagnostics"].([]any) {
			got = append(got, d.(map[string]any)["severity"].(string))
		}
		equal(t, fmt.Sprint(c.severities), strings.Join(got, " "), c.want)
	}
}

func checking(s *spec.Spec) {
	s.Readiness.Tokens = []string{"loading"}
	s.Diagnostics = spec.Diagnostics{Pull: true, Workspace: true,
		Check: &spec.Check{Notification: "run", Token: "check/", Title: "the check"}}
}

func progress(token, kind string) string {
	return fmt.Sprintf(`{"notify":{"method":"$/progress","params":{"token":%q,"value":{"kind":%q,"title":"t"}}}}`,
		token, kind)
}

func TestDiagnosticsOfAnExternalCheck(t *testing.T) {
	session, dir := openPusher(t, checking, func(dir string) string {
		return `{"method":"textDocument/diagnostic","actions":[{"result":{"items":[]}}]},
			{"method":"run","nth":1,"actions":[` + progress("other", "begin") + "," + progress("other", "end") + "," +
			progress("check/0", "begin") + `,{"delay_ms":200},` + push(dir, "", 1) + "," + progress("check/0", "end") + `]},
			{"method":"run","actions":[` + progress("check/0", "begin") + `]}`
	})
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w", "wait": "all"}), "complete",
		"a.w: 2:1 error pusher")
	// nothing changed: no new run
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"wait": "all"}), "complete", "a.w: 2:1 error pusher")
	write(t, dir, "a.w", "one\n")
	for _, arguments := range []map[string]any{{"file_path": "a.w", "wait": "all"}, nil} {
		a := late(session, func() reply { return run(t, session, "get_diagnostics", arguments) })
		wantFound(t, a, "partial", "") // neither what the run before found nor an empty list that looks final
		equal(t, "warnings", kinds(a), "part_failed")
	}
}

func TestDiagnosticsOfAWorkspaceThatTakesTooLong(t *testing.T) {
	dir, err := filepath.EvalSymlinks(project(t, map[string]string{"a.w": "one\ntwo\n"}))
	testkit.Must(t, err)
	session := toolstest.Open(t, dir, toolstest.Fake(t, "pusher", `{"capabilities_patch":{"executeCommandProvider":{"commands":["gopls.diagnose_files"]}},"rules":[
		{"method":"workspace/executeCommand","nth":1,"actions":[`+push(dir, "", 1)+`,{"result":null}]},
		{"method":"workspace/executeCommand","actions":[{"hang":true}]}]}`, func(s *spec.Spec) {
		// whose adapter asks by this command
		s.Kind, s.Diagnostics = "gopls", spec.Diagnostics{Versioned: true, Workspace: true}
	}))
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"wait": "all"}), "complete", "a.w: 2:1 error pusher")
	write(t, dir, "a.w", "one\n")
	a := late(session, func() reply { return run(t, session, "get_diagnostics", map[string]any{"wait": "all"}) })
	wantFound(t, a, "partial", "")
	equal(t, "warnings", kinds(a), "part_failed")
}

// rust-analyzer 1.97.1 drops what cargo check found when it reloads the project, and says nothing more about it.
func TestDiagnosticsAfterAReload(t *testing.T) {
	status := func(quiescent bool) string {
		return fmt.Sprintf(`{"notify":{"method":"experimental/serverStatus","params":{"health":"ok","quiescent":%v}}}`,
			quiescent)
	}
	session, _ := openPusher(t, func(s *spec.Spec) {
		checking(s)
		s.Readiness = spec.Readiness{Sign: spec.SignServerStatus}
	}, func(dir string) string {
		return `{"method":"initialized","actions":[` + status(true) + `]},
			{"method":"textDocument/diagnostic","nth":2,"actions":[` + status(false) + "," + push(dir, "") + "," + status(true) + `,{"result":null}]},
			{"method":"textDocument/diagnostic","actions":[{"result":{"items":[]}}]},
			{"method":"run","actions":[` + progress("check/0", "begin") + "," + push(dir, "", 1) + "," + progress("check/0", "end") + `]}`
	})
	for range 3 {
		wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w", "wait": "all"}), "complete",
			"a.w: 2:1 error pusher")
	}
}

// A server whose threads push: what they still have at the end of the check comes before their answers, not before
// those of the thread that refuses unknown requests.
func TestDiagnosticsOfACheckThatThreadsPush(t *testing.T) {
	session, _ := openPusher(t, func(s *spec.Spec) {
		checking(s)
		s.Diagnostics.Check.Fence = "text"
	}, func(dir string) string {
		return `{"method":"textDocument/diagnostic","actions":[{"result":{"items":[]}}]},
			{"method":"text","nth":2,"actions":[` + push(dir, "", 1) + `,{"result":""}]},
			{"method":"text","actions":[{"result":""}]},
			{"method":"run","actions":[` + progress("check/0", "begin") + "," + progress("check/0", "end") + `]}`
	})
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w", "wait": "all"}), "complete",
		"a.w: 2:1 error pusher")
}

// The same when the reload had begun before the check, and drops what it found at its end.
func TestDiagnosticsOfACheckDuringAReload(t *testing.T) {
	status := func(quiescent bool) string {
		return fmt.Sprintf(`{"notify":{"method":"experimental/serverStatus","params":{"health":"ok","quiescent":%v}}}`,
			quiescent)
	}
	session, _ := openPusher(t, func(s *spec.Spec) {
		checking(s)
		s.Readiness = spec.Readiness{Sign: spec.SignServerStatus}
	}, func(dir string) string {
		found := progress("check/0", "begin") + "," + push(dir, "", 1) + "," + progress("check/0", "end")
		return `{"method":"initialized","actions":[` + status(true) + `]},
			{"method":"textDocument/diagnostic","actions":[{"result":{"items":[]}}]},
			{"method":"lspi/fence","nth":1,"actions":[` + status(false) + `,{"error":{"code":-32601,"message":"?"}}]},
			{"method":"run","nth":2,"actions":[` + found + "," + push(dir, "") + "," + status(true) + `]},
			{"method":"run","actions":[` + found + `]}`
	})
	// the check of the second call begins while the project is loaded
	session.Workspace.Table.Specs[0].Timeouts.Warmup = time.Millisecond
	run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w", "wait": "all"})
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w", "wait": "all"}), "complete",
		"a.w: 2:1 error pusher")
}

func TestDiagnosticsOfAWorkspaceOfManyLanguages(t *testing.T) {
	as := func(ext string, d spec.Diagnostics) func(*spec.Spec) {
		return func(s *spec.Spec) {
			s.Languages, s.Diagnostics = []spec.Language{{ID: ext, Extensions: []string{ext}}}, d
			if ext == "x" {
				s.Commands = []spec.Command{{Name: "no-such-program"}}
			}
		}
	}
	dir := project(t, map[string]string{"a.w": "BAD\n", "b.v": "BAD\n", "c.u": "BAD\n", "d.x": "BAD\n", "e.y": "BAD\n",
		"f.y": "BAD\n"})
	const words = `{"language":"words"}`
	session := toolstest.Open(t, dir,
		toolstest.Fake(t, "whole", words, as("w", spec.Diagnostics{Pull: true, Workspace: true})),
		toolstest.Fake(t, "idle", words, as("v", spec.Diagnostics{Pull: true})),
		toolstest.Fake(t, "prose", words, as("u", spec.Diagnostics{Pull: true, Apart: true})),
		toolstest.Fake(t, "missing", words, as("x", spec.Diagnostics{Pull: true})),
		toolstest.Fake(t, "runs", words, as("y", spec.Diagnostics{Pull: true})))
	run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w"})
	a := run(t, session, "get_diagnostics", map[string]any{"wait": "all"})
	wantFound(t, a, "partial", "a.w: 1:1 error words", "b.v: 1:1 error words", "e.y: 1:1 error words",
		"f.y: 1:1 error words")
	equal(t, "warnings", kinds(a), "server_failed")
	wantFound(t, run(t, session, "get_diagnostics", map[string]any{"file_path": "*.y"}), "complete",
		"e.y: 1:1 error words", "f.y: 1:1 error words")
}

func TestDiagnosticsArguments(t *testing.T) {
	session, _ := openPusher(t, pushing(true), func(string) string {
		return `{"method":"nothing","actions":[{"hang":true}]}`
	})
	for _, arguments := range []map[string]any{
		{"severities": []string{"fatal"}}, {"max_results": 0}, {"file_path": "file:///x.w"}, {"file_path": "b.w"},
		{"file_paths": make([]string, diagnostics.MaxDiagnosedFiles+1)},
	} {
		if a := run(t, session, "get_diagnostics", arguments); a["ok"] != false || len(a["next_steps"].([]any)) == 0 {
			t.Errorf("%v: %v", arguments, a)
		}
	}
}

// Files of which each stands for itself are checked where there are no others, and sources without a project file.
func TestDiagnosticsOfAWorkspaceWithoutProjects(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	needServer(t, "vscode-json-language-server")
	needServer(t, "pyright-langserver")
	for _, c := range []struct {
		files map[string]string
		want  []string
		warns string
	}{
		{map[string]string{"a.ts": "const a: number = ''\n"}, []string{"a.ts: 1:7 error typescript 2322"}, ""},
		{map[string]string{"a.json": "{", "b.json": "{}"}, []string{"a.json: 1:1 error json 518"}, ""},
		{map[string]string{"a.json": "{", "a.ts": "const a: number = ''\n", "b.py": "b: int = ''\n"},
			[]string{"a.ts: 1:7 error typescript 2322", "b.py: 1:10 error Pyright reportAssignmentType"}, ""},
	} {
		a := run(t, toolstest.Real(t, project(t, c.files), "typescript-language-server", "json", "pyright"),
			"get_diagnostics", map[string]any{})
		wantFound(t, a, "complete", c.want...)
		equal(t, "warnings", kinds(a), c.warns)
	}
}

// A server that looks at open files only is shown all of them, as far as there is time, and each once.
func TestDiagnosticsOfManySources(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	files := map[string]string{"tsconfig.json": smallLib, "src/wrong.ts": "export const x: number = '';\n"}
	for i := range 300 {
		files[fmt.Sprintf("src/m%03d.ts", i)] = fmt.Sprintf("import { x } from './wrong';\nexport const y%d = x;\n", i)
	}
	dir := project(t, files)
	old := time.Now().Add(-time.Hour)
	testkit.Must(t, os.Chtimes(filepath.Join(dir, "src/wrong.ts"), old, old)) // the last that is come to
	session := toolstest.Real(t, dir, "typescript-language-server")
	run(t, session, "get_diagnostics", map[string]any{"file_path": "src/m000.ts"})
	a := run(t, session, "get_diagnostics", map[string]any{"wait_ms": 100})
	wantFound(t, a, "partial", "")
	// Beside other work the time may be over before the first file is opened, which is said as a part that failed.
	if left := firstOf(a, "warnings"); left["kind"] != "part_failed" {
		files, _ := left["files"].([]any)
		equal(t, "what is left", fmt.Sprint(left["kind"], len(files)), "coverage_open_files_only10")
	}
	step := firstOf(a, "next_steps")
	equal(t, "the step", step["tool"], any("get_diagnostics"))
	delete(step["arguments"].(map[string]any), "wait_ms") // given where some files were checked
	wantFound(t, run(t, session, "get_diagnostics", step["arguments"].(map[string]any)), "complete",
		"src/wrong.ts: 1:14 error typescript 2322")
	if open := len(session.Workspace.Pool.Running()[0].Documents().Paths()); open > 3 {
		t.Errorf("%d documents are open", open)
	}
}

// What was checked is asked for again when something changes on which it rests, and not before.
func TestDiagnosticsOfWhatChanged(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{"a.w": "def A\n", "b.w": "use a\n", "c.w": "use b\n", "d.w": "def D\n",
		"project.x": "1"})
	program := lsptest.NewProgram(t, &lsptest.Script{Language: "words", Rules: []lsptest.Rule{
		{Method: "textDocument/diagnostic", Actions: []lsptest.Action{{Result: []byte(`{"items":[]}`)}}}}})
	sp := toolstest.Scripted("fake1", program)
	sp.Diagnostics = spec.Diagnostics{Pull: true, Imports: func(text string) []string {
		_, used, _ := strings.Cut(text, "use ")
		return strings.Fields(used)
	}}
	sp.Freshness.Globs = []string{"project.x"}
	session := toolstest.Open(t, dir, sp)
	seen := 0
	asked := func(want int, what string) {
		t.Helper()
		wantFound(t, run(t, session, "get_diagnostics", map[string]any{}), "complete", "")
		all := len(lsptest.Messages(program.Seen(t), "textDocument/diagnostic"))
		testkit.Equal(t, all-seen, want, what)
		seen = all
	}
	asked(4, "all")
	asked(0, "nothing changed")
	write(t, dir, "a.w", "def A2\n")
	asked(3, "a file, and those that come to it by imports")
	write(t, dir, "d.w", "use c\n")
	asked(1, "a file that nobody imports")
	write(t, dir, "c.w", "def C\n")
	asked(2, "a file that is imported since")
	write(t, dir, "e.w", "def E\n")
	asked(1, "a new file")
	write(t, dir, "notes.txt", "a\n")
	asked(0, "no source")
	write(t, dir, "project.x", "2")
	asked(5, "the project")
	run(t, session, "get_diagnostics", map[string]any{"file_path": "a.w"})
	seen++
	asked(0, "a file that was asked about")
}

// A file on which a server never reports is no reason to leave out the others, and one whose checker is missing is not
// waited for at all.
func TestDiagnosticsOfASilentServer(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("f%02d.w", i)] = "BAD\n"
	}
	dir := project(t, files)
	script := lsptest.Script{Language: "words", Rules: []lsptest.Rule{
		{Method: "textDocument/diagnostic", Contains: "f03.w", Actions: []lsptest.Action{{Hang: true}}}}}
	sp := toolstest.Scripted("fake1", lsptest.NewProgram(t, &script))
	sp.Diagnostics = spec.Diagnostics{Pull: true}
	session, a := toolstest.Open(t, dir, sp), map[string]any{}
	until(t, "all files but one were looked at", func() bool { // in one call, unless the machine is busy
		a = run(t, session, "get_diagnostics", map[string]any{"wait_ms": 2000})
		return a["total"] == 39.0
	})
	testkit.Equal(t, fmt.Sprint(a["completeness"], " ", kinds(a), " ", a["total"], " ", firstOf(a, "warnings")["total"]),
		"partial coverage_open_files_only 39 1", a["warnings"])

	sp = toolstest.Scripted("fake2", lsptest.NewProgram(t, &lsptest.Script{}))
	sp.Diagnostics = spec.Diagnostics{Versioned: true, Needs: "no-such-program"}
	began := time.Now()
	a = run(t, toolstest.Open(t, dir, sp), "get_diagnostics", map[string]any{})
	testkit.Equal(t, fmt.Sprint(a["completeness"], " ", kinds(a)), "partial part_failed", a["warnings"])
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A server that looks at open files only has looked at all when every source is open.
func TestDiagnosticsOfAllThatIsOpen(t *testing.T) {
	for _, c := range []struct{ row, program, file, other, text string }{
		{"pyright", "pyright-langserver", "a.py", "sub/b.py", "x: int = ''\n"},
		{"typescript-language-server", "typescript-language-server", "a.ts", "sub/b.ts",
			"export const x: number = '';\n"},
	} {
		t.Run(c.row, func(t *testing.T) {
			testkit.Always(t, c.row, "typescript-language-server")
			t.Parallel()
			needServer(t, c.program)
			dir := project(t, map[string]string{c.file: c.text, "pyrightconfig.json": "{}", "tsconfig.json": smallLib})
			session := toolstest.Real(t, dir, c.row)
			run(t, session, "get_diagnostics", map[string]any{"file_path": c.file})
			a := run(t, session, "get_diagnostics", map[string]any{"wait": "all"})
			if a["completeness"] != "complete" || a["total"] != any(1.0) {
				t.Errorf("its one source is open: %v", a)
			}
			write(t, dir, c.other, c.text)
			a = run(t, session, "get_diagnostics", map[string]any{"wait": "all"})
			if opened := a["total"] == any(2.0); opened != (kinds(a) == "") { // what is new is opened for some servers
				t.Errorf("a source is not open: %v", a)
			}
			run(t, session, "get_diagnostics", map[string]any{"file_path": c.other})
			if a = run(t, session, "get_diagnostics",
				map[string]any{"wait": "all"}); a["completeness"] != "complete" || a["total"] != any(2.0) {
				t.Errorf("both sources are open: %v", a)
			}
		})
	}
}
