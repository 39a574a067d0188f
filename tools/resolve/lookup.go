package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// lookup finds a name in the whole workspace. Its steps: which servers the workspace has; a search at
// those whose files hold the word; the hits that the name means exactly; and of these those of the
// workspace itself, without aliases and without what is only a member of another hit (the constructors
// of a class). Exactly one may be left, else the name is ambiguous or not known. The place is not
// checked at the server that will answer; [At] does that.
func lookup(ctx context.Context, c *answer.Call, t Target) (symbol.Located, error) {
	l := named{Target: t, want: symbol.Components(t.SymbolName), unread: map[string][]lsp.Uncovered{}}
	// What the answer lacks is told only as far as it may hold this word.
	loaded.About(c, "", nil, FileWord(l.want))
	w, err := ask.Survey(ctx, c, lsp.MethodWorkspaceSymbol)
	if err != nil {
		return symbol.Located{}, err
	}
	hits, err := SearchNamed(ctx, c, w, l.want, func(ctx context.Context, s *lsp.Snapshot,
		r router.Route) ([]symbol.SymbolHit, error) {
		return l.search(ctx, c, s, r)
	}, func(hits []symbol.SymbolHit) bool { return len(l.exact(ctx, c, hits)) > 0 })
	if err != nil {
		return symbol.Located{}, err
	}
	found, adjusted := l.meant(ctx, c, hits)
	switch len(found) {
	case 1:
		return symbol.Located{Path: found[0].Sym.Place.Path, At: ask.NameAt(c, found[0]), Name: l.want[len(l.want)-1],
			Adjusted: adjusted}, nil
	case 0:
		return l.inherited(ctx, c, w, hits)
	}
	slices.SortStableFunc(found, func(a, b symbol.SymbolHit) int {
		return answer.ComparePlaces(a.Sym.Place, b.Sym.Place, "")
	})
	var all []answer.Candidate
	for _, h := range found {
		at := ask.NameAt(c, h)
		all = append(all, answer.Candidate{SymbolName: h.Qualified(), Kind: h.Sym.Kind,
			FilePath: c.Show(h.Sym.Place.Path), Line: at.Line, Character: at.Character})
	}
	return symbol.Located{}, AmbiguousAmong(t.SymbolName, all)
}

// named is a name that is looked for in the whole workspace.
type named struct {
	Target
	want []string // its components
	mu   sync.Mutex
	// unread has the files that declare the name and that a server does not read otherwise, by server; guarded by mu
	// until the search is over: servers are searched at the same time, and each may be asked again
	unread map[string][]lsp.Uncovered
}

// exact returns the hits that the name means exactly, of the kind that is asked for.
func (l *named) exact(ctx context.Context, c *answer.Call, hits []symbol.SymbolHit) []symbol.SymbolHit {
	return slices.DeleteFunc(ExactHits(ctx, c, hits, l.want), func(h symbol.SymbolHit) bool {
		return !h.IsKind(l.SymbolKind)
	})
}

// search asks one server for the name.
func (l *named) search(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route) (hits []symbol.SymbolHit,
	err error) {
	exactly := Question{Match: "exact", Want: l.want}
	if ask.Unindexed(s, r) {
		hits, err = exactly.Ask(ctx, c, s, r)
	} else { // only the last component: few servers match scopes, and the scope is compared here
		hits, err = ask.SearchOne(ctx, c, s, r, exactQuery(l.want)(r.Spec))
	}
	if err != nil {
		return hits, err
	}
	// nothing can be asked about them
	hits = slices.DeleteFunc(hits, func(h symbol.SymbolHit) bool { return h.Sym.Place.Outside() })
	for i, scopes := 0, s.Hooks().Scopes; scopes != nil && i < len(hits); i++ {
		hits[i].Brings = scopes.BringsName(hits[i].Sym.Place.Line)
	}
	if macro := s.Hooks().OpenMacroKind; macro != "" && len(l.want) == 1 && // a macro has no scope
		!slices.ContainsFunc(l.exact(ctx, c, hits), func(h symbol.SymbolHit) bool { return h.Sym.Kind != macro }) {
		hits = OpenMacros(ctx, c, s, r, exactly, func(string) bool { return true }, hits)
	}
	files := loaded.Excluded(ctx, c, s, "", ask.InHits(hits), loaded.Declaring(func(name string) bool {
		return name == l.want[len(l.want)-1]
	}))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unread[s.ID()] = files
	return hits, nil
}

// meant returns which of the hits the name means; adjusted is what the answer says of the choice.
func (l *named) meant(ctx context.Context, c *answer.Call, hits []symbol.SymbolHit) (found []symbol.SymbolHit,
	adjusted *contract.Warning) {
	found = WithoutTwins(withoutAliases(l.exact(ctx, c, hits)))
	// Dependencies count only when the workspace has none: somebody who gives a bare name means their own code.
	if inside := slices.DeleteFunc(slices.Clone(found), func(h symbol.SymbolHit) bool {
		return !Inside(c, h)
	}); len(inside) > 0 {
		found = inside
	}
	// Whoever asks for a kind may mean the constructor.
	if l.SymbolKind == "" {
		found = withoutExports(ctx, c, outermost(found, symbol.SymbolHit.Parts))
	}
	return withoutLocals(ctx, c, l.Target, withoutDeclarations(ctx, c, found))
}

// inherited looks for a name that no hit means exactly among the members that types inherit; else it returns why the
// name is not known.
func (l *named) inherited(ctx context.Context, c *answer.Call, w *ask.WorkspaceWalk,
	hits []symbol.SymbolHit) (symbol.Located, error) {
	// It is there as another kind: a better error than "not known", whose steps would search for it again.
	if others := ExactHits(ctx, c, hits, l.want); len(others) > 0 {
		return symbol.Located{}, ofOtherKind(l.Target, others)
	}
	members, err := Inherited(ctx, c, w, l.want)
	if err != nil && ask.SearchUnfinished(c) { // which tells more than that the time is over
		err = ask.NotKnownYet(ctx, c, l.SymbolName)
	}
	if err != nil {
		return symbol.Located{}, err
	}
	if found, ok, err := theMember(l.Target, members); ok || err != nil {
		return found, err
	}
	for _, u := range slices.Concat(slices.Collect(maps.Values(l.unread))...) {
		c.Step(c.Repeat("It is declared in "+c.Show(u.Path)+", which the server does not read otherwise; ask there.",
			map[string]any{"file_path": c.Show(u.Path)}))
	}
	return symbol.Located{}, notKnown(ctx, c, l.SymbolName, l.want, hits, w)
}

// withoutAliases drops declarations that only bring a name into another scope, unless there is nothing
// else.
func withoutAliases(hits []symbol.SymbolHit) []symbol.SymbolHit {
	own := slices.DeleteFunc(slices.Clone(hits), func(h symbol.SymbolHit) bool { return h.Brings })
	if len(own) == 0 {
		return hits
	}
	return own
}

// withoutLocals drops what functions declare where the name is also that of one declaration outside of
// functions: a bare name means that of a module or a class. The warning says so; nil when nothing was
// dropped.
func withoutLocals(ctx context.Context, c *answer.Call, t Target, hits []symbol.SymbolHit) ([]symbol.SymbolHit,
	*contract.Warning) {
	if len(hits) < 2 {
		return hits, nil
	}
	hits = ask.Shaped(ctx, c, hits, func(h symbol.SymbolHit) bool { return h.Route.Spec.Symbols.Locals })
	own := slices.DeleteFunc(slices.Clone(hits), func(h symbol.SymbolHit) bool { return h.Local })
	if len(own) != 1 || len(own) == len(hits) {
		return hits, nil
	}
	at, dropped := c.Show(own[0].Sym.Place.Path), len(hits)-len(own)
	return own, &contract.Warning{Kind: contract.WarnLocals, Facts: contract.Facts{"symbol_name": t.SymbolName,
		"left_out": dropped, "file_path": at},
		Message: fmt.Sprintf("%s is also declared in functions (%d times); this is the %s of %s", t.SymbolName,
			dropped, own[0].Sym.Kind, at)}
}

// SearchNamed asks about a name that some declaration has. Servers of languages whose files do not hold
// it as a word are not asked, and nothing is said about them, unless the others know none: then the
// name is of a dependency, of generated code or of a macro. Whether a server runs already makes no
// difference, or the same question would be ambiguous at one time and not at another. enough says that
// the hits answer the question.
func SearchNamed(ctx context.Context, c *answer.Call, w *ask.WorkspaceWalk, want []string,
	one func(context.Context, *lsp.Snapshot, router.Route) ([]symbol.SymbolHit, error),
	enough func([]symbol.SymbolHit) bool) ([]symbol.SymbolHit, error) {
	everyone := func(*ask.RootFiles) bool { return true }
	word := FileWord(want)
	if len(w.Roots) < 2 || word == "" {
		return ask.SearchBy(ctx, c, w.Pick(ctx, everyone), one)
	}
	// Starting a server for a language that cannot declare the name would cost seconds and memory.
	holds := RootsHolding(ctx, w, word, spellingBudget)
	first := w.Pick(ctx, func(g *ask.RootFiles) bool { return holds[g] != "" })
	var hits []symbol.SymbolHit
	if len(first) > 0 {
		var err error
		if hits, err = ask.SearchBy(ctx, c, first, one); err != nil || enough(hits) {
			return hits, err
		}
	}
	// The other servers come second, since no file of theirs holds the word. Once one of them knows the name, what
	// they said of the answer is taken back.
	before := c.Checkpoint()
	rest := w.Pick(ctx, func(g *ask.RootFiles) bool { return holds[g] == "" && !w.IsNested(g) })
	// Nobody else is there to ask. Without any first, the search below makes the error.
	if len(rest) == 0 && len(first) > 0 {
		return hits, nil
	}
	more, err := ask.SearchBy(ctx, c, rest, one)
	hits = append(hits, more...)
	switch {
	// An error of the others alone is no error: those whose files hold the word have answered.
	case ctx.Err() != nil || err != nil && len(first) == 0:
		return nil, err
	case enough(hits):
		c.Restore(before) // what the others could not answer has nothing to do with it
	}
	return hits, nil
}

// exactQuery returns the query that finds a name at a server: its last component, which every server
// matches, in the form that the server's row has for whole words.
func exactQuery(want []string) func(*spec.Spec) string {
	return func(spec *spec.Spec) string { return form(spec.Symbols.Ending, want[len(want)-1]) }
}

// form fills a word into a form of [spec.SymbolQuery]; an empty form is the word itself.
func form(form, word string) string {
	if form == "" {
		return word
	}
	return strings.ReplaceAll(form, "%s", word)
}

// ExactHits returns the hits that a name means, each place once. Scopes that the server leaves out of
// its answer (rust-analyzer 1.96 modules, typescript-language-server 6.0 all of them) are looked up in
// the symbols of the file and in its path.
func ExactHits(ctx context.Context, c *answer.Call, hits []symbol.SymbolHit, want []string) []symbol.SymbolHit {
	hits = Unique(hits)
	var out, maybe []symbol.SymbolHit
	for _, h := range hits {
		switch {
		case h.Inherited, h.Means(want):
			out = append(out, h)
		case h.IsNamed(want[len(want)-1]):
			maybe = append(maybe, h)
		}
	}
	// Only a qualified name can still be found, among hits with the right last component.
	if len(out) > 0 || len(want) == 1 || len(maybe) == 0 {
		return out
	}
	for _, h := range ask.Shaped(ctx, c, maybe, func(symbol.SymbolHit) bool { return true }) {
		if symbol.EndsWith(append(symbol.PathParts(c.Show(h.Sym.Place.Path)), h.Parts()...), withoutRoot(want)) {
			out = append(out, h)
		}
	}
	return out
}

// Unique leaves out hits whose place cannot be read, and those that several servers or roots gave.
func Unique(hits []symbol.SymbolHit) []symbol.SymbolHit {
	type key struct {
		path, name string
		at         contract.Range
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(slices.Clone(hits), func(h symbol.SymbolHit) bool {
		k := key{h.Sym.Place.Path, h.Sym.Name, h.Sym.Place.Range}
		gone := seen[k] || h.Sym.Place.Err != nil && !h.Sym.Place.Outside()
		seen[k] = true
		return gone
	})
}

// withoutRoot drops Rust's word for the root of a crate, which no symbol is named with.
func withoutRoot(want []string) []string {
	if len(want) > 1 && want[0] == "crate" {
		return want[1:]
	}
	return want
}

// Inside reports whether a hit is of the workspace, in any of its roots, and not of a dependency.
func Inside(c *answer.Call, h symbol.SymbolHit) bool {
	return c.Workspace.Table.RootOf(h.Sym.Place.Path) != ""
}
