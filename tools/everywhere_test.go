package tools

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// With scope "everywhere" an answer has what a search engine finds in other repositories, as text, and stays what it is
// about this workspace. A name that only others have, an engine that is gone, and none at all are told.
func TestEverywhere(t *testing.T) {
	t.Parallel()
	zoekt := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"Result":{"FileCount":1,"Files":[{"FileName":"x.w","Repository":"git.example.com/other","Version":"0123456789abcdef",
			"LineMatches":[{"Line":%q,"LineNumber":4,"LineFragments":[{"LineOffset":2}]}]}]}}`,
			base64.StdEncoding.EncodeToString([]byte("  alpha and more")))
	}))
	t.Cleanup(zoekt.Close)
	s := toolstest.Open(t, testkit.Project(t, map[string]string{"a.w": "def alpha\nalpha\ndef twin\n",
		"b.w": "def twin\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	ask := func(tool string, arguments map[string]any) map[string]any { return run(t, s, tool, arguments) }

	if a := ask("find_references", map[string]any{"symbol_name": "alpha", "scope": "everywhere"}); a["ok"] != false ||
		!strings.Contains(fmt.Sprint(a), "search.url") {
		t.Errorf("without an engine: %v", a)
	}
	s.Settings.Search.URL = zoekt.URL
	for tool, query := range map[string]map[string]any{
		"find_references":          {"symbol_name": "alpha", "scope": "everywhere"},
		"search_workspace_symbols": {"query": "alpha", "scope": "everywhere"},
	} {
		a := ask(tool, query)
		found := fmt.Sprint(a["everywhere"])
		if a["completeness"] != "partial" || !strings.Contains(found, "4:3 alpha and more") ||
			!strings.Contains(found, "git.example.com/other") || !strings.Contains(fmt.Sprint(kinds(a)), "text_matches") ||
			a["total"] == float64(0) {
			t.Errorf("%s: %v", tool, a)
		}
	}
	if a := ask("find_references", map[string]any{"symbol_name": "zeta", "scope": "everywhere"}); a["ok"] != true ||
		a["total"] != float64(0) || !strings.Contains(fmt.Sprint(a["warnings"]), "no language server has found it") {
		t.Errorf("a name of others: %v", a)
	}
	if a := ask("find_references", map[string]any{"symbol_name": "twin", "scope": "everywhere"}); a["ok"] != false {
		t.Errorf("two symbols have the name, and the other repositories hide that: %v", a)
	}
	if a := ask("find_references", map[string]any{"symbol_name": "alpha"}); !strings.Contains(fmt.Sprint(a["next_steps"]),
		"everywhere") || a["everywhere"] != nil {
		t.Errorf("no step to the search: %v", a)
	}
	zoekt.Close()
	if a := ask("find_references", map[string]any{"symbol_name": "alpha", "scope": "everywhere"}); a["ok"] != true ||
		a["total"] != float64(2) || !strings.Contains(fmt.Sprint(a["warnings"]), zoekt.URL) {
		t.Errorf("a dead engine: %v", a)
	}
}
