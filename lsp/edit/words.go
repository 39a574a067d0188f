package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/internal/source"
)

// wholeWords turns replacements of single characters of a word into one of the whole word: jedi 0.47 renames "total"
// to "title" by two such edits, and an edit of "ot" tells no reader what it is about. The resulting text is the same.
// Both the given and the returned replacements are sorted and do not overlap.
func wholeWords(content string, edits []Replacement) []Replacement {
	out := make([]Replacement, 0, len(edits))
	for i := 0; i < len(edits); {
		start, end := lettersAround(content, edits[i].Start)
		n := i
		for n < len(edits) && edits[n].end() <= end && isPart(edits[n]) && edits[n].Annotation == edits[i].Annotation {
			n++
		}
		// Replacements stay as they are when they change more than a word, insert more than letters, or when other
		// edits change a part of the word too.
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
		out = append(out, Replacement{Start: start, Line: edits[i].Line, Old: old, New: applyReplacements(old, parts),
			Annotation: edits[i].Annotation})
		i = n
	}
	return out
}

// isPart reports whether a replacement may be one of a part of a word: it inserts letters, or only deletes.
func isPart(r Replacement) bool {
	return !strings.ContainsFunc(r.New, func(c rune) bool { return !source.IsLetter(c) })
}

// lettersAround returns the byte offsets of the letters and digits that hold or touch an offset; both equal at when
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
