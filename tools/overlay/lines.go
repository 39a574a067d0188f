package overlay

import (
	"github.com/aymanbagabas/go-udiff"

	"lspi/internal/source"
	"lspi/lsp"
)

// changedLine is a line that an edit removes or replaces, or (inserted) before which it inserts. line
// is 1-based.
type changedLine struct {
	line     int
	inserted bool
}

// changedLines returns the lines in which two texts differ, of the text before and of the text after.
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

// insertedLines returns the lines of the text after that replace none of the text before.
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

// linesOf returns the lines of the bytes from start to end; for an empty stretch the line before which
// it lies.
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

// symbols returns the symbols that a line is part of, from the outermost. An insertion before the first
// line of a symbol lies outside of it.
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

// chains are the symbols of [changedLine.symbols], from the outermost, for each of those that stand beside each other.
func (l changedLine) chains(all []lsp.Symbol) (out [][]lsp.Symbol) {
	for i := range all {
		around := l.symbols(all[i : i+1])
		if len(around) == 0 {
			continue
		}
		below := l.chains(all[i].Children)
		if len(below) == 0 {
			below = [][]lsp.Symbol{nil}
		}
		for _, chain := range below {
			out = append(out, append([]lsp.Symbol{all[i]}, chain...))
		}
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
