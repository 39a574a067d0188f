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
	"lspi/internal/testkit/sessions"
	"lspi/workspace"
)

// gopls checks the files of one build: an edit that breaks those of another brings no error (0.23.0).
func TestAnEditThatFilesOfAnotherBuildNoticeIsNotRecommended(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	const text = "package a\n\nvar Help = `text`\n\nfunc Foo(n int) int {\n\treturn n\n}\n\ntype Doer interface{ Do() }\n\ntype T struct{ N, M int }\n\nfunc private() {}\n\nvar _ = private\n"
	dir := project(t, map[string]string{
		"go.mod":         "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go":         text,
		"a/a_plan9.go":   "package a\n\nvar _ = Help\n\nfunc other() {}\n\ntype impl struct{}\n\nfunc (impl) Do() {}\n",
		"b/b_plan9.go":   "package b\n\nimport \"ex.com/gp/a\"\n\nvar _ = a.Foo(a.T{}.N)\n\nfunc private() {}\n",
		"far/f_plan9.go": "package far\n\nvar Help, Foo = 1, 2\n",
		"s/s.go":         "package s\n\nimport _ \"unsafe\"\n\nvar seed, other = 1, 2\n\nfunc fast() int\n\nfunc Do() int { return other + fast() }\n\nfunc slow() {}\n\n//go:linkname given ex.com/gp/s.given\nfunc given() {}\n\ntype T struct{ Name int }\n",
		"s/s_amd64.s":    "#include \"textflag.h\"\n\nTEXT ·fast(SB),NOSPLIT,$0-8\n\tMOVQ ·seed(SB), AX\n\tMOVQ AX, ret+0(FP)\n\tRET\n\nTEXT ·other1(SB),NOSPLIT,$0\n\tCALL ·slow(SB)\n\tRET\n",
		"l/l.go":         "package l\n\nimport _ \"unsafe\"\n\n//go:linkname do ex.com/gp/s.Do\nfunc do() int\n\nvar _ = do\n",
		"l/l.s":          "",
		"cmd/main.go":    "package main\n\nfunc main() { run() }\n\nfunc run() {}\n",
	})
	env := sessions.Real(t, dir, "gopls")
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{"var Help = ", "var HelpX = ", []string{"a/a_plan9.go"}},
		{"Foo(n int) int", "Foo(n, m int) int", []string{"b/b_plan9.go"}},
		{"{ Do() }", "{ Do(); Undo() }", []string{"a/a_plan9.go"}},
		{"N, M int", "M int", []string{"b/b_plan9.go"}},
		{"func private() {}", "func other() {}\n\nfunc private() {}", []string{"a/a_plan9.go"}},
		{"\treturn n\n", "\tn++\n\treturn n\n", nil},
		{"func Foo", "// Foo does.\nfunc Foo", nil},
		{"private", "hidden", nil},
	} {
		a := tryEdits(t, env, "a/a.go", c.old, c.new)
		if c.old == "private" {
			a = run(t, env, "check_edit", map[string]any{"edits": []map[string]any{{"file_path": "a/a.go", "new_text": strings.ReplaceAll(text, "private", "hidden")}}})
		}
		steps := strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean")
		if got := leftOutOf(a); !slices.Equal(got, c.want) || (a["completeness"] == "complete") != (c.want == nil) || steps != (c.want == nil) {
			t.Errorf("%q: %v, want %v: %v", c.new, got, c.want, a)
		}
	}
	a := run(t, env, "check_edit", map[string]any{"apply_if_clean": true,
		"edits": []map[string]any{{"file_path": "a/a.go", "old_text": "var Help = ", "new_text": "var HelpX = "}}})
	if now, err := os.ReadFile(filepath.Join(dir, "a/a.go")); err != nil || string(now) != text || a["applied"] != false {
		t.Errorf("applied: %v", a)
	}
	onlyCompiled(t, env)
}

// gopls checks types: what the go command, the compiler and the linker refuse brings no error (0.23.0). The edits are those after which
// go build or go test fails, with the file and line of the reason; the others keep building.
func onlyCompiled(t *testing.T, env *workspace.Session) {
	for _, c := range []struct{ file, old, new, want string }{
		{"a/a.go", "package a\n", "//go:build windows\n\npackage a\n", "a/a.go:1 the build constraint"},
		{"a/tag.go", "", "//go:build none\n\npackage a\n\nvar X int = \"\"\n", "a/tag.go:1"},
		{"a/gen.go", "", "//go:build ignore\n\npackage main\n\nfunc main() {}\n", ""},
		{"a/new_windows.go", "", "package a\n\nfunc OnWindows() int { return Foo(1) }\n", ""},
		{"a/a.go", "func Foo(n int) int {\n\treturn n\n}\n", "func Foo(n int) int\n", "a/a.go:5 the function Foo, which has no body"},
		{"a/a_test.go", "", "package a\n\nfunc TestX(n int) {}\n", "a/a_test.go:3 the signature of the test function TestX"},
		{"cmd/main.go", "func main()", "func Main()", "cmd/main.go:1 package main, which has no func main then"},
		{"cmd/new/n.go", "", "package main\n\nfunc run() {}\n", "cmd/new/n.go:1 package main, which has no func main then"},
		{"cmd/new/n.go", "", "package main\n\nfunc main() {}\n", ""},
		{"cmd/other.go", "", "package main\n\nfunc other() {}\n", ""},
		{"s/s.go", "var seed,", "var Seed,", "s/s_amd64.s:4 seed, which assembly names"},
		{"s/s.go", "func Do() int { return other +", "func Do() int { return 1 + other +", ""},
		{"s/s.go", "func Do() int {", "func Do(_ ...int) int {", "l/l.go:5 Do, which //go:linkname names"},
	} {
		a := tryEdits(t, env, c.file, c.old, c.new)
		got := ""
		if w := warningOf(a, "compiler_only"); w != nil {
			file, line, what := fmt.Sprint(w["files"].([]any)[0]), w["line"], fmt.Sprint(w["message"])
			what, _, _ = strings.Cut(strings.TrimPrefix(what, "the edit changes "), " ("+file)
			got = fmt.Sprintf("%s:%v %s", file, line, what)
		} else if w := warningOf(a, "not_built"); w != nil {
			got = fmt.Sprintf("%v:%v", w["files"].([]any)[0], w["line"])
		}
		steps := strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean")
		if got != c.want || (a["completeness"] == "complete") != (c.want == "") || steps != (c.want == "") {
			t.Errorf("%s, %q: %q, want %q: %v", c.file, c.new, got, c.want, a)
		}
	}
	a := run(t, env, "check_edit", applying(tried("cmd/main.go", "func main()", "func Main()")))
	if a["applied"] != false || !strings.Contains(fmt.Sprint(a["not_applied"]), "no func main") || !strings.Contains(fmt.Sprint(a["next_steps"]), "build and test") {
		t.Errorf("applied: %v", a)
	}
	for name, want := range map[string]string{"seed": "s/s_amd64.s:4", "Do": "l/l.go:5", "fast": "s/s.go:7", "other": ""} {
		a := run(t, env, "rename_symbol", map[string]any{"file_path": "s/s.go", "symbol_name": name, "new_name": name + "2"})
		got, steps := "", strings.Contains(fmt.Sprint(a["next_steps"]), "dry_run:false")
		if w := warningOf(a, "compiler_only"); w != nil {
			got = fmt.Sprintf("%v:%v", w["files"].([]any)[0], w["line"])
		}
		if got != want || (a["completeness"] == "complete") != (want == "") || steps != (want == "") {
			t.Errorf("rename of %s: %q, want %q: %v", name, got, want, a)
		}
	}
	linkerNamed(t, env)
}

// gopls lists no uses in assembly and in go:linkname directives (0.23.0).
func linkerNamed(t *testing.T, env *workspace.Session) {
	for name, want := range map[string][2]string{ // of references, of callers
		"seed": {"s/s_amd64.s:4", ""}, "Do": {"l/l.go:5", "l/l.go:5"}, "fast": {"s/s_amd64.s:3", ""}, "slow": {"s/s_amd64.s:9", "s/s_amd64.s:9"},
		"other": {"", ""}, "given": {"", ""}, "T.Name": {"", ""},
	} {
		for i, tool := range []string{"find_references", "call_hierarchy", "symbol_bundle"} {
			want := want[i%2]
			if tool == "call_hierarchy" && (name == "seed" || name == "other" || name == "T.Name") {
				continue
			}
			a := run(t, env, tool, map[string]any{"file_path": "s/s.go", "symbol_name": name})
			w := warningOf(a, "dynamic_uses")
			if w == nil && want != "" || w != nil && (want == "" || !strings.Contains(fmt.Sprint(w["message"]), want)) || (a["completeness"] == "complete") != (want == "") {
				t.Errorf("%s of %s, want %q: %v", tool, name, want, a)
			}
		}
	}
	late := filepath.Join(env.Workspace.Root, "s", "late_amd64.s")
	testkit.Must(t, os.WriteFile(late, []byte("DATA p<>(SB)/8, $·other(SB)\n"), 0o644))
	a := run(t, env, "find_references", map[string]any{"file_path": "s/s.go", "symbol_name": "other"})
	if w := warningOf(a, "dynamic_uses"); w == nil || !strings.Contains(fmt.Sprint(w["message"]), "s/late_amd64.s:1") {
		t.Errorf("a new use in assembly: %v", a)
	}
}
