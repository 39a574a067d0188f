package rustanalyzer

import (
	"context"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// maxAliasAsked bounds the places at which the server is asked for one answer.
const maxAliasAsked = 300

// usesByAlias is [lsp.CoverageHooks].UsesByAlias: references and callers end at "use name as other". The server leads
// from the other name to the declaration, so that the sources that hold it are asked place by place.
func (a *Process) usesByAlias(ctx context.Context, s *lsp.Snapshot, places []lsp.Place) (uses []lsp.Place, all bool) {
	asked := 0
	for _, p := range places {
		if _, in := source.RelativeTo(s.Root(), p.Path); !in || p.Err != nil || p.Gone {
			continue
		}
		text, err := s.Documents().Text(p.Path)
		if err != nil {
			continue
		}
		end, err := text.Offset(p.Range.End)
		at := -1
		if err == nil {
			at = lang.RustAlias(text.Content(), end)
		}
		if at < 0 {
			continue
		}
		from, to, _ := source.WordAround(text.Content(), at)
		targets, err := s.Locate(ctx, lsp.MethodDefinition, p.Path, p.Range.Start)
		if err != nil {
			return uses, false
		}
		own := text.PositionAt(at)
		for _, u := range a.wordsInCode(text.Content()[from:to]) {
			if u.Path == p.Path && u.Range.Start == own {
				continue
			}
			if asked++; asked > maxAliasAsked {
				return uses, false
			}
			found, err := s.Locate(ctx, lsp.MethodDefinition, u.Path, u.Range.Start)
			if err != nil {
				return uses, false
			}
			if leadsToOne(found, targets) {
				uses = append(uses, u)
			}
		}
	}
	return uses, true
}

// leadsToOne reports whether one of the places is one of targets.
func leadsToOne(found, targets []lsp.Place) bool {
	return slices.ContainsFunc(found, func(f lsp.Place) bool {
		return slices.ContainsFunc(targets, func(t lsp.Place) bool {
			return f.Path == t.Path && f.Range.Start == t.Range.Start
		})
	})
}

// wordsInCode are the places at which the sources of the tree have a word in their code.
func (a *Process) wordsInCode(word string) (out []lsp.Place) {
	for _, path := range slices.Sorted(a.Server.Journal().Files()) {
		if !a.Server.Spec().Serves(filepath.Base(path)) || a.Server.Folders().InBuild(path) {
			continue
		}
		text, err := source.Read(path)
		if err != nil || !source.HasWord(text.Content(), word) {
			continue
		}
		lang.EachOf(path, text.Content(), []string{word}, func(from, to int, use lang.Use) {
			if use&(lang.CodeUse|lang.OpenUse) == 0 {
				return
			}
			r := contract.Range{Start: text.PositionAt(from), End: text.PositionAt(to)}
			out = append(out, lsp.Place{Path: path, Range: r, Full: r, Line: text.Line(r.Start.Line)})
		})
	}
	return out
}
