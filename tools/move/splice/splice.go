// Package splice is how the rules of moves change texts, and tell the places that they leave.
package splice

import (
	"cmp"
	"slices"
	"strings"

	"lspi/internal/source"
)

// Change is a replacement of bytes of a text.
type Change struct {
	Start, End int
	Text       string
}

// Replace is the change of a range to a text.
func Replace(start, end int, text string) Change { return Change{start, end, text} }

// Insert is the change that adds a text.
func Insert(at int, text string) Change { return Change{at, at, text} }

// Cut is the change that takes a range out.
func Cut(start, end int) Change { return Change{start, end, ""} }

// Apply returns a text with changes, which do not overlap.
func Apply(text string, changes []Change) string {
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	changes = slices.Compact(changes) // a place may be found in two ways
	var b strings.Builder
	at := 0
	for _, c := range changes {
		b.WriteString(text[at:c.Start] + c.Text)
		at = c.End
	}
	return b.String() + text[at:]
}

// Place is a line that a move concerns.
type Place struct {
	Path string
	Line int
	Text string // as it stands there
}

// PlaceAt is the place of an offset, with its line.
func PlaceAt(text *source.Text, offset int) Place {
	line := text.LineOf(offset) + 1
	return Place{text.Path, line, strings.TrimSpace(text.Line(line))}
}

// LineEnd is the line end of the first text that has one.
func LineEnd(texts ...string) string {
	for _, text := range texts {
		if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
			return "\r\n"
		} else if i >= 0 {
			return "\n"
		}
	}
	return "\n"
}

// WithLineEnd returns a text with other line ends.
func WithLineEnd(text, end string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", cmp.Or(end, "\n"))
}
