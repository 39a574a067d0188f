package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/adapter"
	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// couldNotCompile takes the server and the files.
const couldNotCompile = "%s could not compile %s; uses there may be missing here"

// uncompiledUses warns of files that did not compile and hold a name at a place that is not among those of the answer: in a
// file with errors the server may not have made out what it is.
func (c *Call) uncompiledUses(ctx context.Context, s *lsp.Server, name string, places []lsp.Place) {
	c.uncompiled(ctx, s, name, coveredBy(places))
}

// uncompiled is uncompiledUses where covered tells what the answer holds.
func (c *Call) uncompiled(ctx context.Context, s *lsp.Server, name string, covered func(string, contract.Position) bool) {
	holding := func(files []string) (out []holder) {
		for _, path := range files {
			if line := missingIn(path, name, covered); line > 0 {
				out = append(out, holder{path, line})
			}
		}
		return out
	}
	if out := holding(adapter.Uncompiled(ctx, s, s.Root())); len(out) > 0 {
		notCompiled(c, s, out, name, couldNotCompile)
	}
	if out := holding(adapter.Untold(ctx, s, s.Root())); len(out) > 0 {
		notCompiled(c, s, out, name, "lspi cannot read in the index of %s whether it compiled %s; uses there may be missing here")
	}
}

// notCompiled warns of files that have errors, or may have some, and hold a name at places which the answer does not have; the
// message takes the server and the files.
func notCompiled(c *Call, s *lsp.Server, out []holder, name, message string) {
	which := fmt.Sprintf("%s, which holds %s", out[0].show(c), name)
	if len(out) > 1 {
		which = fmt.Sprintf("%d files that hold %s, the first at %s", len(out), name, out[0].show(c))
	}
	c.warnHolders(contract.WarnNotCompiled, contract.Facts{"server_id": s.ID()}, out,
		fmt.Sprintf(message, s.ID(), which))
	c.step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Arguments: map[string]any{"file_path": c.show(out[0].path)},
		Message: "See what does not compile. If it is fixed outside of the workspace, for example by installing a header, restart " + s.ID() + "."})
}

// missingIn is the first line of a file that holds a name in its code at a place that is not covered; 0 when there is none.
func missingIn(path, name string, covered func(string, contract.Position) bool) int {
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
func unparsedUses(ctx context.Context, c *Call, s *lsp.Server, at spot, places []lsp.Place) {
	files, all := adapter.Unparsed(ctx, s, at.path, at.name)
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
		used := adapter.MayUse(ctx, s, files, at.name, declared)
		out = slices.DeleteFunc(out, func(h holder) bool { return !slices.Contains(used, h.path) })
	}
	if len(out) > 0 {
		notCompiled(c, s, out, at.name, "%s may miss uses in %s, because of a syntax error there")
	}
}

// unparsedCalls is unparsedUses for an item whose callers were asked for: its references are what the server has seen.
func unparsedCalls(ctx context.Context, c *Call, s *lsp.Server, item lsp.HierarchyItem) {
	at := spot{path: item.Place.Path, at: item.Place.Range.Start, name: lastComponent(item.Name)}
	if files, all := adapter.Unparsed(ctx, s, at.path, at.name); all && len(files) == 0 && s.Spec().Unclosed == nil {
		return
	}
	if known, err := s.References(ctx, at.path, at.at, true); err == nil {
		unparsedUses(ctx, c, s, at, known)
		unclosedUses(ctx, c, s, at, known)
	}
}
