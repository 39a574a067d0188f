package edits

import (
	"context"
	"fmt"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// betweenLimit bounds the search for names between conditions.
const betweenLimit = 3 * time.Second

// between are the places that hold one of names between conditions of the language (#if, #[cfg]), in the sources of a
// server. all is false when the time ended before each file was looked at. At a server without such conditions there
// are none.
func between(ctx context.Context, c *answer.Call, s *lsp.Snapshot, names []string) (out []lsp.Place, all bool) {
	conditions := s.Hooks().Conditions
	if conditions == nil || len(names) == 0 {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(ctx, betweenLimit)
	defer cancel()
	held, all, err := c.Workspace.Words(s.Root()).Holding(ctx, names...)
	for _, h := range held {
		_, own := source.RelativeTo(s.Root(), h.Path)
		// What a build made, and what dependencies brought, is no source of the project.
		if h.Use&lang.OpenUse == 0 && !h.Unread || !own && !s.Spec().SharedFolders ||
			!s.Spec().Serves(symbol.Base(h.Path)) || s.Folders().InBuild(h.Path) {
			continue
		}
		text, err := c.Workspace.Text(h.Path)
		if err != nil {
			continue // gone, or told as unreadable
		}
		for _, from := range conditions.Conditional(text.Content(), names) {
			at := text.PositionAt(from)
			out = append(out, lsp.Place{Path: h.Path, Range: contract.Range{Start: at, End: at}})
		}
	}
	return out, all && err == nil
}

// warnNotBuilt warns of those of the places between conditions that the server does not build, or of which it does not
// tell whether it does: nobody has checked whether an edit that changes names breaks that code. all is false when the
// places were not found out in time.
func warnNotBuilt(ctx context.Context, c *answer.Call, s *lsp.Snapshot, places []lsp.Place, all bool, names []string) {
	conditions := s.Hooks().Conditions
	if conditions == nil {
		return
	}
	if len(names) > answer.MaxShown {
		names = append(names[:answer.MaxShown:answer.MaxShown], "…")
	}
	name, sign := strings.Join(names, ", "), conditions.ConditionSign
	if !all {
		c.Warn(contract.WarnNotBuilt, contract.Facts{"server_id": s.ID()},
			"lspi could not find out in time which files contain "+name+" in code that "+sign+" leaves out of the build")
		return
	}
	left, unknown := loaded.NotBuilt(ctx, s, places)
	var found []lsp.Uncovered
	counts := map[string]int{}
	var said []string
	for _, some := range [][]lsp.Place{left, unknown} {
		first := len(found)
		for _, p := range some {
			path := c.Show(p.Path)
			if counts[path]++; counts[path] == 1 {
				found = append(found, lsp.Uncovered{Path: p.Path, Line: p.Range.Start.Line, Reason: lsp.ConditionFalse})
			}
		}
		if n := len(found) - first; n > 0 {
			said = append(said, fmt.Sprintf("%s with %s under %s, the first at %s", answer.Counted(n, "file"), name, sign,
				loaded.Show(c, found[first])))
		}
	}
	if len(found) == 0 {
		return
	}
	why := fmt.Sprintf("the edit changes what is used in code that %s does not build, or of which it does not tell: ", s.ID())
	if len(unknown) > 0 {
		c.Step(c.Repeat("Repeat the call; the files opened for this one stay open, and the next call opens more.", nil))
	}
	for _, u := range found[min(len(found), answer.MaxShown):] {
		delete(counts, c.Show(u.Path))
	}
	loaded.Warn(c, contract.Facts{"server_id": s.ID(), "counts": counts}, found, why+strings.Join(said, "; "))
}
