package lsp

// Uncalled reports whether the texts prove that a server has no incoming calls of an item, so that it need not be
// asked.
func Uncalled(s *Server, item HierarchyItem) bool {
	nothing := s.hooks.NothingCalls
	return nothing != nil && item.Place.Err == nil && nothing(item)
}
