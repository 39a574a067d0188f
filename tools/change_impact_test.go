//go:build unix

package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// runGit runs git in a folder, as a user does.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := gitCommand(dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// gitCommand is a command of git in a folder, on a machine that has no configuration of git.
func gitCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git",
		append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main", "-c",
			"protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	return cmd
}

// repository is a project whose files are committed.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := project(t, files)
	runGit(t, dir, "init", "-q")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-qm", "one")
	return dir
}

// replaced edits a file on disk.
func replaced(t *testing.T, dir, name, old, text string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	testkit.Must(t, err)
	if !strings.Contains(string(raw), old) {
		t.Fatalf("%s has no %q", name, old)
	}
	testkit.Write(t, filepath.Join(dir, name), strings.Replace(string(raw), old, text, 1))
}

// A change on disk, the commit of it, and the same change as edits lead to the users of what changes and to the
// tests that call it, in each language; the body of a function is told apart, and what is gone is searched by its
// name.
func TestChangeImpact(t *testing.T) {
	for _, c := range []struct {
		server, program string
		files           map[string]string
		file, old, new  string
		want            []string // changed declarations with their uses, then tests
	}{
		{"gopls", "gopls", map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n",
			"lib.go":      "package x\n\nfunc Add(a, b int) int {\n\treturn a + b\n}\n\nfunc other() int { return Add(1, 2) }\n",
			"lib_test.go": "package x\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n"},
			"lib.go", "return a + b", "return b + a",
			[]string{"lib.go:3 function Add, body 2 [lib.go 1: 7:27 func other() int { return Add(1, 2) } lib_test.go 1: 6:5 if Add(1, 2) != 3 {]", "test lib_test.go TestAdd"}},
		{"typescript-language-server", "typescript-language-server",
			map[string]string{"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"strict":true}}`,
				"lib.ts":      "export class Box {\n  size(n: number): number {\n    return n;\n  }\n}\n",
				"use.ts":      "import { Box } from './lib';\nexport const n = new Box().size(1);\n",
				"lib.test.ts": "import { Box } from './lib';\nexport function checks() {\n  return new Box().size(2);\n}\n"},
			"lib.ts", "size(n: number): number", "size(n: number): number | null",
			[]string{"lib.ts:2 method Box.size 2 [lib.test.ts 1: 3:20 return new Box().size(2); use.ts 1: 2:28 export const n = new Box().size(1);]", "test lib.test.ts checks"}},
		{"pyright", "pyright-langserver", map[string]string{"pyrightconfig.json": "{}",
			"lib.py":            "def load(\n    n: int,\n) -> int:\n    return n\n",
			"use.py":            "from lib import load\n\nvalue = load(1)\n",
			"tests/test_lib.py": "from lib import load\n\n\ndef test_load():\n    assert load(1) == 1\n"},
			"lib.py", "    return n\n", "    return n + 0\n",
			[]string{"lib.py:1 function load, body 4 [tests/test_lib.py 2: 1:17 from lib import load use.py 2: 1:17 from lib import load]", "test tests/test_lib.py", "test tests/test_lib.py test_load"}},
		{"rust-analyzer", "rust-analyzer",
			map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"Cargo.lock": "version = 3\n\n[[package]]\nname = \"x\"\nversion = \"0.1.0\"\n",
				"src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\npub fn twice() -> i32 {\n    add(1, 1)\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn adds() {\n        let _ = add(1, 2);\n    }\n}\n"},
			"src/lib.rs", "a: i32, b: i32", "a: i32, c: i32",
			[]string{"src/lib.rs:1 function add 2 [src/lib.rs 2: 6:5 add(1, 1)]", "test src/lib.rs tests::adds"}},
		{"clangd", "clangd", map[string]string{"lib.h": "#pragma once\nint one(int n);\n",
			"lib.cc":      "#include \"lib.h\"\nint one(int n) {\n  return n;\n}\n",
			"use.cc":      "#include \"lib.h\"\nint two() { return one(2); }\n",
			"lib_test.cc": "#include \"lib.h\"\nint check() { return one(3); }\n"},
			"lib.cc", "  return n;", "  return n + 1;",
			[]string{"lib.cc:2 function one, body", "use.cc 1: 2:20", "test lib_test.cc check"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls", "clangd")
			t.Parallel()
			needServer(t, c.program)
			dir := repository(t, c.files)
			if c.server == "clangd" {
				compileCommands(t, dir, "lib.cc", "use.cc", "lib_test.cc")
				runGit(t, dir, "add", "-A")
				runGit(t, dir, "commit", "-qm", "commands")
			}
			session := toolstest.Real(t, dir, c.server)
			check := func(how string, a reply) {
				t.Helper()
				got := impactOf(a)
				testkit.Equal(t, a["completeness"], any("complete"), how, a["warnings"])
				for _, want := range c.want {
					testkit.Holds(t, got, want, how)
				}
			}
			check("edits",
				run(t, session, "change_impact",
					map[string]any{"edits": []map[string]any{{"file_path": c.file, "old_text": c.old,
						"new_text": c.new}}}))
			a := run(t, session, "change_impact", nil)
			testkit.Equal(t, fmt.Sprint(a["changed"], a["completeness"]), "[]complete", "nothing has changed")
			replaced(t, dir, c.file, c.old, c.new)
			check("on disk", run(t, session, "change_impact", nil))
			runGit(t, dir, "commit", "-qam", "two")
			check("a range", run(t, session, "change_impact", map[string]any{"revision": "HEAD~1..HEAD"}))
			testkit.Equal(t, impactOf(run(t, session, "change_impact", nil)), "")
		})
	}
}

// What a repository may hold besides sources that changed is told, and what git would run of it is not run: nothing
// is written.
func TestChangeImpactOfARepository(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := repository(t, map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n",
		".gitattributes": "*.go filter=evil diff=evil\n", "logo.png": "a\x00b", "notes.odd": "one\n",
		"a.go": "package x\n\nfunc Old() int { return 1 }\n\nvar (\n\tLeft = 1\n)\n",
		"b.go": "package x\n\nvar N = Old()\n", "moved.go": "package x\n\nfunc Moved() int { return Left }\n"})
	ran := filepath.Join(t.TempDir(), "ran")
	evil := "touch " + ran + "; cat"
	for key, value := range map[string]string{"core.fsmonitor": evil, "filter.evil.clean": evil,
		"filter.evil.smudge": evil, "filter.evil.required": "true",
		"diff.evil.textconv": evil, "diff.evil.command": evil, "diff.external": evil, "core.pager": evil,
		"core.hooksPath": filepath.Dir(ran)} {
		runGit(t, dir, "config", key, value)
	}
	replaced(t, dir, "a.go", "Old()", "New()")
	testkit.Write(t, filepath.Join(dir, "logo.png"), "a\x00c")
	testkit.Write(t, filepath.Join(dir, "notes.odd"), "two\n")
	testkit.Write(t, filepath.Join(dir, "fresh.go"),
		"package x\n\nfunc Fresh() int { return Left }\n\nvar F = Fresh()\n")
	testkit.Must(t, os.Rename(filepath.Join(dir, "moved.go"), filepath.Join(dir, "there.go")))
	index, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	testkit.Must(t, err)

	session := toolstest.Real(t, dir, "gopls")
	a := run(t, session, "change_impact", nil)
	if _, err := os.Stat(ran); err == nil {
		t.Error("git ran what the configuration of the repository names")
	}
	after, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	testkit.Must(t, err)
	testkit.Equal(t, string(after), string(index), "the index")
	testkit.Equal(t, fmt.Sprint(a["gone"]),
		"[map[file_path:a.go mentions:[b.go] name:Old] map[file_path:moved.go mentions:[there.go] name:Moved]]")
	testkit.Equal(t, a["completeness"], any("partial"))
	for _, want := range []string{"a.go:3 function New 0 []",
		"fresh.go:3 function Fresh 1 [fresh.go 1: 5:9 var F = Fresh()]"} {
		testkit.Holds(t, impactOf(a), want)
	}
	for _, want := range []string{"logo.png: ", "notes.odd: no language server"} {
		testkit.Holds(t, fmt.Sprint(a["not_followed"]), want)
	}
	testkit.Holds(t, fmt.Sprint(a["next_steps"]), "get_diagnostics")

	reason := func(a reply) string {
		return fmt.Sprint(a["error"].(map[string]any)["data"].(map[string]any)["lspi_error"].(map[string]any)["reason"])
	}
	testkit.Equal(t, reason(run(t, session, "change_impact", map[string]any{"revision": "nosuch"})), "revision")
	run(t, session, "change_impact", map[string]any{"revision": "--output=" + ran})
	if _, err := os.Stat(ran); err == nil {
		t.Error("a revision was taken for an option")
	}
	wrong := run(t, session, "change_impact", map[string]any{"range": "HEAD~1..HEAD"})
	testkit.Holds(t, fmt.Sprint(wrong["error"]), `unknown argument "range": did you mean revision?`)
	testkit.Holds(t, fmt.Sprint(wrong["next_steps"]), "arguments:map[revision:HEAD~1..HEAD]")
	plain := toolstest.Real(t,
		project(t, map[string]string{"go.mod": "module example.com/y\n\ngo 1.24\n", "y.go": "package y\n"}), "gopls")
	testkit.Equal(t, reason(run(t, plain, "change_impact", nil)), "not_a_repository")

	// What the index says changes nothing: a file that has another path there is one that is gone, and one that came.
	runGit(t, dir, "-c", "filter.evil.clean=cat", "add", "-A")
	staged := run(t, session, "change_impact", nil)
	testkit.Equal(t, fmt.Sprint(staged["gone"]), fmt.Sprint(a["gone"]), "staged")
	testkit.Holds(t, impactOf(staged), "there.go:3 function Moved")
}

// A change with more declarations than one answer has is continued where it stopped, each once; a file in the
// middle of a merge and a submodule are named.
func TestChangeImpactGoesOn(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	files := map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n", "c.go": "package x\n\nvar C = 1\n"}
	for n := range 120 {
		files[fmt.Sprintf("f%03d.go", n)] = fmt.Sprintf("package x\n\nfunc F%d() int {\n\treturn 1\n}\n", n)
	}
	dir := repository(t, files)
	sub := repository(t, map[string]string{"s.txt": "s"})
	runGit(t, dir, "submodule", "--quiet", "add", sub, "sub")
	runGit(t, dir, "commit", "-qm", "sub")
	runGit(t, dir, "checkout", "-q", "-b", "topic")
	replaced(t, dir, "c.go", "= 1", "= 2")
	runGit(t, dir, "commit", "-qam", "topic")
	runGit(t, dir, "checkout", "-q", "-")
	replaced(t, dir, "c.go", "= 1", "= 3")
	runGit(t, dir, "commit", "-qam", "main")
	_ = gitCommand(dir, "merge", "-q", "topic").Run() // the conflict is what is wanted
	runGit(t, filepath.Join(dir, "sub"), "commit", "-q", "--allow-empty", "-m", "two")
	for n := range 120 {
		replaced(t, dir, fmt.Sprintf("f%03d.go", n), "return 1", "return 2")
	}
	session := toolstest.Real(t, dir, "gopls")
	seen, arguments := map[string]bool{}, map[string]any{}
	for range 5 {
		a := run(t, session, "change_impact", arguments)
		for _, d := range itemsOf(a["changed"]) {
			name := fmt.Sprint(d.(map[string]any)["declaration"])
			if seen[name] {
				t.Errorf("%s is told twice", name)
			}
			seen[name] = true
		}
		if len(arguments) == 0 {
			testkit.Holds(t, fmt.Sprint(a["not_followed"]), "c.go: unmerged")
			testkit.Equal(t, fmt.Sprint(a["truncated"], a["completeness"]), "truepartial")
		}
		arguments = nil
		for _, step := range itemsOf(a["next_steps"]) {
			if one := step.(map[string]any); one["tool"] == "change_impact" {
				arguments, _ = one["arguments"].(map[string]any)
			}
		}
		if arguments == nil {
			testkit.Holds(t, fmt.Sprint(a["not_followed"]), "sub: submodule")
			break
		}
	}
	testkit.Equal(t, len(seen), 120)
}

// impactOf has a line for each changed declaration, and for each test.
func impactOf(a reply) string {
	var out []string
	for _, d := range itemsOf(a["changed"]) {
		one := d.(map[string]any)
		out = append(out, fmt.Sprint(one["declaration"], " ", one["uses"], " ", one["files"]))
	}
	for _, test := range itemsOf(a["tests"]) {
		out = append(out, fmt.Sprint("test ", test))
	}
	return strings.Join(out, "\n")
}

func itemsOf(v any) []any {
	out, _ := v.([]any)
	return out
}

// A server that checks open files says nothing of those that use the file: what the file changed for them since the
// last commit is pending, and who waits for all has their errors. The body of a function, and what no other file
// names, leave nothing pending.
func TestErrorsOfUsersAtAServerOfOpenFiles(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range []struct {
		server, program         string
		files                   map[string]string
		file, body, changedBody string
		heads                   [][2]string // edits that users notice
		user                    string
	}{
		{"typescript-language-server", "typescript-language-server",
			map[string]string{"tsconfig.json": `{"compilerOptions":{"strict":true}}`,
				"lib.ts": "export function one(n: number): number {\n  return n;\n}\n",
				"use.ts": "import { one } from './lib';\nexport const n = one(1);\n",
				"far.ts": "export const far = 1;\n"},
			"lib.ts", "return n;", "return n + 0;", [][2]string{{"one(n: number)", "one(n: number, m: number)"},
				{"one(", "two("}}, "use.ts"},
		{"pyright", "pyright-langserver", map[string]string{"pyrightconfig.json": "{}",
			"lib.py": "class Box:\n    def __init__(self, n: int) -> None:\n        self.n = n\n",
			"use.py": "import lib\n\nvalue = lib.Box(1)\n", "far.py": "far: int = 1\n"},
			"lib.py", "self.n = n", "self.n = n + 0", [][2]string{{"n: int", "n: int, m: int"}, {"Box", "Crate"}},
			"use.py"},
		{"clangd", "clangd", map[string]string{"lib.h": "#pragma once\ninline int one(int n) {\n  return n;\n}\n",
			"use.cc": "#include \"lib.h\"\nint use() { return one(1); }\n",
			"far.cc": "int far() { return 1; }\n"}, "lib.h", "return n;", "return n + 0;",
			[][2]string{{"one(int n)", "one(int n, int m)"}, {"one(", "two("}}, "use.cc"},
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
			replaced(t, dir, c.file, c.body, c.changedBody)
			testkit.Equal(t, errorsOf(t, env, c.file, ""), "0 complete", "the body of a function")
			for _, head := range c.heads {
				replaced(t, dir, c.file, head[0], head[1])
				a := run(t, env, "get_diagnostics", map[string]any{"file_path": c.file})
				testkit.Equal(t, fmt.Sprint(a["total"], " ", a["pending"]),
					fmt.Sprintf("0 [map[files:[%s] server_id:%s stage:users]]", c.user, c.server), head[1])
				all := run(t, env, "get_diagnostics", map[string]any{"file_path": c.file, "wait": "all"})
				found := fmt.Sprint(all["files"])
				if all["total"] == 0.0 || all["pending"] != nil || !strings.Contains(found, "file_path:"+c.user) ||
					strings.Contains(found, "far.") {
					t.Errorf("the errors of %s behind %s: %v", c.user, head[1], all)
				}
				replaced(t, dir, c.file, head[1], head[0])
			}
			testkit.Equal(t, errorsOf(t, env, c.file, "all"), "0 complete", "mended")
		})
	}
}

// A file that was only taken out of the index is compared with the commit: nothing of it is gone.
func TestChangeImpactOfAFileOutOfTheIndex(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	dir := repository(t, map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n",
		"a.go": "package x\n\nfunc Kept() int { return 1 }\n\nfunc Other() int { return Kept() }\n"})
	runGit(t, dir, "rm", "-q", "--cached", "a.go")
	session := toolstest.Real(t, dir, "gopls")
	a := run(t, session, "change_impact", nil)
	testkit.Equal(t, fmt.Sprint(a["changed"], a["gone"], a["completeness"]), "[] <nil>complete")
}
