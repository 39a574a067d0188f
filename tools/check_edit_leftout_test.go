//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gopls checks the files of one build: an edit that breaks those of another brings no error (0.23.0).
func TestAnEditThatFilesOfAnotherBuildNoticeIsNotRecommended(t *testing.T) {
	needServer(t, "gopls")
	const text = "package a\n\nvar Help = `text`\n\nfunc Foo(n int) int {\n\treturn n\n}\n\ntype Doer interface{ Do() }\n\ntype T struct{ N, M int }\n\nfunc private() {}\n\nvar _ = private\n"
	dir := project(t, map[string]string{
		"go.mod":         "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go":         text,
		"a/a_plan9.go":   "package a\n\nvar _ = Help\n\nfunc other() {}\n\ntype impl struct{}\n\nfunc (impl) Do() {}\n",
		"b/b_plan9.go":   "package b\n\nimport \"ex.com/gp/a\"\n\nvar _ = a.Foo(a.T{}.N)\n\nfunc private() {}\n",
		"far/f_plan9.go": "package far\n\nvar Help, Foo = 1, 2\n",
	})
	env := newEnv(t, dir, "gopls")
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
}
