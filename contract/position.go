package contract

import "cmp"

// Position is a place in a text as hosts see it: Line counts from 1, Character counts Unicode code points from 1.
// The zero value means "not given".
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Compare is -1 when p stands before q, 1 when behind it, 0 when they are the same.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Character, q.Character))
}

// Before reports whether p stands before q in the text.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

// Range is half open: End is the first position that is not part of it, as in LSP.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Contains reports whether p is inside r; the end counts as inside, because a cursor behind the last letter of an
// identifier still means that identifier.
func (r Range) Contains(p Position) bool {
	return !p.Before(r.Start) && !r.End.Before(p)
}
