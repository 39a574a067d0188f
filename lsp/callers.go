package lsp

// UncalledReader is the adapter of a server that needs long to find out that nothing calls a function, where the
// texts of its folder tell.
type UncalledReader interface {
	// Uncalled reports whether the texts prove that nothing calls an item.
	Uncalled(item HierarchyItem) bool
}

// Uncalled reports whether the texts prove that a server has no incoming calls of an item, so that it need not be
// asked.
func Uncalled(s *Server, item HierarchyItem) bool {
	a, ok := s.Adapter().(UncalledReader)
	return ok && item.Place.Err == nil && a.Uncalled(item)
}
