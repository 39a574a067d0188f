package edits

import (
	"context"
	"maps"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/overlay"
	"lspi/tools/symbol"
)

// maxMoved bounds the types whose values are looked for.
const maxMoved = 20

// TellMoved warns of values that set fields by their place where an edit gives the fields other places: what such a
// value means changes without an error.
func TellMoved(ctx context.Context, c *answer.Call, r router.Route, texts map[string]*EditedText) {
	var moved []symbol.Located
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		t := texts[path]
		for _, f := range lang.MovedFields(lang.Fields(path, t.Before.Content()), lang.Fields(path, t.After.Content())) {
			moved = append(moved, symbol.Located{Path: path, At: t.Before.PositionAt(f.At), Name: f.Name})
		}
	}
	if len(moved) == 0 {
		return
	}
	c.ChangeSubject(func(about *answer.Subject) { about.Shown = slices.Collect(maps.Keys(texts)) })
	err := ask.Route(ctx, c, r, moved[0].Path, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot) error {
		for _, f := range moved[:min(len(moved), maxMoved)] {
			audit.Edit{Call: c, Snapshot: s}.ByPlace(ctx, f, func(p lsp.Place) bool { return edits(texts[p.Path], p) })
		}
		return nil
	})
	if err != nil || len(moved) > maxMoved {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "values by place", "server_id": r.Spec.ID},
			"lspi could not look for all values that set a field by its place; the edit gives fields another place")
	}
}

// edits reports whether an edit changes the line of a place.
func edits(t *EditedText, p lsp.Place) bool {
	if t == nil {
		return false
	}
	old, _ := overlay.DifferingLines(t.Before, t.After)
	return slices.Contains(old, p.Range.Start.Line)
}
