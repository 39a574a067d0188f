package lsp

import (
	"context"

	"lspi/internal/source"
)

// IncludeHooks are for a language whose sources are compiled with the texts of the files that they include. All are
// there.
type IncludeHooks struct {
	// IsSource reports whether no other file is expected to include this one.
	IsSource func(path string) bool
	// MaySee are those of files that may see what is in the changed ones, going by the names in the includes of texts.
	MaySee func(texts []*source.Text, files, changed []string) []Includer
	// Brings are the files that one text includes and another does not, by base name.
	Brings func(before, after *source.Text) []string
	// Searched are the folders in which the compiler looks for what includes name, whichever source it compiles.
	Searched func(ctx context.Context) []string
	// IsInclude reports whether a line includes a file, or has no other meaning than how this file is included.
	IsInclude func(line string) bool
}

// Includer is a file that includes others.
type Includer struct {
	Path     string
	Reached  map[string]bool // the files that it includes, over others too, by base name
	Included bool            // another file includes it
}

// BodiesShow reports whether the bodies in a file are compiled with the files that include it, so that an error in
// one shows there though nothing else of it changes: templates, constant expressions, macros.
func BodiesShow(s *Server, path string) bool {
	r := s.hooks.Includes
	return r != nil && !r.IsSource(path)
}
