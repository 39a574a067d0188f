package coverage

import (
	"context"
	"slices"
	"strings"

	"lspi/adapter"
	"lspi/answer"
	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/qname"
	"lspi/source"
)

// uncompiledUses warns of files that did not compile and hold a name at a place that is not among those of the answer: in a
// file with errors the server may not have made out what it is.
func uncompiledUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, name string, places []lsp.Place) {
	uncompiled(ctx, c, s, name, CoveredBy(places))
}

// uncompiled is uncompiledUses where covered tells what the answer holds.
func uncompiled(ctx context.Context, c *answer.Call, s *lsp.Snapshot, name string, covered func(string, contract.Position) bool) {
	holding := func(files []string) (out []Holder) {
		for _, path := range files {
			if line := MissingIn(path, name, covered); line > 0 {
				out = append(out, Holder{path, line})
			}
		}
		return out
	}
	if out := holding(adapter.Uncompiled(ctx, s.Server, s.Root())); len(out) > 0 {
		notCompiled(c, s, out, name, couldNotCompile)
	}
	if out := holding(adapter.Untold(ctx, s.Server, s.Root())); len(out) > 0 {
		notCompiled(c, s, out, name, "lspi cannot read in the index of %s whether it compiled %s; uses there may be missing here")
	}
}

// MissingIn is the first line of a file that holds a name in its code at a place that is not covered; 0 when there is none.
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

// unparsedUses warns of sources with a syntax error that may use what is at a place, where the answer does not have it: the
// server may not have seen it there.
func unparsedUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at qname.Located, places []lsp.Place) {
	files, all := adapter.Unparsed(ctx, s.Server, at.Path, at.Name)
	if !all {
		c.Warn(contract.WarnNotCompiled, contract.Facts{"server_id": s.ID()},
			"lspi could not find out in time whether files with syntax errors contain "+at.Name)
		return
	}
	covered := CoveredBy(places)
	var out []Holder
	for _, path := range files {
		if line := MissingIn(path, at.Name, covered); line > 0 {
			out = append(out, Holder{path, line})
		}
	}
	if len(out) == 0 {
		return
	}
	if declared, ok := declarationOf(ctx, c, s, at); ok {
		used := adapter.MayUse(ctx, s.Server, files, at.Name, declared)
		out = slices.DeleteFunc(out, func(h Holder) bool { return !slices.Contains(used, h.Path) })
	}
	if len(out) > 0 {
		notCompiled(c, s, out, at.Name, "%s may miss uses in %s, because of a syntax error there")
	}
}

// unparsedCalls is unparsedUses for an item whose callers were asked for: its references are what the server has seen.
func unparsedCalls(ctx context.Context, c *answer.Call, s *lsp.Snapshot, item lsp.HierarchyItem) {
	at := qname.Located{Path: item.Place.Path, At: item.Place.Range.Start, Name: qname.LastComponent(item.Name)}
	if files, all := adapter.Unparsed(ctx, s.Server, at.Path, at.Name); all && len(files) == 0 && !s.Spec().Unclosed {
		return
	}
	if known, err := s.References(ctx, at.Path, at.At, true); err == nil {
		unparsedUses(ctx, c, s, at, known)
		unclosedUses(ctx, c, s, at, known)
	}
}
