package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// That there is nothing must not be said of a name that the server could not resolve; of one that it knows, it may be said
// also in a file with errors.
func TestWhatAServerCannotResolveIsNotNothing(t *testing.T) {
	at := func(file string, line int, name string) map[string]any {
		return map[string]any{"file_path": file, "line": line, "symbol_name": name}
	}
	type question struct {
		tool  string
		at    map[string]any
		words string // of the warning; "" is none
	}
	for _, c := range []struct {
		server, program string
		files           map[string]string
		asked           []question
	}{
		{"gopls", "gopls", map[string]string{
			"go.mod": "module example.com/m\n\ngo 1.24\n\nrequire example.invalid/such v1.2.3\n",
			"a.go":   "package m\n\nimport \"example.invalid/such\"\n\nfunc A() int { return such.Foo() + B() }\n\nfunc B() int { return 1 }\n\ntype I interface{ Lonely() }\n",
			"b/b.go": "package b\n\n// nothing\nvar X = 1\n"},
			[]question{
				{"find_definition", at("a.go", 5, "Foo"), "line 3: could not import example.invalid/such"},
				{"hover", at("a.go", 5, "Foo"), "could not import"},
				{"call_hierarchy", at("a.go", 5, "Foo"), "could not import"},
				{"find_definition", at("a.go", 5, "B"), ""},
				{"find_definition", at("a.go", 5, "return"), ""},
				{"find_implementations", at("a.go", 9, "I"), ""}, // none, and that is known
				{"find_definition", at("b/b.go", 3, "nothing"), ""},
			}},
		{"pyright", "pyright-langserver", map[string]string{"pyproject.toml": "",
			"a.py": "from nothing import thing\n\ndef f():\n    return thing.call()\n", "b.py": "# nothing\nx = 1\n"},
			[]question{
				{"find_definition", at("a.py", 4, "thing"), `Import "nothing" could not be resolved`},
				{"find_references", at("a.py", 4, "call"), "could not be resolved"},
				{"hover", at("a.py", 4, "thing"), "could not be resolved"},
				{"find_definition", at("a.py", 3, "f"), ""},
				{"find_definition", at("b.py", 1, "nothing"), ""},
			}},
		{"typescript-language-server", "typescript-language-server", map[string]string{"tsconfig.json": `{"compilerOptions":{"strict":true}}`,
			"b.ts": "export function real() {}\n",
			"a.ts": "import def from 'missing';\nimport {\n  x,\n  y as z,\n} from './nosuch';\nimport { real, gone } from './b';\n" +
				"export const own = () => [def.a(), x, z, real, gone];\nexport { other } from 'missing';\nexport const again = own();\n",
			"c.js": "import q from 'untyped';\nq();\n"},
			[]question{
				{"find_definition", at("a.ts", 7, "def"), "line 1 of a.ts and does not find the imported module: Cannot find module 'missing'"},
				{"hover", at("a.ts", 7, "def"), "does not find the imported module"},
				{"find_references", at("a.ts", 7, "x"), "line 3 of a.ts and does not find"},
				{"find_definition", at("a.ts", 7, "z"), "line 4 of a.ts"},
				{"find_definition", at("a.ts", 7, "gone"), "has no exported member 'gone'"},
				{"find_definition", at("a.ts", 1, "def"), "does not find the imported module"},
				{"find_definition", at("a.ts", 8, "other"), "line 8 of a.ts"},
				{"find_definition", at("c.js", 2, "q"), "line 1 of c.js"},
				{"find_definition", at("a.ts", 7, "real"), ""},
				{"find_definition", at("a.ts", 9, "own"), ""},
				{"find_references", at("a.ts", 7, "real"), ""},
			}},
		{"clangd", "clangd", map[string]string{"compile_flags.txt": "-xc++\n",
			"a.cpp": "#include \"nothere.h\"\nint known();\nint f() { return missing_fn(3) + known(); }\n", "b.cpp": "// nothing\nint x;\n"},
			[]question{
				{"find_definition", at("a.cpp", 3, "missing_fn"), "'nothere.h' file not found"},
				{"find_references", at("a.cpp", 3, "missing_fn"), "file not found"},
			}},
		{"rust-analyzer", "rust-analyzer", map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n",
			"src/lib.rs": "mod b;\nuse crate::missing::other;\npub fn a() -> u32 { other() + b() }\nfn b() -> u32 { 1 }\n" +
				"#[cfg(windows)]\nfn w() { elsewhere() }\n",
			"src/b.rs": "// nothing\n"},
			[]question{
				{"find_definition", at("src/lib.rs", 3, "other"), "unresolved import `crate::missing`"},
				{"find_definition", at("src/lib.rs", 6, "elsewhere"), "line 6 lies in code that is not built"},
				{"find_definition", at("src/lib.rs", 3, "b"), ""},
			}},
	} {
		t.Run(c.server, func(t *testing.T) {
			t.Parallel()
			needServer(t, c.program)
			env := sessions.Real(t, project(t, c.files), c.server)
			for _, q := range c.asked {
				var a reply
				said := "not asked"
				for tries := 0; tries == 0 || strings.Contains(said, "did not tell in time") && tries < 20; tries++ {
					a, said = run(t, env, q.tool, q.at), ""
					for _, w := range a["warnings"].([]any) {
						if w := w.(map[string]any); w["kind"] == "unresolved_name" {
							said = fmt.Sprint(w["message"])
						}
					}
				}
				switch {
				case q.words == "" && said != "":
					t.Errorf("%s of %v: %s", q.tool, q.at, said)
				case q.words != "" && (a["completeness"] != "partial" || !strings.Contains(said, q.words)):
					t.Errorf("%s of %v: %v", q.tool, q.at, a)
				}
			}
		})
	}
}
