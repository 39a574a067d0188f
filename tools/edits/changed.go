package edits

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/overlay"
	"lspi/tools/symbol"
)

// maxChanged bounds the declarations whose uses are looked for.
const maxChanged = 30

// ChangedIn returns the declarations of a symbol, and of what it declares, that a new text in its place does not have
// as they are, up to their bodies.
func ChangedIn(rules *spec.Dynamic, text *source.Text, sym lsp.Symbol, now string) (out []symbol.Located) {
	if rules != nil {
		return changedByName(rules, text, sym, now)
	}
	now = strings.Join(strings.Fields(now), " ")
	for _, one := range symbol.Flatten([]lsp.Symbol{sym}, nil, nil) {
		start, err := text.Offset(one.Sym.Range.Start)
		from, nameErr := text.Offset(one.Sym.NameAt.End)
		to, endErr := text.Offset(one.Sym.Range.End)
		if err != nil || nameErr != nil || endErr != nil || start > from || from > to {
			continue
		}
		if body := strings.IndexAny(text.Content()[from:to], "{;="); body >= 0 {
			to = from + body
		}
		if head := strings.Join(strings.Fields(text.Content()[start:to]), " "); !strings.Contains(now, head) {
			out = append(out, symbol.Located{Path: text.Path, At: one.Sym.NameAt.Start,
				Name: symbol.LastComponent(one.Sym.Name), Sym: &one})
		}
	}
	return out
}

// changedByName is [ChangedIn] where a value may have no type: what is local to a function is used there alone.
func changedByName(rules *spec.Dynamic, text *source.Text, sym lsp.Symbol, now string) (out []symbol.Located) {
	kind := overlay.Value
	switch {
	case sym.Kind.IsFunction():
		kind = overlay.Function
	case sym.Kind.IsContainer():
		kind = overlay.Type
	}
	at, err := text.Offset(sym.NameAt.Start)
	if err == nil && !overlay.SameSignature(text, at, kind, rules.Body, now) {
		out = append(out, symbol.Located{Path: text.Path, At: sym.NameAt.Start, Name: symbol.LastComponent(sym.Name)})
	}
	for _, member := range sym.Children {
		if kind != overlay.Function {
			out = append(out, changedByName(rules, text, member, now)...)
		}
	}
	return out
}

// TellChanged warns of places that may use what an edit changes, at a server that has no error there: in the bodies of
// templates and macros, in code that is not built, in libraries, and behind values of no type. The files of uses that
// the server does not list, but checks, are compared as well.
func TellChanged(ctx context.Context, c *answer.Call, ch *Proposed, changed []symbol.Located) {
	if len(changed) == 0 {
		return
	}
	r, texts := ch.Servers[0], ch.Texts()
	err := ask.Route(ctx, c, r, changed[0].Path, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot) error {
		dynamic := s.Spec().Dynamic != nil
		if s.Hooks().Linker == nil && !dynamic { // others tell of all files
			return nil
		}
		for _, at := range changed[:min(len(changed), maxChanged)] {
			more, err := audit.Edit{Call: c, Snapshot: s}.Uses(ctx, at, !dynamic, func() ([]lsp.Place, error) {
				return lsp.ReferencesAndFields(ctx, s, at.Path, at.At, true)
			}, func(p lsp.Place) bool { return dynamic || edits(texts[p.Path], p) })
			if err != nil {
				return err
			}
			if !dynamic {
				continue
			}
			for _, p := range more {
				if texts[p.Path] == nil && !slices.Contains(ch.Near, p.Path) {
					ch.Near = append(ch.Near, p.Path)
				}
			}
			builtUses(ctx, c, s, at, texts, more)
		}
		return nil
	})
	if err != nil || len(changed) > maxChanged {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "uses by name", "server_id": r.Spec.ID},
			"lspi could not look for all places that use by name what the edit changes")
	}
}
