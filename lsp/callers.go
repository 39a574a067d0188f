package lsp

import (
	"path/filepath"

	"lspi/contract"
	"lspi/internal/source"
)

// Uncalled reports whether the texts prove that a server has no incoming calls of an item, so that it need not be
// asked; nothing calls a file ([FileItem]).
func Uncalled(s *Server, item HierarchyItem) bool {
	if item.raw == nil {
		return true
	}
	nothing := s.hooks.NothingCalls
	return nothing != nil && item.Place.Err == nil && nothing(item)
}

// FileItem is the item of a whole file, for calls at its top level.
func FileItem(text *source.Text) HierarchyItem {
	start, end := contract.Position{Line: 1, Character: 1}, text.PositionAt(len(text.Content()))
	return HierarchyItem{Name: filepath.Base(text.Path), Kind: "module", Place: Place{Path: text.Path,
		Range: contract.Range{Start: start, End: start}, Full: contract.Range{Start: start, End: end},
		Line: text.Line(1)}}
}
