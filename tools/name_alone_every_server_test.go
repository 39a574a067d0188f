package tools

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// Whoever installs one more server makes no other language worse: a question by name alone is answered the same with
// one server and with every server of the catalogue there.
func TestNameAloneWithEveryServer(t *testing.T) {
	t.Parallel()
	for server, files := range map[string]map[string]string{
		"gopls": {"go.mod": "module ex.com/m\n\ngo 1.24\n",
			"main.go": "package main\n\nfunc twice(n int) int { return n * 2 }\n\nfunc main() { println(twice(2)) }\n"},
		"clangd": {"compile_commands.json": `[{"directory":"DIR","file":"a.c","arguments":["cc","-c","a.c"]}]`,
			"a.c": "static int twice(int n) { return n * 2; }\nint main(void) { return twice(2); }\n"},
		"rust-analyzer": {"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"src/main.rs": "fn twice(n: i32) -> i32 { n * 2 }\nfn main() { println!(\"{}\", twice(2)); }\n"},
		"typescript-language-server": {"tsconfig.json": "{}", "package.json": "{}",
			"a.ts": "export function twice(n: number) { return n * 2; }\ntwice(2);\n"},
		"pyright": {"pyproject.toml": "[project]\nname = \"m\"\nversion = \"0\"\n",
			"m.py": "def twice(n: int) -> int:\n    return n * 2\n\n\ntwice(2)\n"},
	} {
		t.Run(server, func(t *testing.T) {
			testkit.Always(t, server, "gopls", "typescript-language-server")
			t.Parallel()
			needServer(t, server)
			dir := project(t, files)
			if text, ok := files["compile_commands.json"]; ok {
				testkit.Write(t, filepath.Join(dir, "compile_commands.json"), strings.ReplaceAll(text, "DIR", dir))
			}
			others := lsptest.NewProgram(t, &lsptest.Script{})
			specs := servers.Servers()
			for i := range specs {
				if s := &specs[i]; s.ID == server {
					s.Env = testkit.ServerEnv(server)
				} else {
					s.Commands = []spec.Command{{Name: others.Path, Args: []string{others.Script}}}
					s.Env = others.Env
				}
			}
			one := slices.DeleteFunc(slices.Clone(specs), func(s spec.Spec) bool { return s.ID != server })
			open := func(specs []spec.Spec) *session.Session {
				return toolstest.OpenWith(t, dir, func(o *router.PoolOptions) {
					o.Cache = filepath.Join(t.TempDir(), "cache")
				}, specs...)
			}
			alone, all := open(one), open(specs)
			for _, tool := range []string{"find_references", "find_definition", "hover", "call_hierarchy",
				"rename_symbol"} {
				arguments := map[string]any{"symbol_name": "twice"}
				if tool == "rename_symbol" {
					arguments["new_name"] = "twofold"
				}
				want, got := run(t, alone, tool, arguments), run(t, all, tool, arguments)
				for _, a := range []map[string]any{want, got} {
					delete(a, "preview_id")
				}
				was, _ := json.Marshal(want)
				is, _ := json.Marshal(got)
				testkit.Equal(t, string(is), string(was), fmt.Sprint(server, " ", tool))
				testkit.Equal(t, want["completeness"], any("complete"), tool, string(was))
			}
		})
	}
}
