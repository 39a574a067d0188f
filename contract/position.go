package contract

// Position is a place in a text as hosts see it: Line counts from 1, Character counts Unicode code points from 1.
// The zero value means "not given".
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
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
