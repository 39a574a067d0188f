package audit

import (
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/source"
)

// columns returns the positions of byte offsets in one line, counting on from the one before: a
// generated file may have one line of megabytes that holds a name a hundred thousand times.
type columns struct {
	text *source.Text
	line int // counted from 1
	last int // the offset whose position is known; -1 before the first
	at   contract.Position
}

// columnsOf returns the columns of a line, counted from 1.
func columnsOf(text *source.Text, line int) *columns {
	return &columns{text: text, line: line, last: -1}
}

// position returns the position of an offset in the line, which has to be a boundary of runes. Growing
// offsets are cheap; a smaller one than before is counted from the beginning of the line.
func (c *columns) position(offset int) contract.Position {
	if c.last < 0 || offset < c.last {
		c.at = c.text.PositionAt(c.text.LineStart(c.line) + offset)
	} else {
		c.at.Character += utf8.RuneCountInString(c.text.Line(c.line)[c.last:offset])
	}
	c.last = offset
	return c.at
}
