package contract

import "cmp"

// Position is a place in a text as hosts see it. Line and Character are 1-based; Character counts Unicode code
// points. The zero value means "not given".
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Compare returns -1 when p is before q, 1 when it is behind q, 0 when they are the same.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Character, q.Character))
}

// Before reports whether p is before q in the text.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

// Range is half-open: End is the first position behind it, as in LSP.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Contains reports whether p is in r. The end counts, because a cursor behind the last letter of an identifier still
// means the identifier.
func (r Range) Contains(p Position) bool {
	return !p.Before(r.Start) && !r.End.Before(p)
}
