package resolve

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// Query says which symbol of the workspace is meant, by a name, a part of one or an expression.
type Query struct {
	Text string
	Kind string // "" is every kind
	// Match is fuzzy, where a text that is no whole name leads to candidates; exact; or regex.
	Match string
	// Within leaves in the files of which it is true; nil leaves in all.
	Within func(path string) bool
	Index  int // of the candidate that is meant, from 1; 0 means none of several
}

// AtQuery is [At] for a query. One that is exactly the name of one symbol, or an expression that only one matches,
// means it. For any other the error is that the name is ambiguous, with the candidates, the best first, unless Index
// picks one of them.
func AtQuery(ctx context.Context, c *answer.Call, q Query, method string,
	f func(context.Context, *lsp.Snapshot, symbol.Located) error) error {
	before := c.Checkpoint()
	err := q.at(ctx, c, method, f)
	if q.Index == 0 || ctx.Err() != nil {
		return err
	}
	all := []answer.Candidate{{}}
	if err != nil {
		if all, _ = answer.AsError(err).Facts["candidates"].([]answer.Candidate); len(all) == 0 {
			return err
		}
	}
	switch {
	case q.Index > len(all):
		return answer.Invalid("index", "is %d, and only %s can be picked", q.Index,
			answer.Counted(len(all), "candidate"))
	case err == nil:
		return nil
	}
	c.Restore(before)
	picked := all[q.Index-1]
	return At(ctx, c, Target{FilePath: picked.FilePath, Line: picked.Line, Character: picked.Character}, method, f)
}

// at is [AtQuery] without an index.
func (q Query) at(ctx context.Context, c *answer.Call, method string,
	f func(context.Context, *lsp.Snapshot, symbol.Located) error) error {
	before := c.Checkpoint()
	matches := []string{q.Match}
	var err error
	switch {
	case q.Match == "regex":
	case q.Within == nil:
		err = At(ctx, c, Target{SymbolName: q.Text, SymbolKind: q.Kind}, method, f)
		if q.Match == "exact" || err == nil || answer.AsError(err).Kind != contract.KindSymbolNotFound ||
			ctx.Err() != nil {
			return err
		}
	case q.Match == "fuzzy":
		matches = []string{"exact", "fuzzy"}
	}
	for _, match := range matches {
		found, failed := q.found(ctx, c, match)
		switch {
		case failed != nil && err != nil:
			return err
		case failed != nil:
			return failed
		case len(found) == 1 && match != "fuzzy":
			return At(ctx, c, Target{FilePath: found[0].FilePath, Line: found[0].Line, Character: found[0].Character},
				method, f)
		case len(found) > 0:
			// What was said of the exact name (where else it is used, which files were not searched for it) is of no
			// use beside the candidates.
			c.Restore(before)
			return q.several(found, match)
		}
	}
	if err != nil {
		return err
	}
	return contract.Errorf(contract.KindSymbolNotFound, contract.Facts{"symbol_name": q.Text},
		"no symbol there matches %s", q.Text)
}

// several is the error for a query that more than one symbol matches, or one in part.
func (q Query) several(found []answer.Candidate, match string) error {
	if match == "exact" {
		return AmbiguousAmong(q.Text, found)
	}
	does := "match"
	if len(found) == 1 {
		does = "matches"
	}
	return contract.Errorf(contract.KindAmbiguousSymbol,
		contract.Facts{"symbol_name": q.Text, "candidates": found[:min(len(found), maxSimilar)], "total": len(found)},
		"no symbol is called %s; %d %s: %s", q.Text, len(found), does, describe(found))
}

// maxSimilar bounds the candidates that an error carries.
const maxSimilar = 10

// found returns the symbols of the workspace that a search finds for a query, the best first; those of dependencies
// only where there is no other. Beyond maxSimilar the elements are empty and only count.
func (q Query) found(ctx context.Context, c *answer.Call, match string) ([]answer.Candidate, error) {
	question := Question{Match: match, Text: q.Text, Want: symbol.Components(q.Text)}
	switch match {
	case "fuzzy":
		question.SplitWords()
	case "regex":
		question.Want = nil
		if err := question.Compile(); err != nil {
			return nil, err
		}
	}
	w, err := ask.Survey(ctx, c, lsp.MethodWorkspaceSymbol)
	if err != nil {
		return nil, err
	}
	// Nothing of a project without a file there can be the answer.
	routes := w.Pick(ctx, func(g *ask.RootFiles) bool {
		return q.Within == nil || slices.ContainsFunc(g.Files, q.Within)
	})
	hits, err := ask.SearchBy(ctx, c, routes, func(ctx context.Context, s *lsp.Snapshot,
		r router.Route) ([]symbol.SymbolHit, error) {
		return question.Ask(ctx, c, s, r)
	})
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(question.Keep(ctx, c, Unique(hits)), func(h symbol.SymbolHit) bool {
		return h.Sym.Place.Outside() || !h.IsKind(q.Kind) || q.Within != nil && !q.Within(h.Sym.Place.Path)
	})
	hits = WithoutTwins(question.Order(c, hits))
	if len(hits) > 0 && Inside(c, hits[0]) {
		hits = slices.DeleteFunc(hits, func(h symbol.SymbolHit) bool { return !Inside(c, h) })
	}
	var out []answer.Candidate
	for i, h := range hits {
		// Only those that are shown cost a look at their file.
		if i == maxSimilar {
			return append(out, make([]answer.Candidate, len(hits)-i)...), nil
		}
		at := ask.NameAt(c, h)
		out = append(out, answer.Candidate{SymbolName: h.Qualified(), Kind: h.Sym.Kind,
			FilePath: c.Show(h.Sym.Place.Path), Line: at.Line, Character: at.Character})
	}
	return out, nil
}
