package tools

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lspi/catalogue"
	"lspi/internal/testkit/sessions"
	"lspi/pool"
	"lspi/source"
)

// The index stays in the cache, and clangd does not look at the commands that a file was indexed with: those that changed
// between two sessions count all the same.
func TestCommandsThatChangedBetweenSessions(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"f.h":  "#pragma once\nint foo();\n",
		"f.cc": "#include \"f.h\"\nint foo() { return 1; }\n",
		"u.cc": "#include \"f.h\"\n#ifdef USE\nint u() { return foo(); }\n#endif\n",
	})
	cache := filepath.Join(t.TempDir(), "cache")
	for _, session := range []struct{ flags, clangd, want string }{
		{"", "", "f.cc:2 f.h:2"},
		{"-DUSE", "", "f.cc:2 f.h:2 u.cc:3"},
		{"", "", "f.cc:2 f.h:2"},
		{"", "CompileFlags: {Add: [-DUSE]}\n", "f.cc:2 f.h:2 u.cc:3"},
	} {
		write(t, dir, "compile_commands.json", strings.ReplaceAll(database(dir, "f.cc", "u.cc"), "c++ -c", "c++ "+session.flags+" -c"))
		write(t, dir, ".clangd", session.clangd)
		env := sessions.Real(t, dir, "clangd")
		env.Workspace.Pool.Close()
		texts := source.NewCache(8 << 20)
		env.Workspace.Process.Texts, env.Workspace.Pool = texts, pool.New(pool.Options{Launcher: catalogue.Launcher, Table: env.Workspace.Table, Log: env.Workspace.Process.Log, Texts: texts, Cache: cache})
		a := run(t, env, "find_references", map[string]any{"file_path": "f.h", "symbol_name": "foo"})
		equal(t, "references with "+session.flags+session.clangd, fmt.Sprint(lines(a["files"], "references")), session.want)
		env.Close()
	}
}
