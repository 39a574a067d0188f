package tools

import (
	"context"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/source"
)

// lookup finds a name in the whole workspace.
func (c *Call) lookup(ctx context.Context, t Target) (spot, error) {
	want := components(t.SymbolName)
	c.about("", nil, spelled(want))
	exact := func(hits []hit) []hit {
		return slices.DeleteFunc(c.exactHits(ctx, hits, want), func(h hit) bool { return !h.isKind(t.SymbolKind) })
	}
	w, err := c.survey(ctx, lsp.MethodWorkspaceSymbol)
	if err != nil {
		return spot{}, err
	}
	query := exactQuery(want)
	unread := map[string][]string{} // by server; guarded by c.mu until the search is over
	hits, err := c.searchNamed(ctx, w, want, func(ctx context.Context, s *lsp.Server, r router.Route) ([]hit, error) {
		hits, err := c.searchOne(ctx, s, r, query(r.Spec))
		if err == nil {
			hits = slices.DeleteFunc(hits, func(h hit) bool { return h.sym.Place.Outside() }) // nothing can be asked about them
			if macro := s.Spec().Symbols.OpenMacros; macro != "" && len(want) == 1 &&
				!slices.ContainsFunc(exact(hits), func(h hit) bool { return h.sym.Kind != macro }) { // a macro has no scope
				hits = openMacros(ctx, c, s, r, question{match: "exact", want: want}, func(string) bool { return true }, hits)
			}
			files := c.leftOut(ctx, s, "", inHits(hits), declaring(func(name string) bool { return name == want[len(want)-1] }))
			c.mu.Lock()
			unread[s.ID()] = files
			c.mu.Unlock()
		}
		return hits, err
	}, func(hits []hit) bool { return len(exact(hits)) > 0 })
	if err != nil {
		return spot{}, err
	}
	found := withoutAliases(exact(hits))
	if inside := slices.DeleteFunc(slices.Clone(found), func(h hit) bool { return !c.inside(h) }); len(inside) > 0 {
		found = inside
	}
	if t.SymbolKind == "" {
		found = outermost(found, hit.parts)
	}
	switch len(found) {
	case 1:
		return spot{path: found[0].sym.Place.Path, at: c.nameAt(found[0]), name: want[len(want)-1]}, nil
	case 0:
		if others := c.exactHits(ctx, hits, want); len(others) > 0 {
			return spot{}, ofOtherKind(t, others)
		}
		for _, path := range slices.Concat(slices.Collect(maps.Values(unread))...) {
			c.step(c.repeat("It is declared in "+c.show(path)+", which is not part of what the server reads; ask there.",
				map[string]any{"file_path": c.show(path)}))
		}
		return spot{}, c.notKnown(ctx, t.SymbolName, want, hits, w)
	}
	slices.SortStableFunc(found, func(a, b hit) int { return comparePlaces(a.sym.Place, b.sym.Place, "") })
	var all []candidate
	for _, h := range found {
		at := c.nameAt(h)
		all = append(all, candidate{h.qualified(), h.sym.Kind, c.show(h.sym.Place.Path), at.Line, at.Character})
	}
	return spot{}, ambiguous(t.SymbolName, all)
}

// withoutAliases drops declarations that only bring in a name of another scope ([lsp.SymbolQuery].Brings), unless there is nothing else.
func withoutAliases(hits []hit) []hit {
	own := slices.DeleteFunc(slices.Clone(hits), func(h hit) bool {
		brings := h.route.Spec.Symbols.Brings
		return brings != nil && brings.MatchString(h.sym.Place.Line)
	})
	if len(own) == 0 {
		return hits
	}
	return own
}

// searchNamed asks about a name that some declaration has. Servers of languages whose files do not hold it as a word are
// not asked, and nothing about them is said, unless the others know none: then it is of a dependency, of generated code
// or of a macro. Which servers run already makes no difference, or the same question would be ambiguous at one time and
// not at another.
func (c *Call) searchNamed(ctx context.Context, w *workspaceWalk, want []string,
	one func(context.Context, *lsp.Server, router.Route) ([]hit, error), enough func([]hit) bool) ([]hit, error) {
	everyone := func(*ground) bool { return true }
	word := spelled(want)
	if len(w.grounds) < 2 || word == "" {
		return c.searchBy(ctx, w.pick(ctx, everyone), one)
	}
	holds := w.spelling(ctx, word, spellingBudget)
	first := w.pick(ctx, func(g *ground) bool { return holds[g] != "" })
	var hits []hit
	if len(first) > 0 {
		var err error
		if hits, err = c.searchBy(ctx, first, one); err != nil || enough(hits) {
			return hits, err
		}
	}
	before := c.noted()
	rest := w.pick(ctx, func(g *ground) bool { return holds[g] == "" && !w.aside(g) })
	if len(rest) == 0 && len(first) > 0 {
		return hits, nil
	}
	more, err := c.searchBy(ctx, rest, one)
	hits = append(hits, more...)
	switch {
	case ctx.Err() != nil || err != nil && len(first) == 0:
		return nil, err
	case enough(hits):
		c.restore(before) // what the others could not answer has nothing to do with it
	}
	return hits, nil
}

// exactQuery is what finds a name at a server: its last component, which every server matches.
func exactQuery(want []string) func(*lsp.Spec) string {
	return func(spec *lsp.Spec) string { return form(spec.Symbols.Ending, want[len(want)-1]) }
}

// form fills in a form of [lsp.SymbolQuery].
func form(form, word string) string {
	if form == "" {
		return word
	}
	return strings.ReplaceAll(form, "%s", word)
}

// exactHits are the hits that a name means, each place once. Scopes that the server does not tell in its answer
// (rust-analyzer 1.96 leaves out modules, typescript-language-server 6.0 everything) are looked up in the symbols of
// the file and in its path.
func (c *Call) exactHits(ctx context.Context, hits []hit, want []string) []hit {
	hits = unique(hits)
	var out, maybe []hit
	for _, h := range hits {
		switch {
		case h.means(want):
			out = append(out, h)
		case h.isNamed(want[len(want)-1]):
			maybe = append(maybe, h)
		}
	}
	if len(out) > 0 || len(want) == 1 || len(maybe) == 0 {
		return out
	}
	for _, h := range c.shaped(ctx, maybe, func(hit) bool { return true }) {
		if endsWith(append(pathParts(c.show(h.sym.Place.Path)), h.parts()...), withoutRoot(want)) {
			out = append(out, h)
		}
	}
	return out
}

// unique leaves out hits whose place cannot be read, and those that several servers or roots gave.
func unique(hits []hit) []hit {
	type key struct {
		path, name string
		at         contract.Range
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(slices.Clone(hits), func(h hit) bool {
		k := key{h.sym.Place.Path, h.sym.Name, h.sym.Place.Range}
		gone := seen[k] || h.sym.Place.Err != nil && !h.sym.Place.Outside()
		seen[k] = true
		return gone
	})
}

// withoutRoot drops Rust's word for the root of a crate.
func withoutRoot(want []string) []string {
	if len(want) > 1 && want[0] == "crate" {
		return want[1:]
	}
	return want
}

// inside reports whether a hit is of the workspace and not of a dependency.
func (c *Call) inside(h hit) bool {
	_, ok := source.RelativeTo(c.env.Settings.Workspace, h.sym.Place.Path)
	return ok
}
