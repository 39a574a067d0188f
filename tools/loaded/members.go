package loaded

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
)

// ReceiverUntyped reports whether the server does not know the type of the value whose member stands at an offset, so
// that the member may be that of any class. The rules are those of the server's row; nil says that nobody can tell.
func ReceiverUntyped(ctx context.Context, s *lsp.Snapshot, rules *spec.Dynamic, text *source.Text, offset int) bool {
	before := strings.TrimRight(text.Content()[:offset], " \t\r\n.?!")
	if rules == nil || before == "" {
		return true
	}
	if last := before[len(before)-1]; last == '"' || last == '\'' || last == '`' {
		return false // a member of a string
	}
	from, to, ok := source.WordAround(before, len(before))
	if !ok || to != len(before) {
		return true // the result of a call, or an element
	}
	return Untyped(ctx, s, rules, text.Path, text.PositionAt(from))
}

// Untyped reports whether the server does not know the type of the value at a place.
func Untyped(ctx context.Context, s *lsp.Snapshot, rules *spec.Dynamic, path string, at contract.Position) bool {
	said, err := s.Hover(ctx, path, at)
	if rules == nil || err != nil || said == nil {
		return true
	}
	// The type stands in the code at the head of the hover; the text below it is documentation.
	code, _, fenced := answer.CutBlock(strings.TrimSpace(said.Text))
	// A module that TypeScript's server does not resolve has nothing but its import there (6.0.3).
	if !fenced || strings.Contains(code, "(module)") || strings.HasPrefix(code, "import ") {
		return true
	}
	return slices.ContainsFunc(rules.Untyped, func(word string) bool {
		return source.MayHoldWord([]byte(code), []byte(word))
	})
}
