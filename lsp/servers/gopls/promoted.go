package gopls

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// receiver matches the head of a method's declaration up to the name of its type (Go Specification, "Method
// declarations").
var receiver = source.LazyRegexp(`^func\s*\(\s*(?:[\pL_][\pL\pN_]*\s+)?\*?\s*([\pL_][\pL\pN_]*)`)

// declaredType is a type by the folder of its package and its name.
type declaredType struct{ folder, name string }

// promoted is [lsp.EditHooks].Promoted: gopls renames the method in the types that implement the interface by
// methods of their own. Of a type that embeds another it neither renames the method that comes from there nor says
// that the type no longer implements the interface.
func (a *Process) promoted(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) ([]lsp.Place,
	error) {
	places, err := s.Locate(ctx, lsp.MethodDefinition, path, at)
	if err != nil || len(places) != 1 || places[0].Err != nil || places[0].Gone {
		return nil, err
	}
	declared := places[0]
	symbols, _, err := s.DocumentSymbols(ctx, declared.Path)
	if err != nil {
		return nil, err
	}
	of := interfaceOf(symbols, declared.Range.Start)
	if of == nil {
		return nil, nil
	}
	methods, _, err := s.Implementations(ctx, declared.Path, declared.Range.Start)
	if err != nil {
		return nil, err
	}
	types, _, err := s.Implementations(ctx, declared.Path, of.NameAt.Start)
	if err != nil {
		return nil, err
	}
	implement := map[declaredType]bool{}
	for _, t := range types {
		implement[declaredType{filepath.Dir(t.Path), s.Documents().WordAt(t.Path, t.Range.Start)}] = true
	}
	var out []lsp.Place
	for _, m := range methods {
		on := receiver.FindStringSubmatch(m.Line)
		if m.Err == nil && on != nil && !implement[declaredType{filepath.Dir(m.Path), on[1]}] {
			out = append(out, m)
		}
	}
	return out, nil
}

// interfaceOf is the interface among symbols that declares a method at a position; nil when none does.
func interfaceOf(symbols []lsp.Symbol, at contract.Position) *lsp.Symbol {
	for i := range symbols {
		of := &symbols[i]
		if of.Kind == "interface" && slices.ContainsFunc(of.Children, func(m lsp.Symbol) bool {
			return m.Kind == "method" && m.NameAt.Start == at
		}) {
			return of
		}
	}
	return nil
}
