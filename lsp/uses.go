package lsp

import (
	"context"
	"errors"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
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

// The bounds of one look for the uses by other names: the names that are followed, and the places at which the server
// is asked for one of them.
const (
	maxAliases    = 50
	maxAliasAsked = 300
)

// UsesByAlias are the uses by the other names that imports and exports among places give, and by those that these
// uses give in turn; all is false when there are too many, or the server did not answer. There are none at a server
// that lists them itself ([CoverageHooks].AliasUses).
func UsesByAlias(ctx context.Context, s *Snapshot, places []Place) (uses []Place, all bool) {
	if s.hooks.AliasUses == nil {
		return nil, true
	}
	known, asked := slices.Clone(places), 0
	for i := 0; i < len(known); i++ { // it grows, and keeps the search from going round
		p := known[i]
		if p.Err != nil || p.Gone || !s.Folders().Inside(p.Path) {
			continue
		}
		text, err := s.Documents().Text(p.Path)
		if err != nil {
			continue
		}
		from, err := text.Offset(p.Range.Start)
		to, endErr := text.Offset(p.Range.End)
		if err != nil || endErr != nil {
			continue
		}
		more, given, err := s.hooks.AliasUses(ctx, s, text, from, to)
		if given {
			asked++
		}
		if err != nil || asked > maxAliases {
			return uses, false
		}
		for _, u := range more {
			if !LeadsTo(known, u) {
				known, uses = append(known, u), append(uses, u)
			}
		}
	}
	return uses, true
}

// errManyUses is why not all places with a word were looked at.
var errManyUses = errors.New("too many places hold the name")

// UsesOfWord are the places at which the code of files has a word from which the server leads to one of targets, or to
// another such place: an import, or a pattern, makes a variable of the name.
func UsesOfWord(ctx context.Context, s *Snapshot, files []string, word string, targets []Place) (uses []Place,
	err error) {
	targets, asked := slices.Clone(targets), 0
	for _, path := range files {
		text, readErr := s.Documents().Text(path)
		if readErr != nil || !source.HasWord(text.Content(), word) {
			continue
		}
		lang.EachOf(path, text.Content(), []string{word}, func(from, to int, use lang.Use) {
			if use&(lang.CodeUse|lang.OpenUse) == 0 || err != nil {
				return
			}
			if asked++; asked > maxAliasAsked {
				err = errManyUses
				return
			}
			r := contract.Range{Start: text.PositionAt(from), End: text.PositionAt(to)}
			var found []Place
			found, err = s.Locate(ctx, MethodDefinition, path, r.Start)
			if slices.ContainsFunc(found, func(p Place) bool { return LeadsTo(targets, p) }) {
				u := Place{Path: path, Range: r, Full: r, Line: text.Line(r.Start.Line)}
				uses, targets = append(uses, u), append(targets, u)
			}
		})
		if err != nil {
			return uses, err
		}
	}
	return uses, nil
}

// WithoutPlace is places without the one that begins at a position of a file.
func WithoutPlace(places []Place, path string, at contract.Position) []Place {
	return slices.DeleteFunc(places, func(p Place) bool { return p.Path == path && p.Range.Start == at })
}

// LeadsTo reports whether one of places begins where another one does.
func LeadsTo(places []Place, p Place) bool {
	return slices.ContainsFunc(places, func(k Place) bool { return k.Path == p.Path && k.Range.Start == p.Range.Start })
}
