package tools

import (
	"fmt"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A member is found by the name of a type that inherits it, wherever its declaration is, and the answer says so.
// What a type declares itself comes first; two ancestors that declare it are candidates; tools that change files
// want the declaration itself.
func TestInheritedMembers(t *testing.T) {
	for _, c := range []struct {
		server, program string
		files           map[string]string
		lower, at       string // a member that is inherited in two steps, and where it is declared
		own, both       string // one that is declared, and one that two bases declare
	}{
		{"gopls", "gopls", map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n",
			"a.go": "package m\n\ntype Top struct {\n\tMid\n\tOther\n}\n\nfunc (Top) Own() {}\n",
			"b.go": "package m\n\ntype Mid struct{ *Base }\n\ntype Other struct{}\n\nfunc (Other) Both() {}\n\nfunc (Mid) Both() {}\n", "c.go": "package m\n\ntype Base struct{}\n",
			"d.go": "package m\n\nfunc (b *Base) Run() {}\n\nfunc (Base) Own() {}\n"}, "Top.Run", "d.go:3", "Top.Own",
			"Top.Both"},
		{"pyright", "pyright-langserver", map[string]string{"pyrightconfig.json": "{}",
			"a.py": "from b import Mid, Other\n\n\nclass Top(Mid, Other):\n    def Own(self): pass\n",
			"b.py": "import c\n\n\nclass Mid(c.Base):\n    def Both(self): pass\n\n\nclass Other:\n    def Both(self): pass\n", "c.py": "class Base:\n    def Run(self): pass\n    def Own(self): pass\n"},
			"Top.Run", "c.py:2", "Top.Own", "Top.Both"},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls")
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.Real(t, project(t, c.files), c.server)
			file := map[string]string{"gopls": "a.go", "pyright": "a.py"}[c.server]
			place := func(a reply) string {
				d := a["definitions"].([]any)[0].(map[string]any)
				return fmt.Sprint(d["file_path"], ":", d["line"], " ", kinds(a))
			}
			equal(t, "by name", place(run(t, session, "find_definition", map[string]any{"symbol_name": c.lower})),
				c.at+" inherited")
			equal(t, "in a file",
				place(run(t, session, "find_definition", map[string]any{"symbol_name": c.lower, "file_path": file})),
				c.at+" inherited")
			equal(t, "own", kinds(run(t, session, "find_definition", map[string]any{"symbol_name": c.own})), "")
			a := run(t, session, "search_workspace_symbols", map[string]any{"query": c.lower, "match": "exact"})
			equal(t, "searched", fmt.Sprint(a["total"], " ", kinds(a)), "1 inherited")
			for tool, more := range map[string]map[string]any{"hover": {}, "rename_symbol": {"new_name": "Other2"}} {
				more["symbol_name"] = map[string]string{"hover": c.both, "rename_symbol": c.lower}[tool]
				a := run(t, session, tool, more)
				equal(t, tool, a["ok"], any(false))
				step := a["next_steps"].([]any)[0].(map[string]any)
				equal(t, tool+" by the step", run(t, session, fmt.Sprint(step["tool"]),
					step["arguments"].(map[string]any))["ok"], any(true))
			}
		})
	}
}
