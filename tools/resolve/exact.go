package resolve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// AtExactly is [At] for tools that change files: f runs only at an identifier that stands exactly where
// the target says, and only when it can mean one symbol. What is nearly there is offered as a step and
// not taken, because a wrong guess would change the wrong code. The error is nil only when f ran to its
// end without one.
func AtExactly(ctx context.Context, c *answer.Call, t Target, method string,
	f func(context.Context, *lsp.Snapshot, symbol.Located) error) error {
	if err := t.Check(); err != nil {
		return err
	}
	var path string
	find := func(ctx context.Context, s *lsp.Snapshot) (symbol.Located, error) { return Find(ctx, c, s, path, t) }
	if t.FilePath == "" {
		// A name that the whole workspace declares once is exact, wherever it stands.
		found, err := lookup(ctx, c, t)
		if err != nil {
			return err
		}
		path, find = found.Path, func(context.Context, *lsp.Snapshot) (symbol.Located, error) {
			c.AnsweredByMany() // as in atFound
			return found, nil
		}
	} else {
		var err error
		if path, err = c.Path(t.FilePath); err != nil {
			return err
		}
	}
	// ask may return nil although f did not run to its end (see done below), so f's success is noted here.
	done := false
	var aside *symbol.Located
	err := ask.FileForRole(ctx, c, spec.RoleEdits, path, method, func(ctx context.Context, s *lsp.Snapshot) error {
		done = false
		found, err := find(ctx, s)
		if aside = nil; err == nil && found.Aside {
			aside = &found
			return nil
		}
		if err == nil {
			found, err = exact(ctx, c, s, t, found)
		}
		if err == nil {
			err = checkSeen(ctx, c, s, found)
		}
		if err == nil {
			err = f(ctx, s, found)
		}
		done = err == nil
		return err
	})
	if err == nil && aside != nil {
		found, err := byName(ctx, c, method, *aside, t)
		if err != nil {
			return err
		}
		if found.Aside {
			return contract.Errorf(contract.KindNotAnIdentifier,
				contract.Facts{"file_path": path, "line": found.At.Line, "character": found.At.Character},
				"%s at %s:%d is in a comment or a string", found.Name, c.Show(path), found.At.Line)
		}
		return inexact(c, t, found)
	}
	// what a server refuses while it loads is a partial answer to those who read, and none here
	if err == nil && !done {
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": c.ServerID()},
			"%s is still loading the project and does not answer %s yet", c.ServerID(), method)
	}
	return err
}

// exact refuses a place that is not the one that the target says, or that may be only one of several.
// The place that it returns is the beginning of the identifier.
func exact(ctx context.Context, c *answer.Call, s *lsp.Snapshot, t Target, found symbol.Located) (symbol.Located,
	error) {
	text, err := s.Documents().Text(found.Path)
	if err != nil {
		return found, err
	}
	offset, err := text.Offset(found.At)
	if err != nil {
		return found, err
	}
	line, start := text.Line(found.At.Line), text.LineStart(found.At.Line)
	from, to, ok := source.NameAround(line, offset-start, lang.ByID(s.Spec().LanguageID(symbol.Base(found.Path))).Signs)
	if !ok || source.IsNumber(line[from:to]) {
		return found, contract.Errorf(contract.KindNotAnIdentifier,
			contract.Facts{"file_path": found.Path, "line": found.At.Line, "character": found.At.Character},
			"there is no identifier at %s:%d:%d", c.Show(found.Path), found.At.Line, found.At.Character)
	}
	// found.At moves to the beginning of the identifier that it is in, which is the same symbol. Inexact is only a
	// place that Find chose elsewhere: then given is not what the target says.
	given := found.At
	found.Name, found.At = line[from:to], text.PositionAt(start+from)
	moved := found.Adjusted != nil || t.Character > 0 && given != contract.Position{Line: t.Line,
		Character: t.Character}
	if moved || t.SymbolName != "" && t.SymbolName != found.Name && symbol.LastComponent(t.SymbolName) != found.Name &&
		!isOperator(t, found) {
		return found, inexact(c, t, found)
	}
	// How sure the place is depends on what was given. A position, or a name that the whole workspace has once, is
	// one symbol. A name on a line, or a name in a file that declares no such symbol, may stand for several locals.
	switch {
	case t.Character > 0, t.FilePath == "":
		return found, nil
	case t.Line > 0:
		return found, onlyOne(ctx, c, s, text, t, found, found.At.Line, found.At.Line)
	case found.Sym == nil:
		return found, onlyOne(ctx, c, s, text, t, found, 1, text.Lines())
	}
	return found, nil
}

// isOperator reports whether a place is the declaration of the very operator that a target names, of which the word
// there is only the beginning (operator bool, operator()).
func isOperator(t Target, found symbol.Located) bool {
	name := symbol.LastComponent(t.SymbolName)
	return found.Name == "operator" && found.Sym != nil && strings.HasPrefix(name, found.Name) &&
		symbol.LastComponent(found.Sym.Sym.Name) == name
}

// inexact is the error for a target that means a place nearby, with the step that says the place
// exactly.
func inexact(c *answer.Call, t Target, found symbol.Located) error {
	c.Step(c.Repeat(fmt.Sprintf("Retry with the %s at %s:%d:%d.", found.Name, c.Show(found.Path), found.At.Line,
		found.At.Character),
		exactly(c, found.Path, found.At)))
	if found.Adjusted != nil && (found.Adjusted.Kind == contract.WarnInherited ||
		found.Adjusted.Kind == contract.WarnLocals) {
		return contract.Errorf(contract.KindNotAnIdentifier,
			contract.Facts{"file_path": found.Path, "line": found.At.Line, "character": found.At.Character},
			"%s; tools that change files need the exact position", found.Adjusted.Message)
	}
	place := fmt.Sprintf("line %d", t.Line)
	if t.Character > 0 {
		place += fmt.Sprintf(", character %d", t.Character)
	}
	// The step comes with the exact position, so that the host need not look at the file again to make the same
	// call right.
	what := t.SymbolName
	if what == "" {
		what = "an identifier"
	}
	return contract.Errorf(contract.KindNotAnIdentifier,
		contract.Facts{"file_path": found.Path, "line": t.Line, "character": t.Character,
			"closest_line": found.At.Line, "closest_character": found.At.Character},
		"%s is not at %s of %s; %s is at %s:%d:%d, and tools that change files need the exact position",
		what, place, cmp.Or(t.FilePath, c.Show(found.Path)), found.Name, c.Show(found.Path), found.At.Line,
		found.At.Character)
}

// exactly returns the arguments that mean one position, and no name beside it.
func exactly(c *answer.Call, path string, at contract.Position) map[string]any {
	return map[string]any{"file_path": c.Show(path), "line": at.Line, "character": at.Character, "symbol_name": nil,
		"symbol_kind": nil}
}

// maxCompared bounds the uses of a name that are compared. With more of them nobody knows whether they
// are one symbol, and the name counts as ambiguous.
const maxCompared = 100

// onlyOne makes sure that a name means one symbol on the lines first to last (both included): several
// functions of a file may have a local of that name. Uses that lead to the same place are one group;
// more than one group is ambiguous. A use without a definition counts for none. At a server without
// definitions it cannot be known, and the place is accepted.
func onlyOne(ctx context.Context, c *answer.Call, s *lsp.Snapshot, text *source.Text, t Target, found symbol.Located,
	first, last int) error {
	if !s.Offers(lsp.MethodDefinition) {
		return nil
	}
	var groups []SameSymbol
	compared := 0
	for n := first; n <= last; n++ {
		line := text.Line(n)
		for _, i := range lang.InCode(found.Path, line, source.Occurrences(line, found.Name)) {
			at := text.PositionAt(text.LineStart(n) + i)
			if compared++; compared > maxCompared {
				return manyUses(c, t, found)
			}
			places, err := s.Locate(ctx, lsp.MethodDefinition, found.Path, at)
			// A use that was not looked at might be another symbol.
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err == nil && len(places) > 0 {
				groups = Join(groups, NewSameSymbol(found.Path, at, places))
			}
		}
	}
	// No group at all: the server leads from nowhere, so that nothing speaks against the place.
	if len(groups) < 2 {
		return nil
	}
	var out []answer.Candidate
	for _, g := range groups {
		out = append(out, answer.Candidate{SymbolName: found.Name, Kind: "", FilePath: c.Show(found.Path),
			Line: g.First.Line, Character: g.First.Character})
	}
	return AmbiguousAmong(t.SymbolName, out)
}

// manyUses is the error for a name with too many uses to compare.
func manyUses(c *answer.Call, t Target, found symbol.Located) error {
	return AmbiguousAmong(t.SymbolName, []answer.Candidate{{SymbolName: found.Name, Kind: "", FilePath: c.Show(found.Path),
		Line: found.At.Line, Character: found.At.Character}})
}

// SameSymbol is a group of uses of one symbol: they lead to the same declaration, or from one to
// another as from a declaration to its definition.
type SameSymbol struct {
	First  contract.Position // the first use of the group in the file
	places []symbol.UsePlace
}

// NewSameSymbol returns the group of one use, with the places to which the server leads from it.
func NewSameSymbol(path string, at contract.Position, leads []lsp.Place) SameSymbol {
	g := SameSymbol{First: at, places: []symbol.UsePlace{{Path: path, At: at}}}
	for _, p := range leads {
		g.places = append(g.places, symbol.UsePlace{Path: p.Path, At: p.Range.Start})
	}
	return g
}

// Join adds a group to others, and unites those that it connects: a use that leads to places of two
// groups shows that they are one symbol. Groups stay in the order of their first uses. The slices that
// are given do not change.
func Join(groups []SameSymbol, with SameSymbol) []SameSymbol {
	var out []SameSymbol
	for _, g := range groups {
		if !slices.ContainsFunc(g.places, func(p symbol.UsePlace) bool { return slices.Contains(with.places, p) }) {
			out = append(out, g)
			continue
		}
		if g.First.Before(with.First) {
			with.First = g.First
		}
		// The groups are joined in with, which may connect further ones.
		with.places = append(slices.Clone(g.places), with.places...)
	}
	i := slices.IndexFunc(out, func(g SameSymbol) bool { return with.First.Before(g.First) })
	if i < 0 {
		i = len(out)
	}
	return slices.Insert(out, i, with)
}
