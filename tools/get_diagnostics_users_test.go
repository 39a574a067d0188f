//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/toolstest"
)

// What a file had from another one for those who use it, and has not any more, is noticed by them as well.
func TestErrorsOfUsersOfWhatAFilePassedOn(t *testing.T) {
	for _, c := range []struct {
		server, program string
		files           map[string]string
		file, gone      string
		user            string
	}{
		{"typescript-language-server", "typescript-language-server",
			map[string]string{"tsconfig.json": `{"compilerOptions":{"strict":true}}`,
				"lib.ts": "export { one } from './own';\nexport const two = 2;\n",
				"own.ts": "export const one = 1;\n", "use.ts": "import { one } from './lib';\nexport const n = one;\n",
				"far.ts": "export const one = 1;\n"},
			"lib.ts", "export { one } from './own';\n", "use.ts"},
		{"pyright", "pyright-langserver", map[string]string{"pyrightconfig.json": "{}",
			"box/__init__.py": "from .own import one\nfrom .own import two\n",
			"box/own.py":      "one: int = 1\ntwo: int = 2\n", "use.py": "import box\n\nn = box.one\n",
			"far.py": "one: int = 1\n"},
			"box/__init__.py", "from .own import one\n", "use.py"},
		{"clangd", "clangd", map[string]string{"own.h": "#pragma once\ninline int one() { return 1; }\n",
			"lib.h":  "#pragma once\n#include \"own.h\"\ninline int two() { return 2; }\n",
			"use.cc": "#include \"lib.h\"\nint use() { return one(); }\n",
			"far.cc": "static int one() { return 1; }\nint lib() { return one(); }\n"},
			"lib.h", "#include \"own.h\"\n", "use.cc"},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "clangd")
			t.Parallel()
			needServer(t, c.program)
			dir := repository(t, c.files)
			if c.server == "clangd" {
				compileCommands(t, dir, "use.cc", "far.cc")
			}
			env := toolstest.Real(t, dir, c.server)
			testkit.Equal(t, errorsOf(t, env, c.file, ""), "0 complete", "as committed")
			replaced(t, dir, c.file, c.gone, "")
			a := run(t, env, "get_diagnostics", map[string]any{"file_path": c.file})
			testkit.Equal(t, fmt.Sprint(a["total"], " ", a["pending"]),
				fmt.Sprintf("0 [map[files:[%s] server_id:%s stage:users]]", c.user, c.server), c.gone)
			all := run(t, env, "get_diagnostics", map[string]any{"file_path": c.file, "wait": "all"})
			if all["total"] == 0.0 || !strings.Contains(fmt.Sprint(all["files"]), "file_path:"+c.user) {
				t.Errorf("the errors of %s: %v", c.user, all)
			}
		})
	}
}

// That it is not known what a file changed since the last commit is told; where nothing was committed there is
// nothing to know.
func TestUsersOfAnUnknownChangeAreTold(t *testing.T) {
	t.Parallel()
	pull := lsptest.Rule{Method: "textDocument/diagnostic", Actions: []lsptest.Action{{Result: []byte(`{"items":[]}`)}}}
	refused := lsptest.Rule{Method: "textDocument/documentSymbol",
		Actions: []lsptest.Action{{Error: &lsptest.Error{Code: -32603, Message: "no outline"}}}}
	for _, c := range []struct {
		name    string
		rules   []lsptest.Rule
		prepare func(dir string)
		want    string
	}{
		{"known", []lsptest.Rule{pull}, func(string) {}, "complete"},
		{"the server has no outline", []lsptest.Rule{pull, refused}, func(string) {}, "partial"},
		{"git fails", []lsptest.Rule{pull}, func(dir string) {
			testkit.Must(t, os.WriteFile(filepath.Join(dir, ".git", "index"), []byte("no index"), 0o600))
		}, "partial"},
		{"no commit", []lsptest.Rule{pull, refused}, func(dir string) {
			runGit(t, dir, "update-ref", "-d", "HEAD")
		}, "complete"},
		{"no repository", []lsptest.Rule{pull, refused}, func(dir string) {
			testkit.Must(t, os.RemoveAll(filepath.Join(dir, ".git")))
		}, "complete"},
	} {
		dir := repository(t, map[string]string{"a.w": "def A\nuse A\n"})
		testkit.Write(t, filepath.Join(dir, "a.w"), "def A\nuse A A\n")
		c.prepare(dir)
		program := lsptest.NewProgram(t, &lsptest.Script{Language: "words", Rules: c.rules})
		sp := toolstest.Scripted("fake1", program)
		sp.Diagnostics = spec.Diagnostics{Pull: true}
		a := run(t, toolstest.Open(t, dir, sp), "get_diagnostics", map[string]any{"file_path": "a.w"})
		testkit.Equal(t, fmt.Sprint(a["completeness"]), c.want, c.name, a["warnings"])
	}
}

// The files that a server is asked about because they may use what changed are bounded, and those beyond it are told.
func TestUsersBeyondTheBoundAreTold(t *testing.T) {
	t.Parallel()
	const users, asked = 30, 24
	files := map[string]string{"a.w": "def A\n"}
	for i := range users {
		files[fmt.Sprintf("b%02d.w", i)] = "use A\n"
	}
	dir := repository(t, files)
	testkit.Write(t, filepath.Join(dir, "a.w"), "def B\n")
	program := lsptest.NewProgram(t, &lsptest.Script{Language: "words", Rules: []lsptest.Rule{
		{Method: "textDocument/diagnostic", Actions: []lsptest.Action{{Result: []byte(`{"items":[]}`)}}}}})
	sp := toolstest.Scripted("fake1", program)
	sp.Diagnostics = spec.Diagnostics{Pull: true}
	env := toolstest.Open(t, dir, sp)
	for range 2 {
		a := run(t, env, "get_diagnostics", map[string]any{"file_path": "a.w"})
		testkit.Equal(t, fmt.Sprint(a["completeness"], " ", strings.Contains(fmt.Sprint(a["pending"]), "stage:users")),
			"complete true", a["pending"])
	}
	testkit.Equal(t, len(lsptest.Messages(program.Seen(t), "textDocument/diagnostic")), 2,
		"the files that were asked about before anybody waited")
	a := run(t, env, "get_diagnostics", map[string]any{"file_path": "a.w", "wait": "all"})
	testkit.Equal(t, fmt.Sprint(a["completeness"], " ", kinds(a)), "partial coverage_open_files_only", a["warnings"])
	if w := fmt.Sprint(a["warnings"]); !strings.Contains(w, fmt.Sprintf("the named files and %d that hold", asked)) ||
		!strings.Contains(w, fmt.Sprintf("not %d more", users-asked)) {
		t.Error(w)
	}
	testkit.Equal(t, len(lsptest.Messages(program.Seen(t), "textDocument/diagnostic")), 3+asked, "with those who wait")
}

// What differs from the last commit is checked first, then what uses that.
func TestDiagnosticsOfWhatChangedFirst(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{"a.w": "def A\n", "b.w": "def B\n", "c.w": "use d\n", "d.w": "def D\n"})
	write(t, dir, "d.w", "def D2\n")
	for _, name := range []string{"c.w", "d.w"} { // no time of a file tells
		old := time.Now().Add(-time.Hour)
		testkit.Must(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	program := lsptest.NewProgram(t, &lsptest.Script{Language: "words", Rules: []lsptest.Rule{
		{Method: "textDocument/diagnostic", Actions: []lsptest.Action{{Result: []byte(`{"items":[]}`)}}}}})
	sp := toolstest.Scripted("fake1", program)
	sp.Diagnostics = spec.Diagnostics{Pull: true, Imports: strings.Fields}
	wantFound(t, run(t, toolstest.Open(t, dir, sp), "get_diagnostics", map[string]any{}), "complete", "")
	var opened []string
	for _, m := range lsptest.Messages(program.Seen(t), "textDocument/didOpen") {
		_, name, _ := strings.Cut(string(m.Params), filepath.Base(dir)+"/")
		opened = append(opened, name[:3])
	}
	d, c, b := slices.Index(opened, "d.w"), slices.Index(opened, "c.w"), slices.Index(opened, "b.w")
	if d < 0 || d > c || c > b {
		t.Errorf("opened %v", opened)
	}
}
