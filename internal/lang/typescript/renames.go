package typescript

import (
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/internal/source"
)

// Renames reports whether a text may give one of names to other sources under another name: by a default export, by
// "as" in an import or export, or by an assignment to all exports. It goes by the words alone, so a comment counts
// too.
func Renames(text string, names []string) bool {
	is := make(map[string]bool, len(names))
	for _, name := range names {
		is[name] = true
	}
	for _, at := range source.Occurrences(text, "as") {
		before, after := strings.TrimRight(text[:at], spaces), text[at+len("as"):]
		if len(before) < at && len(after) > len(strings.TrimLeft(after, spaces)) && is[lastWord(before)] {
			return true
		}
	}
	for _, word := range []string{"export", "exports"} {
		for _, at := range source.Occurrences(text, word) {
			given := word == "export" || strings.HasSuffix(text[:at], "module.")
			if given && renamesAll(text[at+len(word):], word == "export", is) {
				return true
			}
		}
	}
	return false
}

const spaces = " \t\r\n\v\f"

// renamesAll reports whether what follows "export" or "module.exports" is an assignment, or with mayBeDefault the
// word default, and one of the words behind it on the line is in is.
func renamesAll(after string, mayBeDefault bool, is map[string]bool) bool {
	rest := strings.TrimLeft(after, spaces)
	given, found := strings.CutPrefix(rest, "=")
	if !found && mayBeDefault && len(rest) < len(after) {
		given, found = strings.CutPrefix(rest, "default")
		next, _ := utf8.DecodeRuneInString(given)
		found = found && !source.IsWord(next)
	}
	line, _, _ := strings.Cut(given, "\n")
	return found && slices.ContainsFunc(strings.FieldsFunc(line, func(c rune) bool {
		return !source.IsWord(c)
	}), func(word string) bool { return is[word] })
}

// lastWord returns the word with which a text ends; "" when it ends with none.
func lastWord(text string) string {
	start, end, _ := source.WordAround(text, len(text))
	return text[start:end]
}
