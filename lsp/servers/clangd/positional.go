package clangd

import (
	"context"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// unnamed is [lsp.CoverageHooks].Unnamed: places where the type that declares a member is initialized by values without
// designators, which set the member by its place ([dcl.init.aggr], C 6.7.9). Only an aggregate is: a type with a
// constructor is not.
func (a *Process) unnamed(ctx context.Context, s *lsp.Snapshot, _ string, declared lsp.Place) (sure,
	doubtful []lsp.Place) {
	symbols, _, err := s.DocumentSymbols(ctx, declared.Path)
	if err != nil {
		return nil, nil
	}
	owner := ownerOf(symbols, declared.Range.Start)
	if owner == nil {
		return nil, nil
	}
	for _, m := range owner.Children {
		if m.Kind == "constructor" {
			return nil, nil
		}
	}
	places, err := s.References(ctx, declared.Path, owner.NameAt.Start, false)
	if err != nil {
		return nil, []lsp.Place{declared}
	}
	for _, p := range places {
		text, err := source.Read(p.Path)
		if err != nil {
			continue
		}
		if offset, err := text.Offset(p.Range.End); err == nil && setsByPlace(p.Path, text.Content()[offset:]) {
			doubtful = append(doubtful, p)
		}
	}
	return nil, doubtful
}

// ownerOf is the type that declares the field at a position; nil where none does.
func ownerOf(symbols []lsp.Symbol, at contract.Position) *lsp.Symbol {
	for i := range symbols {
		sym := &symbols[i]
		if !sym.Range.Contains(at) {
			continue
		}
		for _, m := range sym.Children {
			if m.Kind == "field" && m.NameAt.Contains(at) {
				return sym
			}
		}
		return ownerOf(sym.Children, at)
	}
	return nil
}

// setsByPlace reports whether the declaration or expression whose type ends where a text begins has an initializer
// with a value that no designator names.
func setsByPlace(path, rest string) bool {
	head, values, ok := strings.Cut(rest, "{")
	if !ok || strings.ContainsAny(head, ";()}") && !strings.Contains(head, "=") {
		return false
	}
	if i := strings.IndexAny(head, ";}"); i >= 0 {
		return false
	}
	values, _, _ = strings.Cut(values, ";")
	for _, line := range strings.Split(values, "\n") {
		for _, i := range lang.InCode(path, line, offsets(line)) {
			before := strings.TrimRight(line[:i], " \t{,")
			if line[i] != '.' && line[i] != '[' && line[i] != '}' && line[i] != '{' && line[i] != ',' &&
				(before == "" || strings.ContainsAny(line[len(before):i], "{,") && !strings.HasSuffix(before, "=")) {
				return true
			}
		}
	}
	return false
}

// offsets are those of the characters of a line that are no blanks.
func offsets(line string) (out []int) {
	for i := range len(line) {
		if line[i] != ' ' && line[i] != '\t' {
			out = append(out, i)
		}
	}
	return out
}
