package lsp

import (
	"lspi/lsp/watch"
)

// Base is the plain adapter: what is kept of the project of any server process. Adapters of particular servers
// embed it.
type Base struct {
	Server *Server
	// which project uses which: folders of projects to those that they use by path
	linked     ByEdits[map[string][]string]
	unreadable *unreadable
	unclosed   unclosedTexts
}

// New is the adapter of a server, as its row says what is particular about it.
func New(s *Server) Adapter { return NewBase(s) }

// NewBase is what the adapter of a particular server embeds.
func NewBase(s *Server) *Base {
	return &Base{Server: s, unreadable: &unreadable{}}
}

// of is what is kept of a server. Whoever starts one gives it an adapter.
func of(s *Server) *Base { return s.Adapter().(interface{ base() *Base }).base() }

func (a *Base) base() *Base { return a }

// Changed notes what a sync saw ([Adapter]).
func (a *Base) Changed(changes []watch.Change) {
	a.unreadable.changed(changes)
	a.unclosed.changed(changes)
}
