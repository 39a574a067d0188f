package tools

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

func TestMatchesPath(t *testing.T) {
	for _, c := range []struct {
		glob, shown string
		want        bool
	}{
		{"*.go", "a/b/c.go", true}, {"*.go", "c.cpp", false}, {"a/*.go", "a/c.go", true}, {"a/*.go", "a/b/c.go", false},
		{"a/**/*.go", "a/b/c.go", true}, {"a/**", "a/b/c.go", true}, {"a", "a/b/c.go", true}, {"a/", "a/b/c.go", true},
		{"./a", "a/b/c.go", true}, {"b", "a/b/c.go", false}, {"**/b", "a/b/c.go", true}, {"c.go", "a/b/c.go", true},
		{"{a,x}/**", "x/c.go", true}, {"/usr/**", "/usr/lib/c.go", true}, {"ab", "a/b", false},
	} {
		testkit.Equal(t, answer.MatchesPath(c.glob, c.shown), c.want, c.glob, "and", c.shown)
	}
}

// searchScript answers workspace/symbol with symbols "name kind container line[ path]", whatever is asked.
func searchScript(dir string, symbols ...string) string {
	var out []string
	for _, s := range symbols {
		f := strings.Split(s, " ")
		path := dir + "/a.w"
		if len(f) > 4 {
			path = f[4]
		}
		out = append(out,
			fmt.Sprintf(
				`{"name":%q,"kind":%s,"containerName":%q,"location":{"uri":"file://%s","range":{"start":{"line":%s,"character":0},"end":{"line":%s,"character":9}}}}`,
				f[0], f[1], f[2], path, f[3], f[3]))
	}
	return `{"language":"words","rules":[{"method":"workspace/symbol","actions":[{"result":[` +
		strings.Join(out, ",") + `]}]}]}`
}

// foundNames are the symbols of an answer as "name@path:line".
func foundNames(a reply) string {
	var out []string
	list, _ := a["symbols"].([]any)
	for _, s := range list {
		f := strings.SplitN(s.(string), " ", 3)
		name, _, _ := strings.Cut(f[2], ": ")
		out = append(out, name+"@"+f[0])
	}
	return strings.Join(out, " ")
}

func TestSearchWorkspaceSymbols(t *testing.T) {
	outside := project(t, map[string]string{"dep.w": "Draw\n"})
	dir := project(t, map[string]string{"a.w": "one\ntwo\nthree\nfour\nfive\n", "sub/b.w": "draw\n"})
	session := toolstest.Open(t, dir, toolstest.Fake(t, "words", searchScript(dir,
		"Drawer 5  0", "redraw 12 T 1", "Draw 6 Widget 2", "draw 12  3", "dxrxaxw 12  4", "draw 6 Box 0 "+dir+
			"/sub/b.w",
		"Draw 12 dep 0 "+outside+"/dep.w", "Only 12 dep 0 "+outside+"/dep.w", "draw 12  3", "gone 12  0 "+dir+
			"/gone.w"), func(s *spec.Spec) {
		s.Sources = &spec.Sources{Folders: []string{outside}}
	}))
	dep := outside + "/dep.w"
	for _, c := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{"query": "draw"},
			"draw@a.w:4 Box.draw@sub/b.w:1 Widget.Draw@a.w:3 Drawer@a.w:1 T.redraw@a.w:2"},
		{map[string]any{"query": "Box.draw"},
			"Box.draw@sub/b.w:1 Widget.Draw@a.w:3 draw@a.w:4 Drawer@a.w:1 T.redraw@a.w:2"},
		{map[string]any{"query": "draw", "match": "exact"}, "draw@a.w:4 Box.draw@sub/b.w:1"},
		{map[string]any{"query": "Box::draw", "match": "exact"}, "Box.draw@sub/b.w:1"},
		{map[string]any{"query": "b.draw", "match": "exact"}, ""},
		{map[string]any{"query": "sub/b/Box/draw", "match": "exact"}, "Box.draw@sub/b.w:1"},
		{map[string]any{"query": "^[DT]", "match": "regex"}, "Drawer@a.w:1 T.redraw@a.w:2 Widget.Draw@a.w:3"},
		{map[string]any{"query": "t::Draw|et.Draw", "match": "regex"}, "Widget.Draw@a.w:3"},
		{map[string]any{"query": "draw", "kinds": []string{"method", "class"}},
			"Box.draw@sub/b.w:1 Widget.Draw@a.w:3 Drawer@a.w:1"},
		{map[string]any{"query": "draw", "path": "sub"}, "Box.draw@sub/b.w:1"},
		{map[string]any{"query": "Only", "match": "exact"}, "dep.Only@" + dep + ":1"},
		{map[string]any{"query": "draw", "path": outside}, "dep.Draw@" + dep + ":1"},
		{map[string]any{"query": "draw", "file_path": "a.w", "path": "sub"}, "Box.draw@sub/b.w:1"},
		{map[string]any{"query": "draw", "server_id": "words", "path": "sub"}, "Box.draw@sub/b.w:1"},
		{map[string]any{"query": "draw", "max_results": 2, "offset": 1}, "Box.draw@sub/b.w:1 Widget.Draw@a.w:3"},
		{map[string]any{"query": "draw", "offset": 99}, ""},
	} {
		equal(t, fmt.Sprint(c.arguments), foundNames(run(t, session, "search_workspace_symbols", c.arguments)), c.want)
	}
	// A dependency that an answer named may be asked about.
	a := run(t, session, "get_document_symbols", map[string]any{"file_path": dep})
	equal(t, "dependency", a["ok"], any(true))
}

func TestSearchWorkspaceSymbolsRefuses(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def one\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	for _, arguments := range []map[string]any{
		{"query": ""}, {"query": "  "}, {"query": "", "match": "regex"}, {"query": "", "match": "exact"},
		{"query": "::"}, {"query": "("}, {"query": "x", "kinds": []string{"clas"}}, {"query": "x", "path": "[a"},
		{"query": "x", "server_id": "wordz"}, {"query": "x", "server_id": "words", "file_path": "a.w"},
		{"query": "x", "max_results": 0}, {},
	} {
		if _, there := arguments["query"]; there && arguments["query"] == "(" {
			arguments["match"] = "regex"
		}
		a := run(t, session, "search_workspace_symbols", arguments)
		if a["ok"] == true || a["error"].(map[string]any)["kind"] != "invalid_params" ||
			len(a["next_steps"].([]any)) == 0 {
			t.Errorf("%v: %v", arguments, a)
		}
	}
}

func TestSearchWorkspaceSymbolsPages(t *testing.T) {
	var text strings.Builder
	var want []string
	for i := range 60 {
		fmt.Fprintf(&text, "def name%02d\n", i)
		want = append(want, fmt.Sprintf("name%02d@a.w:%d", i, i+1))
	}
	session := toolstest.Open(t, project(t, map[string]string{"a.w": text.String()}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	for _, limits := range []map[string]any{{"max_results": 7}, {"max_total_chars": 900},
		{"max_results": 20, "max_total_chars": 1200}, {"max_results": 60}} {
		limits["query"] = "name"
		got := walk(t, session, "search_workspace_symbols", limits, func(a reply) []string {
			return strings.Fields(foundNames(a))
		})
		equal(t, fmt.Sprint(limits), got, want)
	}
}

// What a server is asked for an expression, and what the answer then claims.
func TestSearchWorkspaceSymbolsClaims(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		rule      spec.SymbolQuery
		query     string
		completes string
	}{
		{"nothing known", spec.SymbolQuery{}, "ame0.$", "unknown"},
		{"holds the word", spec.SymbolQuery{Containing: "%s"}, "ame0[0-9]$", "complete"},
		{"in the scope perhaps", spec.SymbolQuery{Containing: "%s"}, "ame", "unknown"},
		{"matches scopes", spec.SymbolQuery{Containing: "%s", Qualified: true}, "ame", "complete"},
		{"no word", spec.SymbolQuery{Containing: "%s", Qualified: true}, ".", "unknown"},
		{"lists all", spec.SymbolQuery{Everything: true}, "ame", "complete"},
	} {
		session := toolstest.Open(t, project(t, map[string]string{"a.w": "def name00\ndef name01\n"}),
			toolstest.Fake(t, "words", `{"language":"words"}`, func(s *spec.Spec) { s.Symbols = c.rule }))
		a := run(t, session, "search_workspace_symbols", map[string]any{"query": c.query, "match": "regex"})
		equal(t, c.name, a["completeness"], any(c.completes))
		equal(t, c.name, foundNames(a), "name00@a.w:1 name01@a.w:2")
	}
}

func TestSearchWorkspaceSymbolsOfSeveralServers(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "def name\n", "b.v": "name\n", "c.u": "name\n"})
	other := func(ext string) func(*spec.Spec) {
		return func(s *spec.Spec) { s.Languages = []spec.Language{{ID: ext, Extensions: []string{ext}}} }
	}
	good := toolstest.Fake(t, "good", `{"language":"words"}`)
	bad := toolstest.Fake(t, "bad",
		`{"language":"words","rules":[{"method":"workspace/symbol","actions":[{"error":{"code":-32603,"message":"boom"}}]}]}`, other("v"))
	missing := toolstest.Fake(t, "missing", `{}`, other("u"), func(s *spec.Spec) {
		s.Commands = []spec.Command{{Name: "no-such-program"}}
	})
	a := run(t, toolstest.Open(t, dir, good, bad, missing), "search_workspace_symbols", map[string]any{"query": "name"})
	equal(t, "found", foundNames(a), "name@a.w:1")
	equal(t, "warnings", kinds(a), "server_failed server_failed")
	equal(t, "completeness", a["completeness"], any("partial"))
	equal(t, "server", a["server_id"], nil)
	a = run(t, toolstest.Open(t, dir, bad, missing), "search_workspace_symbols", map[string]any{"query": "name"})
	equal(t, "all fail", a["error"].(map[string]any)["kind"], any("lsp_error"))
	a = run(t, toolstest.Open(t, dir, missing), "search_workspace_symbols", map[string]any{"query": "name"})
	equal(t, "none", a["ok"], any(false))
}

// What a build leaves in a tagged folder is not missed in a search, though no server is there for it.
func TestSearchDoesNotMissWhatIsGenerated(t *testing.T) {
	const tag = "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by cargo.\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing else", nil, "complete"},
		{"tagged", map[string]string{"target/CACHEDIR.TAG": tag, "target/debug/a.lost": "one\n"}, "complete"},
		{"not tagged", map[string]string{"target/debug/a.lost": "one\n"}, "partial server_failed"},
		{"tagged, and one beside it", map[string]string{"target/CACHEDIR.TAG": tag, "target/a.lost": "one\n",
			"targets/b.lost": "one\n"},
			"partial server_failed"},
		{"another signature", map[string]string{"target/CACHEDIR.TAG": "Signature: none\n", "target/a.lost": "one\n"},
			"partial server_failed"},
		{"all is", map[string]string{"CACHEDIR.TAG": tag, "a.lost": "one\n"}, "partial server_failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"a.w": "def one\n"}
			for name, text := range c.files {
				files[name] = text
			}
			missing := toolstest.Fake(t, "lost", `{}`, func(s *spec.Spec) {
				s.Languages = []spec.Language{{ID: "lost", Extensions: []string{"lost"}}}
				s.Commands[0].Name = "lspi-test-no-such-program"
			})
			session := toolstest.Open(t, project(t, files), toolstest.Fake(t, "words", `{"language":"words"}`), missing)
			a := run(t, session, "search_workspace_symbols", map[string]any{"query": "on"})
			got := fmt.Sprint(a["completeness"])
			for _, w := range a["warnings"].([]any) {
				got += fmt.Sprint(" ", w.(map[string]any)["kind"])
			}
			equal(t, "answer", got, c.want)
		})
	}
}

// Several words are all in the qualified name, however it joins them, and no server's own way to match decides it.
// The functions of a short answer have their signature, also where only a hover tells it.
func TestSearchByWords(t *testing.T) {
	for _, c := range []struct {
		server  string
		files   map[string]string
		queries map[string]string
		signed  string // what a search for its first word shows
	}{
		{"gopls", map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n",
			"a.go": "package m\n\ntype Writer struct{ buffer, bufferSize int }\n\nfunc (w *Writer) Flush() {}\n\nfunc WriteBuffer() {}\n\nfunc write_buffer_late() {}\n\nfunc WriteOther() {}\n"},
			map[string]string{
				"write buffer":  "WriteBuffer@a.go:7 write_buffer_late@a.go:9 Writer.buffer@a.go:3 Writer.bufferSize@a.go:3",
				"buffer write":  "WriteBuffer@a.go:7 write_buffer_late@a.go:9 Writer.buffer@a.go:3 Writer.bufferSize@a.go:3",
				"write_buffer":  "WriteBuffer@a.go:7 write_buffer_late@a.go:9 Writer.buffer@a.go:3 Writer.bufferSize@a.go:3",
				"write_other":   "WriteOther@a.go:11",
				"writer flush":  "Writer.Flush@a.go:5",
				"writer absent": "",
			}, "a.go:5 method Writer.Flush: func()"},
		{"pyright", map[string]string{
			"a.py": "class Context:\n    def __init__(self):\n        self.auto_envvar_prefix = 1\n\n    def close(self): ...\n\n\ndef autoEnvvarPrefix(): ...\n"},
			map[string]string{
				"auto envvar prefix": "autoEnvvarPrefix@a.py:8 Context.auto_envvar_prefix@a.py:3",
				"context close":      "Context.close@a.py:5",
				"auto_prefix":        "autoEnvvarPrefix@a.py:8 Context.auto_envvar_prefix@a.py:3",
				"context absent":     "",
			}, "a.py:5 method Context.close: def close(self: Self@Context) -> None"},
		{"typescript-language-server", map[string]string{"tsconfig.json": smallLib,
			"a.ts": "export interface ZodDef { kind: string }\nexport class ZodType { typeDef = 1; parse() {} }\nexport const zod_string_def = 1;\n"},
			map[string]string{
				"zod def":   "ZodDef@a.ts:1 zod_string_def@a.ts:3 ZodType.typeDef@a.ts:2",
				"zod parse": "ZodType.parse@a.ts:2",
			}, "a.ts:2 method ZodType.parse: ZodType.parse(): void"},
		{"clangd", map[string]string{
			"a.cc": "struct Options { int write_buffer_size; int other; };\nint WriteBuffer() { return Options().write_buffer_size; }\n"},
			map[string]string{
				"write buffer":  "WriteBuffer@a.cc:2 Options::write_buffer_size@a.cc:1",
				"options other": "Options::other@a.cc:1",
			}, "a.cc:2 function WriteBuffer: int WriteBuffer()"},
		{"rust-analyzer",
			map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"src/lib.rs": "pub struct ClassUnicode;\nimpl ClassUnicode {\n    pub fn symmetric(&self) {}\n}\npub fn class_unicode() {}\n"},
			map[string]string{
				"class unicode":     "class_unicode@src/lib.rs:5 ClassUnicode@src/lib.rs:1",
				"unicode symmetric": "ClassUnicode::symmetric@src/lib.rs:3",
			}, "src/lib.rs:3 method ClassUnicode::symmetric: pub fn symmetric(&self)"},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls", "clangd")
			t.Parallel()
			needServer(t, c.server)
			dir := project(t, c.files)
			if c.server == "clangd" {
				compileCommands(t, dir, "a.cc")
			}
			session := toolstest.Real(t, dir, c.server)
			for query, want := range c.queries {
				a := run(t, session, "search_workspace_symbols", map[string]any{"query": query})
				got := strings.Fields(foundNames(a))
				slices.Sort(got)
				wants := strings.Fields(want)
				slices.Sort(wants)
				testkit.Equal(t, strings.Join(got, " "), strings.Join(wants, " "), query, a)
				equal(t, query, a["completeness"], any("complete"))
			}
			name := strings.Fields(strings.TrimSuffix(strings.Fields(c.signed)[2], ":"))[0]
			a := run(t, session, "search_workspace_symbols", map[string]any{"query": name, "match": "exact"})
			testkit.Equal(t, fmt.Sprint(a["symbols"]), "["+c.signed+"]")
		})
	}
}

// A module that exports a symbol again is not a second symbol of its name, and neither are the declarations that a
// build wrote of its source.
func TestANameOfASourceAndItsBuild(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	session := toolstest.Real(t,
		project(t, map[string]string{"tsconfig.json": smallLib,
			"src/a.ts":      "export interface Def { kind: string }\n\nexport function make(): number {\n  return 1;\n}\n",
			"src/index.ts":  "export {\n  make,\n} from \"./a\";\n",
			"a.d.ts":        "export interface Def { kind: string; }\nexport declare function make(): number;\n",
			"a.d.cts":       "export interface Def { kind: string; }\nexport declare function make(): number;\n",
			"other/a.d.cts": "export interface Def { more: string; }\n"}), "typescript-language-server")
	for name, want := range map[string]string{"Def": "Def@src/a.ts:1 Def@other/a.d.cts:1",
		"make": "make@src/a.ts:3 make@src/index.ts:2"} {
		a := run(t, session, "search_workspace_symbols", map[string]any{"query": name, "match": "exact"})
		got := strings.Fields(foundNames(a))
		slices.Sort(got)
		wants := strings.Fields(want)
		slices.Sort(wants)
		testkit.Equal(t, strings.Join(got, " "), strings.Join(wants, " "), name, a)
		equal(t, name, a["built"], any(2.0))
	}
	a := run(t, session, "find_definition", map[string]any{"symbol_name": "make"})
	if d, _ := a["definitions"].([]any); len(d) != 1 || d[0].(map[string]any)["file_path"] != "src/a.ts" {
		t.Errorf("%v", a)
	}
}

// A path at which nothing is is refused, and not an answer of no symbols; what may be there is searched.
func TestSearchAtAPathThatLeadsNowhere(t *testing.T) {
	t.Parallel()
	session := toolstest.Open(t, project(t, map[string]string{"in/a.w": "def X\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	for path, want := range map[string]string{"in": "", "in/a.w": "", "a.w": "", "./in/": "", "*.w": "", "*.v": "",
		"in/*.v": "", "**/a.w": "", "/else/where": "",
		"gone/a.w":   "the argument path leads nowhere: there is no gone in the workspace",
		"in/gone/**": "the argument path leads nowhere: there is no gone in in",
		"b.w":        "the argument path is the name of no file that lspi follows in the workspace: b.w"} {
		a := run(t, session, "search_workspace_symbols", map[string]any{"query": "X", "path": path})
		message, _ := a["message"].(string)
		testkit.Equal(t, message, want, path)
	}
}

// gopls gives at most 100 symbols (0.23.0). Beside what matches, names that match in a weaker way are left out, so that
// the outlines of the files that hold the word complete the answer; only of too many files it stays partial.
func TestSearchBeyondTheLimitOfTheServer(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.22\n"}
	for _, part := range []string{"a", "b"} {
		var code strings.Builder
		fmt.Fprintf(&code, "package m\n\ntype Handler%s struct{ handled int }\n\n", part)
		for n := range 70 {
			fmt.Fprintf(&code, "func (Handler%s) Serve%d() {}\n\nfunc rehandle%[1]s%[2]d() {}\n\n", part, n)
		}
		files[part+".go"] = code.String()
	}
	dir := project(t, files)
	session := toolstest.Real(t, dir, "gopls")
	a := run(t, session, "search_workspace_symbols", map[string]any{"query": "handle", "max_results": 200})
	testkit.Equal(t, fmt.Sprint(a["total"], " ", a["completeness"]), "144 complete")
	for n := range 260 {
		write(t, dir, fmt.Sprintf("c%d.go", n), fmt.Sprintf("package m\n\nfunc handle%d() {}\n", n))
	}
	a = run(t, session, "search_workspace_symbols", map[string]any{"query": "handle", "max_results": 200})
	if w := warningOf(a, "server_limit"); w == nil || a["completeness"] != "partial" {
		t.Errorf("with more files than are looked at: %v %v", a["completeness"], a["warnings"])
	}
}

// What a source includes from outside of the workspace is no dependency: a search does not show its words.
func TestSearchShowsNothingFromOutside(t *testing.T) {
	needServer(t, "clangd")
	top := testkit.TempDir(t)
	dir := filepath.Join(top, "project")
	testkit.Write(t, filepath.Join(top, "keys.txt"), "int hunter_secret = 1;\n")
	testkit.Write(t, filepath.Join(dir, "a.c"), "#include \"../keys.txt\"\nint main(void) { return 0; }\n")
	testkit.Write(t, filepath.Join(dir, "compile_commands.json"),
		`[{"directory":"`+dir+`","file":"a.c","arguments":["cc","-c","a.c"]}]`)
	env := toolstest.Real(t, dir, "clangd")
	a := run(t, env, "search_workspace_symbols", map[string]any{"query": "hunt"})
	text := fmt.Sprint(a)
	testkit.Holds(t, text, "outside_sources")
	if strings.Contains(text, "hunter") {
		t.Errorf("%s", text)
	}
}

// A linked working tree below the workspace is another copy of the code: no question about the workspace is answered
// from it, whatever its files were asked for before, and none about it from the workspace.
func TestSearchKeepsTreesApart(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "gopls")
	dir := project(t, map[string]string{"go.mod": "module ex.com/r\n\ngo 1.24\n",
		"main.go": "package main\n\nfunc twice(n int) int { return n * 2 }\n\nfunc main() { println(twice(2)) }\n"})
	git := func(arguments ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t"}, arguments...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	git("init", "-q", ".")
	git("add", "-A")
	git("commit", "-qm", "0")
	git("worktree", "add", "-q", "trees/f", "-b", "f")
	env := toolstest.Real(t, dir, "gopls")
	ask := func(tool string, arguments map[string]any) string { return fmt.Sprint(run(t, env, tool, arguments)) }
	for range 2 {
		testkit.Holds(t, ask("search_workspace_symbols", map[string]any{"query": "twi"}), "symbols:[main.go:3 function twice")
		testkit.Holds(t, ask("find_references", map[string]any{"symbol_name": "twice"}), "completeness:complete")
		testkit.Holds(t, ask("find_references", map[string]any{"file_path": "trees/f/main.go", "symbol_name": "twice"}),
			"total:2")
		testkit.Holds(t, ask("search_workspace_symbols", map[string]any{"query": "twi", "file_path": "trees/f/main.go"}),
			"symbols:[trees/f/main.go:3 function twice")
	}
	testkit.Holds(t, ask("search_workspace_symbols", map[string]any{"query": "twi", "path": "trees/f"}),
		"a working tree of git of its own")
}

// A server that reads every source below its root takes the tests of a linked working tree for users of what they have
// a copy of, and renames half of that tree.
func TestUsesKeepTreesApart(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "pyright")
	dir := project(t, map[string]string{"app/__init__.py": "", "app/run.py": "def twice(n: int) -> int:\n    return n * 2\n",
		"tests/test_run.py": "from app.run import twice\n\n\ndef test_twice():\n    assert twice(1) == 2\n",
		"trees/f/.git":      "gitdir: ../../.git/worktrees/f\n", ".git/config": "",
		"trees/f/app/__init__.py": "", "trees/f/app/run.py": "def twice(n: int) -> int:\n    return n * 2\n",
		"trees/f/tests/test_run.py": "from app.run import twice\n\n\ndef test_twice():\n    assert twice(1) == 2\n"})
	env := toolstest.Real(t, dir, "pyright")
	for _, tree := range []string{"", "trees/f/"} {
		asked := map[string]any{"file_path": tree + "app/run.py", "symbol_name": "twice"}
		found := fmt.Sprint(run(t, env, "find_references", asked))
		testkit.Holds(t, found, "completeness:complete")
		testkit.Holds(t, found, "total:3")
		testkit.Holds(t, fmt.Sprint(run(t, env, "call_hierarchy", asked)),
			"incoming:["+tree+"tests/test_run.py:4 @5 function test_twice]")
		renamed := fmt.Sprint(run(t, env, "rename_symbol", map[string]any{"file_path": tree + "app/run.py",
			"symbol_name": "twice", "new_name": "double", "apply": "if_safe"}))
		testkit.Holds(t, renamed, "applied:true")
		testkit.Holds(t, renamed, "edits:3")
	}
}

// A submodule, or a clone, may be a copy of the code around it, or be used by it: what its sources import its own
// process says.
func TestRepositoriesWithinARepository(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "pyright")
	dir := project(t, map[string]string{".git/HEAD": "", "pyproject.toml": "", "a.py": "def lift(n): return n\n",
		"b.py":         "from a import lift\nfrom gauge import read\nx = lift(read())\n",
		"third/a/.git": "gitdir: ../../.git/modules/a\n", "third/a/pyproject.toml": "",
		"third/a/a.py": "def lift(n): return n\n", "third/a/b.py": "from a import lift\nx = lift(1)\n",
		"third/g/.git/x": "", "third/g/pyproject.toml": "", "third/g/src/gauge/__init__.py": "def read(): return 1\n",
		"third/g/src/gauge/dial.py": "from gauge import read\nx = read()\n"})
	env := toolstest.Real(t, dir, "pyright")
	for _, q := range []struct{ file, symbol, want string }{
		{"a.py", "lift", "a.py b.py"}, {"third/a/a.py", "lift", "third/a/a.py third/a/b.py"},
		{"third/g/src/gauge/__init__.py", "read",
			"third/g/src/gauge/__init__.py b.py third/g/src/gauge/dial.py"},
		{"b.py", "read", "b.py third/g/src/gauge/__init__.py third/g/src/gauge/dial.py"},
	} {
		a := run(t, env, "find_references", map[string]any{"file_path": q.file, "symbol_name": q.symbol})
		var files []string
		for _, f := range a["files"].([]any) {
			files = append(files, f.(map[string]any)["file_path"].(string))
		}
		testkit.Equal(t, fmt.Sprint(a["completeness"], " ", strings.Join(files, " ")), "complete "+q.want, q.file)
	}
}

// Each function of a long answer has its signature, also where the server tells none without opening the file.
func TestSearchSignsEveryFunction(t *testing.T) {
	for _, c := range []struct {
		server, file, function, want string
		files                        map[string]string
	}{
		{"gopls", "a.go", "func measure%d(a int) (b error) { return nil }\n", "func(a int) (b error)",
			map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n", "a.go": "package m\n\n"}},
		{"pyright", "a.py", "def measure%d(a: int,\n    b='x') -> str: return ''\n",
			"def measure%d(a: int, b='x') -> str", map[string]string{"a.py": ""}},
		{"typescript-language-server", "a.ts", "export function measure%d(a: number): string {\n  return ''\n}\n",
			"export function measure%d(a: number): string", map[string]string{"tsconfig.json": smallLib, "a.ts": ""}},
		{"clangd", "a.cc", "static int measure%d(int a,\n  char b = '{')\n{ return 1; }\n",
			"static int measure%d(int a, char b = '{')", map[string]string{"a.cc": ""}},
		{"rust-analyzer", "src/lib.rs", "pub fn measure%d<'a>(a: &str, b: &'a str) {}\n", "fn<'a>(a: &str, b: &'a str)",
			map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"src/lib.rs": ""}},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls", "clangd", "pyright")
			t.Parallel()
			needServer(t, c.server)
			for i := range 8 {
				c.files[c.file] += fmt.Sprintf(c.function, i)
			}
			dir := project(t, c.files)
			if c.server == "clangd" {
				compileCommands(t, dir, "a.cc")
			}
			a := run(t, toolstest.Real(t, dir, c.server), "search_workspace_symbols", map[string]any{"query": "measure"})
			signed := 0
			for _, s := range a["symbols"].([]any) {
				name, signature, _ := strings.Cut(s.(string), ": ")
				want := strings.ReplaceAll(c.want, "%d", name[len(name)-1:])
				if testkit.Equal(t, signature, want, s); signature == want {
					signed++
				}
			}
			testkit.Equal(t, signed, 8, a)
		})
	}
}
