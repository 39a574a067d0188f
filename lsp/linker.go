package lsp

import (
	"context"
	"strings"

	"lspi/contract"
)

// LinkerHooks are for a language whose files are compiled one by one: the server sees no error of the linker, such as a
// definition that is gone, or one that is there twice. They tell what files define and declare for others by their
// names for the linker; who else declares or defines it, only a process with an index knows. All are there.
type LinkerHooks struct {
	// DeclaredLinks asks what files declare, as the server has them now.
	DeclaredLinks func(ctx context.Context, s *Snapshot, paths []string) LinkTable
	// Declarations are the places outside of the edited files that declare what it no longer defines, and how many
	// others use it, by the server's index.
	Declarations func(ctx context.Context, s *Snapshot, l Linkage,
		outside func(path string) bool) (declared []Place, uses int, err error)
	// Definition is where the server's index has the definition of what is declared, outside of the edited files;
	// nil when it has none.
	Definition func(ctx context.Context, s *Snapshot, l Linkage, outside func(path string) bool) (*Place, error)
	// Elsewhere is where the server's index has a definition of the same name for the linker, outside of the edited
	// files; nil when it has none.
	Elsewhere func(ctx context.Context, s *Snapshot, l Linkage, outside func(path string) bool) (*Place, error)
}

// LinkTable is what files declare at one time.
type LinkTable interface {
	// Compared is what changes from then to now, when the server has other texts of the files; found are its
	// diagnostics of these.
	Compared(ctx context.Context, s *Snapshot, paths []string, found *Diagnosis) *Links
}

// Linkage is a function or a variable that a file declares or defines.
type Linkage struct {
	Name string // qualified
	USR  string // Clang's Unified Symbol Resolution: the same for all declarations of one symbol
	Path string
	At   contract.Position // of its name
}

// Links are what an edit changes of what its files declare and define.
type Links struct {
	Gone     []Linkage // definitions that it takes away; places are those on disk
	Declared []Linkage // of those, where the new texts still declare it; the zero value where they do not
	Replaced []Linkage // declarations in place of which another of the same name is declared; places are those on disk
	Came     []Linkage // definitions that it adds to sources
	Shared   []Linkage // definitions in a header that each file which includes it now defines
	Unknown  bool      // not everything could be compared

	// Changed are the last words of declarations that the edit takes away or gives another type; Own of those that only
	// their own file can use.
	Changed, Own []string
	// Left are those of these declarations that templates of a library may use, by their last words and at their places
	// on disk.
	Left []Linkage
}

// Any reports whether a process with an index has to be asked. A nil Links has nothing.
func (l *Links) Any() bool {
	return l != nil && (l.Unknown || len(l.Gone)+len(l.Replaced)+len(l.Came)+len(l.Shared)+len(l.Changed)+
		len(l.Own) > 0)
}

// TypeAt is the type of a symbol as the server's hover writes it; known is false when it writes not all of it.
func TypeAt(ctx context.Context, s *Snapshot, path string, at contract.Position) (text string, known bool) {
	h, err := s.Hover(ctx, path, at)
	if err != nil || h == nil {
		return "", false
	}
	text = h.Text
	if _, code, ok := strings.Cut(text, "```"); ok {
		text, _, _ = strings.Cut(code, "```")
	}
	return text, !strings.Contains(text, "...") && !strings.Contains(text, "…")
}
