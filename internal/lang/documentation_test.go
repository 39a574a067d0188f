package lang_test

import (
	"slices"
	"strings"
	"testing"

	"lspi/internal/lang"
)

// TestCommentsOn reads the comments of the declaration whose name is marked by «»; ‹ marks where it begins, else its
// name does. clangd 22.1.8 shows the same.
func TestCommentsOn(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"in front":        {"// One.\nint «f»();", []string{"One."}},
		"lines":           {"/// One\n/// two.\n\nint «f»();", []string{"One\ntwo."}},
		"apart":           {"// License.\n\n// One.\nint «f»();", []string{"One."}},
		"block":           {"/**\n * One\n * two.\n */\nint «f»();", []string{"One\ntwo."}},
		"head":            {"// One.\ntemplate <class T>\nstatic int «f»(T);", []string{"One."}},
		"struct's":        {"// One.\n‹typedef struct { int a; } «S»;", []string{"One."}},
		"of the other":    {"// One.\nint g();\nint «f»();", nil},
		"of a directive":  {"// One.\n#define X\nint «f»();", nil},
		"of the line":     {"int g(); // One.\nint «f»();", nil},
		"behind":          {"int «a»; // One.\n       // Two.\n// Three.\nint b;", []string{"One.\nTwo."}},
		"behind, a later": {"int «a»;\n// Two.\nint b;", nil},
		"both":            {"// One.\nint «a»; ///< Two.\n", []string{"Two.", "One."}},
		"a rule":          {"// -----\nint «f»();", nil},
		"stars":           {"// **/ x\nint «f»();", []string{"**/ x"}},
		"in a string":     {"const char* s = \"// One.\";\nint «f»();", nil},
	} {
		before, rest, _ := strings.Cut(c.text, "«")
		word, after, _ := strings.Cut(rest, "»")
		start := strings.Index(before, "‹")
		before = strings.Replace(before, "‹", "", 1)
		if start < 0 {
			start = len(before)
		}
		got := lang.CommentsOn("a.h", before+word+after, start, len(before), true)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
