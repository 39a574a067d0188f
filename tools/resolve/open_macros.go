package resolve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// OpenMacros completes the macros among the hits of a server that names only those of open files
// ([lsp.Hooks].OpenMacroKind): they become the ones that the sources of its project define, whatever is
// open. What could not be read in time is told.
func OpenMacros(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route, q Question,
	wanted func(path string) bool, hits []symbol.SymbolHit) []symbol.SymbolHit {
	kind := s.Hooks().OpenMacroKind
	ctx, cancel := context.WithTimeout(ctx, loaded.HoldersLimit)
	defer cancel()
	folder := s.Root()
	if s.Spec().SharedFolders {
		folder = c.Workspace.Root
	}
	// Files are read in a fixed order, so that the end of the time cuts the same ones each time, as far as the disk
	// is as fast.
	files := slices.DeleteFunc(loaded.Sources(c, s, folder), func(path string) bool { return !wanted(path) })
	slices.Sort(files)
	found, read, failed := q.Macros(ctx, files)
	tellUnsearched(c, failed)
	// What lspi read itself replaces what the server says of these files; of files that were not read the server's
	// hits stay.
	hits = slices.DeleteFunc(hits, func(h symbol.SymbolHit) bool {
		return h.Sym.Kind == kind && read[h.Sym.Place.Path]
	})
	for _, sym := range found {
		sym.Kind = kind
		hits = append(hits, symbol.SymbolHit{Sym: sym, Route: r})
	}
	return hits
}

// Macros returns the macros of the answer that files define, in their order; the files that were
// searched; and the first one that could not be.
func (q Question) Macros(ctx context.Context, files []string) (found []lsp.WorkspaceSymbol, read map[string]bool,
	failed unsearched) {
	read = map[string]bool{}
	var buf []byte
	for _, path := range files {
		if ctx.Err() != nil {
			return found, read, unsearched{Path: path}
		}
		var holds bool
		// A file without the word is searched, too: it defines no such macro, and is in read.
		if holds, buf = source.FileHolds(path, []byte(q.macroWord()), buf); holds {
			text, err := source.Read(path)
			// Only the first failure is told, and only of a file that may have what is searched for.
			if err != nil {
				if failed.Path == "" && source.MayHold(ctx, path, q.macroWord()) {
					failed = unsearched{Path: path, Why: err}
				}
				continue
			}
			found = append(found, q.macrosIn(text, path)...)
		}
		read[path] = true
	}
	return found, read, failed
}

// tellUnsearched warns of a file whose macros are missing, with the reason: the time was over, or the
// file cannot be read.
func tellUnsearched(c *answer.Call, failed unsearched) {
	facts := contract.Facts{"file_path": c.Show(failed.Path), "reason": contract.WarnTimeLimit}
	switch {
	case failed.Path == "":
	case failed.Why != nil:
		facts["reason"] = answer.AsError(failed.Why).Kind
		c.Warn(contract.WarnFileSkipped, facts, fmt.Sprintf("lspi could not search %s for macros: %s",
			c.Show(failed.Path), answer.AsError(failed.Why).Message))
	default:
		c.Warn(contract.WarnFileSkipped, facts,
			fmt.Sprintf(
				"lspi could not search all files for macros in time; it did not search %s; name a path or a file to search fewer", c.Show(failed.Path)))
	}
}

// macrosIn returns the macros of the answer that a source defines.
func (q Question) macrosIn(text *source.Text, path string) (out []lsp.WorkspaceSymbol) {
	if !q.mayDefine(text.Content()) {
		return nil
	}
	for _, d := range lang.Macros(text.Content()) {
		if !q.meansMacro(d) {
			continue
		}
		at := contract.Range{Start: text.PositionAt(d.At), End: text.PositionAt(d.At + len(d.Name))}
		out = append(out, lsp.WorkspaceSymbol{Name: d.Name, Place: lsp.Place{Path: path, Range: at, Full: at,
			Line: text.Line(at.Start.Line)}})
	}
	return out
}

// mayDefine reports whether a text may define a macro of the answer. It is cheap, since most files of a
// project define none; a wrong yes only costs reading the text as a whole.
func (q Question) mayDefine(content string) bool {
	for rest := content; ; {
		_, after, found := strings.Cut(rest, "define")
		if !found {
			return false
		}
		rest = after
		name := strings.TrimLeft(after, " \t")
		end := strings.IndexFunc(name, func(r rune) bool { return !source.IsWord(r) })
		if end < 0 {
			end = len(name)
		}
		// a comment or the end of the line may stand before the name
		if end == 0 || q.meansMacro(lang.Macro{Name: name[:end]}) {
			return true
		}
	}
}

// macroWord is a word that a source has to hold to define a macro of the answer.
func (q Question) macroWord() string {
	if q.Match == "exact" {
		return q.Want[len(q.Want)-1]
	}
	return "define"
}

// meansMacro reports whether a macro belongs into the answer. Macros that guard headers are many, and
// are meant only by their exact name.
func (q Question) meansMacro(d lang.Macro) bool {
	switch q.Match {
	case "exact":
		return len(q.Want) == 1 && d.Name == q.Want[0]
	case "regex":
		return q.re.MatchString(d.Name)
	}
	word := q.Want[len(q.Want)-1]
	if strings.Contains(q.Text, " ") {
		word = q.Text
	}
	// Nearly every header has one, and a fuzzy word of its file name would find them all.
	if d.Guard {
		return strings.EqualFold(word, d.Name)
	}
	return MatchesWords(word, d.Name)
}

// MatchesWords reports whether a name has the letters of a query in their order, in any case, so that
// the first letter and each one behind a gap begins a word of the name. That is what clangd takes for a
// match, too (22.1.8).
func MatchesWords(query, name string) bool {
	if !lettersOf(query, name) {
		return false
	}
	letters := []rune(name)
	// One pass over the name for each letter of the query. All ends of a match are kept, not only the first: a
	// later one may be the only one from which the next letter can be reached.
	ends := make([]bool, len(letters)+1) // where a match of the query so far may end
	for n, want := range []rune(query) {
		// before says whether a match may have ended anywhere in front of this letter, so that it may begin a word
		// behind a gap.
		next, before := make([]bool, len(ends)), n == 0
		for i, have := range letters {
			if unicode.ToLower(have) == unicode.ToLower(want) {
				next[i+1] = n > 0 && ends[i] || before && beginsWord(letters, i)
			}
			before = before || ends[i]
		}
		ends = next
	}
	return slices.Contains(ends, true)
}

// lettersOf reports whether a name has the letters of a query in their order; letters beyond ASCII
// match any. It is a cheap first look for [MatchesWords].
func lettersOf(query, name string) bool {
	for i := 0; i < len(query); i++ {
		letter := query[i] | 0x20 // in lower case, if it is one
		for name != "" && name[0]|0x20 != letter && name[0] < utf8.RuneSelf {
			name = name[1:]
		}
		switch {
		case name == "":
			return false
		case name[0] >= utf8.RuneSelf || query[i] >= utf8.RuneSelf:
			return true
		}
		name = name[1:]
	}
	return true
}

// beginsWord reports whether a word of a name begins at i, by snake_case or by CamelCase. In a name
// that is all upper case, capitals begin none.
func beginsWord(name []rune, i int) bool {
	switch have := name[i]; {
	case i == 0, have == '_', name[i-1] == '_':
		return true
	case unicode.IsUpper(have):
		return slices.ContainsFunc(name, func(r rune) bool { return unicode.IsLower(r) || unicode.IsDigit(r) })
	default:
		return have > unicode.MaxASCII
	}
}
