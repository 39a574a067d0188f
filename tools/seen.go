package tools

import (
	"context"
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/lsp"
)

// seen is an error where the server sees another symbol than the one that was asked about: what it answers would be about
// that one. Where a file is missing by which it finds what the sources include, that is the reason.
func (c *Call) seen(ctx context.Context, s *lsp.Server, at spot) error {
	sight, err := s.See(ctx, at.path, at.at)
	if err != nil || sight.Seen != lsp.SeenOther {
		return err
	}
	facts := contract.Facts{"server_id": s.ID(), "name": sight.Word, "file_path": c.show(at.path), "line": at.at.Line, "seen": sight.Symbols}
	message := fmt.Sprintf("%s does not resolve %s at %s:%d:%d and takes the place for %s",
		s.ID(), sight.Word, c.show(at.path), at.at.Line, at.at.Character, strings.Join(sight.Symbols, " and "))
	routes, err := c.routes(at.path)
	if err != nil {
		return err
	}
	for _, r := range routes {
		p := s.MissingForOne(r.Root)
		if r.Spec.ID != s.Spec().ID || p == nil || contract.Kind(p.Warning) != contract.KindNoCompilationDB {
			continue
		}
		facts["folder"], facts["markers"] = c.show(r.Root), p.Files
		if m := p.Maker(lsp.Holds(r.Root)); m != nil {
			c.step(c.madeBy(m, r.Root))
		}
		return contract.Errorf(contract.KindNoCompilationDB, facts, "%s: %s has no %s, so it does not find all that the file includes",
			message, c.folder(r.Root), strings.Join(p.Files, " or "))
	}
	return contract.Errorf(contract.KindUnresolvedName, facts, "%s", message)
}

// symbolAt is the symbol of the file whose name stands at a place.
func (c *Call) symbolAt(ctx context.Context, s *lsp.Server, p lsp.Place) (named, bool) {
	if !s.Offers(lsp.MethodDocumentSymbol) || !s.Spec().Serves(base(p.Path)) {
		return named{}, false
	}
	symbols, _, err := s.DocumentSymbols(ctx, p.Path)
	if err != nil {
		return named{}, false // the answer does without
	}
	path := nameAt(symbols, p.Range.Start)
	if path == nil {
		return named{}, false
	}
	all := flattenPath(path)
	return all[len(all)-1], true
}
