package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/workspace"
)

// clangd indexes what it can make out in a file that does not compile, says so on stderr alone, and does not look at the file
// again as long as its text is the same, whatever process asks (22.1.8). The name may stand in it where nobody resolved it.
func TestAFileThatDidNotCompileLimitsWhatItMayHold(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"lib.h":    "#pragma once\nint Greet();\nint Other();\n",
		"lib.cc":   "#include \"lib.h\"\nint Greet() { return 1; }\nint Other() { return 2; }\n",
		"one.cc":   "#include <missing/dep.h>\n#include \"lib.h\"\nint one() { return dep::wrap(Greet()); }\n",
		"wrong.cc": "#include \"lib.h\"\nconst char *wrong = Other();\n",
	})
	var entries []string
	for _, name := range []string{"lib.cc", "one.cc", "wrong.cc"} {
		entries = append(entries, fmt.Sprintf(`{"directory": %q, "file": %q, "arguments": ["clang++", "-I.", "-c", %q]}`, dir, name, name))
	}
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "compile_commands.json"), []byte("["+strings.Join(entries, ",")+"]"), 0o644))
	greet := map[string]any{"file_path": "lib.cc", "symbol_name": "Greet"}
	limited := func(env *workspace.Session, when string) {
		t.Helper()
		for _, tool := range []string{"find_references", "call_hierarchy", "rename_symbol"} {
			arguments := map[string]any{"file_path": "lib.cc", "symbol_name": "Greet"}
			if tool == "rename_symbol" {
				arguments["new_name"] = "Welcome"
			}
			a := run(t, env, tool, arguments)
			if w := firstOf(a, "warnings"); a["completeness"] != "partial" || w["kind"] != "not_compiled" || fmt.Sprint(w["files"], w["line"]) != "[one.cc] 3" {
				t.Errorf("%s, %s: %v", when, tool, a)
			}
		}
	}
	env := sessions.Real(t, dir, "clangd")
	limited(env, "indexed")
	// The error in wrong.cc took nothing from the answer: every place that holds the name is in it.
	if a := run(t, env, "find_references", map[string]any{"file_path": "lib.cc", "symbol_name": "Other"}); a["completeness"] != "complete" || a["total"] != 3.0 {
		t.Errorf("a file with an error that is all known: %v", a)
	}
	env.Close()
	env = sessions.Real(t, dir, "clangd")
	limited(env, "from the index on disk")
	preview := run(t, env, "rename_symbol", map[string]any{"file_path": "lib.cc", "symbol_name": "Greet", "new_name": "Welcome"})
	digests := map[string]any{}
	for _, f := range preview["files"].([]any) {
		digests[f.(map[string]any)["file_path"].(string)] = f.(map[string]any)["before_sha256"]
	}
	if a := run(t, env, "rename_symbol", map[string]any{"file_path": "lib.cc", "symbol_name": "Greet", "new_name": "Welcome", "dry_run": false,
		"expected_before_sha256": digests}); a["ok"] != false || !strings.Contains(fmt.Sprint(a["error"]), "not_compiled") {
		t.Errorf("applied: %v", a)
	}
	testkit.Must(t, os.MkdirAll(filepath.Join(dir, "missing"), 0o755))
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "missing", "dep.h"), []byte("namespace dep { int wrap(int); }\n"), 0o644))
	// The header that comes has the file built anew.
	if a := run(t, env, "find_references", greet); a["completeness"] != "complete" || a["total"] != 3.0 {
		t.Errorf("mended: %v", a)
	}
}

// A part of the index that cannot be read, or is of another version, does not say that its file compiled.
func TestAShardThatCannotBeReadIsNotTakenForCompiled(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"lib.h":  "#pragma once\nint Greet();\nint Other();\n",
		"lib.cc": "#include \"lib.h\"\nint Greet() { return 1; }\nint Other() { return 2; }\n",
		"own.cc": "static int Greet(int n) { return n; }\nint own() { return Greet(1); }\n", // another Greet
	})
	var entries []string
	for _, name := range []string{"lib.cc", "own.cc"} {
		entries = append(entries, fmt.Sprintf(`{"directory": %q, "file": %q, "arguments": ["clang++", "-I.", "-c", %q]}`, dir, name, name))
	}
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "compile_commands.json"), []byte("["+strings.Join(entries, ",")+"]"), 0o644))
	env := sessions.Real(t, dir, "clangd")
	ask := func(when, symbol string, complete bool) {
		t.Helper()
		a := run(t, env, "find_references", map[string]any{"file_path": "lib.cc", "symbol_name": symbol})
		if got := a["completeness"] == "complete"; got != complete || !complete && fmt.Sprint(firstOf(a, "warnings")["files"]) != "[own.cc]" {
			t.Errorf("%s: %v", when, a)
		}
	}
	ask("indexed", "Greet", true)
	shards, _ := filepath.Glob(filepath.Join(filepath.Dir(t.TempDir()), "*/cache/clangd/*/.cache/clangd/index/own.cc.*.idx"))
	if len(shards) != 1 {
		t.Fatalf("shards of own.cc: %v", shards)
	}
	good, err := os.ReadFile(shards[0])
	testkit.Must(t, err)
	for _, c := range []struct {
		name string
		text []byte
	}{
		{"of another version", append(append(append([]byte{}, good[:20]...), good[20]+1), good[21:]...)},
		{"cut off", good[:30]},
		{"empty", nil},
	} {
		testkit.Must(t, os.WriteFile(shards[0], c.text, 0o644))
		ask(c.name, "Greet", false)
		ask(c.name+", of a name that it does not hold", "Other", true)
	}
	testkit.Must(t, os.WriteFile(shards[0], good, 0o644))
	ask("mended", "Greet", true)
}
