//go:build unix

package tools

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/router"
	"lspi/tools/toolstest"
)

// When files change, a document is sent to clangd anew that includes one of them, by whatever way, and no other.
func TestDocumentsAreBuiltAnewThatIncludeAChange(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	outside := t.TempDir()
	write(t, outside, "outer.h", "#pragma once\n#include \"inner.h\"\n")
	const uses = "int used%d() { return make(1); }\n"
	dir := project(t, map[string]string{
		"inner.h": "#pragma once\nint make(int n);\n", "README.md": "text\n", "far.cc": "int far;\n",
		"use.cc":   "#include \"inner.h\"\n" + fmt.Sprintf(uses, 1),
		"macro.cc": "#define WHICH \"inner.h\"\n#include WHICH\n" + fmt.Sprintf(uses, 2),
		"outer.cc": "#include <outer.h>\n" + fmt.Sprintf(uses, 3),
	})
	sources := []string{"far.cc", "macro.cc", "outer.cc", "use.cc"}
	var entries []string
	for _, name := range sources {
		entries = append(entries,
			fmt.Sprintf(`{"directory":%q,"file":%[2]q,"arguments":["clang++","-I.","-I",%[3]q,"-c",%[2]q]}`, dir, name,
				outside))
	}
	write(t, dir, "compile_commands.json", "["+strings.Join(entries, ",\n")+"]")
	f := &traffic{}
	session := toolstest.OpenWith(t, dir, func(o *router.PoolOptions) {
		o.Cache, o.Trace = filepath.Join(t.TempDir(), "cache"), f.trace
	}, toolstest.Catalogue("clangd")...)
	told := func(changed, text string) (names string, errors any) {
		f.take()
		write(t, dir, changed, text)
		counts, _ := run(t, session, "get_diagnostics", map[string]any{"file_paths": sources})["counts"].(map[string]any)
		for _, m := range f.take() {
			names += strings.TrimPrefix(m.method, "textDocument/did") + " " + m.name + "; "
		}
		return names, counts["error"]
	}
	told("README.md", "opens them\n")
	run(t, session, "find_references", map[string]any{"symbol_name": "make"}) // waits for the index
	for _, c := range []struct {
		name, text, told string
		errors           any
	}{
		{"README.md", "other\n", "Close macro.cc; Open macro.cc; ", 0.0}, // nobody knows what a macro names
		{"far.cc", "int further;\n", "Change far.cc; Close macro.cc; Open macro.cc; ", 0.0},
		{"inner.h", "#pragma once\nint make(int n, int m);\n",
			"Change inner.h; Close macro.cc; Open macro.cc; Close outer.cc; Open outer.cc; Close use.cc; Open use.cc; ", 3.0},
		{"far.cc", "int far;\n", "Change far.cc; Close macro.cc; Open macro.cc; ", 3.0},
	} {
		names, errors := told(c.name, c.text)
		testkit.Equal(t, names, c.told, c.name)
		testkit.Equal(t, errors, c.errors, c.name)
	}
}
