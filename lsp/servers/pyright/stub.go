package pyright

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// stubExtension is that of files that declare what the source of the same name beside them defines.
const stubExtension = ".pyi"

// inStub is [lsp.CoverageHooks].InStub. Where a stub stands beside a source, uses in other files are those of the
// stub, so that a question about the source alone would miss them. The place in the stub is found by names, from
// the class inward, because the two texts differ line by line. nil means that there is no stub, or that it does not
// declare the name.
func (a *Process) inStub(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) (out []lsp.Place) {
	if !s.Offers(lsp.MethodDefinition) {
		return nil
	}
	defined, err := s.Locate(ctx, lsp.MethodDefinition, path, at)
	// Without a definition the place that was asked about is taken for the declaration itself.
	if err != nil || len(defined) == 0 {
		defined = []lsp.Place{{Path: path, Range: contract.Range{Start: at, End: at}}}
	}
	for _, d := range defined {
		stub := strings.TrimSuffix(d.Path, filepath.Ext(d.Path)) + stubExtension
		// Asked in the stub itself there is nothing to add, and a dependency is not searched.
		if d.Path == stub || !s.Folders().Inside(d.Path) || !source.Exists(stub) {
			continue
		}
		symbols, _, err := s.DocumentSymbols(ctx, d.Path)
		if err != nil {
			continue
		}
		others, _, err := s.DocumentSymbols(ctx, stub)
		if err != nil {
			continue
		}
		for _, symbol := range same(others, namesTo(symbols, d.Range.Start)) {
			out = append(out, lsp.Place{Path: stub, Range: symbol.NameAt})
		}
	}
	return out
}

// namesTo are the names of the symbols around a position, the one that is named there last; nil when none is.
func namesTo(symbols []lsp.Symbol, at contract.Position) []string {
	for _, symbol := range symbols {
		if symbol.NameAt.Contains(at) {
			return []string{symbol.Name}
		}
		if below := namesTo(symbol.Children, at); below != nil {
			return append([]string{symbol.Name}, below...)
		}
	}
	return nil
}

// same are the symbols with these names: several where a function is overloaded.
func same(symbols []lsp.Symbol, names []string) (out []lsp.Symbol) {
	for _, symbol := range symbols {
		switch {
		case len(names) == 0 || symbol.Name != names[0]:
		case len(names) == 1:
			out = append(out, symbol)
		default:
			out = append(out, same(symbol.Children, names[1:])...)
		}
	}
	return out
}

// referencesInStub is [lsp.CoverageHooks].ReferencesInStub.
func (a *Process) referencesInStub(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position,
	declaration bool, places []lsp.Place) ([]lsp.Place, error) {
	for _, stub := range a.inStub(ctx, s, path, at) {
		more, err := s.References(ctx, stub.Path, stub.Range.Start, declaration)
		if err != nil {
			return places, err
		}
		for _, p := range more {
			if !slices.ContainsFunc(places, func(k lsp.Place) bool {
				return k.Path == p.Path && k.Range.Start == p.Range.Start
			}) {
				places = append(places, p)
			}
		}
	}
	return places, nil
}
