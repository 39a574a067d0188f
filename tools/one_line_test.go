package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// Of declarations that stand beside each other in one line, those change whose text does.
func TestChangedDeclarationsOfOneLine(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"go.mod": "module ex.com/m\n\ngo 1.24\n",
		"m.go":   "package m\n\nvar a, b = 1, 2\n\nfunc F() int { return a }; func G() int { return b }\n\nfunc H() int { return F() + G() }\n",
	})
	session := toolstest.Real(t, dir, "gopls")
	for old, c := range map[string]struct{ now, want string }{
		"a, b = 1, 2":  {"a, b = 3, 2", "m.go:3 variable a, m.go:3 variable b"},
		"{ return a }": {"{ return a + 1 }", "m.go:5 function F"},
	} {
		a := run(t, session, "change_impact", map[string]any{"edits": []any{map[string]any{"file_path": "m.go",
			"old_text": old, "new_text": c.now}}})
		var got []string
		changed, _ := a["changed"].([]any)
		for _, d := range changed {
			got = append(got, fmt.Sprint(d.(map[string]any)["declaration"]))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %v, want %s\n%v", old, got, c.want, a)
		}
	}
}

// A search of a Go module lacks what scripts beside it declare, but for the one line of a library that is only served.
func TestMinifiedLibrariesAreNotSearched(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	needServer(t, "typescript-language-server")
	for script, want := range map[string]string{
		"function zebra() {}\n": "partial",
		"function zebra() {}" + strings.Repeat("var o=1;", 200) + "\n": "complete",
	} {
		dir := project(t, map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n", "m.go": "package m\n\nfunc F() {}\n",
			"static/lib.js": script})
		a := run(t, toolstest.Real(t, dir, "gopls", "typescript-language-server"), "search_workspace_symbols",
			map[string]any{"query": "zebra", "match": "exact"})
		if a["completeness"] != want {
			t.Errorf("%.30s: %v, want %s", script, a, want)
		}
	}
}
