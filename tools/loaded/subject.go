package loaded

import (
	"context"
	"os"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// The subject of a call ([answer.Subject]) is what its answer is about. Each tool adds to it as it learns more, and
// the functions of this package read it to decide whether a source matters. Names and places are only added: a name
// too many makes an answer partial, and one too few makes it wrong.

// AboutAt is [About] for the symbol at a place, with the places of the answer.
func AboutAt(c *answer.Call, s *lsp.Snapshot, at symbol.Located, places []lsp.Place) {
	About(c, s.Spec().LanguageID(symbol.Base(at.Path)), places, at.Name)
	c.ChangeSubject(func(about *answer.Subject) {
		about.Places = append(about.Places, places...)
		if !slices.ContainsFunc(about.At, func(have symbol.Located) bool {
			return have.Path == at.Path && have.At == at.At
		}) {
			about.At = append(about.At, at)
		}
	})
}

// AboutCalls adds the items whose callers were asked for, and the places of the answer, whose files the server has
// read.
func AboutCalls(c *answer.Call, s *lsp.Snapshot, items []lsp.HierarchyItem, places []lsp.Place) {
	for _, item := range items {
		at := symbol.Located{Path: item.Place.Path, At: item.Place.Range.Start, Name: symbol.LastComponent(item.Name)}
		About(c, s.Spec().LanguageID(symbol.Base(at.Path)), []lsp.Place{item.Place}, at.Name)
		c.ChangeSubject(func(about *answer.Subject) { about.At = append(about.At, at) })
	}
	c.ChangeSubject(func(about *answer.Subject) { about.Places = append(about.Places, places...) })
}

// maxConfined bounds the symbols of an answer that are looked at.
const maxConfined = 10

// isConfined reports whether all that the answer is about is confined to its file, so that others do not matter.
// Each symbol costs requests, so more than [maxConfined] of them count as not confined. A search never is.
func isConfined(ctx context.Context, c *answer.Call, s *lsp.Snapshot, others []lsp.Uncovered) bool {
	about := c.Subject()
	at := about.At
	return about.May == nil && len(at) > 0 && len(at) <= maxConfined &&
		!slices.ContainsFunc(at, func(at symbol.Located) bool {
			return !Confined(ctx, s, at, others)
		})
}

// About adds to what the answer of this call is about: names, and the words at places of the answer, where a symbol
// may have another name (an import under an alias, what a macro makes). A name that cannot be looked for as a word
// (an operator, a keyword) makes every source count ([answer.Subject.Any]); so does a place with no word in it,
// unless it is that of a whole file.
func About(c *answer.Call, languageID string, places []lsp.Place, names ...string) {
	any := false
	for _, p := range places {
		used := wordsAt(p)
		// a whole file
		any = any || len(used) == 0 && p.Err == nil && !p.Gone && p.Range.Start != contract.Position{Line: 1,
			Character: 1}
		names = append(names, used...)
	}
	c.ChangeSubject(func(about *answer.Subject) {
		about.Any = about.Any || any
		for _, name := range names {
			name = strings.TrimPrefix(name, "~") // a destructor has its type's
			switch {
			case strings.IndexFunc(name, func(r rune) bool { return !source.IsWord(r) }) >= 0,
				lang.Reserved(languageID, name) && !lang.UsedAsName(languageID, name):
				about.Any = true // an operator
			case name != "" && !slices.Contains(about.Names, name):
				about.Names = append(about.Names, name)
			}
		}
	})
}

// wordsAt returns the word at a place, or the words in its part of the line where none begins there (a
// lifetime, a path from the root).
func wordsAt(p lsp.Place) []string {
	start := symbol.ByteOffset(p.Line, p.Range.Start.Character)
	if strings.HasPrefix(p.Line[start:], "~") { // clangd gives no more than that of a destructor
		start++
	}
	if from, to, ok := source.WordAround(p.Line, start); ok {
		return []string{p.Line[from:to]}
	}
	if p.Range.Start.Line != p.Range.End.Line {
		return nil
	}
	end := max(start, symbol.ByteOffset(p.Line, p.Range.End.Character))
	return strings.FieldsFunc(p.Line[start:end], func(r rune) bool { return !source.IsWord(r) })
}

// in reports whether a file holds something that can change an answer about a subject, and the first
// line that does. line is 0 where the file counts as a whole: it cannot be read as text, or its path
// holds the name. A file that is gone holds nothing.
func in(a answer.Subject, path string) (line int, holds bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	text, err := source.Read(path)
	if err != nil || !text.Valid {
		return 0, true
	}
	// A look at the whole text first, because most files do not hold the name.
	if a.May == nil && !slices.ContainsFunc(a.Names, func(name string) bool {
		return strings.Contains(text.Content(), name)
	}) {
		return 0, false
	}
	if a.Paths && slices.ContainsFunc(symbol.PathParts(path), a.May) {
		return 0, true
	}
	// Comments do not count, nor do the directives that are about the file. For a search a line has to declare a
	// name, else it is enough to hold one.
	comment, block := false, false
	sign := lang.CommentSign(path)
	for n := 1; n <= text.Lines(); n++ {
		code := text.Line(n)
		if comment, block = lang.InBlock(path, code, block); comment || strings.HasPrefix(strings.TrimSpace(code),
			sign) || lang.IsFileDirective(code) {
			continue
		}
		if a.May != nil && lang.DeclaresAny(path, code, a.May) ||
			a.May == nil && source.MayHoldAny(code, a.Names) {
			return n, true
		}
	}
	return 0, false
}
