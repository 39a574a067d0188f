package lsp

import (
	"context"

	"lspi/contract"
)

// Overrides are the declarations of the member at a position in classes that derive from its own, or from which
// that derives, at a server that renames only one ([Hooks].Overrides); files are those that may hold such classes.
// all is false when not all could be looked at.
func Overrides(ctx context.Context, s *Snapshot, path string, at contract.Position, name string,
	files []string) (out []Place, all bool) {
	if f := s.hooks.Overrides; f != nil {
		return f(ctx, s, path, at, name, files)
	}
	return nil, true
}

// Promoted are the declarations by which types that embed others implement the interface's method at a position,
// where the types that declare it do not implement the interface themselves. There are none at a server that
// renames these too, and where no such method stands.
func Promoted(ctx context.Context, s *Snapshot, path string, at contract.Position) ([]Place, error) {
	if f := s.hooks.Promoted; f != nil {
		return f(ctx, s, path, at)
	}
	return nil, nil
}

// UnseenUse says what uses a declaration of the workspace that no reference names, and that no rename changes: the run
// time, or an interface outside of the workspace; "" where nothing is known to do so. as is the name that the
// declaration would get, "" for one that is deleted: what uses that name alike does not count.
func UnseenUse(ctx context.Context, s *Snapshot, declared Place, name, as string) string {
	if f := s.hooks.UnseenUse; f != nil {
		return f(ctx, s, declared, name, as)
	}
	return ""
}

// InStub is where a stub beside the source declares what is declared at a position, at a server that takes uses in
// other files as those of the stub; nil where there is none.
func InStub(ctx context.Context, s *Snapshot, path string, at contract.Position) []Place {
	if f := s.hooks.InStub; f != nil {
		return f(ctx, s, path, at)
	}
	return nil
}

// ReferencesInStub are places with the references of what a stub declares instead.
func ReferencesInStub(ctx context.Context, s *Snapshot, path string, at contract.Position, declaration bool,
	places []Place) ([]Place, error) {
	if f := s.hooks.ReferencesInStub; f != nil {
		return f(ctx, s, path, at, declaration, places)
	}
	return places, nil
}

// UsesByAlias are the uses by the other names that imports among places give, and by those that imports of these
// give; all is false when there are too many, or the server did not answer. There are none at a server that lists
// them itself ([Hooks].UsesByAlias).
func UsesByAlias(ctx context.Context, s *Snapshot, places []Place) (uses []Place, all bool) {
	if f := s.hooks.UsesByAlias; f != nil {
		return f(ctx, s, places)
	}
	return nil, true
}
