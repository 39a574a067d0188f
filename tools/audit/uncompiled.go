package audit

import (
	"context"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// UncompiledUses warns of files that did not compile and hold a name at a place that is not in the
// answer: in a file with errors the server may not have made out what the name is. A place in the
// answer shows that it did. Another symbol of the same name in such a file is told all the same,
// because only the server could tell the two apart.
func UncompiledUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, name string, places []lsp.Place) {
	uncompiled(ctx, c, s, name, CoveredBy(places))
}

// uncompiled is UncompiledUses where covered tells what the answer holds.
func uncompiled(ctx context.Context, c *answer.Call, s *lsp.Snapshot, name string,
	covered func(string, contract.Position) bool) {
	tell(c, s, missing(lsp.Uncompiled(ctx, s.Server, s.Root()), name, covered), name, "")
}

// MissingIn returns the first line of a file that holds a name in its code at a place that is not
// covered; 0 for none, for a file that cannot be read, and for an empty name. Comments and strings do
// not count.
func MissingIn(path, name string, covered func(string, contract.Position) bool) int {
	text, err := source.Read(path)
	if err != nil || name == "" || !strings.Contains(text.Content(), name) {
		return 0
	}
	inside, block := false, false
	for n := 1; n <= text.Lines(); n++ {
		line := text.Line(n)
		if inside, block = lang.InBlock(path, line, block); inside {
			continue
		}
		columns := columnsOf(text, n)
		for _, i := range lang.InCode(path, line, source.Occurrences(line, name)) {
			if !covered(path, columns.position(i)) {
				return n
			}
		}
	}
	return 0
}

// unparsedUses warns of sources with a syntax error that may use what is at a place where the answer
// does not have it: the server may not have seen it there.
func unparsedUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, places []lsp.Place) {
	found := missing(lsp.Unparsed(ctx, s.Server, at.Path, at.Name), at.Name, CoveredBy(places))
	tell(c, s, thoseThatMayUse(ctx, c, s, at, found), at.Name, "")
}

// thoseThatMayUse are those of sources that may use what is at a place, going by what they import. All of them are
// kept where the declaration is not one place, or not all sources could be found out.
func thoseThatMayUse(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	found []lsp.Uncovered) []lsp.Uncovered {
	if len(found) == 0 || !allNamed(found) {
		return found
	}
	if declared, ok := declarationOf(ctx, c, s, at); ok {
		return lsp.MayUse(ctx, s.Server, found, at.Name, declared)
	}
	return found
}

// unparsedCalls is unparsedUses for an item whose callers were asked for: its references are what
// the server has seen. They are a request of their own, for which gopls 0.23 type-checks the package of the item
// and goes on checking it as long as the file is open; so first a look whether there is a source for which they are
// needed.
func unparsedCalls(ctx context.Context, c *answer.Call, s *lsp.Snapshot, item lsp.HierarchyItem) {
	at := symbol.Located{Path: item.Place.Path, At: item.Place.Range.Start, Name: symbol.LastComponent(item.Name)}
	unparsed := lsp.Unparsed(ctx, s.Server, at.Path, at.Name)
	if allNamed(unparsed) {
		unparsed = lsp.MayUse(ctx, s.Server, unparsed, at.Name, item.Place) // an item stands where it is declared
	}
	if len(unparsed) == 0 {
		return
	}
	if known, err := s.References(ctx, at.Path, at.At, true); err == nil {
		unparsedUses(ctx, c, s, at, known)
	}
}
