package answer

import (
	"slices"

	"lspi/lsp"
	"lspi/tools/symbol"
)

// Subject is what an answer is about, as far as it tells which of the files that a server did not read can change
// it. The zero value tells nothing: every file can.
type Subject struct {
	Names  []string               // a file whose code holds none of these words cannot change the answer
	Any    bool                   // a use need not hold a name: an operator, a name that a macro made
	May    func(name string) bool // instead of names: whether an identifier may be in the answer
	At     []symbol.Located       // the places that names stand for
	Places []lsp.Place            // of the answer
	Path   func(path string) bool // the files that were asked about; nil means all
	Shown  []string               // files whose new texts the server is shown for this answer
	Paths  bool                   // may holds for the words of a file's path, too: a scope may be named for its file
}

// Subject is what the answer of the call is about, as far as it is known now: a copy, which does not change any more.
func (c *Call) Subject() Subject {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.subject
	s.Names, s.At, s.Places, s.Shown = slices.Clone(s.Names), slices.Clone(s.At), slices.Clone(s.Places),
		slices.Clone(s.Shown)
	return s
}

// ChangeSubject has change add to what the answer of the call is about. change must not ask anything: the call is
// locked meanwhile.
func (c *Call) ChangeSubject(change func(*Subject)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.subject)
}
