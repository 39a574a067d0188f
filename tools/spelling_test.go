package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/ask"
	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/lsp/spec"
	"lspi/qname"
	"lspi/resolve"
	"lspi/source"
	"lspi/workspace"
)

func TestSpelled(t *testing.T) {
	for name, want := range map[string]string{"Load": "Load", "ns::Widget::~Widget": "Widget", "operator<": "operator",
		"operator bool": "operator", "(*T).Hello": "Hello", "$scope": "scope"} {
		equal(t, name, resolve.Spelled(qname.Components(name)), want)
	}
}

// running are the ids of the servers that run.
func running(env *workspace.Session) string {
	var out []string
	for _, s := range env.Workspace.Pool.Running() {
		out = append(out, s.ID())
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestNameAloneAsksTheLanguagesThatSpellIt(t *testing.T) {
	for _, program := range []string{"gopls", "pyright-langserver", "clangd"} {
		needServer(t, program)
	}
	files := map[string]string{
		"go.mod": "module ex.com/m\n\ngo 1.24\n", "m.go": "package m\n\nimport \"strings\"\n\nfunc Load() string { return strings.ToUpper(Shared) }\n\nconst Shared = \"\"\n",
		"pyproject.toml": "[project]\nname = \"m\"\n", "m.py": "def read():\n    return 1  # LoadMode\n\n\nShared = read()\n",
		"m.cc": "int only_c() { return 1; }\n", "README.md": "# Load\n",
	}
	env := sessions.Real(t, project(t, files), "gopls", "pyright", "clangd")
	alone := func(name string) reply { return run(t, env, "find_definition", map[string]any{"symbol_name": name}) }

	a := alone("Load")
	equal(t, "Load", fmt.Sprint(firstOf(a, "definitions")["file_path"], " ", a["completeness"], " ", a["warnings"]), "m.go complete []")
	equal(t, "running", running(env), "gopls")
	a = alone("Shared")
	equal(t, "Shared", a["error"].(map[string]any)["kind"], any("ambiguous"))
	equal(t, "running", running(env), "gopls pyright")
	a = alone("only_c") // clangd cannot be asked, which is told now
	equal(t, "only_c", fmt.Sprint(a["error"].(map[string]any)["kind"], " ", kinds(a)), "not_found no_compilation_database")
}

// A name that is declared outside is found from where it is used.
func TestNameOfADependencyLeadsToItsUse(t *testing.T) {
	t.Parallel()
	needServer(t, "gopls")
	env := sessions.Real(t, project(t, map[string]string{
		"go.mod": "module ex.com/m\n\ngo 1.24\n", "a.go": "package m\n\nvar _ = 1\n",
		"m.go": "package m\n\nimport \"strings\"\n\nvar X = strings.ToUpper(\"\")\n"}), "gopls")
	a := run(t, env, "find_definition", map[string]any{"symbol_name": "strings.ToUpper"})
	equal(t, "kind", a["error"].(map[string]any)["kind"], any("not_found"))
	step := firstOf(a, "next_steps")
	a = run(t, env, step["tool"].(string), step["arguments"].(map[string]any))
	if path := fmt.Sprint(firstOf(a, "definitions")["file_path"]); !strings.HasSuffix(path, "strings/strings.go") {
		t.Errorf("%v: %v", step, a)
	}
}

func firstOf(a reply, list string) map[string]any {
	all, _ := a[list].([]any)
	if len(all) == 0 {
		return map[string]any{}
	}
	return all[0].(map[string]any)
}

// Of several servers those are asked whose files hold the word, whatever runs already; what the others cannot do is not
// said unless nobody knows the name.
func TestNameAloneAmongServers(t *testing.T) {
	of := func(ext string) func(*spec.Spec) {
		return func(s *spec.Spec) { s.Languages = []spec.Language{{ID: ext, Extensions: []string{ext}}} }
	}
	broken := `{"language":"words","rules":[{"method":"workspace/symbol","actions":[{"error":{"code":-32603,"message":"boom"}}]}]}`
	files := map[string]string{"a.w": "def alpha\ndef both\ndef glued\n", "b.v": "def beta\ndef both\n", "c.u": "alphabet\nodd\n", "d.md": "alpha\n", "e.x": "gone\n"}
	dir := project(t, files)
	generated := strings.ReplaceAll(searchScript(dir, "generated 12  0"), "a.w", "b.v")
	for _, c := range []struct{ name, v, want, servers string }{
		{"alpha", `{"language":"words"}`, "w complete ", "w"},
		{"beta", `{"language":"words"}`, "v complete ", "v"},
		{"both", `{"language":"words"}`, "ambiguous_symbol ", "v w"},
		{"generated", generated, "v complete ", "md u v w"}, // in no file
		{"odd", `{"language":"words"}`, "request_failed ", "u"},
		{"gone", `{"language":"words"}`, "symbol_not_found server_failed server_failed", "md u v w"},
	} {
		missing := sessions.Fake(t, "missing", `{}`, of("x"), func(s *spec.Spec) { s.Commands = []spec.Command{{Name: "no-such-program"}} })
		env := sessions.Open(t, dir, sessions.Fake(t, "w", `{"language":"words"}`), sessions.Fake(t, "v", c.v, of("v")), sessions.Fake(t, "u", broken, of("u")),
			sessions.Fake(t, "md", `{"language":"words"}`, func(s *spec.Spec) { s.Languages = []spec.Language{{ID: "markdown", Extensions: []string{"md"}}} }), missing)
		for range 2 { // what runs the second time changes nothing
			a := run(t, env, "hover", map[string]any{"symbol_name": c.name})
			got := fmt.Sprint(a["completeness"], " ", kinds(a))
			if a["ok"] == true {
				got = fmt.Sprint(a["server_id"], " ", got)
			} else if e, ok := a["error"].(map[string]any); ok {
				got = fmt.Sprint(e["data"].(map[string]any)["lspi_error"].(map[string]any)["kind"], " ", kinds(a))
			}
			equal(t, c.name, got, c.want)
			equal(t, c.name, running(env), c.servers)
		}
	}
}

func TestExactSearchAsksTheLanguagesThatSpellTheName(t *testing.T) {
	other := func(s *spec.Spec) { s.Languages = []spec.Language{{ID: "v", Extensions: []string{"v"}}} }
	env := sessions.Open(t, project(t, map[string]string{"a.w": "def alpha\n", "b.v": "def beta\n"}),
		sessions.Fake(t, "w", `{"language":"words"}`), sessions.Fake(t, "v", `{"language":"words"}`, other))
	a := run(t, env, "search_workspace_symbols", map[string]any{"query": "alpha", "match": "exact"})
	equal(t, "found", foundNames(a)+" "+fmt.Sprint(a["completeness"]), "alpha@a.w:1 complete")
	equal(t, "running", running(env), "w")
	a = run(t, env, "search_workspace_symbols", map[string]any{"query": "gamma", "match": "exact"})
	equal(t, "found", foundNames(a)+" "+fmt.Sprint(a["completeness"]), " complete")
	equal(t, "running", running(env), "v w")
}

// What could not be read counts as holding the word.
func TestSpellingIsBounded(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "one\n", "b.w": "two\n"})
	paths := []string{filepath.Join(dir, "a.w"), filepath.Join(dir, "b.w"), filepath.Join(dir, "gone.w"), dir}
	equal(t, "none", resolve.FirstHolding(t.Context(), paths, "three"), "")
	equal(t, "second", resolve.FirstHolding(t.Context(), paths, "two"), paths[1])
	testkit.Must(t, os.Truncate(paths[0], source.MaxBytes+1))
	equal(t, "too large", resolve.FirstHolding(t.Context(), paths, "three"), paths[0])
	w := &ask.WorkspaceWalk{Grounds: []*ask.Ground{{Files: paths[1:]}}}
	w.Grounds[0].Route.Spec = &spec.Spec{}
	equal(t, "in time", resolve.Spelling(t.Context(), w, "three", time.Minute)[w.Grounds[0]], "")
	equal(t, "out of time", resolve.Spelling(t.Context(), w, "three", 0)[w.Grounds[0]], paths[1])
}
