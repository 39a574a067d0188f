package tools

import (
	"context"
	"slices"

	"lspi/contract"
	"lspi/lsp"
)

// unparsedUses warns of sources with a syntax error that may use what is at a place, where the answer does not have it: the
// server may not have seen it there.
func unparsedUses(ctx context.Context, c *Call, s *lsp.Server, at spot, places []lsp.Place) {
	files, all := lsp.Unparsed(ctx, s, at.path, at.name)
	if !all {
		c.warn(contract.WarnNotCompiled, contract.Facts{"server_id": s.ID()},
			"whether files with syntax errors hold "+at.name+" could not be found out in time")
		return
	}
	covered := coveredBy(places)
	var out []holder
	for _, path := range files {
		if line := missingIn(path, at.name, covered); line > 0 {
			out = append(out, holder{path, line})
		}
	}
	if len(out) == 0 {
		return
	}
	if declared, ok := c.declaration(ctx, s, at); ok {
		used := s.MayUse(ctx, files, at.name, declared)
		out = slices.DeleteFunc(out, func(h holder) bool { return !slices.Contains(used, h.path) })
	}
	if len(out) > 0 {
		notCompiled(c, s, out, at.name, "%s may miss uses in %s, because of a syntax error there")
	}
}

// unparsedCalls is unparsedUses for an item whose callers were asked for: its references are what the server has seen.
func unparsedCalls(ctx context.Context, c *Call, s *lsp.Server, item lsp.HierarchyItem) {
	at := spot{path: item.Place.Path, at: item.Place.Range.Start, name: lastComponent(item.Name)}
	if files, all := lsp.Unparsed(ctx, s, at.path, at.name); all && len(files) == 0 && s.Spec().Unclosed == nil {
		return
	}
	if known, err := s.References(ctx, at.path, at.at, true); err == nil {
		unparsedUses(ctx, c, s, at, known)
		unclosedUses(ctx, c, s, at, known)
	}
}
