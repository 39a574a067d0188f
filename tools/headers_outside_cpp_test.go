package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// clangd looks at a header again only when it is told of something (22.1.8). One that the tree leaves out (what a
// build writes into an ignored folder), one beside the workspace, one that such a header includes, and one that
// comes only later change the diagnostics at once.
func TestHeadersThatTheTreeLeavesOut(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	const good, bad = "#pragma once\nint made(int);\n", "#pragma once\nint other(int);\n"
	for name, include := range map[string]string{"build/gen.h": "gen.h", "build/sub/gen.h": "sub/gen.h",
		"../beside/gen.h": "gen.h", "build/deep.h": "gen.h"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(project(t, map[string]string{"w/.gitignore": "build/\n",
				"w/util.h": fmt.Sprintf("#pragma once\n#include %q\n", include),
				"w/use.cc": "#include \"util.h\"\nint use() { return made(1); }\n", "beside/.keep": ""}), "w")
			command := fmt.Sprintf("clang++ -std=c++20 -Ibuild -I %s -c use.cc",
				filepath.Join(filepath.Dir(dir), "beside"))
			write(t, dir, "compile_commands.json", fmt.Sprintf(`[{"directory":%q,"file":"use.cc","command":%q}]`, dir,
				command))
			if name == "build/deep.h" {
				write(t, dir, "build/gen.h", "#pragma once\n#include \"deep.h\"\n")
			}
			env := toolstest.Real(t, dir, "clangd")
			path := filepath.Join(dir, filepath.FromSlash(name))
			put := func(text string) func() { return func() { testkit.Write(t, path, text) } }
			remove := func() { testkit.Must(t, os.Remove(path)) }
			for i, step := range []struct {
				change func()
				errors string
			}{
				{func() {}, "2"}, // there is no such file, and no such function
				{put(good), "0"},
				{put(bad), "1"},
				{put(good), "0"},
				{remove, "2"},
				{put(good), "0"},
			} {
				step.change()
				got := errorsOf(t, env, "use.cc", "")
				testkit.Holds(t, got, step.errors+" complete", fmt.Sprint("step ", i))
			}
		})
	}
}
