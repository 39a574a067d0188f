package clangd

import (
	"context"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp"
)

// unseenUse is [lsp.EditHooks].UnseenUse: a variable that nothing names may be there because making it runs code, as
// one that registers something does. A rename keeps that.
func (a *Process) unseenUse(ctx context.Context, s *lsp.Snapshot, declared lsp.Place, name, as string) string {
	symbols, text, err := s.DocumentSymbols(ctx, declared.Path)
	own := symbolAt(symbols, declared.Range.Start)
	if as != "" || err != nil || own == nil || own.Kind != "variable" && own.Kind != "constant" {
		return ""
	}
	start, err := text.Offset(own.Range.Start)
	from, nameErr := text.Offset(own.NameAt.End)
	to, endErr := text.Offset(own.Range.End)
	if err != nil || nameErr != nil || endErr != nil || start > from || from > to ||
		madeByCompiler.MatchString(text.Content()[start:from]) {
		return ""
	}
	if called := calls.FindStringSubmatch(text.Content()[from:to]); called != nil {
		return "making " + name + " calls " + called[1]
	}
	q := implicit{a: a, s: s}
	types, _ := q.typesAt(ctx, text, from-1)
	for _, p := range types {
		if _, ours := source.RelativeTo(s.Root(), p.Path); !ours {
			continue
		}
		symbols, of, err := s.DocumentSymbols(ctx, p.Path)
		class := symbolAt(symbols, p.Range.Start)
		if err != nil || class != nil && (hasBases(of, class) || slices.ContainsFunc(class.Children,
			func(m lsp.Symbol) bool { return m.Kind == "constructor" || strings.HasPrefix(m.Name, "~") })) {
			return "making " + name + " runs code of its type"
		}
	}
	return ""
}

var (
	// calls matches a call in an initializer.
	calls = source.LazyRegexp(`[=({,][^"]*?\b([A-Za-z_]\w*)\s*\(`)
	// madeByCompiler matches the words of a variable that no code makes when the program runs.
	madeByCompiler = source.LazyRegexp(`\b(?:constexpr|constinit|extern)\b`)
)
