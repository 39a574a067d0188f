package audit

import (
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/source"
)

// columns are the positions of byte offsets in one line. Each is counted on from the one before: what a tool writes
// may be one line of megabytes that holds a name a hundred thousand times.
type columns struct {
	text *source.Text
	line int // counted from 1
	last int // the offset whose position is known; -1 before the first
	at   contract.Position
}

func columnsOf(text *source.Text, line int) *columns {
	return &columns{text: text, line: line, last: -1}
}

// position is the position of an offset in the line, which has to be a boundary of runes. Offsets that grow are
// cheap; a smaller one than before is counted from the beginning of the line again.
func (c *columns) position(offset int) contract.Position {
	if c.last < 0 || offset < c.last {
		c.at = c.text.PositionAt(c.text.LineStart(c.line) + offset)
	} else {
		c.at.Character += utf8.RuneCountInString(c.text.Line(c.line)[c.last:offset])
	}
	c.last = offset
	return c.at
}
