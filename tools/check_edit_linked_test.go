//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/toolstest"
)

// What a trial cannot see of a changed project file is compared when it is on disk: the answer to a written edit is
// complete.
func TestAnEditOfAProjectFileIsComparedOnDisk(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	const text = "module ex.com/m\n\ngo 1.21\n"
	dir := project(t, map[string]string{"go.mod": text, "a.go": "package a\n\nfunc A() {}\n"})
	session := toolstest.Real(t, dir, "gopls")
	a := run(t, session, "check_edit", applying(tried("go.mod", "go 1.21", "go 1.21\n\nrequire ex.com/nope v1.0.0")))
	if now, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || string(now) == text ||
		a["applied"] != true || a["completeness"] != "complete" {
		t.Errorf("%q, %v: %v", now, err, a)
	}
}

// An edit that is written because what is missing shows on disk is taken back when it cannot be compared there.
func TestAnEditThatCannotBeComparedOnDiskIsTakenBack(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var rules []lsptest.Rule
		for nth := 4; fails && nth < 20; nth++ { // the trial asks three times
			rules = append(rules,
				on(lsp.MethodDocumentDiag, lsptest.Action{Error: &lsptest.Error{Code: -32603, Message: "no"}}))
			rules[len(rules)-1].Nth = nth
		}
		s := newScripted(t, func(specs []spec.Spec) {
			specs[0].Diagnostics.FilesOnDisk = true
		}, playing(rules...), "a.w", "def X\n")
		a := run(t, s.Session, "check_edit", applying(tried("n.w", "", "def N\n", "a.w", "X", "X Y")))
		equal(t, "applied", a["applied"], any(!fails))
		if !fails {
			s.holds("a.w", "def X Y\n", "n.w", "def N\n")
			continue
		}
		s.holds("a.w", "def X\n")
		testkit.Holds(t, fmt.Sprint(a["not_applied"]), "could not tell", a)
	}
}

// rust-analyzer answers for the workspace of the file: a crate of another one that names it by path is not read
// (1.97.1).
func TestCratesThatNameOthersByPathMakeAnAnswerPartial(t *testing.T) {
	testkit.Always(t, "rust-analyzer") // scripts/gopls/replaced_modules.txtar is the same of gopls
	t.Parallel()
	needServer(t, "rust-analyzer")
	crate := func(name, more string) string {
		return "[package]\nname = \"" + name + "\"\nedition = \"2021\"\n" + more
	}
	const core = "/// One.\npub fn foo() -> u8 {\n    1\n}\n\npub fn bar() {}\n\nfn private() {}\n\npub fn user() {\n    private();\n}\n"
	dir := project(t, map[string]string{
		"core/Cargo.toml": crate("core1", ""), "core/src/lib.rs": core,
		"app/Cargo.toml":   crate("app", "\n[dependencies]\ncore1 = { path = \"../core\" }\n\n[workspace]\n"),
		"app/src/main.rs":  "// bar\nfn private() {}\n\nfn main() {\n    core1::foo();\n    private();\n}\n",
		"other/Cargo.toml": crate("other", "\n[target.'cfg(unix)'.dev-dependencies.core1]\npath = \"../core\"\n"),
		"other/src/lib.rs": "pub fn main() {}\n",
		"apart/Cargo.toml": crate("apart", ""),
		"apart/src/lib.rs": "pub fn foo() {}\n",
	})
	session := toolstest.Real(t, dir, "rust-analyzer")
	told := func(a reply) string {
		if w := firstOf(a, "warnings"); w["kind"] == "linked_projects" {
			return fmt.Sprint(w["files"], w["line"])
		}
		return fmt.Sprint(a["completeness"])
	}
	for _, c := range []struct{ tool, file, name, want string }{
		{"find_references", "core/src/lib.rs", "foo", "[app/src/main.rs] 5"},
		{"rename_symbol", "core/src/lib.rs", "foo", "[app/src/main.rs] 5"},
		{"call_hierarchy", "core/src/lib.rs", "foo", "[app/src/main.rs] 5"},
		{"find_references", "core/src/lib.rs", "bar", "complete"},
		{"find_references", "app/src/main.rs", "foo", "complete"},
		{"find_references", "app/src/main.rs", "main", "complete"}, // nobody uses app
		{"find_references", "apart/src/lib.rs", "foo", "complete"},
	} {
		if a := run(t, session, c.tool, about(c.tool, c.file, c.name)); told(a) != c.want {
			t.Errorf("%s of %s in %s: %s, want %s: %v", c.tool, c.name, c.file, told(a), c.want, a)
		}
	}
	for old, want := range map[[2]string]string{
		{"pub fn foo() -> u8", "pub fn foo(n: u8) -> u8"}:                        "[app/src/main.rs] 5",
		{"/// One.\npub fn foo() -> u8 {\n    1\n}\n\n", ""}:                     "[app/src/main.rs] 5",
		{"    1\n", "    2\n"}:                                                   "complete",
		{"/// One.", "/// A one."}:                                               "complete",
		{"pub fn bar() {}", "pub fn bar(n: u8) {}"}:                              "complete",
		{"fn private() {}", "fn private() -> u8 { 1 }"}:                          "complete",
		{"pub fn bar() {}", "pub fn bar() {}\n\npub fn more(n: u8) -> u8 { n }"}: "complete",
	} {
		a := run(t, session, "check_edit", tried("core/src/lib.rs", old[0], old[1]))
		got := "complete"
		if w := warningOf(a, "linked_projects"); w != nil {
			got = fmt.Sprint(w["files"], w["line"])
		}
		if offered := strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean"); got != want ||
			offered != (want == "complete") {
			t.Errorf("%q: %s, want %s: %v", old, got, want, a)
		}
	}
}

// What a file says that another server reads from disk is partial until it is compared there; an edit that breaks
// it is taken back. What no code names is judged by its own server, and a new source that nothing can import yet is
// an ordinary one.
func TestCheckEditOfWhatOtherServersRead(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "typescript-language-server")
	needServer(t, "vscode-json-language-server")
	needServer(t, "pyright-langserver")
	files := map[string]string{
		"tsconfig.json": `{"compilerOptions": {"strict": true, "noLib": true, "types": [], "resolveJsonModule": true, "module": "esnext", "moduleResolution": "bundler"}}`,
		"lib.d.ts": "interface Array<T> {}\ninterface Boolean {}\ninterface Function {}\ninterface CallableFunction {}\ninterface NewableFunction {}\ninterface IArguments {}\n" +
			"interface Number {}\ninterface Object {}\ninterface RegExp {}\ninterface String {}\n",
		"data.json": `{"port": 80}`, "other.json": `{"port": 80}`,
		"schema.json": `{"properties": {"n": {"type": "number"}}}`,
		"held.json":   "{\n  \"$schema\": \"./schema.json\",\n  \"n\": 1\n}\n",
		"conf.ts":     "import data from \"./data.json\";\nexport const port = data.port;\n",
		"use.ts":      "import { port } from \"./conf\";\nimport { later } from \"./later\";\nexport const n: number = port, s: string = later;\n",
		"p.py":        "import helper\ny: int = helper.f()\n", "far.py": "from p import y\nz: int = y\n",
		"alone.py": "a = 1\n",
	}
	dir := project(t, files)
	session := toolstest.Real(t, dir, "typescript-language-server", "json", "pyright")
	for _, c := range []struct {
		name    string
		edits   []string
		notices []string // files that may notice on disk
		applied bool
		breaks  string
	}{
		{"imported data", []string{"data.json", "80", `"80"`}, []string{"conf.ts", "use.ts"}, false, "use.ts"},
		{"imported data, still right", []string{"data.json", "80", "81"}, []string{"conf.ts", "use.ts"}, true, ""},
		{"data that nobody names", []string{"other.json", "80", `"80"`}, nil, true, ""},
		{"a schema", []string{"schema.json", `"number"`, `"number", "title": "N"`}, []string{"held.json"}, true, ""},
		{"a project file", []string{"tsconfig.json", `"resolveJsonModule": true, `, `"resolveJsonModule": false, `},
			[]string{"conf.ts", "lib.d.ts", "use.ts"}, false, "conf.ts"},
		{"a new module that nobody imports", []string{"fresh.ts", "", "export const a = 1;\n"}, nil, true, ""},
		{"a new module that is imported", []string{"later.ts", "", "export const later = 1;\n"}, []string{"use.ts"},
			false, "use.ts"},
		{"a new script", []string{"global.ts", "", "var shared = 1;\n"}, []string{"conf.ts", "fresh.ts", "lib.d.ts",
			"use.ts"}, true, ""},
		{"a new module of Python", []string{"fresh.py", "", "a = 1\n"}, nil, true, ""},
		{"a new module of Python that is imported", []string{"helper.py", "", "def f() -> str:\n    return ''\n"},
			[]string{"far.py", "p.py"}, false, "p.py"},
	} {
		tried := tried(c.edits...)
		a := run(t, session, "check_edit", tried)
		got, completeness := []string(nil), "complete"
		for _, w := range a["warnings"].([]any) {
			w := w.(map[string]any)
			if reason := fmt.Sprint(w["reason"]); w["kind"] != "part_failed" ||
				!slices.Contains([]string{"project_file", "data_file", "new_file"}, reason) {
				t.Errorf("%s: %v", c.name, w)
				continue
			}
			for _, file := range w["files"].([]any) {
				got = append(got, file.(string))
			}
		}
		if c.notices != nil {
			completeness = "partial"
		}
		if !slices.Equal(got, c.notices) || a["completeness"] != completeness {
			t.Errorf("%s: %v may notice, want %v: %v", c.name, got, c.notices, a)
		}
		a = run(t, session, "check_edit", applying(tried))
		raw, _ := os.ReadFile(filepath.Join(dir, c.edits[0]))
		written := string(raw) != files[c.edits[0]]
		if a["applied"] != c.applied || written != c.applied || c.applied != (a["completeness"] == "complete") {
			t.Errorf("%s: written %v: %v", c.name, written, a)
		}
		if c.breaks != "" && !strings.Contains(fmt.Sprint(a["new_errors"]), c.breaks) {
			t.Errorf("%s: no error in %s: %v", c.name, c.breaks, a)
		}
	}
}
