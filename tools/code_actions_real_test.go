package tools

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// deed is an action that is applied, and all that it changes.
type deed struct {
	title string
	place map[string]any
	swaps []swap
	gone  int // errors
}

// swap is a text in a file that is replaced by another; all of a new file when old is empty.
type swap struct{ file, old, new string }

// actingServer is a server with a project that it finds something to do in.
type actingServer struct {
	server, program string
	files           map[string]string
	asked           []string // of them, those whose actions are listed
	seen            []string // titles that are among all that was previewed
	deeds           []deed
	build           []string // what then succeeds
}

const goShapes = `package shape

import (
	"fmt"
	"os"
)

// Shape has an area.
type Shape interface {
	Area() float64
	Name() string
}

type Square struct{ Side float64 }

var _ Shape = Square{}

type Point struct{ X, Y int }

func Origin() Point {
	return Point{}
}

func Sum(all []int, unused int) int {
	total := 0
	for _, n := range all {
		total += n
	}
	return total
}

func Print() {
	left := strings.ToUpper("x")
	fmt.Println(Sum([]int{1, 2}, 3))
}
`

const cppShapes = `enum Color { Red, Green };

int value(Color c) {
  switch (c) {
  }
  int x = 1
  return x;
}

int pick(bool b) {
  if (b) {
    return 1;
  } else {
    return 2;
  }
}

int area(int w, int h) {
  int r = w * h + 1;
  return r;
}
`

const rustShapes = `pub trait Shape {
    fn area(&self) -> f64;
}

pub struct Square(pub f64);

impl Shape for Square {}

pub fn table() -> HashMap<String, u32> {
    todo!()
}

pub fn one() -> usize {
    let mut n = 1;
    n
}
`

const tsShapes = `import { z, y } from "./z";
import { b, c } from "./b";

export interface Shape {
  area(): number;
}

export class Square implements Shape {
}

export class Disc implements Shape {
}

export class Circle {
  r = z;
}

export function sum(all: number[]): number {
  let total = b();
  for (const n of all) total += n;
  return totl + z;
}
`

var actingServers = []actingServer{{
	server: "gopls", program: "gopls",
	files: map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n", "shape/shape.go": goShapes},
	asked: []string{"shape/shape.go"},
	seen: []string{"Declare missing methods of Shape", "Extract declarations to new file", "Add struct tags",
		"Organize Imports"},
	deeds: []deed{
		{"Declare missing methods of Shape", map[string]any{"diagnostic": "missing method Area"},
			[]swap{{"shape/shape.go",
				"Side float64 }\n",
				"Side float64 }\n\n// Area implements [Shape].\nfunc (s Square) Area() float64 {\n\tpanic(\"unimplemented\")\n}\n" +
					"\n// Name implements [Shape].\nfunc (s Square) Name() string {\n\tpanic(\"unimplemented\")\n}\n"}}, 1},
		{"Remove variable left", map[string]any{"diagnostic": "UnusedVar"},
			[]swap{{"shape/shape.go", "left :=", "_ ="}}, 1},
		{"Organize Imports", map[string]any{"kinds": []string{"source.organizeImports"}},
			[]swap{{"shape/shape.go", "\"os\"", "\"strings\""}}, 2},
		{"Fill Point", map[string]any{"selected_text": "Point{}"},
			[]swap{{"shape/shape.go", "Point{}", "Point{\n\t\tX: 0,\n\t\tY: 0,\n\t}"}}, 0},
		{"Extract function", map[string]any{"selected_text": "for _, n := range all {\n\t\ttotal += n\n\t}"},
			[]swap{{"shape/shape.go", "\tfor _, n",
				"\ttotal = newFunction(all, total)\n\treturn total\n}\n\nfunc newFunction(all []int, total int) int {\n\tfor _, n"}}, 0},
		{"Remove unused parameter", map[string]any{"selected_text": "unused int"},
			[]swap{{"shape/shape.go", "all []int, unused int", "all []int"},
				{"shape/shape.go", "[]int{1, 2}, 3)", "[]int{1, 2})"}}, 0},
		{"Extract declarations to new file", map[string]any{"selected_text": "type Point struct{ X, Y int }"},
			[]swap{{"shape/shape.go", "type Point struct{ X, Y int }\n\n", ""},
				{"shape/point.go", "", "package shape\n\ntype Point struct{ X, Y int }\n"}}, 0},
	},
	build: []string{"go", "vet", "./..."},
}, {
	server: "clangd", program: "clangd",
	files: map[string]string{"compile_flags.txt": "-std=c++17\n", "a.cpp": cppShapes}, asked: []string{"a.cpp"},
	seen: []string{"insert ';'", "Populate switch", "Extract to function", "Convert to scoped enum"},
	deeds: []deed{
		{"insert ';'", map[string]any{"diagnostic": "Expected ';'"}, []swap{{"a.cpp", "x = 1\n", "x = 1;\n"}}, 1},
		{"Populate switch", map[string]any{"line": 4},
			[]swap{{"a.cpp", "(c) {\n  }", "(c) {\n  case Red:\n  case Green:\n    break;\n  }"}}, 0},
		{"Extract to function", map[string]any{"selected_text": "return 1;"},
			[]swap{{"a.cpp", "return 1;", "return extracted();"},
				{"a.cpp", "int pick", "int extracted() { return 1; }\nint pick"}}, 0},
		{"Extract subexpression to variable", map[string]any{"selected_text": "w * h"},
			[]swap{{"a.cpp", "  int r = w * h", "  auto placeholder = w * h;\n  int r = placeholder"}}, 0},
	},
}, {
	server: "rust-analyzer", program: "rust-analyzer",
	files: map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n", "src/lib.rs": rustShapes},
	asked: []string{"src/lib.rs"},
	seen: []string{"Implement missing members", "Import `std::collections::HashMap`", "remove this `mut`",
		"Extract into variable"},
	deeds: []deed{
		{"Implement missing members", map[string]any{"diagnostic": "not all trait items implemented"},
			[]swap{{"src/lib.rs",
				"for Square {}", "for Square {\n    fn area(&self) -> f64 {\n        todo!()\n    }\n}"}}, 2},
		{"Import `std::collections::HashMap`", map[string]any{"diagnostic": "cannot find type `HashMap`"},
			[]swap{{"src/lib.rs",
				"pub trait", "use std::collections::HashMap;\n\npub trait"}}, 1},
		{"remove this `mut`", map[string]any{"diagnostic": "unused_mut"}, []swap{{"src/lib.rs", "let mut n", "let n"}},
			0},
	},
}, {
	server: "typescript-language-server", program: "typescript-language-server",
	files: map[string]string{
		"tsconfig.json": `{"compilerOptions": {"lib": ["es2022"], "strict": true, "noUnusedLocals": true}}`,
		"a.ts":          tsShapes,
		"b.ts":          "import { Shape } from \"./a\";\n\nexport function b() { return 1; }\nexport function c() { return 2; }\n\nexport class Ring implements Shape {}\n", "z.ts": "export const z = 1;\nexport const y = 2;\n"},
	asked: []string{"a.ts", "b.ts"},
	seen: []string{"Implement interface 'Shape'", "Move to a new file", "Delete all unused imports",
		"Fix all fixable JS/TS issues"},
	deeds: []deed{
		// Of its own diagnostics, which lag: nothing is offered in the 0.2 s behind an edit (6.0.2).
		{"Fix all fixable JS/TS issues", map[string]any{"kinds": []string{"source.fixAll"}}, []swap{
			{"a.ts", "Square implements Shape {\n",
				"Square implements Shape {\n    area(): number {\n        throw new Error(\"Method not implemented.\");\n    }\n"},
			{"a.ts", "Disc implements Shape {\n",
				"Disc implements Shape {\n    area(): number {\n        throw new Error(\"Method not implemented.\");\n    }\n"}}, 2},
		{"Implement interface 'Shape'", map[string]any{"file_path": "b.ts", "line": 6},
			[]swap{{"b.ts", "implements Shape {}",
				"implements Shape {\n    area(): number {\n        throw new Error(\"Method not implemented.\");\n    }\n}"}}, 1},
		{"Delete all unused imports", map[string]any{"diagnostic": "'c' is declared"},
			[]swap{{"a.ts", "{ z, y }", "{ z }"}, {"a.ts", "{ b, c }", "{ b }"}}, 2},
		{"Change spelling to 'total'", map[string]any{"diagnostic": "2552"}, []swap{{"a.ts", "totl", "total"}}, 1},
		{"Move to a new file", map[string]any{"selected_text": "export class Circle {\n  r = z;\n}"}, []swap{
			{"a.ts", "export class Circle {\n  r = z;\n}\n\n", ""},
			{"Circle.ts", "", "import { z } from \"./z\";\n\n\nexport class Circle {\n    r = z;\n}\n"}}, 0},
		{"Organize Imports", map[string]any{"kinds": []string{"source.organizeImports"}}, []swap{
			{"a.ts", "import { z } from \"./z\";\nimport { b } from \"./b\";\n",
				"import { b } from \"./b\";\nimport { z } from \"./z\";\n"}}, 0},
	},
}, {
	server: "pyright", program: "pyright-langserver",
	files: map[string]string{"pyproject.toml": "", "a.py": "import os\n\nx: int = \"a\"\n"}, asked: []string{"a.py"},
}}

// What servers offer in a project with errors: listed and previewed on every line, which changes nothing on disk
// whatever the servers do; then some of it is applied, and is exactly what was asked for.
func TestCodeActionsOfRealServers(t *testing.T) {
	for _, c := range actingServers {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls", "clangd")
			t.Parallel()
			needServer(t, c.program)
			dir := project(t, c.files)
			s := &acted{t, toolstest.WholeStd(toolstest.Real(t, dir, c.server)), c, dir}
			before := s.everything()
			s.previewAll()
			if d := cmp.Diff(before, s.everything()); d != "" {
				t.Fatalf("previews wrote (-before +after):\n%s", d)
			}
			for _, d := range c.deeds {
				s.do(d)
			}
			if len(c.build) > 0 {
				build := exec.CommandContext(t.Context(), c.build[0], c.build[1:]...)
				build.Dir = dir
				if out, err := build.CombinedOutput(); err != nil {
					t.Errorf("%v: %v\n%s", c.build, err, out)
				}
			}
		})
	}
}

// acted is a session with one of these servers.
type acted struct {
	*testing.T
	session *session.Session
	actingServer
	dir string
}

// previewAll lists what is offered for each file and for each of its lines, and previews all of it: each title
// once, with LSPI_ACTIONS=all at every line.
func (s *acted) previewAll() {
	s.Helper()
	seen, all := map[string]bool{}, os.Getenv("LSPI_ACTIONS") == "all"
	for _, file := range s.asked {
		for line := range strings.Count(s.files[file], "\n") + 2 {
			place := map[string]any{"file_path": file}
			if line > 0 {
				place["line"] = line
			}
			a := run(s, s.session, "code_actions", place)
			if a["ok"] != true || a["completeness"] != "complete" {
				s.Errorf("%v: %v", place, a)
				continue
			}
			if s.deeds == nil && a["total"] != 0.0 {
				s.Errorf("%v: %v", place, a)
			}
			for _, item := range a["actions"].([]any) {
				item := item.(map[string]any)
				title := item["title"].(string)
				if seen[title] && !all {
					continue
				}
				seen[title], place["action"] = true, item["id"]
				s.shows(title, run(s, s.session, "code_actions", place))
			}
		}
	}
	for _, title := range s.seen {
		if !seen[title] {
			s.Errorf("%q was never offered", title)
		}
	}
}

// shows checks that a preview has a diff, or that the server refuses in its own words.
func (s *acted) shows(title string, a reply) {
	s.Helper()
	if a["ok"] != true {
		said := fmt.Sprint(a["message"])
		if !strings.HasPrefix(said, s.server+" refused ") && !strings.HasPrefix(said, s.server+" offered ") {
			s.Errorf("%s: %v", title, a)
		}
		return
	}
	files := a["files"].([]any)
	for _, f := range files {
		if f := f.(map[string]any); f["changes"] == nil && f["diff"] == nil {
			s.Errorf("%s: %v", title, f)
		}
	}
	if len(files) == 0 || a["applied"] != false {
		s.Errorf("%s: %v", title, a)
	}
}

// do finds an action at a place, previews it and applies what the preview's step says.
func (s *acted) do(d deed) {
	s.Helper()
	want := s.everything()
	for _, w := range d.swaps {
		if n := strings.Count(want[w.file], w.old); w.old != "" && n != 1 {
			s.Errorf("%s: %q stands %d times in\n%s", d.title, w.old, n, want[w.file])
		}
		want[w.file] = strings.Replace(want[w.file], w.old, w.new, 1)
	}
	place := map[string]any{"file_path": s.asked[0]}
	maps.Copy(place, d.place)
	a := run(s, s.session, "code_actions", place)
	items, _ := a["actions"].([]any)
	for _, item := range items {
		if item := item.(map[string]any); item["title"] == d.title {
			place["action"] = item["id"]
		}
	}
	if place["action"] == nil {
		s.Errorf("%s is not offered: %v", d.title, a)
		return
	}
	preview := run(s, s.session, "code_actions", place)
	var given map[string]any
	for _, step := range preview["next_steps"].([]any) {
		if arguments, _ := step.(map[string]any)["arguments"].(map[string]any); arguments["dry_run"] == false {
			given = arguments
		}
	}
	if given == nil {
		s.Errorf("%s: no step to apply: %v", d.title, preview)
		return
	}
	done := run(s, s.session, "code_actions", given)
	if done["applied"] != true || done["new_errors"] != nil {
		s.Errorf("%s: %v", d.title, done)
	}
	if gone, _ := done["errors_gone"].(float64); int(gone) != d.gone {
		s.Errorf("%s: %v errors are gone, want %d", d.title, gone, d.gone)
	}
	testkit.Diff(s, s.everything(), want, d.title)
}

// everything is what is below the project's folder, without what servers keep there for themselves.
func (s *acted) everything() map[string]string {
	s.Helper()
	own := map[string]bool{"target": true, ".cache": true, "Cargo.lock": true}
	out := map[string]string{}
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(s.dir, path)
		switch {
		case err != nil:
			return err
		case own[rel] && d.IsDir():
			return fs.SkipDir
		case own[rel] || rel == ".":
			return nil
		case d.IsDir():
			out[filepath.ToSlash(rel)] = "a folder"
			return nil
		}
		text, err := os.ReadFile(path)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	testkit.Must(s, err)
	return out
}
