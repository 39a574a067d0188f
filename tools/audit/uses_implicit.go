package audit

import (
	"cmp"
	"context"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// nameless looks for uses of a verdict's symbol that do not hold its name: the language makes them, macros and programs
// put the name together.
type nameless struct{ *verdict }

// find looks for all of them. The error is that of known.
func (v nameless) find(ctx context.Context, known func() ([]lsp.Place, error)) error {
	for _, look := range []func(context.Context, func() ([]lsp.Place, error)) error{
		v.implicit, v.cpp.pastedDefinition, v.cpp.joinedKnown,
	} {
		if err := look(ctx, known); err != nil {
			return err
		}
	}
	v.built(ctx)
	v.derived(ctx)
	return nil
}

// implicit adds the places that use the symbol without its name, by the hook of the server. The error is that of known.
func (v nameless) implicit(ctx context.Context, known func() ([]lsp.Place, error)) (err error) {
	hook := v.s.Hooks().Implicit
	if hook == nil {
		return nil
	}
	ways := (lsp.ByLanguage | lsp.ByLibraries | lsp.ByMaking) &^ v.without
	if v.function != "" {
		ways &^= lsp.ByLibraries
	}
	places, whole := hook(ctx, v.asked, lsp.ImplicitQuestion{Name: v.at.Name, Ways: ways,
		Asked:    lsp.Place{Path: v.at.Path, Range: contract.Range{Start: v.at.At, End: v.at.At}, Line: v.line()},
		Declared: func() lsp.Place { v.declare(ctx); return v.declared[0] },
		Holding:  func(words []string) []string { return v.holding(ctx, words) },
		Listed: func(path string, line int) bool {
			if err == nil {
				err = v.know(known)
			}
			real := v.real(path)
			return slices.ContainsFunc(v.known, func(p lsp.Place) bool {
				return p.Path == real && p.Range.Start.Line == line
			})
		}})
	for _, p := range places {
		if !slices.ContainsFunc(v.unexplained, func(o occurrence) bool {
			return o.path == p.Path && o.at == p.Range.Start
		}) {
			v.unexplained = append(v.unexplained, occurrence{path: p.Path, at: p.Range.Start, name: v.at.Name,
				reason: reasonImplicit})
		}
	}
	if !whole {
		v.unexplained = append(v.unexplained, occurrence{path: v.at.Path, at: v.at.At, name: v.at.Name,
			reason: reasonNotAsked})
	}
	return err
}

// HandedOver warns of places that hand something to a template of a library that uses a symbol by its name; judged are
// those of which the caller knows what comes of it.
func (e Edit) HandedOver(ctx context.Context, at symbol.Located, judged func(lsp.Place) bool) {
	c, s := e.Call, e.Snapshot
	v := newVerdict(c, s, at, whatCounts{without: lsp.ByLanguage | lsp.ByMaking})
	ctx, cancel := v.within(ctx)
	defer cancel()
	_ = nameless{v}.implicit(ctx, nil) // only a question about making asks what is known
	v.unexplained = slices.DeleteFunc(v.unexplained, func(o occurrence) bool {
		return judged(lsp.Place{Path: o.path, Range: contract.Range{Start: o.at, End: o.at}})
	})
	v.tell()
}

// holding are the files of the server that hold one of some words in code.
func (v nameless) holding(ctx context.Context, words []string) (files []string) {
	held, all, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, words...)
	v.late = v.late || err != nil || !all
	for _, h := range held {
		if h.Use&(lang.CodeUse|lang.OpenUse) != 0 && v.serves(h.Path) {
			files = append(files, h.Path)
		}
	}
	return files
}

// overridden are the overrides of a virtual member that the references lack: those of clangd (22.1.8) have the
// overrides of one level, its implementations all. Of one that it knows by an open document it has the declaration
// alone, and leads from there to the definition in a closed source.
func overridden(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, known []lsp.Place) (
	more []lsp.Place) {
	if s.Hooks().Includes == nil || !s.Offers(lsp.MethodImplementation) ||
		!slices.ContainsFunc(known, func(p lsp.Place) bool { return virtual.MatchString(p.Line) }) {
		return nil
	}
	covered := symbol.CoveredBy(known)
	found, left, err := s.Recalling().Implementations(ctx, at.Path, at.At)
	half, cancel := lsp.HalfOf(ctx)
	defer cancel()
	for _, p := range found {
		places := []lsp.Place{p}
		if p.Err == nil && !p.Gone && !p.Outside() && !hasBody(c, p) {
			defined, failed := s.Recalling().Locate(half, lsp.MethodDefinition, p.Path, p.Range.Start)
			err = cmp.Or(err, failed)
			places = append(places, defined...)
		}
		for _, p := range places {
			if p.Err == nil && !p.Guess && spelled(p) == at.Name && !covered(p.Path, p.Range.Start) &&
				!holdsPlace(more, p) {
				more = append(more, p)
			}
		}
	}
	if err != nil || left > 0 {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "overrides", "server_id": s.ID()},
			"lspi could not look for all that overrides "+at.Name)
	}
	return more
}

// virtual matches the line of what may be overridden, or overrides.
var virtual = source.LazyRegexp(`\b(?:virtual|override|final)\b`)
