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

// AtQuery is [At] for a query: a name, or a part of one, somewhere in the workspace. A query that is
// exactly the name of one symbol means it. For any other the error is that the name is ambiguous, with
// the symbols that a search finds for it, the best first.
func AtQuery(ctx context.Context, c *answer.Call, query, kind, method string,
	f func(context.Context, *lsp.Snapshot, symbol.Located) error) error {
	before := c.Checkpoint()
	t := Target{SymbolName: query, SymbolKind: kind}
	err := At(ctx, c, t, method, f)
	if e := answer.AsError(err); err == nil || e.Kind != contract.KindSymbolNotFound || ctx.Err() != nil {
		return err
	}
	found, failed := similar(ctx, c, t)
	if failed != nil || len(found) == 0 {
		return err
	}
	// What was said of the exact name (where else it is used, which files were not searched for it) is of no use
	// beside the candidates.
	c.Restore(before)
	return contract.Errorf(contract.KindAmbiguousSymbol,
		contract.Facts{"symbol_name": query, "candidates": found[:min(len(found), maxSimilar)], "total": len(found)},
		"no symbol is called %s; %d match: %s", query, len(found), describe(found))
}

// maxSimilar bounds the candidates that an error carries.
const maxSimilar = 10

// similar returns the symbols of the workspace that a fuzzy search finds for a name, the best first;
// those of dependencies only where there is no other. Beyond maxSimilar the elements are empty and only
// count.
func similar(ctx context.Context, c *answer.Call, t Target) ([]answer.Candidate, error) {
	q := Question{Match: "fuzzy", Text: t.SymbolName, Want: symbol.Components(t.SymbolName)}
	q.SplitWords()
	w, err := ask.Survey(ctx, c, lsp.MethodWorkspaceSymbol)
	if err != nil {
		return nil, err
	}
	routes := w.Pick(ctx, func(*ask.RootFiles) bool { return true })
	hits, err := ask.SearchBy(ctx, c, routes, func(ctx context.Context, s *lsp.Snapshot,
		r router.Route) ([]symbol.SymbolHit, error) {
		return q.Ask(ctx, c, s, r)
	})
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(q.Keep(ctx, c, Unique(hits)), func(h symbol.SymbolHit) bool {
		return h.Sym.Place.Outside() || !h.IsKind(t.SymbolKind)
	})
	hits = q.Order(c, hits)
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
