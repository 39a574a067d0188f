package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// Without a file that tells what the project is, an answer is partial where other files can change it, or the file itself was
// misread; and says by which.
func TestALackingProjectFileLimitsWhatItConcerns(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	needServer(t, "typescript-language-server")
	env := sessions.Real(t, project(t, map[string]string{
		"js/a.js": "export function aim(x) { return alone(x) }\nfunction alone(y) { return y }\nexport default class Thing {}\n",
		"js/b.js": "import { aim } from './a'\nimport Renamed from './a'\naim(new Renamed())\n",
		"c/a.cc":  "int one() { int local = 1; return local; }\nstatic int own() { return one(); }\nint alone() { return own(); }\n",
		"c/b.cc":  "int one();\nint own() { int local = one(); return local; }\n",
		"c/m.cc":  "#include \"gone.h\"\nEXPORT int misread() { return 1; }\n",
	}), "clangd", "typescript-language-server")
	for _, q := range []struct{ tool, file, name, missing string }{
		{"get_document_symbols", "js/a.js", "", ""},
		{"find_references", "js/a.js", "aim", "js/b.js"},
		{"find_references", "js/a.js", "Thing", "js/b.js"},
		{"hover", "js/b.js", "aim", ""},
		{"find_definition", "js/b.js", "aim", ""},
		{"find_references", "js/a.js", "aim", ""}, // it has the open file now
		{"get_document_symbols", "c/a.cc", "", ""},
		{"hover", "c/a.cc", "local", ""},
		{"find_references", "c/a.cc", "local", ""},
		{"find_references", "c/a.cc", "own", ""},
		{"find_references", "c/a.cc", "alone", ""},
		{"find_definition", "c/a.cc", "alone", ""},
		{"find_definition", "c/a.cc", "one", "c/b.cc:1"},
		{"find_references", "c/a.cc", "one", "c/b.cc:1"},
		{"get_document_symbols", "c/m.cc", "", "c/m.cc:1 has an error"},
		{"symbol_bundle", "c/a.cc", "alone", ""},
		{"symbol_bundle", "c/a.cc", "one", "c/b.cc:1"},
	} {
		arguments := map[string]any{"file_path": q.file}
		if q.name != "" {
			arguments["symbol_name"] = q.name
		}
		a := run(t, env, q.tool, arguments)
		claim := "complete"
		if q.missing != "" {
			claim = "partial"
		}
		if warnings := fmt.Sprint(a["warnings"]); a["completeness"] != claim || !strings.Contains(warnings, q.missing) {
			t.Errorf("%s of %s in %s: %s wanted (%s): %v", q.tool, q.name, q.file, claim, q.missing, a)
		}
	}
}

// A search is limited by a source without a compilation database only where that holds what the search would list, whether
// its server is asked about the folder (.git marks it) or not.
func TestASearchBesideASourceThatIsNotIndexed(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	for _, mark := range []string{".git/HEAD", "notes.txt"} {
		env := sessions.Real(t, project(t, map[string]string{mark: "\n", "a.cc": "int exporter() { return 1; }\n", "b/hello.c": "int main(void) { return 0; }\n"}), "clangd")
		for _, q := range []struct{ query, match, missing string }{
			{"NewExporter", "fuzzy", ""}, {"NewExporter", "exact", ""}, {"expo", "fuzzy", "a.cc:1"}, {"main", "exact", "b/hello.c:1"}} {
			a := run(t, env, "search_workspace_symbols", map[string]any{"query": q.query, "match": q.match})
			if claim := map[bool]string{true: "complete", false: "partial"}[q.missing == ""]; a["completeness"] != claim ||
				!strings.Contains(fmt.Sprint(a["warnings"]), q.missing) {
				t.Errorf("%s, %s: %s wanted (%s): %v", mark, q.query, claim, q.missing, a)
			}
		}
	}
}
