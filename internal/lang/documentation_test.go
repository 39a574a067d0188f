package lang_test

import (
	"slices"
	"strings"
	"testing"

	"lspi/internal/lang"
)

// TestCommentsOn reads the comments of the declaration that is marked by «.
func TestCommentsOn(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"in front":         {"// One.\nint «f();", []string{"One."}},
		"lines":            {"/// One\n/// two.\n\nint «f();", []string{"One\ntwo."}},
		"apart":            {"// License.\n\n// One.\nint «f();", []string{"One."}},
		"block":            {"/**\n * One\n * two.\n */\nint «f();", []string{"One\ntwo."}},
		"line ends":        {"// One\r\n// two.\r\nint «f();\r\n", []string{"One\ntwo."}},
		"head":             {"// One.\nstatic\n// Two.\nint «f();", []string{"Two."}},
		"of a typedef":     {"// One.\n«typedef struct { int a; } S;", []string{"One."}},
		"of the other":     {"// One.\nint g();\nint «f();", nil},
		"of a directive":   {"// One.\n#define X\nint «f();", nil},
		"of the line":      {"int g(); // One.\nint «f();", nil},
		"behind":           {"int «a; // One.\n       // Two.\n// Three.\nint b;", []string{"One.\nTwo."}},
		"behind another":   {"int a; // One.\n       // Two.\nint «b;", nil},
		"in front of next": {"int a; // One.\n// Two.\nint «b;", []string{"Two."}},
		"marked":           {"int «a; ///< One\n  ///< two.\nint b;", []string{"One\ntwo."}},
		"marked of other":  {"int a; ///< One\n  ///< two.\nint «b;", nil},
		"below":            {"int «a;\n// Two.\nint b;", nil},
		"both":             {"// One.\nint «a; /**< Two. */\n", []string{"Two.", "One."}},
		"a rule":           {"// -----\nint «f();", nil},
		"stars":            {"// **/ x\nint «f();", []string{"**/ x"}},
		"in a string":      {"const char* s = \"// One.\";\nint «f();", nil},
		"around":           {"int /* One. «f() */ g();", nil},
		"alone":            {"«f", nil},
	} {
		before, after, _ := strings.Cut(c.text, "«")
		if got := lang.CommentsOn("a.h", before+after, len(before), true); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
