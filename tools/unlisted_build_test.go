//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// leavesOut is that an answer is complete with a total, or partial because it lacks what stands at a place ("x.py:1").
func leavesOut(t *testing.T, what string, a reply, total float64, place string) {
	t.Helper()
	w := warningOf(a, "unlisted_sources")
	if place == "" {
		if a["completeness"] != "complete" || w != nil || total > 0 && a["total"] != total {
			t.Errorf("%s: %v", what, a)
		}
		return
	}
	file, line, _ := strings.Cut(place, ":")
	if a["completeness"] != "partial" || w == nil || !strings.Contains(fmt.Sprint(w["message"]), place) || fmt.Sprint(w["line"]) != line || !strings.Contains(fmt.Sprint(w["files"]), file) {
		t.Errorf("%s: %v", what, a)
	}
	if strings.Contains(fmt.Sprint(a["next_steps"]), "Apply exactly") {
		t.Errorf("%s offers to apply: %v", what, a["next_steps"])
	}
}

// Neither says that its configuration leaves sources out. Opened, these are in the references of both, and in the edits and symbols
// of basedpyright alone (pyright 1.1.414, basedpyright 1.40.1). What was asked before changes nothing.
func TestSourcesOutsideThePythonConfiguration(t *testing.T) {
	for _, server := range []string{"pyright", "basedpyright"} {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			needServer(t, server+"-langserver")
			dir := project(t, map[string]string{"pyrightconfig.json": `{"include": ["pkg", "tests"], "exclude": ["tests"]}`, "pkg/__init__.py": "",
				"pkg/utils.py":    "def make_str(x: int) -> str:\n    return str(x)\n\n\ndef other() -> str:\n    return make_str(1)\n",
				"tests/test_a.py": "from pkg.utils import make_str\n\n\ndef helper() -> str:\n    other = make_str(2)\n    return other\n"})
			env := sessions.Real(t, dir, server)
			left := map[bool]string{true: "tests/test_a.py:1"}[server == "pyright"]
			found := map[bool]string{true: "tests/test_a.py:4"}[server == "pyright"]
			at := func(extra ...any) map[string]any {
				out := map[string]any{"file_path": "pkg/utils.py", "symbol_name": "make_str"}
				for i := 0; i < len(extra); i += 2 {
					out[extra[i].(string)] = extra[i+1]
				}
				return out
			}
			for _, when := range []string{"first", "again"} {
				leavesOut(t, when+" rename", run(t, env, "rename_symbol", at("new_name", "mk")), 0, left)
				leavesOut(t, when+" search", run(t, env, "search_workspace_symbols", map[string]any{"query": "helper", "match": "exact"}), 0, found)
				leavesOut(t, when+" references", run(t, env, "find_references", at()), 4, "")
				leavesOut(t, when+" confined", run(t, env, "find_references", map[string]any{"file_path": "pkg/utils.py", "symbol_name": "other"}), 1, "")
				leavesOut(t, when+" rename of a name that others have", run(t, env, "rename_symbol",
					map[string]any{"file_path": "pkg/utils.py", "symbol_name": "other", "new_name": "another"}), 0, "")
			}
			bundle := run(t, env, "symbol_bundle", at())
			if bundle["completeness"] != "complete" || !strings.Contains(fmt.Sprint(bundle), "tests/test_a.py") {
				t.Errorf("%v", bundle)
			}
			if p := filepath.Join(dir, "tests/test_a.py"); server == "basedpyright" {
				a := run(t, env, "rename_symbol", at("new_name", "mk"))
				if files := fmt.Sprint(a["files"]); !strings.Contains(files, "tests/test_a.py") {
					t.Errorf("%v", a)
				}
				if _, err := os.Stat(p); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// rust-analyzer reads no source that no mod line leads to, or that #[cfg] leaves out, and does not say so (1.97.1).
func TestSourcesOfNoModule(t *testing.T) {
	t.Parallel()
	needServer(t, "rust-analyzer")
	env := sessions.Real(t, project(t, map[string]string{
		"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n\n[features]\nx = []\n",
		"src/lib.rs": "mod plain;\n#[cfg(feature = \"x\")]\nmod off;\n#[cfg(test)]\nmod tests;\nmod inner;\n#[path = \"odd.rs\"]\nmod other;\n" +
			"mod sub {\n    pub mod deep;\n}\ninclude!(\"inc.rs\");\nmacro_rules! m { ($i:item) => { $i } }\nm! { mod made; }\n" +
			"pub fn one() {}\npub fn extra_only() {}\npub fn off_only() {}\npub fn inner_only() {}\npub fn unused() {}\n" +
			"struct S<'t>(&'t str);\nimpl S<'_> { fn m(&self) { let _ = self; } }\n",
		"src/plain.rs":        "fn a() { crate::one() }\n",
		"src/tests.rs":        "fn a() { crate::one() }\n",
		"src/odd.rs":          "fn a() { crate::one() }\n",
		"src/sub/deep.rs":     "fn a() { crate::one() }\n",
		"src/made.rs":         "fn a() { crate::one() }\n",
		"src/inc.rs":          "fn inc() { crate::one() }\n",
		"tests/t.rs":          "mod common;\n#[test]\nfn t() { m::one() }\n",
		"tests/common/mod.rs": "fn a() { m::one() }\n",
		"src/off.rs":          "fn a() { crate::off_only() }\n",
		"src/inner.rs":        "#![cfg(feature = \"x\")]\nfn a() {\n    crate::inner_only()\n}\n",
		"src/extra.rs":        "// extra_only\nfn a() { crate::extra_only() }\nstruct Extra;\n",
	}), "rust-analyzer")
	at := func(name string) map[string]any {
		return map[string]any{"file_path": "src/lib.rs", "symbol_name": name}
	}
	for _, c := range []struct {
		name, place string
		total       float64
	}{
		{"one", "", 9}, {"unused", "", 1}, {"extra_only", "src/extra.rs:2", 0}, {"off_only", "src/off.rs:1", 0}, {"inner_only", "src/inner.rs:3", 0},
	} {
		leavesOut(t, "references of "+c.name, run(t, env, "find_references", at(c.name)), c.total, c.place)
		renamed := at(c.name)
		renamed["new_name"] = "zz"
		leavesOut(t, "rename of "+c.name, run(t, env, "rename_symbol", renamed), 0, c.place)
	}
	leavesOut(t, "bundle", run(t, env, "symbol_bundle", at("extra_only")), 0, "src/extra.rs:2")
	leavesOut(t, "search", run(t, env, "search_workspace_symbols", map[string]any{"query": "Extra", "match": "exact"}), 0, "src/extra.rs:3")
	for name, place := range map[string][2]int{"self": {21, 20}, "a lifetime": {20, 10}} {
		leavesOut(t, name, run(t, env, "find_references", map[string]any{"file_path": "src/lib.rs", "line": place[0], "character": place[1]}), 2, "")
	}
	a := run(t, env, "search_workspace_symbols", map[string]any{"query": "one", "match": "exact"})
	if kinds := a.kinds(); slices.Contains(kinds, "unlisted_sources") {
		t.Errorf("%v", a)
	}
}
