package tools

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// holdersLimit bounds the look into the files that a server does not read. Some 10,000 files in the page cache are read
// in it; what was not read in time counts.
const holdersLimit = time.Second

// holder is a file that can change an answer, and the first line that does; line is 0 where nobody knows it.
type holder struct {
	path string
	line int
}

func (h holder) show(c *Call) string {
	if h.line == 0 {
		return c.show(h.path)
	}
	return fmt.Sprintf("%s:%d", c.show(h.path), h.line)
}

// aboutAt is [Call.about] the symbol at a place.
func (c *Call) aboutAt(s *lsp.Server, at spot, places []lsp.Place) {
	c.about(s.Spec().LanguageID(base(at.path)), places, at.name)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subject.places = append(c.subject.places, places...)
	if !slices.ContainsFunc(c.subject.at, func(have spot) bool { return have.path == at.path && have.at == at.at }) {
		c.subject.at = append(c.subject.at, at)
	}
}

// alsoAbout adds a symbol whose callers were asked for.
func (c *Call) alsoAbout(item lsp.HierarchyItem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subject.at = append(c.subject.at, spot{path: item.Place.Path, at: item.Place.Range.Start, name: lastComponent(item.Name)})
}

// alsoIn adds places of the answer, whose files the server has read.
func alsoIn(c *Call, places []lsp.Place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subject.places = append(c.subject.places, places...)
}

// maxConfined bounds the symbols of an answer that are looked at.
const maxConfined = 10

// isConfined reports whether all that the answer is about is confined to its file, so that others do not matter.
func (c *Call) isConfined(ctx context.Context, s *lsp.Server, others []holder) bool {
	c.mu.Lock()
	at, may := slices.Clone(c.subject.at), c.subject.may
	c.mu.Unlock()
	return may == nil && len(at) > 0 && len(at) <= maxConfined && !slices.ContainsFunc(at, func(at spot) bool { return !c.confined(ctx, s, at, others) })
}

// about adds to what the answer of this call is about: names, and the words at places of the answer, where a symbol may
// have another name (an import under an alias, what a macro makes).
func (c *Call) about(languageID string, places []lsp.Place, names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range places {
		used := wordsAt(p)
		c.subject.any = c.subject.any || len(used) == 0 && p.Err == nil && !p.Gone && p.Range.Start != contract.Position{Line: 1, Character: 1} // a whole file
		names = append(names, used...)
	}
	for _, name := range names {
		switch {
		case strings.IndexFunc(name, func(r rune) bool { return !source.IsWord(r) }) >= 0,
			lang.Reserved(languageID, name) && !lang.UsedAsName(languageID, name):
			c.subject.any = true // an operator, a destructor
		case name != "" && !slices.Contains(c.subject.names, name):
			c.subject.names = append(c.subject.names, name)
		}
	}
}

// wordsAt are the word at a place, or those in its part of the line where none begins it (a lifetime, a path from the root).
func wordsAt(p lsp.Place) []string {
	start := byteOffset(p.Line, p.Range.Start.Character)
	if from, to, ok := source.WordAround(p.Line, start); ok {
		return []string{p.Line[from:to]}
	}
	if p.Range.Start.Line != p.Range.End.Line {
		return nil
	}
	end := max(start, byteOffset(p.Line, p.Range.End.Character))
	return strings.FieldsFunc(p.Line[start:end], func(r rune) bool { return !source.IsWord(r) })
}

// aboutFound says that the answer has all symbols of certain names, in certain files.
func (c *Call) aboutFound(may func(name string) bool, paths bool, path func(path string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subject.may, c.subject.paths, c.subject.path = may, paths, path
}

// holders are those of files that can change the answer of this call.
func (c *Call) holders(ctx context.Context, files []string) []holder {
	c.mu.Lock()
	about := c.subject
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, holdersLimit)
	defer cancel()
	return about.holders(ctx, files)
}

func (a subject) holders(ctx context.Context, files []string) (out []holder) {
	for _, path := range files {
		switch {
		case a.path != nil && !a.path(path):
		case a.any, a.may == nil && len(a.names) == 0, ctx.Err() != nil:
			out = append(out, holder{path: path})
		default:
			if line, holds := a.in(path); holds {
				out = append(out, holder{path, line})
			}
		}
	}
	return out
}

// in is the first line of a file that can change the answer.
func (a subject) in(path string) (line int, holds bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	text, err := source.Read(path)
	if err != nil || !text.Valid {
		return 0, true
	}
	if a.may == nil && !slices.ContainsFunc(a.names, func(name string) bool { return strings.Contains(text.Content(), name) }) {
		return 0, false
	}
	if a.paths && slices.ContainsFunc(pathParts(path), a.may) {
		return 0, true
	}
	comment, block := false, false
	sign := lang.CommentSign(path)
	for n := 1; n <= text.Lines(); n++ {
		code := text.Line(n)
		if comment, block = lang.InBlock(path, code, block); comment || strings.HasPrefix(strings.TrimSpace(code), sign) || included.MatchString(code) {
			continue
		}
		if a.may != nil && lang.DeclaresAny(path, code, a.may) ||
			a.may == nil && source.MayHoldAny(code, a.names) {
			return n, true
		}
	}
	return 0, false
}

// included is a line that names a header, which is no use of a symbol.
var included = regexp.MustCompile(`^\s*#\s*(include|import)\b`)

// warnHolders warns of files that a server did not read and that can change the answer.
func (c *Call) warnHolders(kind contract.WarningKind, facts contract.Facts, all []holder, message string) {
	var shown []string
	for _, h := range all[:min(len(all), maxLeftOutShown)] {
		shown = append(shown, c.show(h.path))
	}
	facts["total"], facts["files"] = len(all), shown
	if all[0].line > 0 {
		facts["line"] = all[0].line
	}
	c.warn(kind, facts, message)
}

// such are holders in words.
func (c *Call) such(all []holder) string {
	named := slices.ContainsFunc(all, func(h holder) bool { return h.line > 0 })
	switch {
	case len(all) == 1:
		return all[0].show(c) + " was"
	case named:
		i := slices.IndexFunc(all, func(h holder) bool { return h.line > 0 })
		return fmt.Sprintf("%d source files that hold such a name, the first at %s, were", len(all), all[i].show(c))
	}
	return fmt.Sprintf("%d source files, such as %s, were", len(all), all[0].show(c))
}
