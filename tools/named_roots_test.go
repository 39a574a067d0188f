package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/router"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// Of two roots that hold the same relative path, answers name that of the further root behind the root's name, and each
// tool takes what they name.
func TestPathsThatTwoRootsHold(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	dir := project(t, map[string]string{
		"one/go.mod":         "module ex.com/one\n\ngo 1.24\n",
		"one/shop/cart.go":   "package shop\n\nfunc Total() int { return 1 }\n\nfunc Both() {}\n",
		"mixed/go.mod":       "module ex.com/mixed\n\ngo 1.24\n",
		"mixed/shop/cart.go": "package shop\n\nfunc Sum() int { return other() }\n",
		"mixed/shop/only.go": "package shop\n\nfunc other() int { return 2 }\n\nvar _ = Sum()\n\nfunc Both() {}\n",
	})
	one, mixed := filepath.Join(dir, "one"), filepath.Join(dir, "mixed")
	w, err := toolstest.NewProcess(t).Open("", &router.Table{Workspace: one, Roots: []string{mixed},
		Specs: toolstest.Catalogue("gopls")}, router.PoolOptions{Launcher: servers.Launcher})
	testkit.Must(t, err)
	s := &session.Session{Workspace: w}
	t.Cleanup(s.Close)

	const cart = "mixed/shop/cart.go"
	only := filepath.Join(mixed, "shop", "only.go")
	places := func(a map[string]any) (out []string) {
		list, _ := a["files"].([]any)
		for _, f := range list {
			out = append(out, f.(map[string]any)["file_path"].(string))
		}
		return out
	}
	testkit.Diff(t, places(run(t, s, "find_references", map[string]any{"symbol_name": "Sum"})), []string{cart, only}, "by name")
	at := map[string]any{"file_path": cart, "symbol_name": "Sum"}
	testkit.Diff(t, places(run(t, s, "find_references", at)), []string{cart, only}, "by place")

	for tool, given := range map[string]map[string]any{
		"find_definition": at, "hover": at, "call_hierarchy": at, "symbol_bundle": at,
		"get_document_symbols":     {"file_path": cart},
		"get_diagnostics":          {"file_paths": []string{cart, "mixed/shop/*.go", "mixed", "mixed/shop"}},
		"change_impact":            {"edits": []map[string]any{{"file_path": cart, "old_text": "Sum() int", "new_text": "Sum(n int) int"}}},
		"check_edit":               {"edits": []map[string]any{{"file_path": cart, "old_text": "other()", "new_text": "other() + 1"}}},
		"search_workspace_symbols": {"query": "Sum", "path": cart},
		"edit_symbol":              {"file_path": cart, "symbol_name": "Sum", "operation": "replace", "new_text": "func Sum() int { return 3 }"},
	} {
		a := run(t, s, tool, given)
		if text := fmt.Sprint(a); a["ok"] != true || !strings.Contains(text, cart) && tool != "hover" && tool != "get_document_symbols" ||
			strings.Contains(text, filepath.Join(mixed, "shop", "cart.go")) {
			t.Errorf("%s: %v", tool, a)
		}
	}
	testkit.Equal(t, fmt.Sprint(run(t, s, "search_workspace_symbols", map[string]any{"query": "Both"})["total"]), "2", "in all roots")
	testkit.Holds(t, fmt.Sprint(run(t, s, "rename_symbol", map[string]any{"symbol_name": "Both", "new_name": "Every"})["error"]),
		"ambiguous_symbol", "a name of two roots")

	for _, path := range []string{cart, "mixed/**", mixed + "/**", "mixed"} {
		a := run(t, s, "search_workspace_symbols", map[string]any{"query": "Sum", "path": path})
		testkit.Equal(t, fmt.Sprint(a["total"]), "1", "in", path)
		a = run(t, s, "symbol_bundle", map[string]any{"query": "Sum", "scope": path})
		testkit.Equal(t, a["ok"], any(true), "bundle in", path)
	}

	s.Settings.Shape = session.ShapeOriginal // whose places are URIs
	testkit.Holds(t, fmt.Sprint(run(t, s, "find_definition", at)), "file://"+filepath.Join(mixed, "shop", "cart.go"), "original")
	s.Settings.Shape = ""

	renamed := run(t, s, "rename_symbol", map[string]any{"file_path": cart, "symbol_name": "Sum", "new_name": "All",
		"diff": true, "apply": "if_safe"})
	testkit.Diff(t, places(renamed), []string{cart, only}, "a rename")
	raw, err := os.ReadFile(filepath.Join(mixed, "shop", "cart.go"))
	testkit.Must(t, err)
	testkit.Holds(t, string(raw), "func All()", "applied")
	raw, err = os.ReadFile(filepath.Join(one, "shop", "cart.go"))
	testkit.Must(t, err)
	testkit.Holds(t, string(raw), "func Total()", "the other root")
}
