package lsp

import "lspi/lsp/watch"

// treeNotes are what is kept of the tree of a server, whichever it is, until a file changes. They have locks of their
// own.
type treeNotes struct {
	// which project uses which: folders of projects to those that they use by path
	linked     ByEdits[map[string][]string]
	unreadable *unreadableFiles // never nil; it may outlive the server
}

// changed notes what a sync saw.
func (n *treeNotes) changed(changes []watch.Change) {
	n.unreadable.changed(changes)
}
