package tools

import (
	"slices"
	"strings"
	"testing"

	"lspi/contract"
)

// onlyLooks makes sure that no step of an answer writes when it is run as it is, but for the one that agrees to the very
// preview that it stands in. Every answer of this package's tests goes through it.
func onlyLooks(t testing.TB, tool string, arguments map[string]any, a answer) {
	t.Helper()
	steps, _ := a["next_steps"].([]any)
	for _, s := range steps {
		step := s.(map[string]any)
		given, _ := step["arguments"].(map[string]any)
		if step["kind"] != "tool" || !(given["dry_run"] == false || given["apply_if_clean"] == true) {
			continue
		}
		switch {
		case a["ok"] != true:
			t.Errorf("%s %v: the error offers to write: %v", tool, arguments, step)
		case step["tool"] != tool || arguments["dry_run"] == false || arguments["apply_if_clean"] == true || a["applied"] == true:
			t.Errorf("%s %v: what was no preview offers to write: %v", tool, arguments, step)
		case tool == "rename_symbol" && slices.ContainsFunc(a.kinds(), func(k string) bool {
			return k != "truncated" && contract.WarningKind(k).Effect() == contract.Partial
		}):
			t.Errorf("%s %v: a partial preview offers to write: %v", tool, arguments, step)
		}
	}
}

// Every argument by which a tool may be told to write is off unless it is given, and known to what guards the steps.
func TestWritersAreAgreedTo(t *testing.T) {
	for _, tool := range All() {
		switch tool.Class {
		case Write:
			if p := tool.Input.Properties["dry_run"]; p == nil || string(p.Default) != "true" {
				t.Errorf("%s writes without dry_run false", tool.Name)
			}
		case Trial:
			if p := tool.Input.Properties["apply_if_clean"]; p == nil || string(p.Default) != "false" {
				t.Errorf("%s writes without apply_if_clean", tool.Name)
			}
		}
	}
}

// Nobody has seen what the refused calls would do; their first step shows it.
func TestRefusedWritesArePreviewed(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n  body\n", "b.w", "use X\n")
	whole := applying(tried("b.w", "", "use X X\n"))
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		fault     string
	}{
		{"rename_symbol", renameX(map[string]any{"dry_run": false}), "missing_argument"},
		{"rename_symbol", renameX(map[string]any{"dryrun": false}), "unknown_argument"},
		{"rename_symbol", renameX(map[string]any{"dry_run": false, "expected_before_sha256": map[string]any{"a.w": strings.Repeat("0", 64)}}), "file_changed"},
		{"check_edit", whole, "missing_argument"},
		{"check_edit", map[string]any{"edits": whole["edits"], "apply_if_cleann": true}, "unknown_argument"},
	} {
		before := s.texts()
		a := run(t, s.Env, c.tool, c.arguments)
		if fault, _, _ := strings.Cut(a.fault(), " "); fault != c.fault {
			t.Errorf("%s %v: %v", c.tool, c.arguments, a["error"])
		}
		step := firstOf(a, "next_steps")
		if c.fault == "unknown_argument" {
			equal(t, "a step that cannot be run as it is", step["kind"], any("doc"))
		} else {
			if shown := run(t, s.Env, step["tool"].(string), step["arguments"].(map[string]any)); shown["ok"] != true || shown["applied"] == true {
				t.Errorf("the step %v: %v", step, shown)
			}
		}
		s.holds("a.w", before["a.w"], "b.w", before["b.w"])
	}
}
