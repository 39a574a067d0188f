package audit

import (
	"context"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// ByPlace warns of values that set a field by its place, which an edit changes; known are places that the edit changes,
// too.
func (e Edit) ByPlace(ctx context.Context, at symbol.Located, known func(lsp.Place) bool) {
	c, s := e.Call, e.Snapshot
	if s.Hooks().Unnamed == nil {
		return
	}
	ctx, cancel := withinUses(ctx)
	defer cancel()
	declared := lsp.Place{Path: at.Path, Range: contract.Range{Start: at.At, End: at.At}}
	var left []occurrence
	sure, doubtful := s.Hooks().Unnamed(ctx, s.Recalling(), at.Name, declared)
	for _, p := range append(sure, doubtful...) {
		if !known(p) {
			left = append(left, occurrence{path: p.Path, at: p.Range.Start, name: at.Name, reason: reasonByPlace})
		}
	}
	if len(left) == 0 {
		return
	}
	c.Warn(contract.WarnUnexplained, factsOf(c, at.Name, left), "the edit gives "+at.Name+" and other fields another place, "+
		"and "+answer.Counted(len(left), "value")+" may set them by their place, the first at "+
		loaded.Show(c, lsp.Uncovered{Path: left[0].path, Line: left[0].at.Line}))
}
