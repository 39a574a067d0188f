package lang

import (
	"strings"

	"lspi/internal/source"
)

// declaring matches the words that begin the declaration of a type, or name what it extends, up to the end of a text.
var declaring = source.LazyRegexp(
	`\b(?:class|struct|interface|trait|object|enum|record|impl|protocol|extension|extends|implements)\b[^;{}]*$`)

// declaringPython matches the beginning of a class with open parentheses at the end of a text.
var declaringPython = source.LazyRegexp(`\bclass\s+\w+\s*(?:\[[^\]]*\]\s*)?\([^:]*$`)

// implRust matches the beginning of an impl block at the end of a text; the group is what stands behind
// the word.
var implRust = source.LazyRegexp(`\bimpl\b([^;{}]*)$`)

var whereRust = source.LazyRegexp(`\bwhere\b`)

// colon matches the one behind which C++ names what a type derives from, and not that of a qualified name.
var colon = source.LazyRegexp(`(?:^|[^:]):(?:[^:]|$)`)

// InHead reports whether a text of a language (LSP identifier) ends in the head of the declaration of a type, where
// what it extends or implements is named.
func InHead(language, before string) bool {
	before = before[max(0, len(before)-MaxScanned):]
	switch language {
	case "python":
		return declaringPython.MatchString(before)
	case "rust":
		head := implRust.FindStringSubmatch(before)
		return head != nil && inImplRust(head[1])
	case "ruby", "crystal", "elixir", "lua": // a head ends with its line
		before = before[strings.LastIndexByte(before, '\n')+1:]
	}
	head := declaring.FindString(before[strings.LastIndexAny(before, ";{}")+1:])
	if language == "c" || language == "cpp" { // friend class Ring; and template <class T> void draw(Ring& are no heads
		return colon.MatchString(head)
	}
	return head != ""
}

// inImplRust reports whether what stands behind impl ends where the trait or the type of the block is named: neither in
// parameters, arguments of a type and their bounds, nor behind where.
func inImplRust(behind string) bool {
	depth := 0
	for i := range len(behind) {
		switch behind[i] {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			if i == 0 || behind[i-1] != '-' { // not that of fn() -> T
				depth--
			}
		}
	}
	return depth == 0 && !whereRust.MatchString(behind)
}
