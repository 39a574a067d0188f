package clangd

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
)

// Of relations clangd joins what the open files say to what its index on disk says, which may be of a text before, and has no means to tell
// ("we might return stale relations", MergedIndex; 22.1.8).

// Some servers keep what the types of a file derive from, and what its methods override, as it was when they indexed the
// file, whatever they are sent later, and over restarts . Where an answer that rests on that names
// files that changed, it is held against what the server reads from their texts: the types above. What these refute is left
// out; what they leave open makes the answer partial.

// maxConfirmed bounds the places that are confirmed one by one; those beyond it stay open.
const maxConfirmed = 32

// maxAbove bounds the types that are visited above one.
const maxAbove = 32

// relation says whether what a server keeps is so in the text as well.
type relation uint8

const (
	refuted relation = iota
	open
	holds
)

// tester makes the test of one place of an answer, by its index. It is made only where there is something to test.
type tester func() (func(i int) (relation, error), error)

// confirm tells which places of an answer stay: not those that the text refutes. What is in files that did not change is
// not tested.
func (a *Adapter) confirm(ctx context.Context, s *lsp.Snapshot, places []lsp.Place, prepare tester) (stays func(i int) bool, err error) {
	out := map[int]bool{}
	stays = func(i int) bool { return !out[i] }
	if !s.Verifies() || len(places) == 0 {
		return stays, nil
	}
	changed, all := a.Server.ChangedSinceIndexed()
	var old []int
	for i, p := range places {
		if !p.Gone && (all || changed[p.Path]) {
			old = append(old, i)
		}
	}
	if len(old) == 0 {
		return stays, nil
	}
	test, unable := prepare()
	for n, i := range old {
		is, err := open, unable
		if err == nil && n < maxConfirmed {
			is, err = test(i)
		}
		switch {
		case err != nil && lsp.FatalAnswer(err):
			return nil, err
		case err != nil, is == open:
			s.LeaveOpen()
		case is == refuted:
			out[i] = true
		}
	}
	return stays, nil
}

// ConfirmImplementations is confirm of what implements the type, or overrides the method, at a position.
func (a *Adapter) ConfirmImplementations(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position, places []lsp.Place) ([]lsp.Place, error) {
	stays, err := a.confirm(ctx, s, places, func() (func(int) (relation, error), error) {
		bases, err := s.PrepareHierarchy(ctx, lsp.MethodTypeHierarchy, path, at) // of a method: the type that it belongs to
		if err != nil {
			return nil, err
		}
		word := a.Server.WordAt(path, at)
		if slices.ContainsFunc(bases, func(b lsp.HierarchyItem) bool { return b.Name == word }) {
			return func(i int) (relation, error) { return a.derives(ctx, s, places[i], "", bases, 1) }, nil
		}
		method, err := a.declared(ctx, s, path, at)
		return func(i int) (relation, error) { return a.overrides(ctx, s, places[i], method, bases) }, err
	})
	if err != nil {
		return nil, err
	}
	kept := places[:0:0]
	for i, p := range places {
		if stays(i) {
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// ConfirmSubtypes is confirm of what stands right below a type.
func (a *Adapter) ConfirmSubtypes(ctx context.Context, s *lsp.Snapshot, base lsp.HierarchyItem, items []lsp.HierarchyItem) ([]lsp.HierarchyItem, error) {
	places := make([]lsp.Place, len(items))
	for i := range items {
		places[i] = items[i].Place
	}
	stays, err := a.confirm(ctx, s, places, func() (func(int) (relation, error), error) {
		return func(i int) (relation, error) {
			return a.derives(ctx, s, places[i], items[i].Name, []lsp.HierarchyItem{base}, 1)
		}, nil
	})
	if err != nil {
		return nil, err
	}
	kept := items[:0:0]
	for i, item := range items {
		if stays(i) {
			kept = append(kept, item)
		}
	}
	return kept, nil
}

// overrides tests a method: it has the same name, and the same type as the server writes it, and belongs to a type that
// derives from the bases.
func (a *Adapter) overrides(ctx context.Context, s *lsp.Snapshot, p lsp.Place, method *lsp.Symbol, bases []lsp.HierarchyItem) (relation, error) {
	if !a.isName(p) {
		return refuted, nil
	}
	own, err := a.declared(ctx, s, p.Path, p.Range.Start)
	switch {
	case err != nil || own == nil || method == nil:
		return open, err
	case lsp.LastWord(own.Name) != lsp.LastWord(method.Name) && !strings.HasPrefix(own.Name, "~"):
		return refuted, nil
	}
	is, err := a.derives(ctx, s, p, "", bases, maxAbove)
	if is == holds && own.Detail != method.Detail { // another overload, or the same in other words
		is = open
	}
	return is, err
}

// derives tests the type at a place, or the one that a method there belongs to: it has the name, where one is known, and
// one of the bases stands above it, at most so many levels.
func (a *Adapter) derives(ctx context.Context, s *lsp.Snapshot, p lsp.Place, name string, bases []lsp.HierarchyItem, levels int) (relation, error) {
	if !a.isName(p) {
		return refuted, nil
	}
	items, err := s.PrepareHierarchy(ctx, lsp.MethodTypeHierarchy, p.Path, p.Range.Start)
	if err != nil || len(items) == 0 { // the place of a type that a macro made
		return open, err
	}
	if name != "" && !slices.ContainsFunc(items, func(i lsp.HierarchyItem) bool { return i.Name == name }) {
		return refuted, nil
	}
	visited, is := 0, refuted
	for level := 0; level < levels && len(items) > 0; level++ {
		var above []lsp.HierarchyItem
		for _, i := range items {
			if visited++; visited > maxAbove {
				return open, nil
			}
			types, err := s.Types(ctx, lsp.MethodSupertypes, i)
			if err != nil {
				return open, err
			}
			above = append(above, types...)
		}
		for _, a := range above {
			is = max(is, among(bases, a))
		}
		if is == holds {
			break
		}
		items = above
	}
	return is, nil
}

// among tests whether an item is one of others. Items of one symbol differ in what the server packs into them; one of the
// same name elsewhere may be another, or the same before its file moved.
func among(others []lsp.HierarchyItem, i lsp.HierarchyItem) relation {
	is := refuted
	for _, o := range others {
		switch {
		case o.Name == i.Name && o.Place.Path == i.Place.Path:
			return holds
		case o.Name == i.Name:
			is = open
		}
	}
	return is
}

// isName reports whether a place has one whole name, or the sign that a destructor's begins with.
func (a *Adapter) isName(p lsp.Place) bool {
	if p.Err != nil {
		return false
	}
	text, err := a.Server.Text(p.Path)
	if err != nil {
		return false
	}
	held := lsp.Held(text, p.Range)
	return held == "~" || held != "" && held == text.WordAt(p.Range.Start)
}

// declared is the symbol of a file whose name is at a position; nil when there is none.
func (a *Adapter) declared(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) (*lsp.Symbol, error) {
	symbols, _, err := s.DocumentSymbols(ctx, path)
	if err != nil {
		return nil, err
	}
	return namedAt(symbols, at), nil
}

func namedAt(symbols []lsp.Symbol, at contract.Position) *lsp.Symbol {
	for i := range symbols {
		if found := namedAt(symbols[i].Children, at); found != nil {
			return found
		}
		if symbols[i].NameAt.Contains(at) {
			return &symbols[i]
		}
	}
	return nil
}
