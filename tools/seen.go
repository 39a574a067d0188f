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

// guessed says that places were found by the name alone.
func (c *Call) guessed(s *lsp.Server, at spot, places []lsp.Place) {
	for _, p := range places {
		if p.Guess {
			c.warn(contract.WarnUnresolved, contract.Facts{"name": at.name, "file_path": c.show(at.path), "line": at.at.Line}, fmt.Sprintf(
				"%s sees no symbol at %s in line %d of %s, which is not compiled, is the text of a macro or depends on a template's arguments; it looked for the name",
				s.ID(), at.name, at.at.Line, c.show(at.path)))
			return
		}
	}
}
