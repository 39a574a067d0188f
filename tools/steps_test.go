//go:build unix

package tools

import (
	"strings"
	"testing"

	"lspi/answer"
)

// Every argument by which a tool may be told to write is off unless it is given, and known to what guards the steps.
func TestWritersAreAgreedTo(t *testing.T) {
	for _, tool := range All() {
		switch tool.Class {
		case answer.Write:
			if p := tool.Input.Properties["dry_run"]; p == nil || string(p.Default) != "true" {
				t.Errorf("%s writes without dry_run false", tool.Name)
			}
		case answer.DryRun:
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
		a := run(t, s.Session, c.tool, c.arguments)
		if fault, _, _ := strings.Cut(a.fault(), " "); fault != c.fault {
			t.Errorf("%s %v: %v", c.tool, c.arguments, a["error"])
		}
		step := firstOf(a, "next_steps")
		if c.fault == "unknown_argument" {
			equal(t, "a step that cannot be run as it is", step["kind"], any("doc"))
		} else {
			if shown := run(t, s.Session, step["tool"].(string), step["arguments"].(map[string]any)); shown["ok"] != true || shown["applied"] == true {
				t.Errorf("the step %v: %v", step, shown)
			}
		}
		s.holds("a.w", before["a.w"], "b.w", before["b.w"])
	}
}
