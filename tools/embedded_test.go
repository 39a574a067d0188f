package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// A type that a struct embeds is a field of its name, too. gopls gives the uses of that field only when it is asked at the
// field, while its rename of the type changes them (0.23.0).
func TestReferencesOfATypeHoldThoseOfTheFieldsThatEmbedIt(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	env := sessions.Real(t, project(t, map[string]string{
		"go.mod": "module ex.com/gp\n\ngo 1.24\n",
		"a/a.go": "package a\n\ntype Inner struct{ N int }\n\ntype Outer struct {\n\tInner\n\tM int\n}\n\nfunc (o *Outer) At() *Inner {\n\treturn &o.Inner\n}\n\n" +
			"type Doer interface{ Do() }\n\ntype Both interface {\n\tDoer\n\tUndo()\n}\n\ntype Box[T any] struct{ V T }\n",
		"b/b.go": "package b\n\nimport \"ex.com/gp/a\"\n\ntype far struct {\n\t*a.Inner `json:\"inner\"`\n\ta.Doer // does\n}\n\n" +
			"var x = far{\n\tInner: nil,\n}\n\nvar y = x.Doer\n\nvar z = struct{ a.Box[int] }{}\n\nvar w = z.Box.V\n",
	}), "gopls")
	for _, c := range []struct {
		name string
		want []string
	}{
		{"Inner", []string{"a/a.go:3", "a/a.go:6", "a/a.go:10", "a/a.go:11", "b/b.go:6", "b/b.go:11"}},
		{"Doer", []string{"a/a.go:14", "a/a.go:17", "b/b.go:7", "b/b.go:14"}},
		{"Box", []string{"a/a.go:21", "b/b.go:16", "b/b.go:18"}},
	} {
		for _, declaration := range []bool{true, false} {
			a := run(t, env, "find_references", map[string]any{"file_path": "a/a.go", "symbol_name": c.name, "include_declaration": declaration})
			want := slices.Clone(c.want)
			if !declaration {
				want = want[1:]
			}
			slices.Sort(want)
			if got := lines(a["files"], "references"); got != strings.Join(want, " ") || a["completeness"] != "complete" {
				t.Errorf("%s, declaration %v: %v, want %v\n%v", c.name, declaration, got, want, a["warnings"])
			}
		}
		a := run(t, env, "symbol_bundle", map[string]any{"file_path": "a/a.go", "symbol_name": c.name})
		equal(t, c.name+" in a bundle", fmt.Sprint(a["counts"].(map[string]any)["references"]), fmt.Sprint(len(c.want)))
		a = run(t, env, "rename_symbol", map[string]any{"file_path": "a/a.go", "symbol_name": c.name, "new_name": "Other"})
		equal(t, c.name+" renamed", fmt.Sprint(a["totals"].(map[string]any)["edits"], " ", a["completeness"]), fmt.Sprint(len(c.want), " complete"))
	}
}
