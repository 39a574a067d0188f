package lsp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/source"
)

// maxImportLines bounds how far above a name the import that it is part of may begin.
const maxImportLines = 100

// markImports marks the places that are imports themselves, at a server that leads there when it cannot resolve what is
// imported (Spec.ImportHeads).
func (s *Server) markImports(places []Place) {
	if len(s.spec.ImportHeads) == 0 {
		return
	}
	for i, p := range places {
		text, err := s.Text(p.Path)
		places[i].Import = err == nil && p.Err == nil && isImport(text, p, s.spec.ImportHeads)
	}
}

// isImport reports whether a name stands in a statement that begins with one of these heads, before it names the module.
func isImport(t *source.Text, p Place, heads []string) bool {
	at, err := t.Offset(p.Range.Start)
	if err != nil {
		return false
	}
	for n := p.Range.Start.Line; n >= max(1, p.Range.Start.Line-maxImportLines); n-- {
		line := strings.TrimSpace(t.Line(n))
		if slices.ContainsFunc(heads, func(head string) bool { return beginsWith(line, head) }) {
			return !strings.ContainsAny(t.Content()[t.LineStart(n):at], ";=(")
		}
		if n < p.Range.Start.Line && strings.ContainsAny(line, ";=()") {
			return false
		}
	}
	return false
}

// beginsWith reports whether a line begins with the words of a head, and not with a longer word.
func beginsWith(line, head string) bool {
	rest, ok := strings.CutPrefix(line, head)
	after, _ := utf8.DecodeRuneInString(rest)
	last, _ := utf8.DecodeLastRuneInString(head)
	return ok && (!source.IsWord(last) || !source.IsWord(after))
}
