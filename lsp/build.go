package lsp

import (
	"context"
	"errors"

	"lspi/contract"
	"lspi/internal/lang"
)

// ExclusionReader is the adapter of a server that does not read all sources for an answer about the whole project.
type ExclusionReader interface {
	// Excluded is [Excluded] for it.
	Excluded(ctx context.Context, asked string, may func(path string, m *lang.Mentions) bool) []Uncovered
	// Declared is [Declared] for it.
	Declared(path string, at contract.Position) (Place, bool)
}

// Excluded are the sources that the server does not read for an answer about the whole project of asked (of all its
// folders when asked is "") and for which may holds, sorted.
func Excluded(ctx context.Context, s *Server, asked string,
	may func(path string, m *lang.Mentions) bool) []Uncovered {
	if a, ok := s.Adapter().(ExclusionReader); ok {
		return a.Excluded(ctx, asked, may)
	}
	return nil
}

// Declared is the place itself where it is certain that what stands there is declared there, as far as [MayUse] has
// to know it.
func Declared(s *Server, path string, at contract.Position) (Place, bool) {
	if a, ok := s.Adapter().(ExclusionReader); ok {
		return a.Declared(path, at)
	}
	return Place{}, false
}

// SourceReader is the adapter of a server whose language lspi reads by itself, to know what one build of it leaves out.
type SourceReader interface {
	// MayUse is [MayUse] for it.
	MayUse(ctx context.Context, found []Uncovered, name string, declared Place) []Uncovered
	// Unparsed is [Unparsed] for it.
	Unparsed(ctx context.Context, asked, name string) []Uncovered
	// NeverBuilt reports whether the language says that no build looks at a path below a root.
	NeverBuilt(rel string) bool
	// DropNeverBuilt leaves out such sources.
	DropNeverBuilt(ctx context.Context, found []Uncovered) []Uncovered
}

// MayUse keeps of the sources that [Excluded] or [Unparsed] gave those that may use the name that is declared at a
// place, going by what they import.
func MayUse(ctx context.Context, s *Server, found []Uncovered, name string, declared Place) []Uncovered {
	if a, ok := s.Adapter().(SourceReader); ok {
		return a.MayUse(ctx, found, name, declared)
	}
	return found
}

// Unparsed are the sources with a syntax error that hold a name and that an answer about the project of asked is
// about, sorted.
func Unparsed(ctx context.Context, s *Server, asked, name string) []Uncovered {
	if a, ok := s.Adapter().(SourceReader); ok {
		return a.Unparsed(ctx, asked, name)
	}
	return nil
}

// ExclusionOf says why a server cannot be asked about a file, which is no part of what it loads; nil when it can,
// or nobody knows.
func ExclusionOf(ctx context.Context, s *Server, path string) *Exclusion {
	d := &Diagnosis{}
	if _, ok := s.Adapter().(FindingReader); ok {
		if s.Diagnostics().Add(ctx, []string{path}, d) == nil {
			s.Diagnostics().Unlinked(d)
		}
	} else if a, ok := s.Adapter().(BuildReader); !ok || a.AskExcluded(ctx, []string{path}, d) != nil {
		return nil
	}
	if len(d.Excluded) == 0 || d.Excluded[0].Answers {
		return nil
	}
	return &d.Excluded[0]
}

// LinkerNameReader is the adapter of a server that does not look into what the linker joins by name.
type LinkerNameReader interface {
	// HoldLinkerName is [HoldLinkerName] for it.
	HoldLinkerName(ctx context.Context, name string) (files []string, all bool)
	// LinkerUses is [LinkerUses] for it.
	LinkerUses(ctx context.Context, files []string, name string, declared Place) []LinkerUse
}

// LinkerUse is a place that the linker joins by name with a declaration: in assembly, or in a go:linkname directive.
type LinkerUse struct {
	Path    string
	Line    int
	Defines bool // it begins the code of the function
}

// HoldLinkerName are the sources in which such a place holds a name, sorted; all is false when ctx ended before
// each was looked at.
func HoldLinkerName(ctx context.Context, s *Server, name string) (files []string, all bool) {
	if a, ok := s.Adapter().(LinkerNameReader); ok {
		return a.HoldLinkerName(ctx, name)
	}
	return nil, true
}

// LinkerUses are the places in files, which [HoldLinkerName] gave, that name what is declared by a name at a place.
// Where that is not known (declared has no path) each place that holds the name may.
func LinkerUses(ctx context.Context, s *Server, files []string, name string, declared Place) []LinkerUse {
	if a, ok := s.Adapter().(LinkerNameReader); ok {
		return a.LinkerUses(ctx, files, name, declared)
	}
	return nil
}

// FieldReferencer is the adapter of a server whose references leave out the uses of fields that embed a type.
type FieldReferencer interface {
	// ReferencesAndFields is [ReferencesAndFields] for it.
	ReferencesAndFields(ctx context.Context, s *Snapshot, path string, at contract.Position,
		declaration bool) ([]Place, error)
}

// ErrManyEmbed is why the uses of fields that embed a type are not all among its references.
var ErrManyEmbed = errors.New("too many structs embed it")

// ReferencesAndFields are references, and those of the fields among them that embed what is referred to. With
// [ErrManyEmbed] or the end of ctx the places are those that are known.
func ReferencesAndFields(ctx context.Context, s *Snapshot, path string, at contract.Position,
	declaration bool) ([]Place, error) {
	if a, ok := s.Adapter().(FieldReferencer); ok {
		return a.ReferencesAndFields(ctx, s, path, at, declaration)
	}
	return s.References(ctx, path, at, declaration)
}
