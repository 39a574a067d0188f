package audit

import (
	"context"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// maxUnclosedAsked bounds the files of which a server is asked whether it finds an error there; further ones count
// as if it did.
const maxUnclosedAsked = 20

// unclosedUses warns of sources with a bracket, a string or a comment that is never closed, where the
// text behind it holds the name of what is at a place and the answer does not have it: the server may
// not have seen it there ([spec.Spec].Unclosed).
func unclosedUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, places []lsp.Place) {
	if !s.Spec().Unclosed || at.Name == "" {
		return
	}
	unclosed := unclosedIn(ctx, c, s)
	// None, or not found out in time: tell says the latter, and nothing for none.
	if len(unclosed) == 0 || !allNamed(unclosed) {
		tell(c, s, unclosed, at.Name, "")
		return
	}
	covered := CoveredBy(append(slices.Clone(places),
		lsp.Place{Path: at.Path, Range: contract.Range{Start: at.At, End: at.At}}))
	begins := map[string]int{}
	for _, u := range unclosed {
		begins[u.Path] = u.Line
	}
	var out []lsp.Uncovered
	// The server is asked only about files where a name is missing: it may close the text in its own way and find
	// no error. Files beyond the bound count as if it found one.
	for _, path := range lsp.WithoutOutput(ctx, s.Server, at.Path, slices.Sorted(maps.Keys(begins))) {
		text, err := source.Read(path)
		if err != nil {
			continue
		}
		line := missingBehind(text, at.Name, begins[path], covered)
		if line > 0 && (len(out) >= maxUnclosedAsked || lsp.ErrorBehind(ctx, s.Server, path, begins[path])) {
			out = append(out, lsp.Uncovered{Path: path, Line: line, Reason: lsp.UnclosedText})
		}
	}
	if len(out) == 0 {
		return
	}
	// Last, because it costs requests.
	if file, local := ofFunction(ctx, s, at); local {
		out = slices.DeleteFunc(out, func(u lsp.Uncovered) bool { return u.Path != file })
	}
	tell(c, s, out, at.Name, "")
}

// unclosedIn are the sources with such a text, each with the line where it begins. An element without a path stands
// for sources that were not looked at in time.
func unclosedIn(ctx context.Context, c *answer.Call, s *lsp.Snapshot) []lsp.Uncovered {
	if !s.Spec().Unclosed {
		return nil
	}
	folder := s.Root()
	if s.Spec().SharedFolders {
		folder = c.Workspace.Root
	}
	return lsp.Unclosed(ctx, s.Server, sharedSources(c, s, folder))
}

// holdBehind are those of unclosed that hold a name behind the beginning of the text without an end. What was not
// looked at in time stays.
func holdBehind(unclosed []lsp.Uncovered, name string) (out []lsp.Uncovered) {
	for _, u := range unclosed {
		if u.Path == "" {
			out = append(out, u)
			continue
		}
		text, err := source.Read(u.Path)
		if err == nil && name != "" && missingBehind(text, name, u.Line, func(string, contract.Position) bool {
			return false
		}) > 0 {
			out = append(out, u)
		}
	}
	return out
}

// missingBehind returns the first line of a text, from a line on, that holds a name in its code at a
// place that is not covered; 0 for none. Unlike [MissingIn] it does not follow comments of several
// lines: behind a text without an end nobody knows what is one.
func missingBehind(text *source.Text, name string, from int, covered func(string, contract.Position) bool) int {
	for n := from; n <= text.Lines(); n++ {
		line := text.Line(n)
		columns := columnsOf(text, n)
		for _, i := range lang.InCode(text.Path, line, source.Occurrences(line, name)) {
			if !covered(text.Path, columns.position(i)) {
				return n
			}
		}
	}
	return 0
}

// ofFunction reports whether what is at a place is certainly a variable that a function keeps to
// itself, and in which file, since no other file can use it. All definitions have to be in the same
// file, and each a variable that stands directly in a function; a member that is declared there is
// none, nor is a parameter, which callers may name. local is false when nobody can tell.
func ofFunction(ctx context.Context, s *lsp.Snapshot, at symbol.Located) (file string, local bool) {
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	if err != nil || len(places) == 0 {
		return "", false
	}
	for _, p := range places {
		before := strings.TrimRight(p.Line[:min(symbol.ByteOffset(p.Line, p.Range.Start.Character), len(p.Line))],
			" \t")
		if p.Err != nil || p.Gone || p.Path != places[0].Path || strings.HasSuffix(before, ".") ||
			globalIn(p.Path, at.Name) {
			return "", false
		}
		symbols, _, err := s.DocumentSymbols(ctx, p.Path)
		if err != nil {
			return "", false
		}
		around := enclosing(symbols, p.Range.Start)
		own := len(around) - 1
		if own < 1 || around[own].Kind != "variable" || !around[own].NameAt.Contains(p.Range.Start) ||
			!isFunction(around[own-1].Kind) {
			return "", false
		}
	}
	return places[0].Path, true
}

// globalIn reports whether a file may declare that a name in a function is one of the file. It looks
// for both words in one line (global name), wherever they stand: a wrong yes only costs a file more in
// the warning.
func globalIn(path, name string) bool {
	text, err := source.Read(path)
	if err != nil {
		return true
	}
	for n := 1; n <= text.Lines(); n++ {
		if line := text.Line(n); source.HasWord(line, "global") && source.HasWord(line, name) {
			return true
		}
	}
	return false
}
