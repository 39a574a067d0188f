package tsserver

import (
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/internal/source"
	"lspi/lsp"
)

// importHeads are how statements begin that import, or re-export.
var importHeads = []string{"import", "export {", "export *", "export type {"}

// maxImportLines bounds how far above a name the import that it is part of may begin.
const maxImportLines = 100

// isImport is [lsp.SymbolHooks].IsImport: the definition of what the server cannot resolve is the import, or the
// re-export, that names it.
func isImport(t *source.Text, p lsp.Place) bool {
	at, err := t.Offset(p.Range.Start)
	if err != nil {
		return false
	}
	for n := p.Range.Start.Line; n >= max(1, p.Range.Start.Line-maxImportLines); n-- {
		line := strings.TrimSpace(t.Line(n))
		if slices.ContainsFunc(importHeads, func(head string) bool { return beginsWith(line, head) }) {
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
