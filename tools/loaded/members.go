package loaded

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/symbol"
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
	return !fenced || strings.Contains(code, "(module)") || strings.HasPrefix(code, "import ") || slices.ContainsFunc(rules.Untyped, func(word string) bool {
		return source.MayHoldWord([]byte(code), []byte(word))
	})
}

// openMember warns where a member has no definition that the server tells, and the file has no error: what it belongs
// to is not known, or gets members only when the program runs. It is for an empty answer about a member, in a file
// whose errors do not explain it ([Unresolved]). It reports whether nothing more has to be said.
func openMember(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) bool {
	rules := s.Spec().Dynamic
	text, err := s.Documents().Text(at.Path)
	if rules == nil || err != nil {
		return false
	}
	offset, err := text.Offset(at.At)
	// Names such as __init__ belong to the language: every type may have them without a declaration.
	if err != nil || !lang.BehindDot(text.Content()[:offset]) || strings.HasPrefix(at.Name, "__") {
		return strings.HasPrefix(at.Name, "__")
	}
	facts := contract.Facts{"name": at.Name, "file_path": c.Show(at.Path), "line": at.At.Line}
	before := strings.TrimRight(text.Content()[:offset], " \t\r\n.?!")
	if from, to, ok := source.WordAround(before, len(before)); ok && to == len(before) {
		if p, function := servedBy(ctx, s, rules, at.Path, text.PositionAt(from)); function != "" {
			facts["file_path"], facts["line"] = c.Show(p.Path), p.Range.Start.Line
			c.Warn(contract.WarnUnresolved, facts,
				fmt.Sprintf("%s gives no definition of %s: %s at %s:%d defines it only at run time",
					s.ID(), at.Name, function, c.Show(p.Path), p.Range.Start.Line))
			return true
		}
	}
	if len(rules.Serving) > 0 || ReceiverUntyped(ctx, s, rules, text, offset) {
		c.Warn(contract.WarnUnresolved, facts,
			fmt.Sprintf("%s gives no definition of %s: no type that it knows before the dot declares it", s.ID(),
				at.Name))
		return true
	}
	return false
}

// servedBy returns the function by which the module or class that stands at a place has members that
// nobody declares (__getattr__); "" when there is none. The place has the path and the range of the
// function's name, and no line.
func servedBy(ctx context.Context, s *lsp.Snapshot, rules *spec.Dynamic, path string,
	at contract.Position) (place lsp.Place, function string) {
	for _, method := range []string{lsp.MethodDefinition, lsp.MethodTypeDefinition} {
		if !s.Offers(method) || len(rules.Serving) == 0 {
			continue
		}
		// A module is found by its definition, the class of a value by its type.
		owners, _ := s.Locate(ctx, method, path, at)
		for _, p := range owners {
			symbols, _, err := s.DocumentSymbols(ctx, p.Path)
			if p.Err != nil || p.Gone || err != nil {
				continue
			}
			members := symbols // of a module, to whose beginning the server leads
			if p.Range.Start != (contract.Position{Line: 1, Character: 1}) {
				members = nil
				if owner := symbol.NameAt(symbols, p.Range.Start); len(owner) > 0 &&
					symbol.IsTypeKind(owner[len(owner)-1].Kind) {
					members = owner[len(owner)-1].Children
				}
			}
			for _, m := range members {
				if slices.Contains(rules.Serving, m.Name) {
					return lsp.Place{Path: p.Path, Range: m.NameAt}, m.Name
				}
			}
		}
	}
	return lsp.Place{}, ""
}
