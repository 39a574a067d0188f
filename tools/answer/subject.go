package answer

import (
	"slices"

	"lspi/lsp"
	"lspi/tools/symbol"
)

// Subject is what an answer is about, as far as it tells which of the files that a server did not read
// could change the answer (package loaded decides that). The zero value tells nothing, so every such
// file counts.
type Subject struct {
	Names  []string               // a file whose code has none of these words cannot change the answer
	Any    bool                   // a use need not hold a name: an operator, a name that a macro made
	May    func(name string) bool // for a search, instead of Names: whether an identifier would be in the answer
	At     []symbol.Located       // the declarations or uses that were asked about
	Places []lsp.Place            // in the answer; the server has read their files
	Path   func(path string) bool // which files the question was about; nil means all
	Shown  []string               // files of which the call has new texts (check_edit)
	// Explained: each place that holds a name was looked at, so that no file has to be told as a whole.
	Explained bool
	// Unsent: a symbol was found that only an index which others made tells, so that this has been read.
	Unsent bool
	Slow   bool // a search took longer than its server waits for an index elsewhere
	Paths  bool // May also holds for the words of a file's path: a scope may be named for its file
}

// Subject returns a copy of what the answer is about so far. Later changes do not reach the copy.
func (c *Call) Subject() Subject {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.subject
	s.Names, s.At, s.Places, s.Shown = slices.Clone(s.Names), slices.Clone(s.At), slices.Clone(s.Places),
		slices.Clone(s.Shown)
	return s
}

// ChangeSubject lets change add to what the answer is about. change runs under the call's lock, so it
// must not ask a server or use the call.
func (c *Call) ChangeSubject(change func(*Subject)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.subject)
}
