package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
	"lspi/tools/tests"
)

// maxMeant is how many declarations of one ambiguous name are taken.
const maxMeant = 3

// find resolves the names of the call, and chooses declarations by the words of its question. A name that means nothing
// costs itself; the error is that none means anything.
func (x *Page) find(ctx context.Context, in Request) error {
	names := slices.Clone(in.Symbols)
	var q question
	if in.Question != "" {
		q = readQuestion(in.Question)
		for _, name := range q.names {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	found, calls, errs := x.resolve(ctx, names)
	for i := range names {
		if errs[i] == nil {
			answer.Adopt(x.c, calls[i])
			x.take(found[i]...)
			continue
		}
		// Of a question it may be a word like any other.
		if i >= len(in.Symbols) && ctx.Err() == nil {
			q.add(names[i])
			continue
		}
		if ask.Final(errs[i]) || len(names) == 1 && len(q.words) == 0 {
			answer.Adopt(x.c, calls[i])
			return errs[i]
		}
	}
	if err := x.failedNames(in.Symbols, calls, errs, len(q.words) > 0); err != nil {
		return err
	}
	if len(q.words) > 0 {
		if err := x.choose(ctx, q); err != nil {
			return err
		}
	}
	if len(x.ends) == 0 {
		return noneMeant(x.c, calls, names, errs)
	}
	return nil
}

// failedNames warns of the names that mean nothing; the error is that none of them does, and there are no words either.
func (x *Page) failedNames(names []string, calls []*answer.Call, errs []error, words bool) error {
	failed := len(slices.DeleteFunc(slices.Clone(errs[:len(names)]), func(err error) bool { return err == nil }))
	if failed > 0 && failed == len(names) && len(x.ends) == 0 && !words {
		return noneMeant(x.c, calls[:failed], names, errs[:failed])
	}
	for i := range names {
		if errs[i] == nil {
			continue
		}
		e := answer.Relative(x.c, answer.AsError(errs[i]))
		x.c.Warn(contract.WarnPartFailed, contract.Facts{"part": names[i], "error": e.Kind}, fmt.Sprintf(
			"nothing is told of %s: %s", names[i], e.Message))
		for _, step := range calls[i].StepsFor(e)[:1] { // there is at least one
			x.c.Step(step)
		}
	}
	return nil
}

// noneMeant is the error of names of which none means anything: that of the first, with the messages of all and a step
// for each.
func noneMeant(c *answer.Call, calls []*answer.Call, names []string, errs []error) error {
	if len(names) == 1 || ask.Final(errs[0]) {
		return errs[0]
	}
	var told []string
	for i, err := range errs {
		e := answer.Relative(c, answer.AsError(err))
		told = append(told, names[i]+": "+e.Message)
		for _, step := range calls[i].StepsFor(e)[:1] { // there is at least one
			c.Step(step)
		}
	}
	first := answer.AsError(errs[0])
	return contract.Errorf(first.Kind, first.Facts, "none of the %d symbols has an answer: %s", len(names),
		strings.Join(told, "; "))
}

// take adds declarations, each once.
func (x *Page) take(found ...*end) {
	for _, e := range found {
		switch {
		case slices.ContainsFunc(x.ends, func(have *end) bool {
			return have.at.Path == e.at.Path && have.at.At == e.at.At
		}):
		case len(x.ends) == maxExplored:
			x.c.Warn(contract.WarnPartFailed, contract.Facts{"part": e.asked}, fmt.Sprintf(
				"%s and what follows it is left out: these are more than %d declarations", e.asked, maxExplored))
			return
		default:
			x.ends = append(x.ends, e)
		}
	}
}

// resolve finds the declarations of names, each by a call of its own.
func (x *Page) resolve(ctx context.Context, names []string) (found [][]*end, calls []*answer.Call,
	errs []error) {
	c := x.c
	found, calls, errs = make([][]*end, len(names)), make([]*answer.Call, len(names)), make([]error, len(names))
	answer.Parallel(len(names), atOnce, func(i int) {
		arguments, _ := json.Marshal(map[string]any{"symbols": names[i : i+1]})
		n := c.Nested(c.Tool, answer.Request{Tool: c.Request.Tool, Arguments: arguments, Host: c.Request.Host,
			Progress: c.Request.Progress})
		n.ClaimComplete()
		calls[i] = n
		target, err := x.tools.Target(names[i])
		if err == nil {
			found[i], err = meant(ctx, n, x.tools, target, names[i])
		}
		errs[i] = err
	})
	return found, calls, errs
}

// meant returns the declarations that a target means: one, or the best few where the name is that of several.
func meant(ctx context.Context, c *answer.Call, tools Tools, t resolve.Target, asked string) (out []*end, err error) {
	one := func(t resolve.Target) error {
		return resolve.At(ctx, c, t, "", func(ctx context.Context, s *lsp.Snapshot, at symbol.Located) error {
			at, err := declaredAt(ctx, c, s, at)
			if err == nil {
				out = append(out, &end{asked: asked, at: at})
			}
			return err
		})
	}
	before := c.Checkpoint()
	if err = one(t); err == nil {
		return out, nil
	}
	e := answer.AsError(err)
	candidates, _ := e.Facts["candidates"].([]answer.Candidate)
	if e.Kind != contract.KindAmbiguousSymbol || len(candidates) < 2 {
		return nil, err
	}
	c.Restore(before)
	total := max(len(candidates), factNumber(e.Facts["total"]))
	best := bestOf(c, candidates)
	var names []string
	for _, k := range best {
		names = append(names, fmt.Sprintf("%s (%s:%d)", k.SymbolName, k.FilePath, k.Line))
		if err := one(resolve.Target{FilePath: k.FilePath, Line: k.Line, Character: k.Character}); err != nil {
			return nil, err
		}
	}
	if total > len(best) {
		c.LeavesOut(contract.Facts{"part": asked, "total": total, "returned": len(best)}, fmt.Sprintf(
			"%s is the name of %d symbols, of which these were taken: %s", asked, total, strings.Join(names, ", ")),
			contract.NextStep{Kind: contract.StepTool, Tool: tools.Search,
				Message:   "See all of that name; give the one that is meant as path:line name.",
				Arguments: map[string]any{"query": asked, "match": "exact"}})
	}
	return out, nil
}

// factNumber returns a fact that is a number; 0 for any other.
func factNumber(v any) int {
	n, _ := v.(int)
	return n
}

// bestOf returns the candidates that most likely are meant: declarations of the project's own code before those of
// tests and of generated files, in their order.
func bestOf(c *answer.Call, all []answer.Candidate) []answer.Candidate {
	weight := func(k answer.Candidate) int {
		path, n := c.AbsolutePath(k.FilePath), 0
		if c.Workspace.Table.RootOf(path) == "" {
			n += 4
		}
		if tests.IsFile(k.FilePath) {
			n += 2
		}
		if answer.IsGenerated(c, path, false) {
			n++
		}
		return n
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b answer.Candidate) int { return weight(a) - weight(b) })
	return all[:min(len(all), maxMeant)]
}

// declaredAt returns the declaration of what is used at a place; the place itself where it is one, or none is known.
func declaredAt(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) (symbol.Located, error) {
	place := lsp.Place{Path: at.Path, Range: contract.Range{Start: at.At, End: at.At}}
	if _, is := resolve.SymbolAt(ctx, c, s, place); is || !s.Offers(lsp.MethodDefinition) {
		return at, nil
	}
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	if err != nil && ask.Final(err) {
		return at, err
	}
	for _, p := range places {
		if p.Err == nil && !p.Gone {
			at.Path, at.At = p.Path, p.Range.Start
			return at, nil
		}
	}
	return at, nil
}
