package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

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
	{realProject{server: "clangd", program: "clangd", files: map[string]string{"compile_flags.txt": "-xc++\n-std=c++17\n",
		"a.cpp": "namespace ns { int helper(int n) { return n; } }\nnamespace other { int helper(int n) { return n; } }\n" +
			"void log(const char *, int);\nint load(int n) { return n; }\nvoid f() { log(\"load failed\", load(1)); }\n" +
			"int g() { using namespace ns; return helper(3); }\n"}},
		[]definitionAt{
			{"a.cpp", 5, "load", "a.cpp:4"},
			{"a.cpp", 6, "ns::helper", "a.cpp:1"},
			{"a.cpp", 6, "other::helper", "symbol_not_found"},
		}},
	{realProject{server: "rust-analyzer", program: "rust-analyzer", files: map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n",
		"src/lib.rs":  "mod util;\npub fn load(n: u32) -> u32 { n }\npub fn f() { println!(\"load {}\", load(1)); util::load(2); }\n",
		"src/util.rs": "pub fn load(n: u32) -> u32 { n }\n"}},
		[]definitionAt{
			{"src/lib.rs", 3, "util::load", "src/util.rs:1"},
			{"src/lib.rs", 3, "load", "ambiguous_symbol"},
		}},
}...)

// A name on a line is the identifier that means it: not a word in a text, not another symbol of the same name, and not one
// with another qualifier.
func TestANameOnALineIsWhatIsMeant(t *testing.T) {
	for _, c := range namesOnLinesOf {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls", "clangd", "pyright")
			t.Parallel()
			env := c.session(t)
			for _, q := range c.asked {
				arguments := map[string]any{"file_path": q.file, "symbol_name": q.name}
				if q.line > 0 {
					arguments["line"] = q.line
				}
				a := run(t, env, "find_definition", c.in(arguments))
				testkit.Equal(t, c.shown(whereOrWhy(a)), q.want, q.name, "in line", q.line, "of", q.file, a)
				if a["ok"] == true {
					continue
				}
				step := a["next_steps"].([]any)[0].(map[string]any)
				if b := run(t, env, step["tool"].(string), step["arguments"].(map[string]any)); !strings.Contains(whereOrWhy(b), ":") {
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
