package overlay

import (
	"github.com/aymanbagabas/go-udiff"

	"lspi/internal/source"
	"lspi/lsp"
)

// changedLine is a line that an edit takes away or replaces, or before which it inserts.
type changedLine struct {
	line     int
	inserted bool
}

// changedLines are the lines that differ, of the text before and of the text after.
func changedLines(before, after *source.Text) (old, now []changedLine) {
	shift := 0 // bytes that the text after is longer so far
	// By whole lines, because symbols are looked up by line; offsets in the new text are those in the old one with
	// the shift so far.
	for _, e := range udiff.Lines(before.Content(), after.Content()) {
		old = append(old, linesOf(before, e.Start, e.End)...)
		now = append(now, linesOf(after, e.Start+shift, e.Start+shift+len(e.New))...)
		shift += len(e.New) - (e.End - e.Start)
	}
	return old, now
}

// insertedLines are the lines of a text after that stand between lines of the text before, and in place of none.
func insertedLines(before, after *source.Text) map[int]bool {
	out := map[int]bool{}
	shift := 0
	for _, e := range udiff.Lines(before.Content(), after.Content()) {
		if e.Start == e.End {
			for _, l := range linesOf(after, e.Start+shift, e.Start+shift+len(e.New)) {
				out[l.line] = !l.inserted
			}
		}
		shift += len(e.New) - (e.End - e.Start)
	}
	return out
}

// linesOf are the lines of bytes from start to end; the line before which an empty stretch lies.
func linesOf(t *source.Text, start, end int) (out []changedLine) {
	first := t.LineOf(min(start, len(t.Content()))) + 1
	// Nothing of this text is in the difference: the place between two lines stands for it.
	if start == end {
		return []changedLine{{first, true}}
	}
	for n := first; n <= t.LineOf(end-1)+1; n++ {
		out = append(out, changedLine{line: n})
	}
	return out
}

// symbols are those that a line is part of, from the outermost; where a symbol is no more than its name, as pyright's
// variables are, what begins on the line counts.
func (l changedLine) symbols(all []lsp.Symbol) (out []lsp.Symbol) {
	for _, sym := range all {
		first, last := sym.Range.Start.Line, sym.Range.End.Line
		// An insertion before the first line of a symbol lies outside of it.
		if l.line < first || l.line > last || l.inserted && l.line == first {
			continue
		}
		out = append(append(out, sym), l.symbols(sym.Children)...)
	}
	return out
}

// DifferingLines are the lines of two texts that the other does not have.
func DifferingLines(before, after *source.Text) (old, now []int) {
	was, is := changedLines(before, after)
	for _, of := range []struct {
		lines []changedLine
		out   *[]int
	}{{was, &old}, {is, &now}} {
		for _, l := range of.lines {
			if !l.inserted {
				*of.out = append(*of.out, l.line)
			}
		}
	}
	return old, now
}
