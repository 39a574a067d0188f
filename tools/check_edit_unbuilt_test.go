//go:build unix

package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/answer"
	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/workspace"
)

// rust-analyzer marks what #[cfg] leaves out, and reports nothing else there; cargo check does not see it either (1.97.1).
func TestCheckEditNotBuilt(t *testing.T) {
	t.Parallel()
	needServer(t, "rust-analyzer")
	const lib = "pub fn a() -> u8 {\n    1\n}\n\n#[cfg(feature = \"x\")]\npub fn b() -> u8 {\n    2\n}\n\npub fn c() -> u8 {\n    3\n}\n"
	dir := project(t, map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n\n[features]\nx = []\n", "src/lib.rs": lib})
	env := sessions.Real(t, dir, "rust-analyzer")
	for _, c := range []struct {
		name, old, text string
		line            float64 // of the warning; 0 when there is none
	}{
		{"an error in what is left out", "    2\n", "    let x: u8 = \"a\"; nonsense();\n", 7},
		{"what is left out is taken away", "#[cfg(feature = \"x\")]\npub fn b() -> u8 {\n    2\n}\n", "", 5},
		{"new code that is left out", "pub fn c()", "#[cfg(feature = \"x\")]\npub fn d() -> u8 { \"\" }\n\npub fn c()", 10},
		{"beside it", "    3\n", "    4\n", 0},
	} {
		a := run(t, env, "check_edit", tried("src/lib.rs", c.old, c.text))
		w := warningOf(a, "not_built")
		switch {
		case c.line == 0 && w != nil, c.line > 0 && (w == nil || w["line"] != c.line):
			t.Errorf("%s: %v", c.name, a)
		case c.line > 0 && strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean"):
			t.Errorf("%s is recommended: %v", c.name, a["next_steps"])
		}
		if c.line > 0 {
			a = run(t, env, "check_edit", applying(tried("src/lib.rs", c.old, c.text)))
			if a["applied"] != false || !strings.Contains(fmt.Sprint(a["not_applied"]), "does not build") {
				t.Errorf("%s: %v", c.name, a)
			}
		}
		if raw, err := os.ReadFile(filepath.Join(dir, "src/lib.rs")); err != nil || string(raw) != lib {
			t.Fatalf("%s wrote %s, %v", c.name, raw, err)
		}
	}
	// Of what was written with cargo check compared nothing is missing, and one edit counts once.
	a := run(t, env, "check_edit", applying(tried("src/lib.rs", "pub fn a() -> u8 {\n    1\n}", "pub fn a() -> u16 {\n    let a = 7;\n    a + 8\n}")))
	if a["applied"] != true || a["completeness"] != "complete" || a["totals"].(map[string]any)["edits"] != 1. {
		t.Errorf("%v", a)
	}
}

// Errors that only the disk shows are in the text, with their places, and nothing in it says that there are none.
func TestCheckEditTakenBackInWords(t *testing.T) {
	t.Parallel()
	needServer(t, "rust-analyzer")
	env := sessions.Real(t, project(t, map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n",
		"src/lib.rs": "pub fn a(v: Vec<u8>) -> usize { v.len() }\n"}), "rust-analyzer")
	raw, err := json.Marshal(applying(tried("src/lib.rs", "{ v.len() }", "{ drop(v); v.len() }")))
	testkit.Must(t, err)
	r := Run(t.Context(), env, nil, answer.Request{Tool: "check_edit", Arguments: raw, Host: workspace.Host{Name: "nobody"}}).Text
	for _, want := range []string{"undid it", "src/lib.rs", "1:", "E0382"} {
		if !strings.Contains(r, want) {
			t.Errorf("%q is missing in: %s", want, r)
		}
	}
	if strings.Contains(r, "introduces no error") {
		t.Errorf("contradicts itself: %s", r)
	}
}
