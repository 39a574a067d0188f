package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// atExactly is [Call.at] for tools that change files: f runs only at an identifier that stands exactly where the target
// says, and only when it can mean one symbol. What is nearly there is offered as a step.
func (c *Call) atExactly(ctx context.Context, t Target, method string, f func(context.Context, *lsp.Server, spot) error) error {
	if err := t.check(); err != nil {
		return err
	}
	var path string
	find := func(ctx context.Context, s *lsp.Server) (spot, error) { return c.find(ctx, s, path, t) }
	if t.FilePath == "" {
		found, err := c.lookup(ctx, t)
		if err != nil {
			return err
		}
		path, find = found.path, func(context.Context, *lsp.Server) (spot, error) { return found, nil }
	} else {
		var err error
		if path, err = c.path(t.FilePath); err != nil {
			return err
		}
	}
	done := false
	err := c.askFor(ctx, lsp.RoleEdits, path, method, func(ctx context.Context, s *lsp.Server) error {
		done = false
		found, err := find(ctx, s)
		if err == nil {
			found, err = c.exact(ctx, s, t, found)
		}
		if err == nil {
			err = c.seen(ctx, s, found)
		}
		if err == nil {
			err = f(ctx, s, found)
		}
		done = err == nil
		return err
	})
	if err == nil && !done { // what a server refuses while it loads is a partial answer to those who read, and none here
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": c.serverID},
			"%s still loads the project and does not answer %s yet", c.serverID, method)
	}
	return err
}

// exact refuses a spot that is not the one that a target says, or only one of several. Its position is then that where
// the identifier begins.
func (c *Call) exact(ctx context.Context, s *lsp.Server, t Target, found spot) (spot, error) {
	text, err := s.Text(found.path)
	if err != nil {
		return found, err
	}
	offset, err := text.Offset(found.at)
	if err != nil {
		return found, err
	}
	line, start := text.Line(found.at.Line), text.LineStart(found.at.Line)
	from, to, ok := source.WordAround(line, offset-start)
	if !ok || source.IsNumber(line[from:to]) {
		return found, contract.Errorf(contract.KindNotAnIdentifier,
			contract.Facts{"file_path": found.path, "line": found.at.Line, "character": found.at.Character},
			"there is no identifier at %s:%d:%d", c.show(found.path), found.at.Line, found.at.Character)
	}
	given := found.at
	found.name, found.at = line[from:to], text.PositionAt(start+from)
	moved := found.adjusted != nil || t.Character > 0 && given != contract.Position{Line: t.Line, Character: t.Character}
	if moved || t.SymbolName != "" && lastComponent(t.SymbolName) != found.name {
		return found, c.inexact(t, found)
	}
	switch {
	case t.Character > 0, t.FilePath == "":
		return found, nil
	case t.Line > 0:
		return found, c.onlyOne(ctx, s, text, t, found, found.at.Line, found.at.Line)
	case found.sym == nil:
		return found, c.onlyOne(ctx, s, text, t, found, 1, text.Lines())
	}
	return found, nil
}

// inexact is the error for a target that means a place nearby, with the step that says it exactly.
func (c *Call) inexact(t Target, found spot) error {
	c.step(c.repeat(fmt.Sprintf("Retry with the %s at %s:%d:%d.", found.name, c.show(found.path), found.at.Line, found.at.Character),
		exactly(c, found.path, found.at)))
	place := fmt.Sprintf("line %d", t.Line)
	if t.Character > 0 {
		place += fmt.Sprintf(", character %d", t.Character)
	}
	what := t.SymbolName
	if what == "" {
		what = "an identifier"
	}
	return contract.Errorf(contract.KindNotAnIdentifier,
		contract.Facts{"file_path": found.path, "line": t.Line, "character": t.Character,
			"closest_line": found.at.Line, "closest_character": found.at.Character},
		"%s does not stand at %s of %s, but %s at %d:%d; tools that change files take exact positions only",
		what, place, c.show(found.path), found.name, found.at.Line, found.at.Character)
}

// exactly are the arguments that mean one position.
func exactly(c *Call, path string, at contract.Position) map[string]any {
	return map[string]any{"file_path": c.show(path), "line": at.Line, "character": at.Character, "symbol_name": nil, "symbol_kind": nil}
}

// maxCompared bounds the uses of a name that are compared; with more of them nobody knows whether they are one symbol.
const maxCompared = 100

// onlyOne makes sure that a name means one symbol on lines first to last: locals of one name are many.
func (c *Call) onlyOne(ctx context.Context, s *lsp.Server, text *source.Text, t Target, found spot, first, last int) error {
	if !s.Offers(lsp.MethodDefinition) {
		return nil
	}
	var groups []sameSymbol
	compared := 0
	for n := first; n <= last; n++ {
		line := text.Line(n)
		for _, i := range lang.InCode(found.path, line, source.Occurrences(line, found.name)) {
			at := text.PositionAt(text.LineStart(n) + i)
			if compared++; compared > maxCompared {
				return c.manyUses(t, found)
			}
			places, err := s.Locate(ctx, lsp.MethodDefinition, found.path, at)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err == nil && len(places) > 0 {
				groups = join(groups, newSameSymbol(found.path, at, places))
			}
		}
	}
	if len(groups) < 2 {
		return nil
	}
	var out []candidate
	for _, g := range groups {
		out = append(out, candidate{found.name, "", c.show(found.path), g.first.Line, g.first.Character})
	}
	return ambiguous(t.SymbolName, out)
}

// manyUses is the error for a name whose uses are too many to compare.
func (c *Call) manyUses(t Target, found spot) error {
	return ambiguous(t.SymbolName, []candidate{{found.name, "", c.show(found.path), found.at.Line, found.at.Character}})
}

// sameSymbol are uses of one symbol: those that lead to one declaration, or from one to the other as from a declaration to
// its definition.
type sameSymbol struct {
	first  contract.Position // the first use in the file
	places []usePlace
}

func newSameSymbol(path string, at contract.Position, leads []lsp.Place) sameSymbol {
	g := sameSymbol{first: at, places: []usePlace{{path, at}}}
	for _, p := range leads {
		g.places = append(g.places, usePlace{p.Path, p.Range.Start})
	}
	return g
}

// join adds uses to the groups, and makes one of those that they connect. Groups are in the order of their first uses.
func join(groups []sameSymbol, with sameSymbol) []sameSymbol {
	var out []sameSymbol
	for _, g := range groups {
		if !slices.ContainsFunc(g.places, func(p usePlace) bool { return slices.Contains(with.places, p) }) {
			out = append(out, g)
			continue
		}
		if g.first.Before(with.first) {
			with.first = g.first
		}
		with.places = append(slices.Clone(g.places), with.places...)
	}
	i := slices.IndexFunc(out, func(g sameSymbol) bool { return with.first.Before(g.first) })
	if i < 0 {
		i = len(out)
	}
	return slices.Insert(out, i, with)
}
