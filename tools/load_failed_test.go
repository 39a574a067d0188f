package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

var greetModule = map[string]string{
	"go.mod":     "module ex.com/shop\n\ngo 1.24\n",
	"lib/lib.go": "package lib\n\nfunc Greet() int { return 1 }\n",
	"main.go":    "package main\n\nimport \"ex.com/shop/lib\"\n\nfunc main() { println(lib.Greet()) }\n",
	"app/one.go": "package app\n\nimport \"ex.com/shop/lib\"\n\nfunc One() int { return lib.Greet() + lib.Greet() }\n",
}

// A load that failed leaves gopls with the open files, of which it answers as if they were all (0.23.0). The first
// answer of a process tells the reason and what mends it, the later ones that it still holds; no edit is applied.
func TestALoadThatFailedMakesNoAnswerComplete(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	session := openWith(t, project(t, greetModule), map[string]string{"GOCACHE": "off"}, "gopls")
	greet := map[string]any{"file_path": "lib/lib.go", "symbol_name": "Greet"}
	a := run(t, session, "find_references", greet)
	w := firstOf(a, "warnings")
	if a["completeness"] != "partial" || w["kind"] != "load_failed" || w["server_id"] != "gopls" ||
		!strings.Contains(w["message"].(string), "build cache is disabled by GOCACHE=off, but required as of Go 1.12") {
		t.Errorf("the first answer: %v", a)
	}
	if step := firstOf(a, "next_steps"); step["kind"] != "config" || !strings.Contains(step["message"].(string),
		"GOCACHE") {
		t.Errorf("the step: %v", step)
	}
	for tool, arguments := range map[string]map[string]any{
		"find_references": greet, "hover": greet, "find_definition": greet,
		"get_diagnostics":          {"file_path": "app/one.go"},
		"search_workspace_symbols": {"query": "One"}, "symbol_bundle": greet,
	} {
		a := run(t, session, tool, arguments)
		if text := fmt.Sprint(a["warnings"], a["next_steps"]); a["completeness"] != "partial" ||
			!strings.Contains(text, "load_failed") ||
			strings.Contains(text, "config") {
			t.Errorf("%s: %v", tool, a)
		}
	}
	if a := run(t, session, "get_server_status", nil); !strings.Contains(fmt.Sprint(firstOf(a, "servers")["index"]),
		"load_failed:build cache is disabled by GOCACHE=off") {
		t.Errorf("the status: %v", a)
	}
	rename := map[string]any{"file_path": "lib/lib.go", "symbol_name": "Greet", "new_name": "Welcome"}
	a = run(t, session, "rename_symbol", rename)
	if a["completeness"] != "partial" || strings.Contains(fmt.Sprint(a["next_steps"]), "Apply") {
		t.Errorf("the preview: %v", a)
	}
	rename["dry_run"], rename["preview_id"] = false, a["preview_id"]
	if a := run(t, session, "rename_symbol", rename); a["ok"] != false || !strings.Contains(fmt.Sprint(a["error"]),
		"load_failed") {
		t.Errorf("applied: %v", a)
	}
	edit := map[string]any{"apply_if_clean": true, "edits": []any{map[string]any{"file_path": "main.go",
		"old_text": "lib.Greet()", "new_text": "lib.Greet() + 1"}}}
	if a := run(t, session, "check_edit", edit); a["applied"] != false ||
		!strings.Contains(fmt.Sprint(a["not_applied"]), "could not load") {
		t.Errorf("check_edit: %v", a)
	}
}

// Without a go command gopls has no project at all. What it refuses then is no matter of go.mod.
func TestALoadWithoutTheGoCommandFailed(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	session := openWith(t, project(t, greetModule), map[string]string{"PATH": t.TempDir()}, "gopls")
	path, err := exec.LookPath("gopls")
	testkit.Must(t, err)
	session.Workspace.Table.Specs[0].Commands = []spec.Command{{Name: path}}
	greet := map[string]any{"file_path": "lib/lib.go", "symbol_name": "Greet"}
	first := run(t, session, "find_references", greet)
	if text := fmt.Sprint(first["error"], first["message"]); first["ok"] != false ||
		!strings.Contains(text, "load_failed") || !strings.Contains(text, "go command required, not found") {
		t.Errorf("the first answer: %v", first)
	}
	if step := firstOf(first, "next_steps"); step["kind"] != "config" || !strings.Contains(fmt.Sprint(step["message"]),
		"go command on PATH") {
		t.Errorf("the step: %v", first["next_steps"])
	}
	for tool, arguments := range map[string]map[string]any{
		"hover": greet, "find_definition": greet, "rename_symbol": {"file_path": "lib/lib.go", "symbol_name": "Greet",
			"new_name": "Welcome"},
		"search_workspace_symbols": {"query": "One"}, "get_diagnostics": {"file_path": "app/one.go"},
		"symbol_bundle": greet,
		"check_edit": {"edits": []any{map[string]any{"file_path": "main.go", "old_text": "lib.Greet()",
			"new_text": "lib.Greet() + 1"}}},
	} {
		a := run(t, session, tool, arguments)
		if text := fmt.Sprint(a["error"], a["warnings"]); a["completeness"] == "complete" ||
			!strings.Contains(text, "load_failed") || strings.Contains(text, "project_broken") {
			t.Errorf("%s: %v", tool, a)
		}
	}
}

// What was mended in the project's files is seen by the next call, whatever gopls itself waits for.
func TestALoadThatIsMendedMakesAnswersCompleteAgain(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, greetModule)
	session := openWith(t, dir, map[string]string{"GOTOOLCHAIN": "local", "GOFLAGS": ""}, "gopls")
	greet := map[string]any{"file_path": "lib/lib.go", "symbol_name": "Greet"}
	whole := func(when string) {
		t.Helper()
		if a := run(t, session, "find_references", greet); a["completeness"] != "complete" || a["total"] != 4.0 {
			t.Errorf("%s: %v", when, a)
		}
	}
	failed := func(when, reason string) {
		t.Helper()
		if a := run(t, session, "find_references", greet); a["completeness"] == "complete" ||
			!strings.Contains(fmt.Sprint(a["error"], a["warnings"]), "load_failed") ||
			!strings.Contains(fmt.Sprint(a), reason) {
			t.Errorf("%s: %v", when, a)
		}
	}
	whole("at first")
	write(t, dir, "go.mod", "module ex.com/shop\n\ngo 1.99\n")
	failed("of a version to come", "go.mod requires go >= 1.99")
	write(t, dir, "go.mod", greetModule["go.mod"])
	whole("when the version is there again")
	write(t, dir, "vendor/modules.txt", "# golang.org/x/mod v0.1.0\n## explicit\ngolang.org/x/mod/module\n")
	write(t, dir, "go.mod", greetModule["go.mod"]+"\n")
	failed("vendored otherwise", "inconsistent vendoring")
	testkit.Must(t, os.RemoveAll(filepath.Join(dir, "vendor")))
	whole("without vendor")
	write(t, dir, "more/go.mod",
		"module ex.com/more\n\ngo 1.99\n\nrequire ex.com/shop v0.0.0\n\nreplace ex.com/shop => ../\n")
	write(t, dir, "more/more.go", "package more\n\nimport \"ex.com/shop/lib\"\n\nvar _ = lib.Greet\n")
	failed("beside a module of a version to come", "1.99")
	testkit.Must(t, os.RemoveAll(filepath.Join(dir, "more")))
	whole("without the other module")
}

// openWith opens a session on dir whose servers have more in their environment.
func openWith(t *testing.T, dir string, variables map[string]string, servers ...string) *session.Session {
	t.Helper()
	session := toolstest.Real(t, dir, servers...)
	for i := range session.Workspace.Table.Specs {
		session.Workspace.Table.Specs[i].Env = variables
	}
	return session
}

// rust-analyzer says in its status that a load or cargo check failed, and the reason to stderr, or behind the parts
// that were said first (1.97.1).
func TestTheReasonOfRustIsTold(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "rust-analyzer")
	cargo := func(more string) string {
		return "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n" + more + "\n"
	}
	dir := project(t, map[string]string{
		"Cargo.toml": cargo("edition = \"2021\"\nrust-version = \"1.999\""),
		"src/lib.rs": "pub mod one;\npub fn greet() -> i32 {\n    1\n}\n",
		"src/one.rs": "pub fn one() -> String {\n    crate::greet()\n}\n",
	})
	session := toolstest.Real(t, dir, "rust-analyzer")
	diagnostics, greet := map[string]any{"file_path": "src/one.rs", "wait": "all"},
		map[string]any{"file_path": "src/lib.rs", "symbol_name": "greet"}
	a := run(t, session, "get_diagnostics", diagnostics)
	if text := fmt.Sprint(a["warnings"]); a["completeness"] != "partial" ||
		!strings.Contains(text, "cargo check could not be run") ||
		!strings.Contains(text, "is not supported by the following packages") ||
		!strings.Contains(text, "Failed to run build scripts of some packages: ") {
		t.Errorf("of a version to come: %v", a)
	}
	write(t, dir, "Cargo.toml", cargo("edition = \"2021\""))
	if a := run(t, session, "get_diagnostics", diagnostics); a["completeness"] != "complete" || a["total"] != 1.0 {
		t.Errorf("mended: %v", a)
	}
	write(t, dir, "Cargo.toml", cargo("edition = \"2099\""))
	a = run(t, session, "find_references", greet)
	if text := fmt.Sprint(a); a["completeness"] == "complete" || !strings.Contains(text, "load_failed") ||
		!strings.Contains(text, "supported edition values are") {
		t.Errorf("of an edition to come: %v", a)
	}
	write(t, dir, "Cargo.toml", cargo("edition = \"2021\""))
	if a := run(t, session, "find_references", greet); a["completeness"] != "complete" || a["total"] != 2.0 {
		t.Errorf("mended: %v", a)
	}
}

// generated is a crate whose build script writes a use of greet.
func generated(script string) map[string]string {
	return map[string]string{
		"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"build.rs":   script,
		"src/lib.rs": "include!(concat!(env!(\"OUT_DIR\"), \"/gen.rs\"));\n\npub fn greet() -> i32 {\n    1\n}\n\npub fn twice() -> i32 {\n    greet() + made()\n}\n\nfn quiet() -> i32 {\n    2\n}\n",
	}
}

const (
	generates = "fn main() {\n    let out = std::path::PathBuf::from(std::env::var_os(\"OUT_DIR\").unwrap()).join(\"gen.rs\");\n" +
		"    std::fs::write(out, \"pub fn made() -> i32 { greet() + quiet() }\\n\").unwrap();\n}\n"
	panics = "fn main() {\n    panic!(\"the generator is not installed\");\n}\n"
)

// Where a build script fails, what it would generate is missing, and no sign of readiness tells of that
// (rust-analyzer 1.97.1). Which names it generates changes with it.
func TestABuildScriptThatFailsIsAFailedLoad(t *testing.T) {
	testkit.Always(t, "rust-analyzer") // TestTheReasonOfRustIsTold has a load that failed
	t.Parallel()
	needServer(t, "rust-analyzer")
	dir := project(t, generated(panics))
	session := toolstest.Real(t, dir, "rust-analyzer")
	greet := map[string]any{"file_path": "src/lib.rs", "symbol_name": "greet"}
	a := run(t, session, "find_references", greet)
	if text := fmt.Sprint(a["warnings"]); a["completeness"] != "partial" || !strings.Contains(text, "load_failed") ||
		!strings.Contains(text, "the generator is not installed") {
		t.Errorf("the first answer: %v", a)
	}
	if step := firstOf(a, "next_steps"); !strings.Contains(fmt.Sprint(step["message"]), "build script") {
		t.Errorf("the step: %v", a["next_steps"])
	}
	rename := map[string]any{"file_path": "src/lib.rs", "symbol_name": "greet", "new_name": "welcome"}
	preview := run(t, session, "rename_symbol", rename)
	rename["dry_run"], rename["preview_id"] = false, preview["preview_id"]
	if a := run(t, session, "rename_symbol", rename); a["ok"] != false || !strings.Contains(fmt.Sprint(a["error"]),
		"load_failed") {
		t.Errorf("applied: %v", a)
	}
	for _, c := range []struct {
		name, script string
		total        float64
	}{
		{"mended", strings.Replace(generates, "greet()", "1", 1), 2},
		{"when the script changed", generates, 3},
	} {
		write(t, dir, "build.rs", c.script)
		if a := run(t, session, "find_references", greet); a["completeness"] != "complete" || a["total"] != c.total {
			t.Errorf("%s: %v", c.name, a)
		}
	}
	// Of what other modules cannot use rust-analyzer lists no uses there.
	quiet := map[string]any{"file_path": "src/lib.rs", "symbol_name": "quiet"}
	if a := run(t, session, "find_references", quiet); a["completeness"] != "complete" || a["total"] != 2.0 {
		t.Errorf("what the module alone can use: %v", a)
	}
}

// Where nobody trusts the workspace, no script is run, and a rename of what one may use is neither offered nor
// applied; one of a name that stands nowhere else is.
func TestARenameOfWhatCodeThatDoesNotRunMayUseIsNotApplied(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "rust-analyzer")
	t.Parallel()
	dir := project(t, generated(generates))
	session := toolstest.Real(t, dir, "rust-analyzer")
	session.Workspace.Table.Specs[0] = session.Workspace.Table.Specs[0].Restricted([]string{session.Workspace.Root})
	for _, c := range []struct {
		name    string
		applied bool
	}{{"greet", false}, {"greet", false}, {"twice", true}} {
		rename := map[string]any{"file_path": "src/lib.rs", "symbol_name": c.name, "new_name": c.name + "_now"}
		a := run(t, session, "rename_symbol", rename)
		if offers := strings.Contains(fmt.Sprint(a["next_steps"]), "preview_id:"); a["ok"] != true ||
			offers != c.applied {
			t.Errorf("the preview of %s: %v", c.name, a)
		}
		if asks := strings.Contains(fmt.Sprint(a["next_steps"]), "Ask the user"); asks == c.applied {
			t.Errorf("the steps of %s: %v", c.name, a["next_steps"])
		}
		rename["dry_run"], rename["preview_id"] = false, a["preview_id"]
		a = run(t, session, "rename_symbol", rename)
		if a["ok"] != c.applied || !c.applied && (!strings.Contains(fmt.Sprint(a["error"]), "reason:restricted") ||
			!strings.Contains(fmt.Sprint(a["next_steps"]), "Ask the user")) {
			t.Errorf("%s was applied: %v, %v", c.name, a["ok"], a)
		}
	}
}
