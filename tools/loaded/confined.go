package loaded

import (
	"context"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/symbol"
)

// Confined reports whether what stands at a place can only be used in the file that declares it, by the rules of
// its language ([*lsp.ScopeHooks]): a parameter, a variable of a function, what a source keeps to itself that
// none of others includes. false when nobody can tell. others are the sources that would be told otherwise; they
// matter only for what a file keeps to itself, because one that includes that file has it too.
func Confined(ctx context.Context, s *lsp.Snapshot, at symbol.Located, others []lsp.Uncovered) bool {
	rules := s.Hooks().Scopes
	if rules == nil || at.Name == "" || !s.Offers(lsp.MethodDefinition) {
		return false
	}
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	if err != nil || len(places) != 1 || places[0].Err != nil || places[0].Gone {
		return false
	}
	// Everything below is judged at the declaration, which may be in another file than the asked place.
	declared := places[0]
	if symbol.WordAt(declared) != at.Name {
		return false // a macro made it
	}
	said, err := s.Hover(ctx, declared.Path, declared.Range.Start)
	if err != nil || said == nil {
		return false
	}
	if rules.IsParameter(said.Text) {
		return true
	}
	// Not a parameter. What surrounds the declaration decides: a symbol of its own is taken off the path, so that
	// only its scopes are left.
	symbols, _, err := s.DocumentSymbols(ctx, declared.Path)
	if err != nil {
		return false
	}
	around := symbol.Enclosing(symbols, declared.Range.Start)
	if named := len(around) > 0 && around[len(around)-1].NameAt.Contains(declared.Range.Start); named {
		if len(symbol.Components(around[len(around)-1].Name)) > 1 {
			return false // a member that is defined outside of its type
		}
		around = around[:len(around)-1]
	} else if len(around) > 0 && symbol.IsFunction(around[len(around)-1].Kind) {
		// In a function, and no symbol of its own: a local variable. One that is declared extern belongs to another
		// place.
		return rules.IsVariable(said.Text) && !strings.Contains(declared.Line, "extern")
	}
	// Private to its file, and none of the others includes that file: an include names it before a closing quote. A
	// source that cannot be read may.
	return isPrivate(rules, declared, around) && !slices.ContainsFunc(others, func(u lsp.Uncovered) bool {
		text, err := source.Read(u.Path)
		return err != nil || strings.Contains(text.Content(), symbol.Base(declared.Path)+`"`) ||
			strings.Contains(text.Content(), symbol.Base(declared.Path)+">")
	})
}

// isPrivate reports whether a declaration of a file, or of namespaces in it, is one that the file keeps
// to itself (static, an unnamed namespace).
func isPrivate(rules *lsp.ScopeHooks, declared lsp.Place, around []lsp.Symbol) bool {
	var namespaces []string
	for _, sym := range around {
		if sym.Kind != "namespace" {
			// a member may be one of a type that others know: clangd lists the uses of what it overrides (22.1.8)
			return false
		}
		namespaces = append(namespaces, sym.Name)
	}
	return rules.IsPrivate(declared.Path, declared.Line, namespaces)
}
