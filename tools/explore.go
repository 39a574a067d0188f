package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// symbol_bundle with several symbols, or with a question, explores: it answers with the declarations that are meant, the
// call paths between them and the tests that use them, in the order of the paths, like a page to read.

// maxExplored bounds the symbols of one exploration; paths are looked for between each two of them.
const maxExplored = 10

// explores reports whether the call is about how several declarations go together.
func (in symbolBundleIn) explores() bool { return len(in.Symbols) > 0 || in.Question != "" }

// checkExplored refuses what says nothing of an exploration.
func (in symbolBundleIn) checkExplored() error {
	const with = "cannot be given together with symbols or question"
	switch {
	case in.Query != "":
		return answer.Invalid("query", with)
	case in.FilePath != "":
		return answer.Invalid("file_path", with)
	case in.SymbolName != "":
		return answer.Invalid("symbol_name", with)
	case in.Line > 0 || in.Character > 0:
		return answer.Invalid("line", with)
	case in.Scope != "":
		return answer.Invalid("scope", with)
	case in.Index > 0:
		return answer.Invalid("index", with)
	case len(in.Symbols) > maxExplored:
		return answer.Invalid("symbols", "may name at most %d symbols, not %d", maxExplored, len(in.Symbols))
	}
	for i, name := range in.Symbols {
		if _, err := exploredTarget(name); err != nil {
			return answer.Invalid(fmt.Sprintf("symbols[%d]", i), "%v", err)
		}
	}
	if in.Question != "" && len(in.Symbols) == 0 {
		if q := readQuestion(in.Question); len(q.words) == 0 && len(q.names) == 0 {
			return answer.Invalid("question", "holds no word that a name could have: %q", in.Question)
		}
	}
	return nil
}

// exploring makes a tool answer calls that explore by [explore], and all others as before.
func exploring(t *answer.Tool) *answer.Tool {
	one := t.Run
	t.Run = func(ctx context.Context, c *answer.Call, raw json.RawMessage) (any, error) {
		in, err := decode[symbolBundleIn](t.Input, raw)
		if err != nil || !in.explores() {
			return one(ctx, c, raw)
		}
		c.Caps(any(&in))
		if err := in.checkExplored(); err != nil {
			return nil, err
		}
		out, err := explore(ctx, c, in)
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	probe := t.Probe
	t.Probe = func(ctx context.Context, c *answer.Call, raw json.RawMessage) error {
		if in, err := decode[symbolBundleIn](t.Input, raw); err != nil || in.explores() {
			return err
		}
		return probe(ctx, c, raw)
	}
	return t
}

// exploredEnd is one declaration that the call means, by a name or by words of a question.
type exploredEnd struct {
	asked string // what named it: a name as it was given, or the words of the question that its name holds
	// chosen: by words of a question, so that it stands for itself; others that were asked for by one name are alternatives
	chosen bool
	at     symbol.Located
	name   string // qualified
	kind   lsp.SymbolKind
	items  []lsp.HierarchyItem // at which paths begin and end: the function, or the members of a type
	tests  bool                // it is declared in a test
}

// exploration is the answer: paths, what has no path, declarations in the order of the paths, and tests.
type exploration struct {
	c        *answer.Call
	words    *wordsTold // of a question; else nil
	ends     []*exploredEnd
	paths    []shownPath
	gaps     []string
	declared []shownDeclaration
	tests    []string
	// the tests that are not shown, by file, and how many there are in all
	moreTests []string
	allTests  int

	cut explorationCut
}

// The bounds of an exploration: the part of a call's time for it, and the time where the call has no deadline.
const (
	exploreShare = 2
	exploreTime  = 20 * time.Second
)

// explore finds the declarations, and asks the server of each language about those that it serves.
func explore(ctx context.Context, c *answer.Call, in symbolBundleIn) (*exploration, error) {
	out := &exploration{c: c}
	if err := out.find(ctx, in); err != nil {
		return nil, err
	}
	groups, err := out.byServer()
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, ends := range groups {
		part := &exploration{c: c}
		err := ask.File(ctx, c, ends[0].at.Path, "", func(ctx context.Context, s *lsp.Snapshot) error {
			// Emptied, because the question may be asked again.
			part = &exploration{c: c, ends: ends, words: out.words}
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
func acrossServers(groups [][]*exploredEnd) string {
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
func (x *exploration) byServer() (groups [][]*exploredEnd, err error) {
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
func (x *exploration) fill(ctx context.Context, s *lsp.Snapshot) error {
	until := time.Now().Add(exploreTime)
	if deadline, ok := ctx.Deadline(); ok {
		until = time.Now().Add(time.Until(deadline) / exploreShare)
	}
	g := newCallGraph(x.c, s)
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
func (x *exploration) part(name string, err error) error {
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
func (x *exploration) callable(ctx context.Context, g *callGraph) error {
	for _, e := range x.ends {
		place := lsp.Place{Path: e.at.Path, Range: contract.Range{Start: e.at.At, End: e.at.At}}
		sym, known := g.symbolAt(ctx, place)
		if known {
			e.name, e.kind = g.nameOf(place.Path, sym), sym.Sym.Kind
		}
		e.name = cmp.Or(e.name, e.at.Name)
		e.tests = g.isTest(ctx, place)
		g.withTests = g.withTests || e.tests
		if !g.s.Offers(lsp.MethodCallHierarchy) {
			continue
		}
		var err error
		if known && symbol.IsTypeKind(e.kind) {
			e.items, err = g.members(ctx, e.at.Path, sym)
		} else {
			e.items, err = hierarchyRoots(ctx, g.s, lsp.MethodCallHierarchy, e.at)
		}
		if err != nil && (fatal(err) || ctx.Err() != nil) {
			return err
		}
		e.items = slices.DeleteFunc(e.items, func(i lsp.HierarchyItem) bool { return i.Place.Err != nil })
	}
	return nil
}
