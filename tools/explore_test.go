//go:build unix

package tools

import (
	"strings"
	"testing"
)

func TestExploreIsCut(t *testing.T) {
	s := textSession(t)
	ask := func(room int) (string, any) {
		result, a := call(t, s.Session, "symbol_bundle", map[string]any{"symbols": []string{"long", "alpha", "user_7"},
			"max_total_chars": room})
		return result.Text, a["completeness"]
	}
	text, claim := ask(8000)
	if !strings.Contains(text, "\n 60   a line of its body\n 61   a line") || claim != "complete" {
		t.Errorf("all of it: %v %s", claim, text)
	}
	text, claim = ask(1800)
	if strings.Contains(text, "\n 60   a line") || claim != "complete" ||
		!strings.Contains(text, "\n … 6-60\n 61   a line") {
		t.Errorf("less code: %v %s", claim, text)
	}
	text, claim = ask(900)
	if !strings.Contains(text, "Path 1, from user_7 to alpha") || claim != "partial" ||
		strings.Contains(text, "61   a line") {
		t.Errorf("the path alone: %v %s", claim, text)
	}
}
