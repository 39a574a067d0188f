package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/router"
	"lspi/tools/loaded"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// What clangd knows of the types of a changed file stays in its index: what implements a type, or stands below it,
// is said of the text that is on disk all the same.
func TestClangdForgetsOldTypes(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "clangd")
	const shape = "#pragma once\nstruct Shape {\n  virtual int area() = 0;\n  virtual int size(int) { return 0; }\n};\n"
	const first = "#include \"shape.h\"\nstruct First : Shape {\n  int area() override { return 1; }\n};\n"
	for _, c := range []struct {
		name, before, after string
		types, areas        string // completeness and places
	}{
		{"renamed and moved", "\n\n;\nstruct Second : Shape {\n  int area() override { return 2; }\n};\n",
			";\nstruct Third : Shape {\n  int area() override { return 2; }\n};\nint other() { return 0; }\n",
			"complete a.cc:2 b.cc:3", "complete a.cc:3 b.cc:4"},
		{"no longer derived", "struct Second : Shape {\n  int area() override { return 2; }\n};\n",
			"struct Second {\n  int area() { return 2; }\n};\n", "complete a.cc:2", "complete a.cc:3"},
		{"derived by another", "struct Second : Shape {\n  int area() override { return 2; }\n};\n",
			"struct Middle : Shape {};\nstruct Second : Middle {\n  int area() override { return 2; }\n};\n",
			"complete a.cc:2 b.cc:2", "complete a.cc:3 b.cc:4"},
		{"deleted", "struct Second : Shape {\n  int area() override { return 2; }\n};\n", "struct Second;\n",
			"complete a.cc:2", "complete a.cc:3"},
		{"by a macro", "struct Second : Shape {\n  int area() override { return 2; }\n};\n",
			"#define SHAPE(N) struct N : Shape { int area() override { return 2; } };\nSHAPE(Second)\n",
			"complete a.cc:2 b.cc:3", "partial a.cc:3 b.cc:2"},
		{"another overload", "struct Second : Shape {\n  int area() override { return 2; }\n};\n",
			"struct Second : Shape {\n  int area(int) { return 2; }\n};\n", "complete a.cc:2 b.cc:2",
			"partial a.cc:3 b.cc:3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.Always(t, c.name, "renamed and moved", "derived by another")
			t.Parallel()
			dir := project(t, map[string]string{"shape.h": shape, "a.cc": first, "b.cc": "#include \"shape.h\"\n" +
				c.before})
			write(t, dir, "compile_commands.json", database(dir, "a.cc", "b.cc"))
			session := toolstest.Real(t, dir, "clangd")
			implementations := func(line int, name string) string {
				a := run(t, session, "find_implementations", map[string]any{"file_path": "shape.h", "line": line,
					"symbol_name": name})
				return fmt.Sprint(a["completeness"], " ") + lines(a["files"], "implementations")
			}
			subtypes := func() string {
				a := run(t, session, "type_hierarchy", map[string]any{"file_path": "shape.h", "line": 2,
					"symbol_name": "Shape", "direction": "subtypes"})
				out := []string{fmt.Sprint(a["completeness"])}
				for _, sub := range testkit.Nodes(t, a["subtypes"]) {
					if sub.Level > 0 {
						continue
					}
					out = append(out, fmt.Sprint(sub.Path, ":", sub.Line))
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
				// On a busy machine clangd gives the place in a macro as it was now and then; what is partial may
				// lack it.
				if c.areas == "partial a.cc:3 b.cc:2" && areas == "partial a.cc:3" {
					areas = c.areas
				}
				if areas != "complete a.cc:3" || strings.HasPrefix(c.areas, "complete") {
					equal(t, "implementations of area, by "+process, areas, c.areas)
				}
				equal(t, "subtypes of Shape, by "+process, subtypes(), c.types)
				write(t, dir, "compile_commands.json", database(dir, "a.cc", "b.cc")+"\n")
			}
		})
	}
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

// The index stays in the cache, and clangd does not look at the commands that a file was indexed with: those that
// changed between two sessions count all the same.
func TestCommandsThatChangedBetweenSessions(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"f.h":  "#pragma once\nint foo();\nint foo(char);\n", // two of a name: the text alone decides nothing
		"f.cc": "#include \"f.h\"\nint foo() { return 1; }\n",
		"u.cc": "#include \"f.h\"\n#ifdef USE\nint u() { return foo(); }\n#endif\n",
	})
	cache := filepath.Join(t.TempDir(), "cache")
	for _, build := range []struct{ flags, clangd, want string }{
		{"", "", "f.cc:2 f.h:2"},
		{"-DUSE", "", "f.cc:2 f.h:2 u.cc:3"},
		{"", "", "f.cc:2 f.h:2"},
		{"", "CompileFlags: {Add: [-DUSE]}\n", "f.cc:2 f.h:2 u.cc:3"},
	} {
		write(t, dir, "compile_commands.json", strings.ReplaceAll(database(dir, "f.cc", "u.cc"), "c++ -c",
			"c++ "+build.flags+" -c"))
		write(t, dir, ".clangd", build.clangd)
		session := toolstest.Real(t, dir, "clangd")
		session.Workspace.Pool.Close()
		texts := source.NewCache(8 << 20)
		session.Workspace.Process.Texts, session.Workspace.Pool = texts,
			router.NewPool(router.PoolOptions{Launcher: servers.Launcher, Table: session.Workspace.Table,
				Log: session.Workspace.Process.Log, Texts: texts, Cache: cache})
		a := run(t, session, "find_references", map[string]any{"file_path": "f.h", "line": 2, "symbol_name": "foo"})
		equal(t, "references with "+build.flags+build.clangd, fmt.Sprint(lines(a["files"], "references")), build.want)
		session.Close()
	}
}

// Without a compilation database an answer says so, and how to have one written by what the folder is built with.
func TestHowToMakeACompilationDatabase(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "clangd")
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+fakePrograms(t, "cmake", "bear"))
	for _, c := range []struct{ file, want string }{
		{"CMakeLists.txt", "command cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"},
		{"Makefile", "command bear -- make"},
		{"meson.build", "doc <nil>"}, // which is not there
		{"notes.txt", "config <nil>"},
		{"compile_flags.txt", "config <nil>"},
	} {
		t.Run(c.file, func(t *testing.T) {
			session := toolstest.Real(t,
				project(t, map[string]string{"a.cc": "int one() { return 1; }\nint two() { return one(); }\n",
					"b.cc": "int one();\nint three() { return one(); }\n", c.file: "\n"}), "clangd")
			a := run(t, session, "find_references", map[string]any{"file_path": "a.cc", "symbol_name": "one"})
			equal(t, "completeness", a["completeness"], any("partial"))
			warning := a["warnings"].([]any)[0].(map[string]any)
			equal(t, "warning", warning["kind"], any("no_compilation_database"))
			message := "the workspace has no compile_commands.json, so answers across files are incomplete. b.cc:1 was not read for this."
			if c.file == "compile_flags.txt" {
				message = "the workspace has compile_flags.txt, which is enough for questions about one file, but no " +
					"compile_commands.json: other files are not indexed, so answers across files are incomplete. b.cc:1 was not read for this."
			}
			equal(t, "message", warning["message"], any(message))
			step := a["next_steps"].([]any)[0].(map[string]any)
			equal(t, "step", fmt.Sprint(step["kind"], " ", step["command"]), c.want)
			equal(t, "advises flags", strings.Contains(step["message"].(string), "compile_flags.txt"), false)
			a = run(t, session, "get_diagnostics", map[string]any{"file_path": "a.cc"})
			equal(t, "enough for one file", fmt.Sprint(kinds(a)),
				map[bool]string{true: "", false: "no_compilation_database"}[c.file == "compile_flags.txt"])
		})
	}
}

// clangd knows nothing of a source that the compilation database does not list, nor of a header that only such ones
// include, and does not say so; opened, they are in its answers (22.1.8). One with errors may hide a use.
func TestSourcesOutsideTheDatabase(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{
		"a.h":    "int foo();\nint bad();\nint many();\n",
		"a.cc":   "#include \"a.h\"\nint foo() { return 1; }\nint bad() { return 1; }\nint many() { return 1; }\n",
		"b.cc":   "#include \"a.h\"\n#include \"only.h\"\nint bar() { return foo(); }\n",
		"only.h": "#include \"a.h\"\ninline int only() { return foo(); }\n",
		"bad.cc": "#include \"a.h\"\n#include \"gone.h\"\nint good() { return bad(); }\nGONE(bad)\n",
	}
	for n := range loaded.MaxIncluded + 1 {
		files[fmt.Sprintf("m%d.cc", n)] = fmt.Sprintf("#include \"a.h\"\nint m%d() { return many(); }\n", n)
	}
	dir := project(t, files)
	compileCommands(t, dir, "a.cc")
	session := toolstest.Real(t, dir, "clangd")
	for _, c := range []struct {
		tool, name, missing string
		total               float64
	}{
		{"find_references", "foo", "", 4},
		{"call_hierarchy", "foo", "", 0},
		{"search_workspace_symbols", "only", "", 1},
		{"find_references", "bad", "bad at bad.cc:4", 3},
		{"find_references", "many", "", 35}, // clangd is asked at each place of the others
		{"hover", "many", "", 0},
	} {
		arguments := map[string]any{"file_path": "a.cc", "symbol_name": c.name}
		if c.tool == "search_workspace_symbols" {
			arguments = map[string]any{"query": c.name, "match": "exact"}
		}
		a := run(t, session, c.tool, arguments)
		claim := map[bool]string{true: "complete", false: "partial"}[c.missing == ""]
		if warnings := fmt.Sprint(a["warnings"]); a["completeness"] != claim ||
			!strings.Contains(warnings, c.missing) || c.missing == "" && warnings != "[]" {
			t.Errorf("%s of %s: %s wanted (%s): %v", c.tool, c.name, claim, c.missing, a)
		}
		if c.total > 0 && a["total"] != c.total {
			t.Errorf("%s of %s: %v of %v: %v", c.tool, c.name, a["total"], c.total, a)
		}
	}
}

// clangd indexes what it can make out in a file that does not compile, says so on stderr alone, and does not look
// at the file again as long as its text is the same, whatever process asks (22.1.8). The name may stand in it where
// nobody resolved it.
func TestAFileThatDidNotCompileLimitsWhatItMayHold(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"lib.h":    "#pragma once\nint Greet();\nint Other();\n",
		"lib.cc":   "#include \"lib.h\"\nint Greet() { return 1; }\nint Other() { return 2; }\n",
		"one.cc":   "#include <missing/dep.h>\n#include \"lib.h\"\nint one() { return dep::wrap(Greet()); }\n",
		"wrong.cc": "#include \"lib.h\"\nconst char *wrong = Other();\n",
	})
	compileCommands(t, dir, "lib.cc", "one.cc", "wrong.cc")
	greet := map[string]any{"file_path": "lib.cc", "symbol_name": "Greet"}
	limited := func(session *session.Session, when string) {
		t.Helper()
		for _, tool := range []string{"find_references", "call_hierarchy", "rename_symbol"} {
			a := run(t, session, tool, about(tool, "lib.cc", "Greet"))
			said := fmt.Sprint(a["warnings"])
			// The references have the place, which only the name tells; the callers and the edit do not.
			if told := strings.Contains(said, "one.cc"); tool == "find_references" &&
				!strings.Contains(fmt.Sprint(a["files"]), "one.cc") || tool != "find_references" &&
				(a["completeness"] != "partial" || !told) {
				t.Errorf("%s, %s: %v", when, tool, a)
			}
		}
	}
	session := toolstest.Real(t, dir, "clangd")
	limited(session, "indexed")
	// The error in wrong.cc took nothing from the answer: every place that holds the name is in it.
	if a := run(t, session, "find_references",
		map[string]any{"file_path": "lib.cc", "symbol_name": "Other"}); a["completeness"] != "complete" ||
		a["total"] != 3.0 {
		t.Errorf("a file with an error that is all known: %v", a)
	}
	session.Close()
	session = toolstest.Real(t, dir, "clangd")
	limited(session, "from the index on disk")
	preview := run(t, session, "rename_symbol", map[string]any{"file_path": "lib.cc", "symbol_name": "Greet",
		"new_name": "Welcome"})
	if a := run(t, session, "rename_symbol", map[string]any{"file_path": "lib.cc", "symbol_name": "Greet",
		"new_name": "Welcome", "dry_run": false,
		"preview_id": preview["preview_id"]}); a["ok"] != false || !strings.Contains(fmt.Sprint(a["error"]),
		"not_compiled") {
		t.Errorf("applied: %v", a)
	}
	testkit.Must(t, os.MkdirAll(filepath.Join(dir, "missing"), 0o755))
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "missing", "dep.h"), []byte("namespace dep { int wrap(int); }\n"),
		0o644))
	// The header that comes has the file built anew.
	if a := run(t, session, "find_references", greet); a["completeness"] != "complete" || a["total"] != 3.0 {
		t.Errorf("mended: %v", a)
	}
}

// A part of the index that cannot be read, or is of another version, does not say that its file compiled.
func TestAShardThatCannotBeReadIsNotTakenForCompiled(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"lib.h":  "#pragma once\nint Greet();\nint Other();\n",
		"lib.cc": "#include \"lib.h\"\nint Greet() { return 1; }\nint Other() { return 2; }\n",
		"own.cc": "static int Greet(int n) { return n; }\nint own() { return Greet(1); }\n", // another Greet
	})
	compileCommands(t, dir, "lib.cc", "own.cc")
	session := toolstest.Real(t, dir, "clangd")
	ask := func(when, symbol string, complete bool) {
		t.Helper()
		a := run(t, session, "find_references", map[string]any{"file_path": "lib.cc", "symbol_name": symbol})
		if got := a["completeness"] == "complete"; got != complete || !complete &&
			fmt.Sprint(firstOf(a, "warnings")["files"]) != "[own.cc]" {
			t.Errorf("%s: %v", when, a)
		}
	}
	ask("indexed", "Greet", true)
	shards, _ := filepath.Glob(filepath.Join(filepath.Dir(t.TempDir()),
		"*/cache/clangd/*/.cache/clangd/index/own.cc.*.idx"))
	if len(shards) != 1 {
		t.Fatalf("shards of own.cc: %v", shards)
	}
	good, err := os.ReadFile(shards[0])
	testkit.Must(t, err)
	for _, c := range []struct {
		name string
		text []byte
	}{
		{"of another version", append(append(append([]byte{}, good[:20]...), good[20]+1), good[21:]...)},
		{"cut off", good[:30]},
		{"empty", nil},
	} {
		testkit.Must(t, os.WriteFile(shards[0], c.text, 0o644))
		// What the index does not tell is asked at the place: it is another Greet.
		ask(c.name, "Greet", true)
		ask(c.name+", of a name that it does not hold", "Other", true)
	}
	testkit.Must(t, os.WriteFile(shards[0], good, 0o644))
	ask("mended", "Greet", true)
}

// Of a source that the database reaches by links in two folders clangd lists each link, and from the source itself not
// the header: one file is one definition, a rename changes it once, and the header's place is in the answer.
func TestSourceBehindLinks(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{
		"shared/log.h": "void log_msg(const char *s);\n",
		"shared/log.c": "#include \"log.h\"\nvoid log_msg(const char *s) { (void)s; }\n",
		"a/main.c":     "#include \"log.h\"\nint main(void) { log_msg(\"a\"); return 0; }\n",
		"b/main.c":     "#include \"log.h\"\nint main(void) { log_msg(\"b\"); return 0; }\n",
	}
	dir := project(t, files)
	for _, to := range []string{"a/log.c", "a/log.h", "b/log.c", "b/log.h"} {
		testkit.Must(t, os.Symlink(filepath.Join("..", "shared", filepath.Base(to)), filepath.Join(dir, to)))
	}
	compileCommands(t, dir, "a/main.c", "a/log.c", "b/main.c", "b/log.c")
	session := toolstest.Real(t, dir, "clangd")
	asked := map[string]any{"file_path": "a/log.c", "symbol_name": "log_msg"}
	a := run(t, session, "find_references", asked)
	testkit.Holds(t, fmt.Sprint(lines(a["files"], "references")), "shared/log.h:1", "the declaration")
	equal(t, "the answer", fmt.Sprint(a["completeness"], " ", kinds(a)), "complete ")
	asked = map[string]any{"file_path": "shared/log.h", "symbol_name": "log_msg", "new_name": "log_text"}
	a = run(t, session, "rename_symbol", asked)
	equal(t, "the rename", fmt.Sprint(a["completeness"], " ", kinds(a)), "complete symbolic_links")
}
