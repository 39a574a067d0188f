package resolve

import (
	"context"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// maxMarginal is how many files of a language are read to find out whether its server has to be started
// for a search.
const maxMarginal = 20

// SearchMatching asks about a part of a name (match fuzzy). The server of a language with few files is
// not started where none of them has a word that the answer may hold, unless the others find nothing:
// then the name may be of a dependency, or made by a macro. As in [SearchNamed], it makes no difference
// which servers run already.
func SearchMatching(ctx context.Context, c *answer.Call, w *ask.WorkspaceWalk, q Question,
	one func(context.Context, *lsp.Snapshot, router.Route) ([]symbol.SymbolHit, error)) ([]symbol.SymbolHit, error) {
	may := map[*ask.RootFiles]bool{}
	for _, g := range w.Roots {
		may[g] = q.mayStandIn(ctx, c, g)
	}
	first := w.Pick(ctx, func(g *ask.RootFiles) bool { return may[g] })
	if len(first) == 0 {
		return ask.SearchBy(ctx, c, w.Pick(ctx, func(*ask.RootFiles) bool { return true }), one)
	}
	hits, err := ask.SearchBy(ctx, c, first, one)
	if err != nil || len(hits) > 0 || ctx.Err() != nil {
		return hits, err
	}
	rest := w.Pick(ctx, func(g *ask.RootFiles) bool { return !may[g] && !w.IsNested(g) })
	if len(rest) == 0 {
		return nil, nil
	}
	return ask.SearchBy(ctx, c, rest, one)
}

// mayStandIn reports whether a file of a root has a word that may be in the answer. Roots with more
// than [maxMarginal] files always may: reading them would cost more than it saves.
func (q Question) mayStandIn(ctx context.Context, c *answer.Call, g *ask.RootFiles) bool {
	if len(g.Files) > maxMarginal {
		return true
	}
	return slices.ContainsFunc(g.Files, func(path string) bool {
		text, err := c.Workspace.Text(path)
		if err != nil || ctx.Err() != nil {
			return true
		}
		for word := range strings.FieldsFuncSeq(text.Content(), func(r rune) bool { return !source.IsWord(r) }) {
			if q.MayMean(word) || slices.ContainsFunc(q.words, func(w string) bool {
				return strings.Contains(foldedName(word), w)
			}) {
				return true
			}
		}
		return false
	})
}
