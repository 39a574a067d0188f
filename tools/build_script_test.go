package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// generated is a crate whose build script writes a use of greet.
func generated(script string) map[string]string {
	return map[string]string{
		"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"build.rs":   script,
		"src/lib.rs": "include!(concat!(env!(\"OUT_DIR\"), \"/gen.rs\"));\n\npub fn greet() -> i32 {\n    1\n}\n\npub fn twice() -> i32 {\n    greet() + made()\n}\n",
	}
}

const (
	generates = "fn main() {\n    let out = std::path::PathBuf::from(std::env::var_os(\"OUT_DIR\").unwrap()).join(\"gen.rs\");\n" +
		"    std::fs::write(out, \"pub fn made() -> i32 { greet() }\\n\").unwrap();\n}\n"
	panics = "fn main() {\n    panic!(\"the generator is not installed\");\n}\n"
)

// Where a build script fails, what it would generate is missing, and no sign of readiness tells of that (rust-analyzer 1.97.1).
// Which names it generates changes with it.
func TestABuildScriptThatFailsIsAFailedLoad(t *testing.T) {
	t.Parallel()
	needServer(t, "rust-analyzer")
	dir := project(t, generated(panics))
	env := sessions.Real(t, dir, "rust-analyzer")
	greet := map[string]any{"file_path": "src/lib.rs", "symbol_name": "greet"}
	a := run(t, env, "find_references", greet)
	if text := fmt.Sprint(a["warnings"]); a["completeness"] != "partial" || !strings.Contains(text, "load_failed") || !strings.Contains(text, "the generator is not installed") {
		t.Errorf("the first answer: %v", a)
	}
	if step := firstOf(a, "next_steps"); !strings.Contains(fmt.Sprint(step["message"]), "build script") {
		t.Errorf("the step: %v", a["next_steps"])
	}
	rename := map[string]any{"file_path": "src/lib.rs", "symbol_name": "greet", "new_name": "welcome"}
	preview := run(t, env, "rename_symbol", rename)
	rename["dry_run"], rename["expected_before_sha256"] = false, map[string]any{"src/lib.rs": firstOf(preview, "files")["before_sha256"]}
	if a := run(t, env, "rename_symbol", rename); a["ok"] != false || !strings.Contains(fmt.Sprint(a["error"]), "load_failed") {
		t.Errorf("applied: %v", a)
	}
	for _, c := range []struct {
		name, script string
		total        float64
	}{
		{"mended", strings.Replace(generates, "greet()", "1", 1), 2},
		{"when the script changed", generates, 3},
	} {
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "build.rs"), []byte(c.script), 0o644))
		if a := run(t, env, "find_references", greet); a["completeness"] != "complete" || a["total"] != c.total {
			t.Errorf("%s: %v", c.name, a)
		}
	}
}

// Where nobody trusts the workspace, no script is run, and a rename of what one may use is neither offered nor applied; one of a
// name that stands nowhere else is.
func TestARenameOfWhatCodeThatDoesNotRunMayUseIsNotApplied(t *testing.T) {
	needServer(t, "rust-analyzer")
	t.Parallel()
	dir := project(t, generated(generates))
	env := sessions.Real(t, dir, "rust-analyzer")
	env.Workspace.Table.Specs[0] = env.Workspace.Table.Specs[0].Restricted([]string{env.Workspace.Root})
	for _, c := range []struct {
		name    string
		applied bool
	}{{"greet", false}, {"greet", false}, {"twice", true}} {
		rename := map[string]any{"file_path": "src/lib.rs", "symbol_name": c.name, "new_name": c.name + "_now"}
		a := run(t, env, "rename_symbol", rename)
		if offers := strings.Contains(fmt.Sprint(a["next_steps"]), "expected_before_sha256:map["); a["ok"] != true || offers != c.applied {
			t.Errorf("the preview of %s: %v", c.name, a)
		}
		if asks := strings.Contains(fmt.Sprint(a["next_steps"]), "Ask the user"); asks == c.applied {
			t.Errorf("the steps of %s: %v", c.name, a["next_steps"])
		}
		rename["dry_run"], rename["expected_before_sha256"] = false, map[string]any{"src/lib.rs": firstOf(a, "files")["before_sha256"]}
		a = run(t, env, "rename_symbol", rename)
		if a["ok"] != c.applied || !c.applied && (!strings.Contains(fmt.Sprint(a["error"]), "reason:restricted") ||
			!strings.Contains(fmt.Sprint(a["next_steps"]), "Ask the user")) {
			t.Errorf("%s was applied: %v, %v", c.name, a["ok"], a)
		}
	}
}
