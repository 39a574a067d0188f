package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

func TestFilesThatAreNotThere(t *testing.T) {
	dir := project(t, map[string]string{"router/pool.w": "def alpha\n"})
	if err := os.Symlink("gone.w", filepath.Join(dir, "dangling.w")); err != nil {
		t.Skip(err)
	}
	session := toolstest.Open(t, dir, toolstest.Fake(t, "w", `{"language":"words"}`))
	for _, c := range []struct{ path, message, closest string }{
		{"pool.w", "there is no file pool.w", "[router/pool.w]"}, // with the first call, before the first walk
		{"dangling.w", "dangling.w is a symbolic link that leads nowhere: there is no gone.w", "[]"},
		{"unlike.w", "there is no file unlike.w", "[]"},
	} {
		e := run(t, session, "hover", map[string]any{"file_path": c.path, "symbol_name": "alpha"})["error"].(map[string]any)
		facts := e["data"].(map[string]any)["lspi_error"].(map[string]any)
		equal(t, c.path, fmt.Sprint(e["message"], " ", facts["closest"]), c.message+" "+c.closest)
	}
}

// A place that is nearly right is taken, and a warning says which one it was; one that is farther off is an error.
func TestNearlyRightPlaces(t *testing.T) {
	text := "def alpha\n\n\nalpha  \n" + strings.Repeat("\n", 40)
	session := toolstest.Open(t, project(t, map[string]string{"a.w": text}),
		toolstest.Fake(t, "w", `{"language":"words"}`))
	for _, c := range []struct {
		line, character int
		name, want      string
	}{
		{1, 0, "alpha", "a.w:1 "},
		{3, 0, "alpha", "a.w:1 line_adjusted"},
		{12, 0, "alpha", "a.w:1 line_adjusted"},
		{20, 0, "alpha", "symbol_not_found "},
		{1, 5, "", "a.w:1 "},
		{4, 7, "", "a.w:1 position_adjusted"},
	} {
		arguments := map[string]any{"file_path": "a.w", "line": c.line}
		if c.name != "" {
			arguments["symbol_name"] = c.name
		} else {
			arguments["character"] = c.character
		}
		a := run(t, session, "find_definition", arguments)
		equal(t, fmt.Sprint(arguments), whereOrWhy(a)+" "+kinds(a), c.want)
	}
}

// definitionAt is a name, on a line unless that is 0, and file:line of its definition or the kind of the error.
type definitionAt struct {
	file string
	line int
	name string
	want string
}

type namesOnLines struct {
	realProject
	asked []definitionAt
}

var namesOnLinesOf = sharing("names", []*namesOnLines{
	{realProject{server: "gopls", program: "gopls", files: map[string]string{"go.mod": "module m\n\ngo 1.24\n",
		"a/a.go": "package a\n\nfunc Load() int { return 1 }\n\ntype Client struct{}\n\nfunc (c *Client) Call(n int) int { return n }\n",
		"b/b.go": "package b\n\nimport (\n\t\"fmt\"\n\n\t\"m/a\"\n)\n\nfunc Load() int { return 2 }\n\ntype Server struct{}\n\n" +
			"func (s Server) Call(n int) int { return n }\n\nfunc use() int {\n\tfmt.Println(\"Load failed:\", Load())\n" +
			"\tc := &a.Client{}\n\treturn c.Call(a.Load()) + Server{}.Call(2)\n}\n\nvar text = \"Load here\"\n"}},
		[]definitionAt{
			{"b/b.go", 16, "Load", "b/b.go:9"},
			{"b/b.go", 18, "Load", "a/a.go:3"},
			{"b/b.go", 18, "a.Load", "a/a.go:3"},
			{"b/b.go", 18, "b.Load", "symbol_not_found"},
			{"b/b.go", 18, "Server.Call", "b/b.go:13"},
			{"b/b.go", 18, "Client.Call", "a/a.go:7"},
			{"b/b.go", 18, "a.Client.Call", "a/a.go:7"},
			{"b/b.go", 18, "c.Call", "a/a.go:7"},
			{"b/b.go", 18, "Nope.Call", "symbol_not_found"},
			{"b/b.go", 18, "Call", "ambiguous_symbol"},
			{"b/b.go", 20, "Load", "a/a.go:3"}, // the text on line 21 is none
			{"b/b.go", 0, "a.Client.Call", "a/a.go:7"},
			{"b/b.go", 0, "Server.Call", "b/b.go:13"},
			{"b/b.go", 13, "Server.Call", "b/b.go:13"},
		}},
	{realProject{server: "pyright", program: "pyright-langserver", files: map[string]string{"pyproject.toml": "",
		"a.py": "def load(n):\n    return n\n\nprint(\"load failed\", load(1), f\"{load(2)}\")\n"}},
		[]definitionAt{{"a.py", 4, "load", "a.py:1"}}},
	{realProject{server: "clangd", program: "clangd",
		files: map[string]string{"compile_flags.txt": "-xc++\n-std=c++17\n",
			"a.cpp": "namespace ns { int helper(int n) { return n; } }\nnamespace other { int helper(int n) { return n; } }\n" +
				"void log(const char *, int);\nint load(int n) { return n; }\nvoid f() { log(\"load failed\", load(1)); }\n" +
				"int g() { using namespace ns; return helper(3); }\n"}},
		[]definitionAt{
			{"a.cpp", 5, "load", "a.cpp:4"},
			{"a.cpp", 6, "ns::helper", "a.cpp:1"},
			{"a.cpp", 6, "other::helper", "symbol_not_found"},
		}},
	{realProject{server: "rust-analyzer", program: "rust-analyzer",
		files: map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n",
			"src/lib.rs":  "mod util;\npub fn load(n: u32) -> u32 { n }\npub fn f() { println!(\"load {}\", load(1)); util::load(2); }\n",
			"src/util.rs": "pub fn load(n: u32) -> u32 { n }\n"}},
		[]definitionAt{
			{"src/lib.rs", 3, "util::load", "src/util.rs:1"},
			{"src/lib.rs", 3, "load", "ambiguous_symbol"},
		}},
}...)

// A name on a line is the identifier that means it: not a word in a text, not another symbol of the same name, and
// not one with another qualifier.
func TestANameOnALineIsWhatIsMeant(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range namesOnLinesOf {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls", "clangd")
			t.Parallel()
			session := c.session(t)
			for _, q := range c.asked {
				arguments := map[string]any{"file_path": q.file, "symbol_name": q.name}
				if q.line > 0 {
					arguments["line"] = q.line
				}
				a := run(t, session, "find_definition", c.in(arguments))
				testkit.Equal(t, c.shown(whereOrWhy(a)), q.want, q.name, "in line", q.line, "of", q.file, a)
				if a["ok"] == true {
					continue
				}
				step := a["next_steps"].([]any)[0].(map[string]any)
				if b := run(t, session, step["tool"].(string), step["arguments"].(map[string]any)); !strings.Contains(
					whereOrWhy(b), ":") {
					t.Errorf("%v: %v", step, b)
				}
			}
		})
	}
}

// whereOrWhy is the first definition of an answer, or the kind of its error.
func whereOrWhy(a reply) string {
	if e, failed := a["error"].(map[string]any); failed {
		return fmt.Sprint(e["data"].(map[string]any)["lspi_error"].(map[string]any)["kind"])
	}
	all := a["definitions"].([]any)
	if len(all) == 0 {
		return "nothing"
	}
	d := all[0].(map[string]any)
	return fmt.Sprintf("%v:%v", d["file_path"], d["line"])
}

// running are the ids of the servers that run.
func running(session *session.Session) string {
	var out []string
	for _, s := range session.Workspace.Pool.Running() {
		out = append(out, s.ID())
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestNameAloneAsksTheLanguagesThatSpellIt(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	for _, program := range []string{"gopls", "pyright-langserver", "clangd"} {
		needServer(t, program)
	}
	files := map[string]string{
		"go.mod":         "module ex.com/m\n\ngo 1.24\n",
		"m.go":           "package m\n\nimport \"strings\"\n\nfunc Load() string { return strings.ToUpper(Shared) }\n\nconst Shared = \"\"\n",
		"pyproject.toml": "[project]\nname = \"m\"\n",
		"m.py":           "def read():\n    return 1  # LoadMode\n\n\nShared = read()\n",
		"m.cc":           "int only_c() { return 1; }\n", "README.md": "# Load\n",
	}
	session := toolstest.Real(t, project(t, files), "gopls", "pyright", "clangd")
	alone := func(name string) reply {
		return run(t, session, "find_definition", map[string]any{"symbol_name": name})
	}

	a := alone("Load")
	equal(t, "Load", fmt.Sprint(firstOf(a, "definitions")["file_path"], " ", a["completeness"], " ", a["warnings"]),
		"m.go complete []")
	equal(t, "running", running(session), "gopls")
	a = alone("Shared")
	equal(t, "Shared", a["error"].(map[string]any)["kind"], any("ambiguous"))
	equal(t, "running", running(session), "gopls pyright")
	a = alone("only_c") // clangd cannot be asked, which is told now
	equal(t, "only_c", fmt.Sprint(a["error"].(map[string]any)["kind"], " ", kinds(a)),
		"not_found no_compilation_database")
}

func firstOf(a reply, list string) map[string]any {
	all, _ := a[list].([]any)
	if len(all) == 0 {
		return map[string]any{}
	}
	return all[0].(map[string]any)
}

// Of several servers those are asked whose files hold the word, whatever runs already; what the others cannot do is not
// said unless nobody knows the name.
func TestNameAloneAmongServers(t *testing.T) {
	of := func(ext string) func(*spec.Spec) {
		return func(s *spec.Spec) { s.Languages = []spec.Language{{ID: ext, Extensions: []string{ext}}} }
	}
	broken := `{"language":"words","rules":[{"method":"workspace/symbol","actions":[{"error":{"code":-32603,"message":"boom"}}]}]}`
	files := map[string]string{"a.w": "def alpha\ndef both\ndef glued\n", "b.v": "def beta\ndef both\n",
		"c.u": "alphabet\nodd\n", "d.md": "alpha\n", "e.x": "gone\n"}
	dir := project(t, files)
	generated := strings.ReplaceAll(searchScript(dir, "generated 12  0"), "a.w", "b.v")
	for _, c := range []struct{ name, v, want, servers string }{
		{"alpha", `{"language":"words"}`, "w complete ", "w"},
		{"beta", `{"language":"words"}`, "v complete ", "v"},
		{"both", `{"language":"words"}`, "ambiguous_symbol ", "v w"},
		{"generated", generated, "v partial unresolved_name", "md u v w"}, // in no file, and the server leads nowhere
		{"odd", `{"language":"words"}`, "request_failed ", "u"},
		{"gone", `{"language":"words"}`, "symbol_not_found server_failed server_failed", "md u v w"},
	} {
		missing := toolstest.Fake(t, "missing", `{}`, of("x"), func(s *spec.Spec) {
			s.Commands = []spec.Command{{Name: "no-such-program"}}
		})
		session := toolstest.Open(t, dir, toolstest.Fake(t, "w", `{"language":"words"}`),
			toolstest.Fake(t, "v", c.v, of("v")), toolstest.Fake(t, "u", broken, of("u")),
			toolstest.Fake(t, "md", `{"language":"words"}`, func(s *spec.Spec) {
				s.Languages = []spec.Language{{ID: "markdown", Extensions: []string{"md"}}}
			}), missing)
		for range 2 { // what runs the second time changes nothing
			a := run(t, session, "hover", map[string]any{"symbol_name": c.name})
			got := fmt.Sprint(a["completeness"], " ", kinds(a))
			if a["ok"] == true {
				got = fmt.Sprint(a["server_id"], " ", got)
			} else if e, ok := a["error"].(map[string]any); ok {
				got = fmt.Sprint(e["data"].(map[string]any)["lspi_error"].(map[string]any)["kind"], " ", kinds(a))
			}
			equal(t, c.name, got, c.want)
			equal(t, c.name, running(session), c.servers)
		}
	}
}

func TestExactSearchAsksTheLanguagesThatSpellTheName(t *testing.T) {
	other := func(s *spec.Spec) { s.Languages = []spec.Language{{ID: "v", Extensions: []string{"v"}}} }
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def alpha\n", "b.v": "def beta\n"}),
		toolstest.Fake(t, "w", `{"language":"words"}`), toolstest.Fake(t, "v", `{"language":"words"}`, other))
	a := run(t, session, "search_workspace_symbols", map[string]any{"query": "alpha", "match": "exact"})
	equal(t, "found", foundNames(a)+" "+fmt.Sprint(a["completeness"]), "alpha@a.w:1 complete")
	equal(t, "running", running(session), "w")
	a = run(t, session, "search_workspace_symbols", map[string]any{"query": "gamma", "match": "exact"})
	equal(t, "found", foundNames(a)+" "+fmt.Sprint(a["completeness"]), " complete")
	equal(t, "running", running(session), "v w")
}

// A part of a name starts no server of a few files that do not hold it, unless nothing else is found.
func TestSearchStartsTheLanguagesThatMayMatch(t *testing.T) {
	other := func(s *spec.Spec) { s.Languages = []spec.Language{{ID: "v", Extensions: []string{"v"}}} }
	session := toolstest.Open(t,
		project(t, map[string]string{"a.w": "def alpha\n", "b.v": "def beta\ndef write_buffer\n"}),
		toolstest.Fake(t, "w", `{"language":"words"}`), toolstest.Fake(t, "v", `{"language":"words"}`, other))
	for _, c := range []struct{ query, found, servers string }{
		{"alp", "alpha@a.w:1 complete", "w"}, {"gamma", " complete", "v w"},
		{"bufferWrite", "write_buffer@b.v:2 complete", "v w"},
	} {
		a := run(t, session, "search_workspace_symbols", map[string]any{"query": c.query})
		equal(t, c.query, foundNames(a)+" "+fmt.Sprint(a["completeness"]), c.found)
		equal(t, c.query, running(session), c.servers)
	}
}

// A workspace without the project file that its server wants is asked by name, too: a folder of C without a database,
// and a workspace below the folder of a tsconfig.json.
func TestNamesWithoutAProjectFile(t *testing.T) {
	for _, c := range []struct{ server, file, text, file2, text2 string }{
		{"clangd", "a.c", "int lift(int n) { return n; }\n", "b.c", "int lift(int);\nint use(void) { return lift(1); }\n"},
		{"typescript-language-server", "in/a.ts", "export function lift() { return 1; }\n", "in/b.ts",
			"import { lift } from './a';\nexport const use = lift();\n"},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "clangd", "typescript-language-server")
			t.Parallel()
			needServer(t, c.server)
			dir := project(t, map[string]string{c.file: c.text, c.file2: c.text2})
			session := toolstest.Real(t, filepath.Join(dir, filepath.Dir(c.file)), c.server)
			file2 := filepath.Base(c.file2)
			a := run(t, session, "find_references", map[string]any{"symbol_name": "use"})
			if !strings.Contains(fmt.Sprint(a["files"]), file2) {
				t.Errorf("%v", a)
			}
			said := kinds(a)
			testkit.Equal(t, strings.Count(said, "no_"), 1, "what is missing is said once", a)
			for query, match := range map[string]string{"use": "fuzzy", "^u.e$": "regex", "us": "fuzzy"} {
				a = run(t, session, "search_workspace_symbols", map[string]any{"query": query, "match": match})
				if !strings.Contains(fmt.Sprint(a["files"], a["symbols"]), file2) || a["completeness"] == "complete" {
					t.Errorf("%s: %v", query, a)
				}
			}
			a = run(t, session, "find_references", map[string]any{"symbol_name": "nowhere"})
			testkit.Equal(t, kindOf(a), "symbol_not_found", a)
		})
	}
}

// Without a compilation database clangd lists what it was shown, in a repository of git too, and takes a header of C
// for one of C++: the declaration there and the definition that includes it are one symbol, whatever was asked before.
func TestNameAloneWithoutDatabase(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{"parse.h": "int parse_line(const char *s);\n",
		"parse.c":   "#include \"parse.h\"\nint parse_line(const char *s) { return s[0]; }\n",
		"main.c":    "#include \"parse.h\"\nint main(int n, char **v) { return parse_line(v[0]) + n; }\n",
		".git/HEAD": "ref: refs/heads/main\n"}
	session := toolstest.Real(t, project(t, files), "clangd")
	for range 2 {
		a := run(t, session, "find_references", map[string]any{"symbol_name": "parse_line"})
		equal(t, "the places", fmt.Sprint(lines(a["files"], "references"), " ", a["completeness"]),
			"main.c:2 parse.c:2 parse.h:1 partial")
	}
	a := run(t, session, "find_definition", map[string]any{"symbol_name": "parse_line"})
	equal(t, "the definition", fmt.Sprint(firstOf(a, "definitions")["file_path"]), "parse.c")
}
