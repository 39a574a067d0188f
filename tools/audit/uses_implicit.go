package audit

import (
	"context"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// implicit adds the places at which the language may use the symbol by itself. What the workspace does not declare it
// mostly does not use so alone.
func (v *verdict) implicit(ctx context.Context) {
	hooks := v.s.Hooks().Implicit
	if hooks == nil {
		return
	}
	words, with := hooks.Words(v.at.Name)
	if len(words) == 0 || len(with) > 0 && len(v.holding(ctx, with)) == 0 {
		return
	}
	files := v.holding(ctx, words)
	if len(files) == 0 {
		return
	}
	v.declare(ctx)
	if _, ours := source.RelativeTo(v.c.Workspace.Root, v.declared[0].Path); !ours {
		return
	}
	places, whole := hooks.Uses(ctx, v.asked, v.at.Name, v.declared[0], files)
	for _, p := range places {
		v.unexplained = append(v.unexplained, occurrence{path: p.Path, at: p.Range.Start, name: v.at.Name,
			reason: reasonImplicit})
	}
	if !whole {
		v.unexplained = append(v.unexplained, occurrence{path: v.at.Path, at: v.at.At, name: v.at.Name,
			reason: reasonNotAsked})
	}
}

// holding are the files of the server that hold one of some words in code.
func (v *verdict) holding(ctx context.Context, words []string) (files []string) {
	held, all, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, words...)
	v.late = v.late || err != nil || !all
	for _, h := range held {
		if h.Use&(lang.CodeUse|lang.OpenUse) != 0 && v.serves(h.Path) {
			files = append(files, h.Path)
		}
	}
	return files
}
