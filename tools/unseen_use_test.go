package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// What Go and its standard library find by the name alone has no reference: it is neither deleted nor renamed without
// a look. Methods that an interface of the workspace names are renamed together.
func TestUsesWithoutAReferenceInGo(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/unseen\n\ngo 1.24\n",
		"a.go": "package a\n\nimport \"fmt\"\n\ntype Log struct{}\n\nfunc (Log) String() string { return \"\" }\n\n" +
			"func (Log) Lines() int { return 0 }\n\ntype Err struct{ in error }\n\nfunc (Err) Error() string { return \"\" }\n\n" +
			"func (e Err) Unwrap() error { return e.in }\n\nfunc (Err) Where() int { return 1 }\n\n" +
			"type Shape interface{ Area() int }\n\ntype Square struct{}\n\nfunc (Square) Area() int { return 1 }\n\n" +
			"var _ Shape = Square{}\n\nvar hooked = hook()\n\nvar plain = 1\n\nfunc hook() int { fmt.Println(); return 1 }\n\n" +
			"func init() { hook() }\n",
		"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) { m.Run() }\n\n" +
			"func TestA(t *testing.T) {}\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	for _, q := range []struct{ file, symbol, name, why string }{
		{"a.go", "Log.String", "Text", "it satisfies the interface with that method in "},
		{"a.go", "Err.Unwrap", "Inner", "package errors calls methods of that name"},
		{"a_test.go", "TestA", "checkA", "go test runs it by its name"},
		{"a.go", "Err.Where", "Place", ""},
		{"a.go", "Log.Lines", "Count", ""},
		{"a.go", "Shape.Area", "Size", ""},
		{"a_test.go", "TestA", "TestB", ""},
	} {
		a := run(t, session, "rename_symbol",
			map[string]any{"file_path": q.file, "symbol_name": q.symbol, "new_name": q.name})
		if q.why == "" {
			testkit.Equal(t, a["completeness"], "complete", q.symbol, a)
		} else if a["completeness"] != "partial" || !strings.Contains(fmt.Sprint(a["warnings"]), q.why) ||
			strings.Contains(fmt.Sprint(a["next_steps"]), "kind:tool") {
			t.Errorf("%s: %v", q.symbol, a)
		}
	}
	for _, q := range []struct{ file, symbol, why string }{
		{"a.go", "init", "every program with the package runs it"},
		{"a.go", "hooked", "calls what initializes it"},
		{"a_test.go", "TestMain", "go test runs it"},
		{"a_test.go", "TestA", "go test runs it"},
		{"a.go", "plain", ""},
	} {
		a := run(t, session, "edit_symbol", map[string]any{"file_path": q.file, "symbol_name": q.symbol,
			"operation": "delete", "apply": "if_safe"})
		if a["applied"] == any(true) != (q.why == "") || !strings.Contains(fmt.Sprint(a["message"]), q.why) {
			t.Errorf("%s: %v", q.symbol, a)
		}
	}
}

// Where a string may be the name, no step deletes or renames by itself, whoever follows it.
func TestMentionsAreReadBeforeAnEditIsApplied(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/mentions\n\ngo 1.24\n",
		"a.go":   "package a\n\ntype Arith int\n\nfunc (Arith) Mul() {}\n\nvar Route = \"Arith.Mul\"\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	for tool, with := range map[string]map[string]any{
		"edit_symbol":   {"operation": "delete"},
		"rename_symbol": {"new_name": "Times"},
	} {
		for _, apply := range []any{nil, "if_safe"} {
			with["file_path"], with["symbol_name"], with["apply"] = "a.go", "Arith.Mul", apply
			if apply == nil {
				delete(with, "apply")
			}
			a := run(t, session, tool, with)
			if steps := fmt.Sprint(a["next_steps"]); a["applied"] == any(true) || strings.Contains(steps, "kind:tool") ||
				!strings.Contains(steps, "Read the places") || !strings.Contains(steps, "preview_id") {
				t.Errorf("%s %v: %v", tool, apply, a)
			}
		}
	}
}

// A source that names a type and takes methods or fields by names that it computes may use each exported one. A literal
// is the name itself, or begins it.
func TestNamesThatReflectionReads(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/reflected\n\ngo 1.24\n",
		"a.go": "package a\n\ntype Events struct{ Open, shut int }\n\nfunc (Events) OnOpen() {}\n\nfunc (Events) Close() {}\n\n" +
			"type Other struct{ Size int }\n\nfunc (Other) OnSize() {}\n",
		"b.go": "package a\n\nimport \"reflect\"\n\nfunc call(n string) {\n\tv := reflect.ValueOf(Events{})\n" +
			"\tv.MethodByName(\"On\" + n).Call(nil)\n\tv.FieldByName(n)\n}\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	for _, q := range []struct{ symbol, at string }{
		{"Events.OnOpen", "OnOpen at b.go:7"},
		{"Open", "Open at b.go:8"},
		{"Events.Close", ""},
		{"shut", ""},
		{"Other.OnSize", ""},
		{"Size", ""},
	} {
		a := run(t, session, "find_references", map[string]any{"file_path": "a.go", "symbol_name": q.symbol})
		if want := map[bool]string{true: "complete", false: "partial"}[q.at == ""]; a["completeness"] != want ||
			!strings.Contains(fmt.Sprint(a["warnings"]), q.at) ||
			q.at != "" && !strings.Contains(fmt.Sprint(a["warnings"]), "by_name") {
			t.Errorf("%s: %v", q.symbol, a)
		}
	}
}

// Code that is not built declares other methods of the name. That of the same type, in another build, has to follow.
func TestOtherMethodsInCodeThatIsNotBuilt(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod":         "module ex.com/other\n\ngo 1.24\n",
		"a.go":           "package a\n\ntype Sq struct{}\n\nfunc (Sq) Area() int { return 1 }\n\nfunc Size() int { return 1 }\n",
		"a_linux.go":     "package a\n\nfunc (Sq) Edge() int { return 1 }\n",
		"a_windows.go":   "package a\n\ntype Win struct{}\n\nfunc (Win) Area() int { return 1 }\n\nfunc (*Win) Size() int { return 1 }\n",
		"b_windows.go":   "package a\n\nfunc (s Sq) Edge() int { return 2 }\n",
		"c/c_windows.go": "package c\n\nfunc Size() int { return 1 }\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	for _, q := range []struct{ file, symbol, left string }{
		{"a.go", "Sq.Area", ""},
		{"a.go", "Size", ""},
		{"a_linux.go", "Sq.Edge", "b_windows.go"},
	} {
		a := run(t, session, "find_references", map[string]any{"file_path": q.file, "symbol_name": q.symbol})
		if want := map[bool]string{true: "complete", false: "partial"}[q.left == ""]; a["completeness"] != want ||
			!strings.Contains(fmt.Sprint(a["warnings"]), q.left) {
			t.Errorf("%s: %v", q.symbol, a)
		}
	}
}

// What the comparison reports as an error is in the answer, though gopls lists no reference there.
func TestErrorsAtValuesByPlaceAreToldOnce(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod":   "module ex.com/place\n\ngo 1.24\n",
		"p/p.go":   "package p\n\ntype Pair struct {\n\tFirst  int\n\tSecond int\n}\n",
		"q/q.go":   "package q\n\nimport \"ex.com/place/p\"\n\nvar All = []p.Pair{\n\t{1, 0},\n}\n",
		"q/doc.go": "package q\n",
	})
	a := run(t, toolstest.Real(t, dir, "gopls"), "check_edit", map[string]any{"wait": "all", "edits": []any{
		map[string]any{"file_path": "p/p.go", "old_text": "\tSecond int\n", "new_text": ""}}})
	if a["completeness"] != "complete" || !strings.Contains(fmt.Sprint(a["appears"]), "q/q.go") {
		t.Errorf("%v", a)
	}
}

// A format takes the names of fields for its keys: a rename changes what the program reads, unless a tag has the key.
func TestRenamedFieldsThatAreKeys(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/keys\n\ngo 1.24\n",
		"conf/conf.go": "package conf\n\ntype Conf struct {\n\tDepth int\n\tPort  int `json:\"port\"`\n" +
			"\tMode  int `json:\",omitempty\"`\n\tlast  int\n}\n\ntype Other struct{ Size int }\n",
		"main.go": "package main\n\nimport (\n\t\"encoding/json\"\n\n\t\"ex.com/keys/conf\"\n)\n\nfunc main() {\n" +
			"\tvar c conf.Conf\n\t_ = json.Unmarshal(nil, &c)\n}\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	for field, key := range map[string]bool{"Depth": true, "Mode": true, "Port": false, "last": false, "Size": false} {
		a := run(t, session, "rename_symbol", map[string]any{"file_path": "conf/conf.go", "symbol_name": field,
			"new_name": field + "New"})
		if told := strings.Contains(fmt.Sprint(a["warnings"]), "may change the format"); told != key ||
			a["completeness"] != "complete" || key == strings.Contains(fmt.Sprint(a["next_steps"]), "kind:tool") {
			t.Errorf("%s: %v", field, a)
		}
	}
}
