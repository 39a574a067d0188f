package audit

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// macroTextUses warns of places in the texts of macros that hold the name of what is at a place, at a
// server that does not look into these ([lsp.MacroTextReader]). What a name in a macro means is
// decided where the macro is used, so the server is not asked about these places.
func macroTextUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, found []lsp.Place) {
	scan := s.Hooks().MacroTexts
	if scan == nil || at.Name == "" {
		return
	}
	holders, all := scanned(ctx, c, s, &c.Workspace.MacroTexts, scan, []string{at.Name}, nil)
	if !all {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "macros", "server_id": s.ID()},
			fmt.Sprintf(
				"lspi could not search all files in time for %s in the texts of macros, which %s does not look into",
				at.Name, s.ID()))
		return
	}
	holders = keepUses(holders,
		CoveredBy(append(slices.Clone(found),
			lsp.Place{Path: at.Path, Range: contract.Range{Start: at.At, End: at.At}})))
	if len(holders) == 0 {
		return
	}
	holders = withinScope(ctx, c, s, at, holders)
	var paths []string
	for _, f := range holders {
		for range f.uses {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return
	}
	places := "1 place with " + at.Name + " in the text of a macro is"
	if len(paths) > 1 {
		places = fmt.Sprintf("%d places with %s in the texts of macros are", len(paths), at.Name)
	}
	c.Warn(contract.WarnDynamicUses, dynamicFacts(c, at.Name, paths),
		fmt.Sprintf("%s not in this answer but may be uses, the first at %s:%d: %s does not look into macros",
			places, c.Show(paths[0]), holders[0].uses[0].Line, s.ID()))
}
