//go:build unix

package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit/sessions"
)

// In code that #[cfg] leaves out rust-analyzer knows no types: a path to what it knows is in its references, a member is not, and no caller
// is; it says nothing of it in its answers (1.97.1).
func TestUsesInRustCodeThatIsNotBuiltAreTold(t *testing.T) {
	t.Parallel()
	needServer(t, "rust-analyzer")
	dir := project(t, map[string]string{
		"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n\n[features]\nx = []\n",
		"src/lib.rs": "pub struct S;\n\nimpl S {\n    pub fn foo(&self) -> u8 {\n        1\n    }\n    pub fn outer(&self) {}\n    pub fn whole(&self) {}\n" +
			"    pub fn bar(&self) {\n        self.foo();\n    }\n}\n\n" + // 13
			"#[cfg(feature = \"x\")]\npub fn b() {\n    let local = S.foo();\n    free(S.foo());\n}\n\n" + // 19
			"#[cfg(not(test))]\nmod m {\n    fn n() {\n        crate::S.outer();\n    }\n}\n\n" + // 26
			"pub fn free(n: u8) {}\n\npub trait Tr {}\n\nimpl Tr for u8 {}\n\npub trait One {}\n\n#[cfg(feature = \"x\")]\nimpl Tr for S {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn t() {\n        let local = S.bar();\n        local\n    }\n}\n",
		"tests/t.rs": "#![cfg(feature = \"x\")]\n\n#[test]\nfn t() {\n    m::S.whole();\n}\n",
	})
	env := sessions.Real(t, dir, "rust-analyzer")
	told := func(a reply) string {
		w := warningOf(a, "not_built")
		if w == nil {
			return fmt.Sprint(a["completeness"])
		}
		return fmt.Sprint(w["files"], w["line"], w["counts"], " ", a["completeness"])
	}
	for _, c := range []struct {
		tool, name, want string
		line             int
	}{
		{"find_references", "foo", "[src/lib.rs] 16 map[src/lib.rs:2] partial", 0},
		{"rename_symbol", "foo", "[src/lib.rs] 16 map[src/lib.rs:2] partial", 0},
		{"call_hierarchy", "foo", "[src/lib.rs] 16 map[src/lib.rs:2] partial", 0},
		{"find_references", "free", "complete", 0},
		{"call_hierarchy", "free", "[src/lib.rs] 17 map[src/lib.rs:1] partial", 0},
		{"find_references", "outer", "[src/lib.rs] 23 map[src/lib.rs:1] partial", 0},
		{"find_references", "whole", "[tests/t.rs] 5 map[tests/t.rs:1] partial", 0},
		{"find_implementations", "Tr", "[src/lib.rs] 36 map[src/lib.rs:1] partial", 0},
		{"find_implementations", "One", "complete", 0},
		{"find_references", "bar", "complete", 0},
		{"find_references", "local", "complete", 44},
	} {
		arguments := map[string]any{"file_path": "src/lib.rs", "symbol_name": c.name}
		if c.line > 0 {
			arguments["line"] = c.line
		}
		if c.tool == "rename_symbol" {
			arguments["new_name"] = "other_name"
		}
		if a := run(t, env, c.tool, arguments); told(a) != c.want {
			t.Errorf("%s of %s: %s, want %s: %v", c.tool, c.name, told(a), c.want, a)
		}
	}
	for old, want := range map[[2]string]string{
		{"pub fn foo(&self) -> u8", "pub fn foo(&self) -> u16"}: "[src/lib.rs] 16 map[src/lib.rs:2] partial",
		{"pub fn bar(&self)", "pub fn bar(&self) -> ()"}:        "",
		{"        1\n", "        2\n"}:                          "",
	} {
		a := run(t, env, "check_edit", tried("src/lib.rs", old[0], old[1]))
		got := ""
		if warningOf(a, "not_built") != nil {
			got = told(a)
		}
		if offered := strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean"); got != want || offered != (want == "") {
			t.Errorf("%q: %s, want %s: %v", old, got, want, a)
		}
	}
}
