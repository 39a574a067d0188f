package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/internal/source"
)

// wholeWords has replacements that change single characters of a word replace the word as a whole: jedi 0.47
// renames "total" to "title" by two such edits, and an edit of "ot" tells nobody what it is about. The text that
// comes of it is the same. The replacements are sorted and do not overlap; so are those that it gives.
func wholeWords(content string, edits []Replacement) []Replacement {
	out := make([]Replacement, 0, len(edits))
	for i := 0; i < len(edits); {
		start, end := lettersAround(content, edits[i].Start)
		n := i
		for n < len(edits) && edits[n].end() <= end && isPart(edits[n]) && edits[n].Annotation == edits[i].Annotation {
			n++
		}
		// It is left as it is where more than a word is changed, or what comes in is none, or other edits change a
		// part of the word, too.
		alone := (len(out) == 0 || out[len(out)-1].end() <= start) && (n == len(edits) || edits[n].Start >= end)
		if n == i || !alone || n == i+1 && edits[i].Start == start && edits[i].end() == end {
			out, i = append(out, edits[i]), i+1
			continue
		}
		parts := slices.Clone(edits[i:n])
		for k := range parts {
			parts[k].Start -= start
		}
		old := content[start:end]
		out = append(out, Replacement{Start: start, Line: edits[i].Line, Old: old, New: applied(old, parts),
			Annotation: edits[i].Annotation})
		i = n
	}
	return out
}

// isPart reports whether a replacement may be one of a part of a word: letters come in, or a part goes.
func isPart(r Replacement) bool {
	return !strings.ContainsFunc(r.New, func(c rune) bool { return !source.IsLetter(c) })
}

// lettersAround are the byte offsets of the letters and digits that hold or touch an offset; both are at where
// there are none.
func lettersAround(s string, at int) (start, end int) {
	start, end = at, at
	for start > 0 {
		c, size := utf8.DecodeLastRuneInString(s[:start])
		if !source.IsLetter(c) {
			break
		}
		start -= size
	}
	for end < len(s) {
		c, size := utf8.DecodeRuneInString(s[end:])
		if !source.IsLetter(c) {
			break
		}
		end += size
	}
	return start, end
}
