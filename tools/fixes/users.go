package fixes

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/edits"
)

// addUsers adds the files that a change may break besides those that it changes. Of a small project these are all
// others: to compare their errors takes less than to look for the uses of everything that a round changes. Sources
// that others are not compiled with break nothing else. Else they are those that hold a name which the change takes
// away, where it is outside of all declarations, and those that use a changed declaration.
func (w *work) addUsers(ctx context.Context, c *answer.Call, ch *edits.Proposed) {
	r := ch.Servers[0]
	if r.Spec.Diagnostics.Workspace && r.Spec.Diagnostics.Check == nil { // it tells of all files
		return
	}
	if all := w.projects[r.Key()][r.Root]; len(all) > 0 && len(all) <= edits.MaxSafeFiles {
		addNear(ch, all)
		return
	}
	var outside, alone bool
	other := c.Nested(c.Tool, c.Request)
	err := ask.Route(ctx, other, r, ch.Files[0].Path, "", func(ctx context.Context, s *lsp.Snapshot) error {
		includes := s.Hooks().Includes
		alone = includes != nil && !slices.ContainsFunc(ch.Files, func(f edit.File) bool {
			return !includes.IsSource(f.Path)
		})
		outside = includes == nil && !slices.ContainsFunc(ch.Files, func(f edit.File) bool {
			return w.declares(ctx, s, f.Path)
		})
		return nil
	})
	c.Spend(other.Spent())
	switch {
	case err == nil && alone:
		return
	case err == nil && outside:
		if users, all := w.holders(ctx, r, ch); all && len(users)+len(ch.Files) <= edits.MaxSafeFiles {
			addNear(ch, users)
			return
		}
	}
	edits.AddUsers(ctx, c, ch)
}

// addNear adds files that the change itself does not have.
func addNear(ch *edits.Proposed, files []string) {
	for _, path := range files {
		if !slices.ContainsFunc(ch.Files, func(f edit.File) bool { return f.Path == path }) {
			ch.Near = append(ch.Near, path)
		}
	}
}

// declares reports whether the round changes something in a declaration of a file, or nobody can tell.
func (w *work) declares(ctx context.Context, s *lsp.Snapshot, path string) bool {
	ch := w.changes[path]
	symbols, text, err := s.Unverified().DocumentSymbols(ctx, path)
	if err != nil || text.Content() != ch.text {
		return true
	}
	for _, r := range ch.edits {
		at := contract.Range{Start: text.PositionAt(r.Start), End: text.PositionAt(r.Start + len(r.Old))}
		if slices.ContainsFunc(symbols, func(sym lsp.Symbol) bool {
			return !at.End.Before(sym.Range.Start) && !sym.Range.End.Before(at.Start)
		}) {
			return true
		}
	}
	return false
}

// holders are the files of a server that hold a name which a change takes away: one that an import brought, and that
// others may import from there. all is false where they could not all be found.
func (w *work) holders(ctx context.Context, r router.Route, ch *edits.Proposed) (files []string, all bool) {
	count := map[string]int{}
	for i := range ch.Files {
		path := ch.Files[i].Path
		for _, e := range w.changes[path].edits {
			eachName(path, e.Old, func(name string) { count[name]++ })
			eachName(path, e.New, func(name string) { count[name]-- })
		}
	}
	var gone []string
	for name, n := range count {
		if n > 0 {
			gone = append(gone, name)
		}
	}
	if len(gone) == 0 {
		return nil, true
	}
	held, all, err := w.c.Workspace.Words(ch.Files[0].Path).Holding(ctx, gone...)
	for _, h := range held {
		if r.Spec.Serves(filepath.Base(h.Path)) {
			files = append(files, h.Path)
		}
	}
	return files, all && err == nil
}

// ofImports are words of import statements that some languages do not reserve.
var ofImports = []string{"from", "as", "type", "import", "export"}

// eachName calls f with the names in the code of a text that are no words of its language.
func eachName(path, text string, f func(name string)) {
	for line := range strings.Lines(text) {
		code := lang.Code(path, line)
		for at := 0; at < len(line); {
			n := strings.IndexFunc(line[at:], func(c rune) bool { return !source.IsLetter(c) })
			if n < 0 {
				n = len(line) - at
			}
			if name := line[at : at+n]; n > 0 && code[at] && !lang.Reserved(lang.Of(path).ID, name) &&
				!slices.Contains(ofImports, name) && !source.IsNumber(name) {
				f(name)
			}
			at += max(n, 1)
		}
	}
}
