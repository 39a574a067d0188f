//go:build unix

package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// Of what a source includes clangd compiles no bodies (22.1.8). An error that a template has for what a source gives it
// is told all the same: where it is waited for, and before an edit is called clean.
func TestErrorsInTemplatesOfHeaders(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{
		"flask.h": "#pragma once\nstruct Flask {\n  int volume() const { return 3; }\n  void lock() {}\n" +
			"  void unlock() {}\n};\n",
		"pour.h":  "#pragma once\ntemplate <class T> int emptied(const T& thing) {\n  return thing.volume() * 2;\n}\n",
		"main.cc": "\ufeff#include \"flask.h\"\n#include \"pour.h\"\nint main() { return emptied(Flask()); }\n",
		"hold.cc": "#include \"flask.h\"\n#include <mutex>\nint hold() {\n  Flask f;\n" +
			"  std::lock_guard<Flask> held(f);\n  return 0;\n}\n",
		"plain.cc": "#include \"flask.h\"\nint plain() { return Flask().volume(); }\n"})
	compileCommands(t, dir, "main.cc", "hold.cc", "plain.cc")
	session := toolstest.Real(t, dir, "clangd")
	testkit.Equal(t, errorsOf(t, session, "main.cc", "all"), "0 complete", "as it was")
	for _, e := range []struct{ file, old, new, want string }{
		{"pour.h", "thing.volume()", "thing.capacity()", "+main.cc:3:21 error no_member"},
		{"flask.h", "  void unlock() {}\n", "", "+hold.cc:5:26 error no_member"},
		{"main.cc", "emptied(Flask())", "emptied(Flask().volume())",
			"+main.cc:3:21 error typecheck_member_reference_struct_union"},
		{"pour.h", "* 2", "* 3", ""},
	} {
		a := tryEdits(t, session, e.file, e.old, e.new)
		var want []string
		if e.want != "" {
			want = []string{e.want}
		}
		wantDiffers(t, a, "complete", want...)
		testkit.Equal(t, strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean"), e.want == "", e.new)
	}
	replaced(t, dir, "pour.h", "thing.volume()", "thing.capacity()")
	testkit.Equal(t, errorsOf(t, session, "main.cc", ""), "0 complete templates", "what takes longer is pending")
	testkit.Equal(t, errorsOf(t, session, "main.cc", "all"), "1 complete", "with its template")
	testkit.Equal(t, errorsOf(t, session, "pour.h", "all"), "1 complete", "of the header")
	testkit.Equal(t, errorsOf(t, session, "plain.cc", ""), "0 complete", "of a source without templates")
}

// Only some of many sources are compiled with a template. The edit that breaks another one is not called clean.
func TestTemplateOfManySources(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{
		"both.h": "#pragma once\nstruct Both {\n  int volume() const { return 1; }\n  int depth() const { return 2; }\n};\n",
		"one.h":  "#pragma once\nstruct One {\n  int volume() const { return 1; }\n};\n",
		"pour.h": "#pragma once\ntemplate <class T> int emptied(const T& thing) {\n  return thing.volume() * 2;\n}\n",
		"z.cc":   "#include \"one.h\"\n#include \"pour.h\"\nint z() { return emptied(One()); }\n"}
	names := []string{"z.cc"}
	for n := range 12 {
		name := fmt.Sprintf("f%02d.cc", n)
		names = append(names, name)
		files[name] = fmt.Sprintf("#include \"both.h\"\n#include \"pour.h\"\nint f%d() { return emptied(Both()); }\n", n)
	}
	dir := project(t, files)
	compileCommands(t, dir, names...)
	session := toolstest.Real(t, dir, "clangd")
	a := tryEdits(t, session, "pour.h", "thing.volume()", "thing.depth()")
	if strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean") || a["completeness"] != "partial" &&
		fmt.Sprint(a["total"]) == "0" {
		t.Errorf("%v", a)
	}
	replaced(t, dir, "pour.h", "thing.volume()", "thing.depth()")
	if got := errorsOf(t, session, "pour.h", "all"); got == "0 complete" {
		t.Errorf("of the header: %s", got)
	}
}

// A member of a type in an unnamed namespace overrides one that the body of a template elsewhere may use.
func TestAPrivateOverrideIsUsedElsewhere(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{"it.h": "#pragma once\nstruct It {\n  virtual void first() = 0;\n};\n",
		"own.cc": "#include \"it.h\"\nnamespace {\nstruct Own : It {\n  void first() override;\n};\nvoid Own::first() {}\n}\n" +
			"It* make() { return new Own; }\n",
		"body.cc": "#include \"it.h\"\ntemplate <class T> void all(T* t) {\n  t->first();\n}\nvoid some(It* i) { all(i); }\n"})
	compileCommands(t, dir, "own.cc", "body.cc")
	session := toolstest.Real(t, dir, "clangd")
	for _, q := range []map[string]any{{"file_path": "own.cc", "symbol_name": "first", "line": 4},
		{"file_path": "it.h", "symbol_name": "It::first"}} {
		a := run(t, session, "find_references", q)
		w := warningOf(a, "unexplained")
		if a["completeness"] != "partial" || !strings.Contains(fmt.Sprint(w), "body.cc") {
			t.Errorf("%v", a)
		}
	}
}
