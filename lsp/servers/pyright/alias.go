package pyright

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// maxAliases bounds the other names that are followed for one answer.
const maxAliases = 50

// usesByAlias is [lsp.CoverageHooks].UsesByAlias: references and callers end at "import name as other".
func (a *Process) usesByAlias(ctx context.Context, s *lsp.Snapshot, places []lsp.Place) (uses []lsp.Place, all bool) {
	// The uses of an alias may be imports that give yet another name, so each use that is found is looked at, too;
	// known grows in the loop and keeps it from going round.
	known := slices.Clone(places)
	asked := 0
	for i := 0; i < len(known); i++ { // it grows
		p := known[i]
		if _, in := source.RelativeTo(s.Root(), p.Path); !in || p.Err != nil || p.Gone {
			continue
		}
		alias, ok := aliasOf(s.Server, p)
		if !ok {
			continue
		}
		if asked++; asked > maxAliases {
			return uses, false
		}
		more, err := s.References(ctx, p.Path, alias, true)
		if err != nil {
			return uses, false
		}
		for _, u := range more {
			if (u.Path != p.Path || u.Range.Start != alias) && !slices.ContainsFunc(known, func(k lsp.Place) bool {
				return k.Path == u.Path && k.Range.Start == u.Range.Start
			}) {
				known, uses = append(known, u), append(uses, u)
			}
		}
	}
	return uses, true
}

// aliasOf is where an import gives another name to what is at a place.
func aliasOf(s *lsp.Server, p lsp.Place) (contract.Position, bool) {
	text, err := s.Documents().Text(p.Path)
	if err != nil {
		return contract.Position{}, false
	}
	end, err := text.Offset(p.Range.End)
	if err != nil {
		return contract.Position{}, false
	}
	alias := lang.ByID(s.Spec().LanguageID(filepath.Base(p.Path))).Alias
	if alias == nil {
		return contract.Position{}, false
	}
	at := alias(text.Content(), end)
	return text.PositionAt(max(at, 0)), at >= 0
}
