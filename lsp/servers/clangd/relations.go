package clangd

import (
	"context"
	"errors"
	"slices"
	"sync"

	"lspi/contract"
	"lspi/lsp"
)

// clangd joins what the open files say of types to what its index on disk says, which keeps what the types of a
// file derive from, and what their methods override, as it was when the file was indexed, over restarts too ("we
// might return stale relations", MergedIndex; 22.1.8). Places of an answer in files that have changed since lspi
// looks at them are therefore held against the types above them, which clangd reads from the text: what these
// refute is left out, what they leave open makes the answer partial.

// maxConfirmed bounds the places of an answer that are tested; those beyond it stay open. maxAbove bounds the types
// that are visited above one.
const maxConfirmed, maxAbove = 32, 32

// relation says whether what the index keeps is so in the text as well.
// In this order, so that max takes the better of two.
type relation uint8

const (
	refuted relation = iota
	open
	holds
)

// confirmImplementations is [lsp.SymbolHooks].ConfirmImplementations.
func (a *Process) confirmImplementations(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position,
	places []lsp.Place) ([]lsp.Place, error) {
	// Asked once and only when a place has to be tested: most answers are about files that have not changed.
	bases := sync.OnceValues(func() ([]lsp.HierarchyItem, error) { // of a method: the type that it belongs to
		return s.PrepareHierarchy(ctx, lsp.MethodTypeHierarchy, path, at)
	})
	word := a.Server.Documents().WordAt(path, at)
	place := func(p lsp.Place) lsp.Place { return p }
	return confirmed(a, s, places, place, func(p lsp.Place) (relation, error) {
		above, err := bases()
		if err != nil {
			return open, err
		}
		// The question is about the type itself: its implementations are the types right below it.
		if slices.ContainsFunc(above, func(b lsp.HierarchyItem) bool { return b.Name == word }) {
			return a.derives(ctx, s, p, "", above, 1)
		}
		// The question is about a method: an override has its name and stands in a type somewhere below.
		is, err := a.derives(ctx, s, p, word, above, maxAbove)
		if is != holds || err != nil {
			return is, err
		}
		own, err := signature(ctx, s, p.Path, p.Range.Start)
		asked, failed := signature(ctx, s, path, at)
		// It cannot be refuted by the words alone: an alias of a parameter's type is written otherwise and means
		// the same.
		if own == "" || own != asked { // another overload, or the same in other words
			is = open
		}
		return is, errors.Join(err, failed)
	})
}

// signature is what clangd writes of the type of the method whose name stands at a position; "" when none does.
func signature(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) (detail string, err error) {
	symbols, _, err := s.DocumentSymbols(ctx, path)
	if own := symbolAt(symbols, at); own != nil {
		detail = own.Detail
	}
	return detail, err
}

// confirmSubtypes is [lsp.SymbolHooks].ConfirmSubtypes.
func (a *Process) confirmSubtypes(ctx context.Context, s *lsp.Snapshot, base lsp.HierarchyItem,
	items []lsp.HierarchyItem) ([]lsp.HierarchyItem, error) {
	place := func(i lsp.HierarchyItem) lsp.Place { return i.Place }
	return confirmed(a, s, items, place, func(i lsp.HierarchyItem) (relation, error) {
		return a.derives(ctx, s, i.Place, lsp.LastWord(i.Name), []lsp.HierarchyItem{base}, 1)
	})
}

// confirmed are the parts of an answer that the test does not refute. It tests those in changed files only.
func confirmed[T any](a *Process, s *lsp.Snapshot, all []T, place func(T) lsp.Place,
	test func(T) (relation, error)) (kept []T, err error) {
	// Where nobody reads what was left open a test would be work for nothing.
	if !s.Verifies() || len(all) == 0 {
		return all, nil
	}
	changed, every := a.Server.Folders().Changed()
	every = every || len(a.external()) > 0 // of which nobody knows here what changed since it was made
	tested := 0
	for _, one := range all {
		is := holds
		// What the index says of a file that has not changed since is true.
		if p := place(one); !p.Gone && (every || changed[p.Path]) {
			is = open
			// What is beyond stays in the answer, which is then partial.
			if tested++; tested <= maxConfirmed {
				is, err = test(one)
			}
			if err != nil && lsp.FatalAnswer(err) {
				return nil, err
			}
			if err != nil || is == open {
				is = open
				s.LeaveOpen()
			}
		}
		if is != refuted {
			kept = append(kept, one)
		}
	}
	return kept, nil
}

// derives tests the type at a place, or the one that a method there belongs to: the place has the name ("" is any),
// and one of the bases stands above the type, at most so many levels.
func (a *Process) derives(ctx context.Context, s *lsp.Snapshot, p lsp.Place, name string, bases []lsp.HierarchyItem,
	levels int) (relation, error) {
	if !a.hasName(p, name) {
		return refuted, nil
	}
	items, err := s.PrepareHierarchy(ctx, lsp.MethodTypeHierarchy, p.Path, p.Range.Start)
	if err != nil || len(items) == 0 { // the place of a type that a macro made
		return open, err
	}
	visited, is := 0, refuted
	for level := 0; level < levels && len(items) > 0 && is != holds; level++ {
		var above []lsp.HierarchyItem
		for _, i := range items {
			// A deep or wide hierarchy is left open rather than followed to its end.
			if visited++; visited > maxAbove {
				return open, nil
			}
			types, err := s.Types(ctx, lsp.MethodSupertypes, i)
			if err != nil {
				return open, err
			}
			above = append(above, types...)
		}
		for _, i := range above {
			// All of a level are looked at, since one of them may hold where another leaves it open.
			is = max(is, among(bases, i))
		}
		items = above
	}
	return is, nil
}

// among tests whether an item is one of others. Items of one symbol differ in what the server packs into them; one
// of the same name elsewhere may be another, or the same before its file moved.
func among(others []lsp.HierarchyItem, i lsp.HierarchyItem) relation {
	is := refuted
	for _, o := range others {
		switch {
		// The line is not compared: it moves with every edit above it.
		case o.Name == i.Name && o.Place.Path == i.Place.Path:
			return holds
		case o.Name == i.Name:
			is = open
		}
	}
	return is
}

// hasName reports whether a place is the whole name, or any whole name for ""; or the sign that a destructor's
// begins with. A place that does not hold the name any more is refuted by the text alone, without a request.
func (a *Process) hasName(p lsp.Place, name string) bool {
	text, err := a.Server.Documents().Text(p.Path)
	if err != nil || p.Err != nil {
		return false
	}
	held := lsp.Held(text, p.Range)
	return held == "~" || held != "" && held == text.WordAt(p.Range.Start) && (name == "" || held == name)
}
