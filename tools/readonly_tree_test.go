//go:build unix

package tools

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// readTree is a project whose tree no reading tool may change.
type readTree struct {
	name    string
	servers []string // rows of the catalogue; the first has to be installed
	program string   // of the first
	files   map[string]string
	corpus  string // instead of files
	file    string
	symbol  string
	old     string // a text in file, and what it is tried to be replaced by
	new     string
	// nil, or what the go command and the like find in the environment of the servers
	env  func(t *testing.T) map[string]string
	more func(t *testing.T, session *session.Session, call func(tool string, arguments map[string]any) reply)
}

var crate = func(name, more string) string {
	return "[package]\nname = \"" + name + "\"\nversion = \"0.1.0\"\nedition = \"2021\"\n" + more
}

// readTrees are small, and have each what made a server write: lock files that are missing or do not fit, modules
// without their sums, a database that is indexed.
var readTrees = []readTree{
	{name: "rust", servers: []string{"rust-analyzer", "taplo"}, program: "rust-analyzer", file: "src/lib.rs",
		symbol: "g", old: "dep::f()", new: "dep::none()",
		files: map[string]string{
			".gitignore":            "target/\n",
			"Cargo.toml":            crate("top", "[dependencies]\ndep = { path = \"dep\" }\n"),
			"Cargo.lock":            "version = 4\n\n[[package]]\nname = \"dep\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"top\"\nversion = \"0.1.0\"\ndependencies = [\n \"dep\",\n]\n",
			"src/lib.rs":            "pub fn g() -> i32 {\n    dep::f()\n}\n\nfn unused() {}\n",
			"dep/Cargo.toml":        crate("dep", ""),
			"dep/src/lib.rs":        "pub fn f() -> i32 {\n    1\n}\n",
			"fuzz/Cargo.toml":       crate("fuzz", "[workspace]\n[dependencies]\ntop = { path = \"..\" }\n"),
			"fuzz/Cargo.lock":       "version = 4\n\n[[package]]\nname = \"fuzz\"\nversion = \"0.0.9\"\n",
			"fuzz/src/main.rs":      "fn main() {\n    top::g();\n}\n",
			"testdata/t/Cargo.toml": crate("t", "[workspace]\n"),
			"testdata/t/src/lib.rs": "pub fn broken() -> i32 {\n    \"\"\n}\n",
		},
		more: nestedCrates},
	{name: "go", servers: []string{"gopls"}, program: "gopls", file: "a/a.go", symbol: "Foo", old: "return 1",
		new: "return \"\"",
		files: map[string]string{
			// golang.org/x/mod is in the module cache of whoever builds lspi; go.sum lacks it.
			"go.mod":   "module ex.com/m\n\ngo 1.24\n\nrequire golang.org/x/mod v0.36.0\n",
			"a/a.go":   "package a\n\nimport \"golang.org/x/mod/semver\"\n\n// Foo is one.\nfunc Foo() int {\n\t_ = semver.IsValid(\"v1\")\n\treturn 1\n}\n",
			"b/b.go":   "package b\n\nimport \"ex.com/m/a\"\n\nvar B = a.Foo()\n",
			"n/go.mod": "module ex.com/n\n\ngo 1.24\n\nrequire ex.com/m v0.0.0\n\nreplace ex.com/m => ../\n",
			"n/n.go":   "package n\n\nimport \"ex.com/m/a\"\n\nvar N = a.Foo()\n",
		}},
	{name: "go.work", servers: []string{"gopls"}, program: "gopls", file: "a/a.go", symbol: "Foo", old: "return 1",
		new: "return \"\"", env: deepModules, files: deepWorkspace(nil)},
	{name: "cpp", servers: []string{"clangd", "neocmakelsp", "cmake-language-server"}, program: "clangd", file: "a.cc",
		symbol: "foo", old: "return 1", new: "return x",
		files: map[string]string{
			"compile_commands.json": `[{"directory":"$DIR","file":"a.cc","command":"clang++ -c a.cc"},{"directory":"$DIR","file":"b.cc","command":"clang++ -c b.cc"}]`,
			"a.h":                   "#pragma once\nint foo();\n",
			"a.cc":                  "#include \"a.h\"\nint foo() { return 1; }\n",
			"b.cc":                  "#include \"a.h\"\nint b() { return foo(); }\n",
		}},
	{name: "ts", servers: []string{"typescript-language-server", "json", "eslint"},
		program: "typescript-language-server", file: "a.ts", symbol: "foo", old: "return 1", new: "return \"\"",
		files: map[string]string{
			"package.json":  `{"name":"t","version":"1.0.0","dependencies":{"lodash":"4"}}`,
			"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"strict":true,"incremental":true,"composite":true,"outDir":"out"}}`,
			"a.ts":          "export function foo(): number {\n  return 1;\n}\n",
			"b.ts":          "import { foo } from \"./a\";\nexport const b = foo();\n",
			"c.js":          "const _ = require(\"lodash\");\nmodule.exports = _.map;\n",
		}},
	{name: "py", servers: []string{"pyright", "ruff", "bash-language-server"}, program: "pyright-langserver",
		file: "a.py", symbol: "foo", old: "return 1", new: "return x",
		files: map[string]string{
			"pyproject.toml": "[project]\nname = \"t\"\nversion = \"1\"\n[tool.ruff.lint]\nselect = [\"F\"]\n",
			"a.py":           "import os\n\ndef foo() -> int:\n    return 1\n",
			"b.py":           "from a import foo\n\nB = foo()\n",
			"s.sh":           "greet() { echo hi; }\ngreet\n",
		}},
}

// corpora are the real projects, of scripts/servers.sh.
var readCorpora = []readTree{
	{name: "x-tools", servers: []string{"gopls"}, program: "gopls", file: "go/packages/packages.go", symbol: "Load",
		old: "package packages", new: "package package5"},
	{name: "cobra", servers: []string{"gopls"}, program: "gopls", file: "command.go", symbol: "Execute",
		old: "package cobra", new: "package cobra5"},
	{name: "leveldb", servers: []string{"clangd"}, program: "clangd", file: "db/db_impl.cc", symbol: "BuildBatchGroup",
		old: "namespace leveldb {", new: "namespace leveldb5 {"},
	{name: "regex-syntax", servers: []string{"rust-analyzer"}, program: "rust-analyzer", file: "src/parser.rs",
		symbol: "Parser", old: "use crate::{ast, hir, Error};", new: "use crate::{ast, hir, Error5};"},
	{name: "zod", servers: []string{"typescript-language-server", "eslint", "json"},
		program: "typescript-language-server", file: "src/v4/core/schemas.ts", symbol: "$ZodType"},
	{name: "click", servers: []string{"pyright", "ruff"}, program: "pyright-langserver", file: "click/core.py",
		symbol: "Context", old: "import enum", new: "import enum5"},
}

// No tool that reads changes a file of the tree or leaves one there, and neither does its server, until it has ended.
func TestReadingLeavesTheTree(t *testing.T) {
	testkit.OwnServer(t)
	trees := readTrees
	if os.Getenv("LSPI_TREES") == "all" {
		for _, c := range readCorpora {
			c.corpus = c.name
			trees = append(trees, c)
		}
	}
	for _, c := range trees {
		t.Run(c.name, func(t *testing.T) {
			testkit.Always(t, c.program, "gopls")
			t.Parallel()
			needServer(t, c.program)
			env := map[string]string{}
			if c.env != nil {
				env = c.env(t)
			}
			env["XDG_CACHE_HOME"] = t.TempDir()
			dir := c.make(t)
			before := treeState(t, dir)
			session := toolstest.RealWith(t, dir, env, c.servers...)
			c.readEverything(t, session)
			testkit.Diff(t, treeState(t, dir), before, "while the servers run")
			session.Close()
			testkit.Diff(t, treeState(t, dir), before, "when they have ended")
		})
	}
}

// nestedCrates are asked about when a question is about them only, and then checked as all others are, whatever
// their lock files say.
func nestedCrates(t *testing.T, session *session.Session, call func(tool string, arguments map[string]any) reply) {
	all := call("get_diagnostics", map[string]any{"wait": "all"})
	equal(t, "warnings", strings.Join(all.kinds(), " "), "projects_aside")
	equal(t, "completeness", all["completeness"], any("complete"))
	aside := all["warnings"].([]any)[0].(map[string]any)
	equal(t, "folders", fmt.Sprint(aside["folders"]), "[dep fuzz testdata/t]")
	equal(t, "total", all["total"], any(1.0)) // the unused function, which only cargo check tells
	for _, s := range session.Workspace.Pool.Running() {
		if s.ID() == "rust-analyzer" && s.Root() != session.Workspace.Root {
			t.Errorf("a server runs in %s", s.Root())
		}
	}
	a := call("get_diagnostics", map[string]any{"file_path": "testdata/t/src/lib.rs"})
	equal(t, "without a lock file", fmt.Sprint(a["completeness"], " ", a["total"]), "complete 1")
}

// make is a git repository with everything committed.
func (c readTree) make(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	if c.corpus != "" {
		// With their times: a project that was built has newer outputs than sources.
		if out, err := exec.Command("cp", "-a", testkit.Corpus(t, c.corpus)+"/.", dir).CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, out)
		}
		for _, name := range []string{".git", ".cache", "target"} {
			testkit.Must(t, os.RemoveAll(filepath.Join(dir, name)))
		}
		if raw, err := os.ReadFile(filepath.Join(dir, "compile_commands.json")); err == nil {
			c.files = map[string]string{"compile_commands.json": strings.ReplaceAll(string(raw),
				testkit.Corpus(t, c.corpus), "$DIR")}
		}
	}
	for name, text := range c.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.Must(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "$DIR", dir)), 0o644))
	}
	gitIn(t, dir, "init", "-q", ".")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "commit", "-q",
		"-m", "x")
	return dir
}

func gitIn(t *testing.T, dir string, arguments ...string) string {
	t.Helper()
	c := exec.Command("git", arguments...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_OPTIONAL_LOCKS=0")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", arguments, err, out)
	}
	return string(out)
}

// treeState is what git says of a tree, and the digest and time of every tracked file.
func treeState(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{"git status": gitIn(t, dir, "status", "--ignored", "--porcelain", "--untracked-files=all")}
	for name := range strings.SplitSeq(strings.TrimRight(gitIn(t, dir, "ls-files", "-z"), "\x00"), "\x00") {
		path := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Lstat(path)
		if err != nil {
			out[name] = err.Error()
			continue
		}
		raw, _ := os.ReadFile(path) // of a symbolic link what it leads to
		out[name] = fmt.Sprintf("%x %v %v", sha256.Sum256(raw), info.Mode(), info.ModTime().Format(time.RFC3339Nano))
	}
	return out
}

// readEverything calls every tool that reads or only shows, about the workspace and about a symbol.
func (c readTree) readEverything(t *testing.T, session *session.Session) {
	t.Helper()
	call := func(tool string, arguments map[string]any) reply {
		a := run(t, session, tool, arguments)
		for range 3 { // until it has loaded
			if !strings.Contains(fmt.Sprint(a.kinds()), "indexing") {
				break
			}
			a = run(t, session, tool, arguments)
		}
		if a["ok"] != true {
			kind, _, _ := strings.Cut(a.fault(), " ")
			if !slices.Contains([]string{string(contract.KindRequestUnsupported), string(contract.KindRequestFailed),
				string(contract.KindToolDisabled),
				string(contract.KindInvalidArgument), string(contract.KindNotAnIdentifier)}, kind) {
				t.Errorf("%s %v: %v", tool, arguments, a["message"])
			}
		}
		return a
	}
	call("get_diagnostics", map[string]any{"wait": "all"})
	for _, tool := range All() {
		arguments := map[string]any{}
		takes := func(name string, value any) {
			if tool.Input.Properties[name] != nil {
				arguments[name] = value
			}
		}
		takes("file_path", c.file)
		takes("symbol_name", c.symbol)
		takes("new_name", c.symbol+"5")
		takes("query", c.symbol)
		takes("operation", "insert_before")
		takes("new_text", c.symbol+"5")
		switch tool.Class {
		case answer.Control, answer.Raw:
			continue
		case answer.DryRun:
			if c.old == "" {
				continue
			}
			arguments["edits"] = []map[string]any{{"file_path": c.file, "old_text": c.old, "new_text": c.new}}
		case answer.Write, answer.Navigation, answer.Status:
		}
		if tool.Name == "search_workspace_symbols" {
			delete(arguments, "file_path")
		}
		call(tool.Name, arguments)
	}
	call("get_diagnostics", map[string]any{"wait": "all"})
	if c.more != nil {
		c.more(t, session, call)
	}
}
