package lsp

// MacroReader is the adapter of a server whose index has no macros: it names those of open files only, and tells
// callers that a macro of another file makes only while the file that uses the macro is open.
type MacroReader interface {
	// MacroKind is the kind that macros, and nothing else, have among symbols.
	MacroKind() SymbolKind
}

// OpenMacros is the kind of macros at a server that knows those of open files alone; "" for others.
func OpenMacros(s *Server) SymbolKind {
	if a, ok := s.Adapter().(MacroReader); ok {
		return a.MacroKind()
	}
	return ""
}

// MacroTextReader is the adapter of a server that does not look into the texts of macros: names there are in none
// of its answers.
type MacroTextReader interface {
	// MacroTexts is where the text of a macro in a source holds one of names (nil: any word), as offsets.
	MacroTexts(content string, names []string) []int
}

// MacroTexts is how names in the texts of macros are found at a server that does not look into these; nil at others.
func MacroTexts(s *Server) func(content string, names []string) []int {
	if a, ok := s.Adapter().(MacroTextReader); ok {
		return a.MacroTexts
	}
	return nil
}
