package audit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// The references of a name should have the place that was asked about. clangd 22 gives none for a name in the text of a
// macro or in code that is left out, though it leads from there to the declaration, of which the references are taken
// then. [Uses] cannot see it: it begins with what the server lists.

// maxLedTo bounds the declarations whose references are asked for in addition.
const maxLedTo = 4

// WithAskedPlace returns places, with the references of what the server leads to from the asked place, where they lack
// that place. declaration says whether the request asked for the declaration, too: without it, its absence is right
// where the references with declarations, which are declared then, have the place: from a field that a struct of Go
// embeds a server leads to the type, whose uses are others. The result begins with places.
func WithAskedPlace(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, declaration bool,
	places, declared []lsp.Place) []lsp.Place {
	own, ok := namePlace(s, at)
	// Mostly it is there, which costs no request.
	if !ok || !s.Offers(lsp.MethodDefinition) || holdsPlace(places, own) || holdsPlace(declared, own) {
		return places
	}
	lead := leads(ctx, s.Recalling(), own.Path, own.Range.Start)
	// The server may answer about what stands beside a contextual keyword (TypeScript's as), or lead to itself.
	if !slices.ContainsFunc(slices.Concat(places, lead), func(p lsp.Place) bool { return spelled(p) == at.Name }) ||
		!declaration && holdsPlace(lead, own) {
		return places
	}
	for _, d := range lead[:min(len(lead), maxLedTo)] {
		// One that is in places was covered by the first request. A request that fails adds nothing.
		if holdsPlace(places, d) || holdsPlace([]lsp.Place{d}, own) {
			continue
		}
		more, err := s.References(ctx, d.Path, d.Range.Start, declaration)
		for _, p := range more {
			if err == nil && !holdsPlace(places, p) {
				places = append(places, p)
			}
		}
	}
	switch guessed := slices.ContainsFunc(lead, func(p lsp.Place) bool { return p.Guess }); {
	case len(places) == 0: // the reason is looked for elsewhere
	case guessed:
		if !holdsPlace(places, own) {
			places = append(places, own)
		}
		loaded.NotSeen(ctx, c, s, at, lead)
	case holdsPlace(lead, own) && !holdsPlace(places, own): // what declares it; of others the audit asks
		places = append(places, own)
		c.Warn(contract.WarnUnresolved, contract.Facts{"name": at.Name, "file_path": c.Show(at.Path), "line": at.At.Line},
			fmt.Sprintf("%s does not list the declaration of %s at %s:%d among its references; others may be missing as well",
				s.ID(), at.Name, c.Show(at.Path), at.At.Line))
	}
	return places
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
// range that only ends where the name begins does not count, and of one over several lines, which is a declaration with
// all that it holds (rust-analyzer leads from mod x; to all of x.rs), only its begin does.
func holdsPlace(places []lsp.Place, name lsp.Place) bool {
	return slices.ContainsFunc(places, func(p lsp.Place) bool {
		return p.Path == name.Path && p.Range.Contains(name.Range.Start) && p.Range.End != name.Range.Start &&
			(p.Range.Start.Line == p.Range.End.Line || p.Range.Start == name.Range.Start)
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

// A server may resolve the imports of whatever file it is shown by the settings and the environment of its root
// ([spec.RootRule].Views): in one of two services that are alike it takes the tests of the other for users of its own
// modules, and lists them from then on as long as the file is open. So such a file is shown to the process of its own
// root alone, which says what an occurrence in it is.

// InOtherProject reports whether a file is in another project than the one that was asked about, at a server that does
// not look beyond one project for all that it answers ([spec.Spec].OneProject, [spec.RootRule].Views).
func InOtherProject(c *answer.Call, s *lsp.Snapshot, asked, path string) bool {
	if !s.Spec().OneProject && !s.Spec().Roots.Views || filepath.Dir(asked) == filepath.Dir(path) {
		return false
	}
	own, other := routeOf(c, s, asked), routeOf(c, s, path)
	return own == nil || other == nil || own.Root != other.Root
}

// routeOf is how a file is routed to a server; nil where it is not.
func routeOf(c *answer.Call, s *lsp.Snapshot, path string) *router.Route {
	routes, err := c.Workspace.Table.Route(c.Workspace.Process.Files, path)
	i := slices.IndexFunc(routes, func(r router.Route) bool { return r.Spec.ID == s.ID() })
	if err != nil || i < 0 {
		return nil
	}
	return &routes[i]
}

// ofOtherView is the route of a file that another process of the server has to judge; nil for any other.
func (v *verdict) ofOtherView(path string) *router.Route {
	if !v.s.Spec().Roots.Views {
		return nil
	}
	if r := routeOf(v.c, v.s, path); r != nil && r.Root != v.s.Root() {
		return r
	}
	return nil
}

// maxOtherViews bounds the processes that are started for one answer.
const maxOtherViews = 8

// startOthers starts the processes of other roots that open occurrences are put to, and puts the first one to each,
// which takes longer than the next ones.
func (v *verdict) startOthers(ctx context.Context) {
	var routes []*router.Route
	var first []occurrence
	seen := map[string]bool{}
	for _, o := range v.open {
		dir := filepath.Dir(o.path)
		if seen[dir] || len(routes) == maxOtherViews {
			continue
		}
		seen[dir] = true
		if r := v.ofOtherView(o.path); r != nil &&
			!slices.ContainsFunc(routes, func(have *router.Route) bool { return have.Root == r.Root }) {
			routes, first = append(routes, r), append(first, o)
		}
	}
	ctx, cancel := lsp.HalfOf(ctx)
	defer cancel()
	answer.Parallel(len(routes), 0, func(i int) { v.judgeByOther(ctx, routes[i], &first[i]) })
}

// otherView is the process of another root, which has seen all changes.
func (v *verdict) otherView(ctx context.Context, r *router.Route) (s *lsp.Server, release func(), err error) {
	for range 2 {
		if s, release, err = v.c.Servers.Get(ctx, *r); err != nil {
			return nil, nil, err
		}
		if err = s.Sync(ctx); err == nil {
			return s, release, nil
		}
		if errors.Is(err, lsp.ErrRestartNeeded) {
			v.c.Workspace.Pool.Restart(s, false)
		}
		release()
	}
	return nil, nil, err
}

// judgeByOther judges an occurrence in the process of another root.
func (v *verdict) judgeByOther(ctx context.Context, r *router.Route, o *occurrence) judgement {
	s, release, err := v.otherView(ctx, r)
	if err != nil {
		return undecided
	}
	defer release()
	return v.viewOf(s.Unverified()).judgeVia(ctx, o, nil)
}

// viewOf is the verdict as another process sees it, for judgements alone.
func (v *verdict) viewOf(s *lsp.Snapshot) *verdict {
	w := &verdict{whatCounts: v.whatCounts, c: v.c, s: s, asked: s, at: v.at, language: v.language, known: v.known,
		covered: v.covered, keyword: v.keyword, function: v.function, class: v.class, indirect: v.indirect,
		declared: v.declared, member: v.member, kind: v.kind, container: v.container, module: v.module,
		injected: v.injected, family: v.family}
	w.cpp = &cpp{verdict: w}
	return w
}
