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
	EachOf(path, text, []string{name}, func(from, to int, use Use) {
		if use != CodeUse {
			return
		}
		before := text[max(0, from-MaxScanned):from]
		declared = declared || DeclaredBehind(before)
		called = called || strings.HasPrefix(strings.TrimLeft(text[to:], " \t"), "(") && !BehindDot(before)
	})
	return called && !declared
}

// MayDeclare reports whether the name at from to to of a source of C may be declared there: a type stands in front of
// it, or it is the head of one with a body.
func MayDeclare(text string, from, to int) bool {
	before := text[max(0, from-MaxScanned):from]
	if line := before[strings.LastIndexByte(before, '\n')+1:]; strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
		return false // the text of a macro, or a condition
	}
	before = strings.TrimRight(before, " \t\r\n")
	start, end, _ := source.WordAround(before, len(before))
	if slices.Contains([]string{"class", "enum", "struct", "union"}, before[start:end]) {
		behind := strings.TrimLeft(text[to:min(len(text), to+MaxScanned)], " \t\r\n")
		return strings.HasPrefix(behind, "{") || strings.HasPrefix(behind, ":")
	}
	return DeclaredBehind(before)
}

// DeclaredBehind reports whether a name that follows before in a source of C may be declared there: a type stands in
// front of it.
func DeclaredBehind(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	start, end, _ := source.WordAround(before, len(before))
	return strings.HasSuffix(before, "*") || strings.HasSuffix(before, "&") ||
		end > start && !slices.Contains(leadingToUse, before[start:end])
}

// leadingToUse are the keywords of C and C++ behind which a name is used.
var leadingToUse = []string{"and", "case", "co_await", "co_return", "co_yield", "delete", "do", "else", "goto", "new",
	"not", "or", "return", "sizeof", "throw", "typename"}
