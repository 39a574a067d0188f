// Package symbol compares the names of symbols. Each server writes them in its own way ("(*Client).Call", "ns::f",
// "impl Foo for Bar", a bare name with the scope in containerName), and callers write them in theirs; [Components]
// takes both apart into the same list of words, and [EndsWith] compares the lists from their end, so that a caller may
// leave out scopes.
//
// [Located] is a symbol that was found, with its place; [SymbolHit] is one that a search of the workspace found
// (workspace/symbol); [Named] is one of a file's symbols (textDocument/documentSymbol) with its whole name. The package
// holds no state and asks no server. Kinds of symbols are grouped in kinds.go; [CoveredBy] tells whether a place lies
// in one of many.
package symbol
