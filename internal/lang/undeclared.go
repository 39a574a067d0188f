package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// CallsUndeclared reports whether a source of C calls a function of a name that it does not declare itself: where its
// includes do not either, C before C99 declares it by the call, and clangd (22.1.8) lists no use of that.
func CallsUndeclared(path, text, name string) bool {
	called, declared := false, false
	if Of(path).ID != "c" || !strings.Contains(text, name) {
		return false
	}
	EachWord(path, text, func(from, to int, use Use) {
		if text[from:to] != name || use != CodeUse {
			return
		}
		before := strings.TrimRight(text[max(0, from-MaxScanned):from], " \t\r\n")
		start, end, _ := source.WordAround(before, len(before))
		declared = declared || strings.HasSuffix(before, "*") ||
			end > start && !slices.Contains([]string{"return", "else", "do", "case"}, before[start:end])
		called = called || strings.HasPrefix(strings.TrimLeft(text[to:], " \t"), "(") && !BehindDot(before)
	})
	return called && !declared
}
