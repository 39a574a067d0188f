package lsp

// ScopeHooks read hovers that, with the text of a declaration, tell what can only be used in the file that declares it.
// All are there.
type ScopeHooks struct {
	// IsParameter reports whether a hover is about a parameter.
	IsParameter func(hover string) bool
	// IsVariable reports whether a hover is about a variable, which is confined where it is declared in a function.
	IsVariable func(hover string) bool
	// IsPrivate reports whether a file keeps to itself what one of its lines declares outside of types, in
	// namespaces of these names.
	IsPrivate func(path, line string, namespaces []string) bool
	// BringsName reports whether a line only brings a name of another scope into its own. The server tells it among
	// the symbols, and its references list the line, but not the uses of the name through it.
	BringsName func(line string) bool
	// Bringing is a word that every such line has.
	Bringing string
	// Befriends reports whether a declaration of a function, by its text before the name, is one of the kind through
	// which the server lists no use; nil where all are alike.
	Befriends func(before string) bool
	// Befriending is a word that every such text has.
	Befriending string
}
