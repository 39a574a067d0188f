package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
)

// What clangd knows of the types of a changed file stays in its index: what implements a type, or stands below it, is said
// of the text that is on disk all the same.
func TestClangdForgetsOldTypes(t *testing.T) {
	needServer(t, "clangd")
	const shape = "#pragma once\nstruct Shape {\n  virtual int area() = 0;\n  virtual int size(int) { return 0; }\n};\n"
	const first = "#include \"shape.h\"\nstruct First : Shape {\n  int area() override { return 1; }\n};\n"
	for _, c := range []struct {
		name, before, after string
		types, areas        string // completeness and places
	}{
		{"renamed and moved", "\n\n;\nstruct Second : Shape {\n  int area() override { return 2; }\n};\n",
			";\nstruct Third : Shape {\n  int area() override { return 2; }\n};\nint other() { return 0; }\n", "complete a.cc:2 b.cc:3", "partial a.cc:3 b.cc:4"},
		{"no longer derived", "struct Second : Shape {\n  int area() override { return 2; }\n};\n",
			"struct Second {\n  int area() { return 2; }\n};\n", "complete a.cc:2", "complete a.cc:3"},
		{"derived by another", "struct Second : Shape {\n  int area() override { return 2; }\n};\n",
			"struct Middle : Shape {};\nstruct Second : Middle {\n  int area() override { return 2; }\n};\n", "complete a.cc:2 b.cc:2", "partial a.cc:3 b.cc:4"},
		{"deleted", "struct Second : Shape {\n  int area() override { return 2; }\n};\n", "struct Second;\n", "complete a.cc:2", "complete a.cc:3"},
		{"by a macro", "struct Second : Shape {\n  int area() override { return 2; }\n};\n",
			"#define SHAPE(N) struct N : Shape { int area() override { return 2; } };\nSHAPE(Second)\n", "complete a.cc:2 b.cc:3", "partial a.cc:3 b.cc:2"},
		{"another overload", "struct Second : Shape {\n  int area() override { return 2; }\n};\n",
			"struct Second : Shape {\n  int area(int) { return 2; }\n};\n", "complete a.cc:2 b.cc:2", "partial a.cc:3 b.cc:3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.Always(t, c.name, "renamed and moved", "derived by another")
			t.Parallel()
			dir := project(t, map[string]string{"shape.h": shape, "a.cc": first, "b.cc": "#include \"shape.h\"\n" + c.before})
			var list []string
			for _, file := range []string{"a.cc", "b.cc"} {
				list = append(list, fmt.Sprintf(`{"directory": %q, "file": %q, "command": "c++ -c %s"}`, dir, file, file))
			}
			write(t, dir, "compile_commands.json", "["+strings.Join(list, ",")+"]")
			env := sessions.Real(t, dir, "clangd")
			implementations := func(line int, name string) string {
				a := run(t, env, "find_implementations", map[string]any{"file_path": "shape.h", "line": line, "symbol_name": name})
				return fmt.Sprint(a["completeness"], " ") + lines(a["files"], "implementations")
			}
			subtypes := func() string {
				a := run(t, env, "type_hierarchy", map[string]any{"file_path": "shape.h", "line": 2, "symbol_name": "Shape", "direction": "subtypes"})
				out := []string{fmt.Sprint(a["completeness"])}
				for _, s := range a["subtypes"].([]any) {
					sub := s.(map[string]any)
					out = append(out, fmt.Sprint(sub["file_path"], ":", sub["line"]))
				}
				return strings.Join(out, " ")
			}
			implementations(2, "Shape")
			write(t, dir, "b.cc", "#include \"shape.h\"\n"+c.after)
			for _, process := range []string{"the same", "the next"} { // the index on disk has it for longer
				all := c.types
				if c.name == "derived by another" { // one level further down
					all += " b.cc:3"
				}
				equal(t, "implementations of Shape, by "+process, implementations(2, "Shape"), all)
				areas := implementations(3, "area") // a method of another type is refuted by the next process alone
				// On a busy machine clangd gives the place in a macro as it was now and then; what is partial may lack it.
				if c.areas == "partial a.cc:3 b.cc:2" && areas == "partial a.cc:3" {
					areas = c.areas
				}
				if areas != "complete a.cc:3" || strings.HasPrefix(c.areas, "complete") {
					equal(t, "implementations of area, by "+process, areas, c.areas)
				}
				equal(t, "subtypes of Shape, by "+process, subtypes(), c.types)
				write(t, dir, "compile_commands.json", "["+strings.Join(list, ",")+"]\n")
			}
		})
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// lines are the places of an answer by file, as path:line.
func lines(files any, field string) string {
	var out []string
	all, _ := files.([]any)
	for _, f := range all {
		file := f.(map[string]any)
		for _, at := range file[field].([]any) {
			line, _, _ := strings.Cut(at.(string), ":")
			out = append(out, fmt.Sprint(file["file_path"], ":", line))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
