package loaded

import (
	"context"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// The index that clangd makes itself has a closed file as it was read once, and is not made anew for a file of which
// only an included one has changed (22.1.8). What an answer lacks by that the audit finds, since the place holds the
// name and is nowhere in the answer. What it has too much does not show: a use in such a file that means another symbol
// of the name by now, which the changed file declares, such as an overload that fits better.

// maxRedeclared bounds the headers whose symbols are asked for; all that come behind them count.
const maxRedeclared = 8

// rebound are the files with a place in the answer that may mean another symbol than when the server read them: they
// may include a header that changed since the server began and declares the name for another symbol, too, or includes
// since what does. Files that are open as they would be built now are none.
func rebound(ctx context.Context, c *answer.Call, s *lsp.Snapshot) []lsp.Uncovered {
	hooks := s.Hooks()
	if hooks.MayInclude == nil || hooks.External != nil && len(hooks.External()) > 0 {
		return nil // without an index of its own; see [olderIndexes]
	}
	about := c.Subject()
	changes, every := s.Folders().Changed()
	if len(about.Names) == 0 || len(changes) == 0 && !every {
		return nil
	}
	candidates := slices.Sorted(maps.Keys(changes))
	if every {
		candidates = Sources(c, s, s.Root())
	}
	var headers []lsp.Uncovered
	for _, path := range candidates {
		if s.Spec().Serves(symbol.Base(path)) && (hooks.Includes == nil || !hooks.Includes.IsSource(path)) {
			headers = append(headers, lsp.Uncovered{Path: path})
		}
	}
	changed := redeclaring(ctx, c, s, headers)
	if len(changed) == 0 {
		return nil
	}
	var answered []string
	for _, p := range about.Places {
		answered = append(answered, p.Path)
	}
	slices.Sort(answered)
	answered = slices.Compact(answered)
	older, err := s.Documents().MayInclude(ctx, answered, pathsOf(changed))
	if err == nil {
		older, err = s.Documents().Outdated(ctx, older)
	}
	if err != nil { // the time of the call is over
		older = answered
	}
	var found []lsp.Uncovered
	for _, path := range older {
		found = append(found, lsp.Uncovered{Path: path})
	}
	return found
}

// redeclaring are those of changed headers by which a use may mean another symbol: they declare one of the name, or
// include since what does, or include no longer what holds the name.
func redeclaring(ctx context.Context, c *answer.Call, s *lsp.Snapshot, headers []lsp.Uncovered) []lsp.Uncovered {
	since, err := s.Documents().IncludedSince(ctx, pathsOf(headers))
	if err != nil {
		return headers // the time of the call is over
	}
	concerned := map[string]bool{}
	for _, header := range headers {
		concerned[header.Path] = true
		for _, path := range slices.Concat(since[header.Path].Came, since[header.Path].Gone) {
			concerned[path] = true
		}
	}
	var all []lsp.Uncovered
	for path := range concerned {
		all = append(all, lsp.Uncovered{Path: path})
	}
	holding := map[string]bool{}
	for _, u := range Holders(ctx, c, all) {
		holding[u.Path] = true
	}
	asked, another := 0, map[string]bool{}
	declares := func(path string) bool {
		if is, known := another[path]; known || !holding[path] {
			return is
		}
		asked++
		another[path] = asked > maxRedeclared || declaresAnother(ctx, s, c.Subject(), path)
		return another[path]
	}
	return slices.DeleteFunc(headers, func(header lsp.Uncovered) bool {
		change := since[header.Path]
		return !change.Unknown && !declares(header.Path) && !slices.ContainsFunc(change.Came, declares) &&
			!slices.ContainsFunc(change.Gone, func(path string) bool { return holding[path] })
	})
}

// declaresAnother reports whether a file gives a name of the subject another meaning which a use of the subject may
// have instead: a macro, a using declaration, or another symbol in the same scope, or where one of the two is in none,
// or in a class with bases. No function takes the place of a type, and no type that of a function. A file of which the
// server does not tell counts.
func declaresAnother(ctx context.Context, s *lsp.Snapshot, about answer.Subject, path string) bool {
	symbols, text, err := s.DocumentSymbols(ctx, path)
	if err != nil {
		return true
	}
	isNamed := func(name string) bool { return slices.Contains(about.Names, name) }
	isOf := func(file string, at contract.Position) bool {
		return slices.ContainsFunc(about.At, func(a symbol.Located) bool { return a.Path == file && a.At == at }) ||
			slices.ContainsFunc(about.Places, func(p lsp.Place) bool { return p.Path == file && p.Range.Start == at })
	}
	for _, m := range lang.Macros(text.Content()) {
		if isNamed(m.Name) && !isOf(path, text.PositionAt(m.At)) {
			return true
		}
	}
	is := func(file string, n symbol.Named) bool { return isOf(file, n.Sym.NameAt.Start) }
	var own, another []symbol.Named
	for _, n := range symbol.Flatten(symbols, nil, nil) {
		switch {
		case n.Local || !isNamed(symbol.LastComponent(n.Sym.Name)):
		case is(path, n):
			own = append(own, n)
		default:
			another = append(another, n)
		}
	}
	if len(another) == 0 {
		return false
	}
	for _, a := range about.At { // it may be declared in a file that did not change
		if symbols, _, err := s.DocumentSymbols(ctx, a.Path); err == nil && a.Path != path {
			own = append(own, slices.DeleteFunc(symbol.Flatten(symbols, nil, nil), func(n symbol.Named) bool {
				return !is(a.Path, n) || !isNamed(symbol.LastComponent(n.Sym.Name))
			})...)
		}
	}
	if len(own) == 0 {
		return true
	}
	scope := func(n symbol.Named) string { // the innermost one
		if len(n.Parts) < 2 {
			return ""
		}
		return n.Parts[len(n.Parts)-2]
	}
	return slices.ContainsFunc(another, func(other symbol.Named) bool {
		brings := s.Hooks().Scopes.BringsName(text.Line(other.Sym.NameAt.Start.Line))
		return slices.ContainsFunc(own, func(n symbol.Named) bool {
			return (brings || symbol.IsCode(n.Sym.Kind) == symbol.IsCode(other.Sym.Kind)) &&
				(scope(n) == scope(other) || scope(n) == "" || scope(other) == "" || inHeir(symbols, text, other))
		})
	})
}

// inHeir reports whether a symbol is a member of a class with bases: by its name it hides, or overrides, what these
// have.
func inHeir(symbols []lsp.Symbol, text *source.Text, n symbol.Named) bool {
	at := n.Sym.NameAt.Start
	for _, outer := range symbols {
		if outer.NameAt.Start == at || !outer.Range.Contains(at) {
			continue
		}
		if slices.ContainsFunc(outer.Children, func(inner lsp.Symbol) bool { return inner.NameAt.Start == at }) {
			head, _, _ := strings.Cut(text.Within(contract.Range{Start: outer.NameAt.End, End: at}), "{")
			return strings.Contains(strings.ReplaceAll(head, "::", ""), ":")
		}
		return inHeir(outer.Children, text, n)
	}
	return false
}
