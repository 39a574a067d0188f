// Package symbol is about the names of symbols: their components, whatever a language writes between them, and the
// symbols that servers tell under a name. [Located] is a symbol that was found, with its place; [SymbolHit] is one
// that a search of the workspace found.
package symbol
