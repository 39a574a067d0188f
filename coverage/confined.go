package coverage

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/answer"
	"lspi/lsp"
	"lspi/qname"
	"lspi/source"
)

// confined reports whether what stands at a place can only be used in the file that declares it, by the rules of its
// language ([lsp.Scopes]): a parameter, a variable of a function, what a source keeps to itself that none of others includes. false when
// nobody can tell.
func confined(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at qname.Located, others []Holder) bool {
	rules := s.Spec().Scopes
	if rules == nil || at.Name == "" || !s.Offers(lsp.MethodDefinition) {
		return false
	}
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	if err != nil || len(places) != 1 || places[0].Err != nil || places[0].Gone {
		return false
	}
	declared := places[0]
	if word := SpelledAt(c, declared, ""); word != at.Name {
		return false // a macro made it
	}
	said, err := s.Hover(ctx, declared.Path, declared.Range.Start)
	if err != nil || said == nil {
		return false
	}
	if beginsWithAny(said.Text, rules.Parameters) {
		return true
	}
	symbols, _, err := s.DocumentSymbols(ctx, declared.Path)
	if err != nil {
		return false
	}
	around := enclosing(symbols, declared.Range.Start)
	if named := len(around) > 0 && around[len(around)-1].NameAt.Contains(declared.Range.Start); named {
		around = around[:len(around)-1]
	} else if len(around) > 0 && isFunction(around[len(around)-1].Kind) {
		return beginsWithAny(said.Text, rules.Variables) && !strings.Contains(declared.Line, "extern")
	}
	return isPrivate(c, rules, declared, around) && !slices.ContainsFunc(others, func(h Holder) bool {
		text, err := source.Read(h.Path)
		return err != nil || strings.Contains(text.Content(), qname.Base(declared.Path)+`"`)
	})
}

// isPrivate reports whether a declaration of a file, or of namespaces in it, is one that the file keeps to itself.
func isPrivate(c *answer.Call, rules *lsp.Scopes, declared lsp.Place, around []lsp.Symbol) bool {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(declared.Path), "."))
	if !slices.Contains(rules.Sources, ext) {
		return false // a header is part of each source that includes it
	}
	if slices.ContainsFunc(around, func(sym lsp.Symbol) bool { return sym.Kind != "namespace" }) {
		return false // a member may be one of a type that others know: clangd lists the uses of what it overrides (22.1.8)
	}
	if slices.ContainsFunc(around, func(sym lsp.Symbol) bool { return slices.Contains(rules.Unnamed, sym.Name) }) {
		return true
	}
	return beginsWithAny(strings.TrimSpace(declared.Line), rules.Private)
}

func beginsWithAny(text string, beginnings []string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(text, b) })
}

// SpelledAt is the identifier that stands at a place: gopls 0.23 calls the initializer of a package variable init.
func SpelledAt(c *answer.Call, p lsp.Place, name string) string {
	if from, to, ok := source.WordAround(p.Line, qname.ByteOffset(p.Line, p.Range.Start.Character)); ok {
		return p.Line[from:to]
	}
	return name
}
