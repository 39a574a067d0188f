package resolve

import (
	"context"
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// checkSeen is an error where the server sees another symbol than the one that was asked about: its
// answer would be about that other one, and look right. Where the project lacks the file by which the
// server finds what the sources include (a compilation database), the error says so, with the step that
// makes one.
func checkSeen(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) error {
	check, err := s.CheckSymbol(ctx, at.Path, at.At)
	// Nothing seen is no error here: the server may still find the name by its text, which is told with the answer
	// (audit.Guessed).
	if err != nil || check.Match != lsp.MatchOther {
		return err
	}
	facts := contract.Facts{"server_id": s.ID(), "name": check.Word, "file_path": c.Show(at.Path), "line": at.At.Line,
		"seen": check.Symbols}
	message := fmt.Sprintf("%s does not resolve %s at %s:%d:%d and takes the place for %s",
		s.ID(), check.Word, c.Show(at.Path), at.At.Line, at.At.Character, strings.Join(check.Symbols, " and "))
	routes, err := c.Routes(at.Path)
	if err != nil {
		return err
	}
	for _, r := range routes {
		p := s.Projects().MissingForOne(r.Root)
		if r.Spec.ID != s.Spec().ID || p == nil || contract.Kind(p.Warning) != contract.KindNoCompilationDB {
			continue
		}
		facts["folder"], facts["markers"] = c.Show(r.Root), p.Files
		if m := p.Generator(source.Holds(r.Root)); m != nil {
			c.Step(loaded.GeneratorStep(c, m, r.Root))
		}
		return contract.Errorf(contract.KindNoCompilationDB, facts,
			"%s: %s has no %s, so it does not find all that the file includes",
			message, c.Folder(r.Root), strings.Join(p.Files, " or "))
	}
	return contract.Errorf(contract.KindUnresolvedName, facts, "%s", message)
}

// SymbolAt returns the symbol of a file whose name stands at a place; false where the server does not
// tell.
func SymbolAt(ctx context.Context, c *answer.Call, s *lsp.Snapshot, p lsp.Place) (symbol.Named, bool) {
	if !s.Offers(lsp.MethodDocumentSymbol) || !s.Spec().Serves(symbol.Base(p.Path)) {
		return symbol.Named{}, false
	}
	symbols, _, err := s.DocumentSymbols(ctx, p.Path)
	if err != nil {
		return symbol.Named{}, false // the answer does without
	}
	path := symbol.NameAt(symbols, p.Range.Start)
	if path == nil {
		return symbol.Named{}, false
	}
	all := flattenPath(path)
	return all[len(all)-1], true
}
