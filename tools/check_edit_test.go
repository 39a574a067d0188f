//go:build unix

package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// differs writes the answer of check_edit as "+" or "-", file:line:character severity code, one line each.
func differs(a reply) []string {
	if a["ok"] != true {
		return []string{fmt.Sprint(a["message"])}
	}
	out := []string{}
	for _, side := range []struct{ sign, field string }{{"+", "appears"}, {"-", "vanishes"}} {
		for _, f := range a[side.field].([]any) {
			file := f.(map[string]any)
			for _, d := range file["diagnostics"].([]any) {
				m := d.(map[string]any)
				out = append(out, fmt.Sprintf("%s%v:%v:%v %v %v", side.sign, file["file_path"], m["line"],
					m["character"], m["severity"], m["code"]))
			}
		}
	}
	return out
}

// tryEdits calls check_edit with edits of three words: file, old text, new text; old "" gives the whole file.
func tryEdits(t *testing.T, session *session.Session, edits ...string) reply {
	t.Helper()
	var list []map[string]any
	for i := 0; i < len(edits); i += 3 {
		e := map[string]any{"file_path": edits[i], "new_text": edits[i+2]}
		if edits[i+1] != "" {
			e["old_text"] = edits[i+1]
		}
		list = append(list, e)
	}
	return run(t, session, "check_edit", map[string]any{"edits": list})
}

func wantDiffers(t *testing.T, a reply, completeness string, want ...string) {
	t.Helper()
	got := differs(a)
	if a["completeness"] != completeness || strings.Join(got, "\n") != strings.Join(want, "\n") {
		raw, _ := json.MarshalIndent(a, "", " ")
		t.Errorf("got %v\n%s\nwant %s\n%s\n%s", a["completeness"], strings.Join(got, "\n"), completeness,
			strings.Join(want, "\n"), raw)
	}
}

// trialProject is a small project of one language, and the edits that are tried on it.
type trialProject struct {
	server, program string
	files           map[string]string
	completeness    string
	tries           []trialCase
}

type trialCase struct {
	name   string
	edits  []string
	want   []string
	claims string // "" for that of the project
}

var trialProjects = []trialProject{
	{"gopls", "gopls", map[string]string{
		"go.mod": "module example.com/x\n\ngo 1.24\n",
		"a.go":   "package x\n\nfunc A() int { return 1 }\n",
		"b.go":   "package x\n\nfunc B() int { return A() }\n\nvar bad int = \"s\"\n",
	}, "complete", []trialCase{
		{"breaks its caller", []string{"a.go", "A()", "A(n int)"}, []string{"+b.go:3:25 error WrongArgCount"}, ""},
		{"cures", []string{"b.go", "\"s\"", "1"}, []string{"-b.go:5:15 error IncompatibleAssign"}, ""},
		{"moves", []string{"b.go", "package x\n", "package x\n\n// More.\n"}, nil, ""},
		{"breaks and cures", []string{"b.go", "A() }\n\nvar bad int = \"s\"", "\"t\" }\n\nvar bad int = 1"},
			[]string{"+b.go:3:23 error IncompatibleAssign", "-b.go:5:15 error IncompatibleAssign"}, ""},
		{"a new file", []string{"n.go", "", "package x\n\nvar N int = \"n\"\n\nfunc A() {}\n"},
			[]string{"+n.go:3:13 error IncompatibleAssign", "+n.go:5:6 error DuplicateDecl",
				"+a.go:3:6 error DuplicateDecl"}, ""},
		{"several files", []string{"a.go", "A()", "A(n int)", "b.go", "A()", "A(1)", "n.go", "",
			"package x\n\nvar _ = A(2)\n"}, nil, ""},
	}},
	{"clangd", "clangd", map[string]string{
		"compile_flags.txt": "-xc++\n",
		"a.h":               "#pragma once\nint f(int);\n",
		"a.cc":              "#include \"a.h\"\nint g() { return f(1); }\nint bad() { return nope; }\n",
	}, "complete", []trialCase{
		{"breaks who includes it", []string{"a.h", "int f(int);", "int f(int, int);"},
			[]string{"+a.cc:2:18 error ovl_no_viable_function_in_call"}, ""},
		{"cures", []string{"a.cc", "nope", "1"}, []string{"-a.cc:3:20 error undeclared_var_use"}, ""},
		{"a new file", []string{"n.h", "", "#pragma once\nint n(;\n", "a.cc", "nope", "1"},
			[]string{"+n.h:2:7 error expected_expression", "-a.cc:3:20 error undeclared_var_use"}, ""},
		{"several files", []string{"a.h", "int f(int);", "int f(int, int);", "a.cc", "f(1)", "f(1, 2)"}, nil, ""},
	}},
	{"rust-analyzer", "rust-analyzer", map[string]string{
		"rust-project.json": `{"crates":[{"root_module":"main.rs","edition":"2021","deps":[]}]}`,
		"main.rs":           "mod m;\nfn main() { m::f(1); let _x: i32 = \"s\"; }\n",
		"m.rs":              "pub fn f(_: i32) {}\n",
	}, "partial", []trialCase{
		{"breaks its caller", []string{"m.rs", "_: i32", "_: i32, _: i32"}, []string{"+main.rs:2:19 error E0107"}, ""},
		{"cures", []string{"main.rs", "\"s\"", "1"}, []string{"-main.rs:2:36 error E0308"}, ""},
		{"a new file", []string{"n.rs", "", "pub fn n() {}\n", "main.rs", "mod m;", "mod m; mod n; mod o;"},
			[]string{"+main.rs:1:15 error E0583"}, ""},
		{"several files", []string{"m.rs", "_: i32", "_: i32, _: i32", "main.rs", "f(1)", "f(1, 2)"}, nil, ""},
	}},
	{"typescript-language-server", "typescript-language-server", map[string]string{
		"tsconfig.json": `{"compilerOptions":{"lib":["es2022"],"strict":true}}`,
		"a.ts":          "export function f(n: number) { return n; }\n",
		"b.ts":          "import { f } from './a';\nexport const x = f(1);\nexport const bad: number = 's';\n",
	}, "complete", []trialCase{
		{"breaks its caller", []string{"a.ts", "n: number", "n: string"}, []string{"+b.ts:2:20 error 2345"}, ""},
		{"cures", []string{"b.ts", "'s'", "1"}, []string{"-b.ts:3:14 error 2322"}, ""},
		{"a new file", []string{"n.ts", "", "export const n: number = 'n';\n", "b.ts", "import { f } from './a';",
			"import { f } from './a';\nimport { n, m } from './n';\nn;"},
			[]string{"+n.ts:1:14 error 2322", "+b.ts:2:13 error 2305"}, "partial"},
		{"several files", []string{"a.ts", "n: number", "n: string", "b.ts", "f(1)", "f('1')"}, nil, ""},
	}},
	{"pyright", "pyright-langserver", map[string]string{
		"pyrightconfig.json": "{}",
		"a.py":               "def f(n: int) -> int:\n    return n\n",
		"b.py":               "from a import f\n\nx = f(1)\nbad: int = 's'\n",
	}, "complete", []trialCase{
		{"breaks its caller", []string{"a.py", "n: int", "n: str"}, []string{"+a.py:2:12 error reportReturnType",
			"+b.py:3:7 error reportArgumentType"}, ""},
		{"cures", []string{"b.py", "'s'", "1"}, []string{"-b.py:4:12 error reportAssignmentType"}, ""},
		{"a new file", []string{"n.py", "", "n: int = 's'\n", "b.py", "from a import f",
			"from a import f\nfrom n import n"},
			[]string{"+n.py:1:10 error reportAssignmentType", "+b.py:2:6 error reportMissingImports"}, "partial"},
		{"several files", []string{"a.py", "n: int) -> int", "n: str) -> str", "b.py", "f(1)", "f('1')"}, nil, ""},
	}},
}

func TestCheckEdit(t *testing.T) {
	for _, p := range trialProjects {
		t.Run(p.server, func(t *testing.T) {
			testkit.Always(t, p.server, "gopls")
			t.Parallel()
			needServer(t, p.program)
			dir := project(t, p.files)
			session := toolstest.Real(t, dir, p.server)
			for _, c := range p.tries {
				t.Run(c.name, func(t *testing.T) {
					wantDiffers(t, tryEdits(t, session, c.edits...), cmp.Or(c.claims, p.completeness), c.want...)
				})
			}
			t.Run("leaves no trace", func(t *testing.T) { leavesNoTrace(t, session, p) })
			for name, text := range p.files {
				raw, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil || string(raw) != text {
					t.Errorf("%s was written: %q, %v", name, raw, err)
				}
			}
			if p.server == "rust-analyzer" {
				return // waits twice for a cargo check that a rust-project.json has none of; see TestCheckEditTakenBack
			}
			t.Run("applies what is clean", func(t *testing.T) { appliesWhatIsClean(t, session, dir, p) })
		})
	}
}

// Behind an error in a package gopls runs few of its analysers, and behind one in the syntax ruff runs no rule
// (gopls 0.23.0, ruff 0.17.5): what these said before is not cured by the edit that brings the error.
func TestAnErrorCuresNothing(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range []struct {
		server, program string
		files           map[string]string
		edits           []string
		want            []string // the vanishing findings of a real cure
		cure            []string
	}{
		{"gopls", "gopls", map[string]string{"go.mod": "module ex.com/gp\n\ngo 1.24\n",
			"a/a.go": "package a\n\nimport \"fmt\"\n\nfunc Foo() int {\n\tfmt.Printf(\"%d\\n\", \"x\")\n\treturn 1\n}\n",
			"a/b.go": "package a\n\nfunc Bar() int { return Foo() }\n"},
			[]string{"a/b.go", "return Foo()", "return \"x\""}, []string{"-a/a.go:6"},
			[]string{"a/a.go", "\"x\"", "1"}},
		{"ruff", "ruff", map[string]string{"pyproject.toml": "[tool.ruff]\n",
			"a.py": "import os\n\n\ndef f():\n    return 1\n"},
			[]string{"a.py", "return 1", "return (1"}, []string{"-a.py:1"}, []string{"a.py", "import os\n", "\n"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.Real(t, project(t, c.files), c.server)
			a := tryEdits(t, session, c.edits...)
			if a["ok"] != true || fmt.Sprint(a["vanishes"]) != "[]" || fmt.Sprint(a["appears"]) == "[]" {
				t.Errorf("an error: %v", a)
			}
			a = tryEdits(t, session, c.cure...)
			var gone []string
			for _, d := range differs(a) {
				if strings.HasPrefix(d, c.want[0]) {
					gone = append(gone, d)
				}
			}
			if len(gone) != 1 || fmt.Sprint(a["appears"]) != "[]" {
				t.Errorf("a cure: %v", a)
			}
		})
	}
}

// While the index that knows who uses a header is being built, "introduces nothing" says little: the answer says so
// and how to have more, and does not offer to make the edit all the same instead.
func TestCheckEditWhileTheIndexIsBuilt(t *testing.T) {
	testkit.Always(t, "leveldb") // whose index takes half a minute of both processors
	t.Parallel()
	needServer(t, "clangd")
	session := toolstest.Real(t, testkit.Corpus(t, "leveldb"), "clangd")
	var a reply
	// the index of leveldb takes 20 s and more; on a busy machine all takes longer
	for limit := 12 * time.Second; limit < testkit.Patience; limit *= 2 {
		session.Settings.CallTimeout = limit
		a = tryEdits(t, session, "include/leveldb/slice.h", "bool empty() const", "bool emptyx() const")
		if !strings.HasPrefix(a.fault(), string(contract.KindRequestTimeout)) {
			break
		}
	}
	if a["completeness"] != "partial" {
		t.Fatalf("%.3000v", a)
	}
	testkit.Holds(t, warningAbout(a, "indexing"), "clangd", "no warning says that the index is being built",
		a["warnings"])
	steps := fmt.Sprint(a["next_steps"])
	if first := a["next_steps"].([]any); len(first) == 0 || first[0].(map[string]any)["tool"] != "check_edit" ||
		strings.Contains(steps, "anyway") {
		t.Errorf("%s", steps)
	}
}
