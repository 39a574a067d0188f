package edits

import (
	"context"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/symbol"
)

// maxChanged bounds the declarations whose uses are looked for.
const maxChanged = 30

// ChangedIn returns the declarations of a symbol, and of what it declares, that a new text in its place does not have
// as they are, up to their bodies.
func ChangedIn(text *source.Text, sym lsp.Symbol, now string) (out []symbol.Located) {
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

// TellChanged warns of places that may use what an edit changes, at a server that has no error there: in the bodies of
// templates and macros, in code that is not built, and in libraries.
func TellChanged(ctx context.Context, c *answer.Call, r router.Route, changed []symbol.Located,
	texts map[string]*EditedText) {
	if len(changed) == 0 {
		return
	}
	err := ask.Route(ctx, c, r, changed[0].Path, lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot) error {
		if s.Hooks().Linker == nil { // others tell of all files, or look for uses by name
			return nil
		}
		for _, at := range changed[:min(len(changed), maxChanged)] {
			_, err := audit.Edit{Call: c, Snapshot: s}.Uses(ctx, at, true, func() ([]lsp.Place, error) {
				return s.References(ctx, at.Path, at.At, true)
			}, func(p lsp.Place) bool { return edits(texts[p.Path], p) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(changed) > maxChanged {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "uses by name", "server_id": r.Spec.ID},
			"lspi could not look for all places that use by name what the edit changes")
	}
}
