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

// InHead reports whether a text of a language (LSP identifier) ends in the head of the declaration of a type, where
// what it extends or implements is named.
func InHead(language, before string) bool {
	before = before[max(0, len(before)-MaxScanned):]
	switch language {
	case "python":
		return declaringPython.MatchString(before)
	case "ruby", "crystal", "elixir", "lua": // a head ends with its line
		before = before[strings.LastIndexByte(before, '\n')+1:]
	}
	return declaring.MatchString(before[strings.LastIndexAny(before, ";{}")+1:])
}
