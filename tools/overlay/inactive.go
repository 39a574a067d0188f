package overlay

import (
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
)

// InactiveLine is a line of code that a server does not build.
type InactiveLine struct {
	Path string
	Line int // of the new text, or of the text on disk where the edit takes the line away; 1-based
}

// inactiveLines returns for each file the first line that the edit adds or removes in code that the
// server does not build, in the new text or in the old one. Errors there cannot be seen. Blank lines do
// not count.
func (c *check) inactiveLines(said *Comparison) (out []InactiveLine) {
	for _, path := range slices.Sorted(maps.Keys(c.texts)) {
		// Both sides: a line may be added to inactive code or taken from it, and the edit may itself change which
		// code that is.
		now, was := said.After.Inactive(path), said.Before.Inactive(path)
		if len(now) == 0 && len(was) == 0 {
			continue
		}
		text := c.before[path]
		if text == nil {
			text = source.New(path, "")
		}
		old, added := changedLines(text, c.texts[path])
		line := firstWithin(c.texts[path], added, now)
		if line == 0 {
			line = firstWithin(text, old, was)
		}
		if line > 0 {
			out = append(out, InactiveLine{path, line})
		}
	}
	return out
}

// firstWithin returns the first of the changed lines that has code and lies in one of the ranges; 0 for
// none.
func firstWithin(text *source.Text, lines []changedLine, ranges []contract.Range) int {
	for _, l := range lines {
		if l.inserted || l.line > text.Lines() || strings.TrimSpace(text.Line(l.line)) == "" {
			continue
		}
		if slices.ContainsFunc(ranges, func(r contract.Range) bool {
			return r.Start.Line <= l.line && l.line <= r.End.Line
		}) {
			return l.line
		}
	}
	return 0
}
