package audit

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// The references of a name should have the place that was asked about. An answer without it shows that the server did
// not take that place for a use of the symbol, so others like it may be missing too. clangd 22 gives no references for
// a name in the text of a macro, though it leads from there to the declaration. The references of the declaration are
// added, and a warning says what is left open. [Uses] cannot see it: it begins with what the server lists.

// maxLedTo bounds the declarations whose references are asked for in addition.
const maxLedTo = 4

// askedPlace is the name whose references were asked for.
type askedPlace struct {
	c    *answer.Call
	s    *lsp.Snapshot
	at   symbol.Located
	own  lsp.Place   // the place of the whole name
	lead []lsp.Place // where the server leads from there: the definition and the declaration
}

// WithAskedPlace returns places, completed by what the server left out as far as the place that was
// asked about shows it. declaration says whether the request asked for the declaration, too: without
// it, the absence of a place that is the declaration is right. The result begins with places. It is
// places alone where nothing can be judged: no name in code stands there, or the server has no
// definitions.
func WithAskedPlace(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, declaration bool,
	places []lsp.Place) []lsp.Place {
	own, ok := namePlace(s, at)
	if !ok || !s.Offers(lsp.MethodDefinition) {
		return places
	}
	a := &askedPlace{c: c, s: s, at: at, own: own}
	has := holdsPlace(places, own)
	if has { // the usual case, which costs no request
		return places
	}
	a.lead = leads(ctx, s.Recalling(), own.Path, own.Range.Start)
	if !a.named(places) && !a.named(a.lead) {
		return places // of what stands beside a contextual keyword (TypeScript's as), or of nothing
	}
	// The server leads from a declaration to itself. Where the declaration was not asked for, its absence is right.
	declares := holdsPlace(a.lead, own)
	// From the signature of an overload it leads elsewhere: what only the references with declarations hold is a
	// declaration too.
	if !declares && !declaration && s.Spec().UsesMistaken {
		all, err := s.References(ctx, own.Path, own.Range.Start, true)
		declares = err == nil && holdsPlace(all, own)
	}
	if has = declares && !declaration; !has {
		places = a.atDeclaration(ctx, declaration, places)
		has = holdsPlace(places, own)
	}
	scopes := s.Hooks().Scopes
	brought := scopes != nil && slices.ContainsFunc(places, func(p lsp.Place) bool {
		return p.Err == nil && scopes.BringsName(p.Line)
	})
	// The first case that holds decides, so that an answer gets one warning. In the last two the asked place
	// itself is added: it was asked about as a use, and lspi read the name there.
	switch {
	case !has && len(places) == 0: // the reason is looked for elsewhere
	case slices.ContainsFunc(a.lead, func(p lsp.Place) bool { return p.Guess }):
		places = a.withOwn(places)
		loaded.NotSeen(ctx, a.c, a.s, a.at, a.lead)
	case brought: // the audit asks there
	case !has && !holdsPlace(places, own):
		places = a.withOwn(places)
		c.Warn(contract.WarnUnresolved, a.facts(at.Path, at.At.Line), fmt.Sprintf(
			"%s does not list %s:%d, which the call asked about, among the references of %s; similar ones may be missing as well",
			s.ID(), c.Show(at.Path), at.At.Line, at.Name))
	}
	return places
}

// facts are the facts of a warning about the name at a line.
func (a *askedPlace) facts(path string, line int) contract.Facts {
	return contract.Facts{"name": a.at.Name, "file_path": a.c.Show(path), "line": line}
}

// namePlace returns the place of the name at a spot; ok is false where that is no identifier in code.
func namePlace(s *lsp.Snapshot, at symbol.Located) (lsp.Place, bool) {
	text, err := s.Documents().Text(at.Path)
	if err != nil || at.Name == "" || lang.Reserved(s.Spec().LanguageID(symbol.Base(at.Path)), at.Name) ||
		!loaded.IsCodeAt(s, at) {
		return lsp.Place{}, false
	}
	offset, err := text.Offset(at.At)
	if err != nil {
		return lsp.Place{}, false
	}
	from, to, ok := source.WordAround(text.Content(), offset)
	if !ok || text.Content()[from:to] != at.Name {
		return lsp.Place{}, false
	}
	return placeOf(text, from, to), true
}

// placeOf returns a stretch of a text, in bytes, as a place.
func placeOf(text *source.Text, from, to int) lsp.Place {
	r := contract.Range{Start: text.PositionAt(from), End: text.PositionAt(to)}
	return lsp.Place{Path: text.Path, Range: r, Full: r, Line: text.Line(r.Start.Line)}
}

// holdsPlace reports whether a name is among places, or lies in one (a quoted property, a path). A
// range that only ends where the name begins does not count.
func holdsPlace(places []lsp.Place, name lsp.Place) bool {
	return slices.ContainsFunc(places, func(p lsp.Place) bool {
		return p.Path == name.Path && p.Range.Contains(name.Range.Start) && p.Range.End != name.Range.Start
	})
}

// leads returns the definition and the declaration to which a server leads from a place. A method that
// the server does not offer, or refuses, adds nothing; the imports of what the server did not find are
// no declarations.
func leads(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) []lsp.Place {
	var out []lsp.Place
	for _, method := range []string{lsp.MethodDefinition, lsp.MethodDeclaration} {
		if !s.Offers(method) {
			continue
		}
		found, err := s.Locate(ctx, method, path, at)
		if err != nil {
			continue
		}
		for _, p := range loaded.NotImports(found) {
			if p.Err == nil && !holdsPlace(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// atDeclaration adds to places the references of the declarations that the asked place leads to. A
// declaration that is in places was covered by the first request, and one that is the asked place would
// give the same answer. A request that fails adds nothing: the caller sees that the asked place is
// still missing.
func (a *askedPlace) atDeclaration(ctx context.Context, declaration bool, places []lsp.Place) []lsp.Place {
	for _, d := range a.lead[:min(len(a.lead), maxLedTo)] {
		if holdsPlace(places, d) || holdsPlace([]lsp.Place{d}, a.own) {
			continue
		}
		more, err := a.s.References(ctx, d.Path, d.Range.Start, declaration)
		if err != nil {
			continue
		}
		for _, p := range more {
			if !holdsPlace(places, p) {
				places = append(places, p)
			}
		}
	}
	return places
}

// named reports whether one of the places has the name that was asked about. A server may lead
// elsewhere from a word that is no name of the symbol; nothing follows from an answer about that.
func (a *askedPlace) named(places []lsp.Place) bool {
	return slices.ContainsFunc(places, func(p lsp.Place) bool {
		from, to, ok := source.WordAround(p.Line, symbol.ByteOffset(p.Line, p.Range.Start.Character))
		return ok && p.Line[from:to] == a.at.Name
	})
}

// withOwn returns places with the asked place among them.
func (a *askedPlace) withOwn(places []lsp.Place) []lsp.Place {
	if holdsPlace(places, a.own) {
		return places
	}
	return append(places, a.own)
}
