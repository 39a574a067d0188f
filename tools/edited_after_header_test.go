package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A source is edited after a header that it includes has changed, which another question told the server of: its
// diagnostics are those with the header as it is.
func TestDiagnosticsOfASourceEditedAfterItsHeader(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{"inner.h": "#pragma once\nint make(int n);\n",
		"use.cc": "#include \"inner.h\"\nint used() { return make(1); }\n", "far.cc": "int far;\n"})
	compileCommands(t, dir, "use.cc", "far.cc")
	env := toolstest.Real(t, dir, "clangd")
	write := func(name, text string) { testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)) }
	ask := func(name string) reply { return run(t, env, "get_diagnostics", map[string]any{"file_path": name}) }
	for n := range 5 {
		write("inner.h", "#pragma once\nint make(int n);\n")
		ask("use.cc")
		write("inner.h", "#pragma once\nint make(int n, int m);\n")
		ask("far.cc")
		write("use.cc", "#include \"inner.h\"\nint used() { return make(1); }\n"+strings.Repeat("\n", n+1))
		a := ask("use.cc")
		if counts, _ := a["counts"].(map[string]any); counts["error"] != 1.0 {
			t.Fatalf("round %d: %v", n, a)
		}
	}
}

// Edits of a header that come while clangd still builds the documents that include it leave it able to build them.
func TestHeaderEditedWhileItsDocumentsAreBuilt(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{"inner.h": "#pragma once\nint make(int n);\n"}
	var sources []string
	for n := range 3 * runtime.NumCPU() { // more than workers
		name := fmt.Sprintf("use%d.cc", n)
		files[name] = "#include <map>\n#include <string>\n#include \"inner.h\"\nint used() { return make(1); }\n"
		sources = append(sources, name)
	}
	dir := project(t, files)
	compileCommands(t, dir, sources...)
	env := toolstest.Real(t, dir, "clangd")
	for n := range testkit.Times(1, 3) {
		write(t, dir, "inner.h", "#pragma once\nint make(int n);\n"+strings.Repeat("\n", n+1))
		run(t, env, "get_diagnostics", map[string]any{"file_paths": sources, "wait_ms": 600})
	}
	write(t, dir, "inner.h", "#pragma once\nint make(int n, int m);\n")
	a := run(t, env, "get_diagnostics", map[string]any{"file_path": sources[0], "wait": "all"})
	if counts, _ := a["counts"].(map[string]any); counts["error"] != 1.0 {
		t.Errorf("%v", a)
	}
}
