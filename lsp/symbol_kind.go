package lsp

// SymbolKind is LSP's SymbolKind by name, in lower case: "function", "enum_member".
type SymbolKind string

var kindNames = [...]SymbolKind{
	"", "file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum",
	"interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key", "null",
	"enum_member", "struct", "event", "operator", "type_parameter",
}

// SymbolKinds lists every kind, in LSP's order.
func SymbolKinds() []SymbolKind { return kindNames[1:] }

func kindName(n int) SymbolKind {
	if n > 0 && n < len(kindNames) {
		return kindNames[n]
	}
	return "symbol"
}
