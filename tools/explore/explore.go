// Package explore tells how declarations go together: which ones are meant by several names, or by the words of a
// question; the call paths between them; and the tests that reach them. The answer ([Page]) is in the order of the
// paths, so that it reads like a page.
//
// An exploration goes through these steps: names are resolved as those of any other call, and of an ambiguous one the
// best few are taken (ends.go); words of a question lead to the declarations whose names hold them (question.go). One
// server is then asked for all that it serves: for the call paths, by [callpath.Search] over its call hierarchy
// (calls.go, paths.go), for the code (declare.go), and for their tests (tests.go). page.go writes what was found, and
// makes it smaller where it has to be. A part that fails costs itself.
package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/loaded"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
	"lspi/tools/tests"
)

// Request is what is asked: names, or places as answers write them, or words, or both.
type Request struct {
	Symbols  []string
	Question string
}

// Tools are functions of package tools, by which other tools answer as well.
type Tools struct {
	// Target is what a name or a place means.
	Target func(name string) (resolve.Target, error)
	// Roots are the items of a hierarchy at a place.
	Roots func(ctx context.Context, s *lsp.Snapshot, method string, at symbol.Located) ([]lsp.HierarchyItem, error)
	// Uses are the uses that lead to tests.
	Uses tests.Uses
	// Listed is a symbol as a list of symbols shows it.
	Listed func(c *answer.Call, h symbol.SymbolHit) string
	// Search is the name of the tool that lists symbols by name.
	Search string
}

// maxExplored bounds the symbols of one exploration; paths are looked for between each two of them.
const maxExplored = 10

// atOnce is how many questions are put at the same time.
const atOnce = 4

// Check refuses what means nothing, before a server is asked.
func (r Request) Check(tools Tools) error {
	if len(r.Symbols) > maxExplored {
		return answer.Invalid("symbols", "may name at most %d symbols, not %d", maxExplored, len(r.Symbols))
	}
	for i, name := range r.Symbols {
		if _, err := tools.Target(name); err != nil {
			return answer.Invalid(fmt.Sprintf("symbols[%d]", i), "%v", err)
		}
	}
	if q := readQuestion(r.Question); len(r.Symbols) == 0 && len(q.words) == 0 && len(q.names) == 0 {
		return answer.Invalid("question", "holds no word that a name could have: %q", r.Question)
	}
	return nil
}

// end is one declaration that the call means, by a name or by words of a question.
type end struct {
	asked string // what named it: a name as it was given, or the words of the question that its name holds
	// chosen: by words of a question. It stands for itself; those that one name means are alternatives.
	chosen bool
	at     symbol.Located
	name   string // qualified
	kind   lsp.SymbolKind
	items  []lsp.HierarchyItem // at which paths begin and end: the function, or the members of a type
	tests  bool                // it is declared in a test
}

// Page is the answer: paths, what has no path, declarations in the order of the paths, and tests.
type Page struct {
	c        *answer.Call
	tools    Tools
	words    *wordsTold // of a question; else nil
	ends     []*end
	paths    []shownPath
	gaps     []string
	declared []shownDeclaration
	tests    []string
	// the tests that are not shown, by file, and how many there are in all
	moreTests []string
	allTests  int
	// testsBounded: others may reach the declarations by more uses than were followed.
	testsBounded bool

	cut cutTo
}

// The bounds of an exploration: the part of a call's time for it, and the time where the call has no deadline.
const (
	exploreShare = 2
	exploreTime  = 20 * time.Second
)

// Explore finds the declarations, and asks the server of each language about those that it serves.
func Explore(ctx context.Context, c *answer.Call, r Request, tools Tools) (*Page, error) {
	out := &Page{c: c, tools: tools}
	if err := out.find(ctx, r); err != nil {
		return nil, err
	}
	groups, err := out.byServer()
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, ends := range groups {
		part := &Page{}
		err := ask.File(ctx, c, ends[0].at.Path, "", func(ctx context.Context, s *lsp.Snapshot) error {
			// Emptied, because the question may be asked again.
			part = &Page{c: c, tools: tools, ends: ends, words: out.words}
			return part.fill(ctx, s)
		})
		if err != nil && (ctx.Err() != nil || len(groups) == 1) {
			return nil, err
		}
		if err != nil {
			failed = append(failed, err)
			c.Warn(contract.WarnPartFailed, contract.Facts{"part": ends[0].name, "error": answer.AsError(err).Kind},
				"nothing is told of "+ends[0].name+" and what its server knows: "+answer.AsError(err).Message)
			continue
		}
		out.paths = append(out.paths, part.paths...)
		out.gaps = append(out.gaps, part.gaps...)
		out.declared = append(out.declared, part.declared...)
		out.tests, out.moreTests = append(out.tests, part.tests...), append(out.moreTests, part.moreTests...)
		out.allTests += part.allTests
		out.testsBounded = out.testsBounded || part.testsBounded
	}
	if len(failed) == len(groups) {
		return nil, failed[0]
	}
	if len(groups) > 1 {
		c.AnsweredByMany()
		out.gaps = append(out.gaps, acrossServers(groups))
	}
	out.cut = out.whole()
	return out, nil
}

// acrossServers says between which declarations no path can be looked for.
func acrossServers(groups [][]*end) string {
	var parts []string
	for _, ends := range groups {
		var names []string
		for _, e := range ends {
			names = append(names, e.name)
		}
		parts = append(parts, strings.Join(names, ", "))
	}
	return "not looked for between languages, whose servers know nothing of each other: " + strings.Join(parts, " | ")
}

// byServer groups the declarations by the server that answers for their files.
func (x *Page) byServer() (groups [][]*end, err error) {
	var routes []router.Route
	for _, e := range x.ends {
		r, err := x.c.Routes(e.at.Path)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(routes, func(have router.Route) bool { return have.Key() == r[0].Key() })
		if i < 0 {
			i, routes, groups = len(routes), append(routes, r[0]), append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	return groups, nil
}

// fill asks one server for all parts. A part that fails is missing, with a warning; the error is one that ends the
// whole answer.
func (x *Page) fill(ctx context.Context, s *lsp.Snapshot) error {
	until := time.Now().Add(exploreTime)
	if deadline, ok := ctx.Deadline(); ok {
		until = time.Now().Add(time.Until(deadline) / exploreShare)
	}
	g := newCallGraph(x.c, s, x.tools)
	if err := x.callable(ctx, g); err != nil {
		return err
	}
	if err := x.part("paths", x.findPaths(ctx, g, until)); err != nil {
		return err
	}
	x.declare(ctx, g)
	return x.part("tests", x.findTests(ctx, g, until))
}

// part turns the failure of a part into a warning, unless it ends the answer.
func (x *Page) part(name string, err error) error {
	if err == nil || ask.Final(err) {
		return err
	}
	e := answer.AsError(err)
	kind := contract.WarnPartFailed
	if unsupported(err) {
		kind = contract.WarnNotOffered
	}
	x.c.Warn(kind, contract.Facts{"part": name, "error": e.Kind}, "no "+name+": "+e.Message)
	return nil
}

// callable finds the functions that stand for each declaration in call paths.
func (x *Page) callable(ctx context.Context, g *callGraph) error {
	for _, e := range x.ends {
		place := lsp.Place{Path: e.at.Path, Range: contract.Range{Start: e.at.At, End: e.at.At}}
		sym, known := g.symbolAt(ctx, place)
		if known {
			e.name, e.kind = g.nameOf(place.Path, sym), sym.Sym.Kind
		}
		e.name = cmp.Or(e.name, e.at.Name)
		e.tests = g.isTest(ctx, place)
		loaded.AboutAt(x.c, g.s, e.at, nil)
		g.withTests = g.withTests || e.tests
		if !g.s.Offers(lsp.MethodCallHierarchy) {
			continue
		}
		var err error
		if known && symbol.IsTypeKind(e.kind) {
			e.items, err = g.members(ctx, e.at.Path, sym)
		} else {
			e.items, err = g.tools.Roots(ctx, g.s, lsp.MethodCallHierarchy, e.at)
			e.items = g.defined(ctx, e.items)
		}
		if err != nil && (fatal(err) || ctx.Err() != nil) {
			return err
		}
		e.items = slices.DeleteFunc(e.items, func(i lsp.HierarchyItem) bool { return i.Place.Err != nil })
	}
	return nil
}

// unsupported reports whether a server cannot do at all what it was asked for.
func unsupported(err error) bool { return answer.AsError(err).Category() == contract.Unsupported }

// fatal reports whether an error stays whatever position is asked about: only a refusal may be about the position.
func fatal(err error) bool {
	return err != nil && answer.AsError(err).Kind != contract.KindRequestFailed
}
