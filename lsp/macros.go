package lsp

// OpenMacros is the kind of macros at a server that knows those of open files alone; "" for others.
func OpenMacros(s *Server) SymbolKind {
	return s.hooks.OpenMacroKind
}

// MacroTexts is how names in the texts of macros are found at a server that does not look into these; nil at others.
func MacroTexts(s *Server) func(content string, names []string) []int {
	return s.hooks.MacroTexts
}
