package symbol

import (
	"lspi/contract"
	"lspi/lsp"
)

// HasImplementations reports whether a symbol of a kind can be implemented, or implement something.
func HasImplementations(kind lsp.SymbolKind) bool {
	switch kind {
	case "function", "constant", "variable", "field", "property", "package", "module", "namespace", "enum_member",
		"constructor":
		return false
	}
	return true
}

// Enclosing returns the symbols around a position, from the outermost; nil for none. Of siblings that
// overlap the first one that holds the position is taken.
func Enclosing(symbols []lsp.Symbol, at contract.Position) (out []lsp.Symbol) {
	for _, sym := range symbols {
		if sym.Range.Contains(at) {
			return append([]lsp.Symbol{sym}, Enclosing(sym.Children, at)...)
		}
	}
	return nil
}

// IsFunction reports whether symbols of a kind have a body with variables of their own.
func IsFunction(kind lsp.SymbolKind) bool {
	return kind == "function" || kind == "method" || kind == "constructor"
}

// IsTypeKind reports whether symbols of a kind have members.
func IsTypeKind(kind lsp.SymbolKind) bool {
	return kind == "class" || kind == "interface" || kind == "struct" || kind == "enum" || kind == "object"
}

// IsMemberKind reports whether symbols of a kind are members of something.
func IsMemberKind(kind lsp.SymbolKind) bool {
	return kind == "method" || kind == "property" || kind == "field" || kind == "enum_member"
}
