package lsp

import (
	"context"

	"lspi/contract"
)

// OverrideFinder is the adapter of a server that renames a member in one class and not in those that override it.
type OverrideFinder interface {
	// Overrides is [Overrides] for it.
	Overrides(ctx context.Context, s *Snapshot, path string, at contract.Position, name string,
		files []string) (out []Place, all bool)
}

// LeavesOverrides reports whether a server renames a member in one class and not in those that override it.
func LeavesOverrides(s *Server) bool {
	_, ok := s.Adapter().(OverrideFinder)
	return ok
}

// Overrides are the declarations of the member at a position in classes that derive from its own, or from which
// that derives, at a server that renames only one ([LeavesOverrides]); files are those that may hold such classes.
// all is false when not all could be looked at.
func Overrides(ctx context.Context, s *Snapshot, path string, at contract.Position, name string,
	files []string) (out []Place, all bool) {
	if a, ok := s.Adapter().(OverrideFinder); ok {
		return a.Overrides(ctx, s, path, at, name, files)
	}
	return nil, true
}

// PromotedFinder is the adapter of a server whose rename of an interface's method leaves methods that types have
// from what they embed.
type PromotedFinder interface {
	// Promoted is [Promoted] for it.
	Promoted(ctx context.Context, s *Snapshot, path string, at contract.Position) ([]Place, error)
}

// Promoted are the declarations by which types that embed others implement the interface's method at a position,
// where the types that declare it do not implement the interface themselves. There are none at a server that
// renames these too, and where no such method stands.
func Promoted(ctx context.Context, s *Snapshot, path string, at contract.Position) ([]Place, error) {
	if a, ok := s.Adapter().(PromotedFinder); ok {
		return a.Promoted(ctx, s, path, at)
	}
	return nil, nil
}

// StubReader is the adapter of a server that takes uses in other files as those of a stub beside the source.
type StubReader interface {
	// InStub is [InStub] for it.
	InStub(ctx context.Context, s *Snapshot, path string, at contract.Position) []Place
	// ReferencesInStub is [ReferencesInStub] for it.
	ReferencesInStub(ctx context.Context, s *Snapshot, path string, at contract.Position, declaration bool,
		places []Place) ([]Place, error)
}

// InStub is where a stub beside the source declares what is declared at a position, at a server that takes uses in
// other files as those of the stub; nil where there is none.
func InStub(ctx context.Context, s *Snapshot, path string, at contract.Position) []Place {
	if a, ok := s.Adapter().(StubReader); ok {
		return a.InStub(ctx, s, path, at)
	}
	return nil
}

// ReferencesInStub are places with the references of what a stub declares instead.
func ReferencesInStub(ctx context.Context, s *Snapshot, path string, at contract.Position, declaration bool,
	places []Place) ([]Place, error) {
	if a, ok := s.Adapter().(StubReader); ok {
		return a.ReferencesInStub(ctx, s, path, at, declaration, places)
	}
	return places, nil
}

// AliasFollower is the adapter of a server whose references and callers leave out the uses by the other name that
// an import gives.
type AliasFollower interface {
	// UsesByAlias is [UsesByAlias] for it.
	UsesByAlias(ctx context.Context, s *Snapshot, places []Place) (uses []Place, all bool)
}

// LeavesAliases reports whether the references of a server leave out the uses by the other name that an import gives.
func LeavesAliases(s *Server) bool {
	_, ok := s.Adapter().(AliasFollower)
	return ok
}

// UsesByAlias are the uses by the other names that imports among places give, and by those that imports of these
// give; all is false when there are too many, or the server did not answer. There are none at a server that lists
// them itself ([LeavesAliases]).
func UsesByAlias(ctx context.Context, s *Snapshot, places []Place) (uses []Place, all bool) {
	if a, ok := s.Adapter().(AliasFollower); ok {
		return a.UsesByAlias(ctx, s, places)
	}
	return nil, true
}
