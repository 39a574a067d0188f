package clangd

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"lspi/internal/lang"
	"lspi/lsp"
)

// onlyCompiler is [lsp.EditHooks].OnlyCompiler: of the files that a source includes clangd compiles no bodies
// (22.1.8), so that nothing tells of an error that a template in a header has only for what a source gives it.
func (a *Process) onlyCompiler(_ context.Context, changes []lsp.SourceChange) (out []lsp.CompilerLine) {
	for _, c := range changes {
		if c.Path == "" || !a.Server.Spec().Serves(filepath.Base(c.Path)) || !lsp.BodiesShow(a.Server, c.Path) {
			continue
		}
		// One that is new has no users yet.
		bodies, shift := lang.TemplateBodies(c.Path, c.Before), 0
		for _, e := range udiff.Strings(c.Before, c.After) {
			start := e.Start + shift
			shift += len(e.New) - (e.End - e.Start)
			if !within(bodies, e.Start, e.End) || strings.TrimSpace(e.New+c.Before[e.Start:e.End]) == "" {
				continue
			}
			out = append(out, lsp.CompilerLine{Path: c.Path, Line: 1 + strings.Count(c.After[:start], "\n"),
				What: "the body of a template in a header", By: "a compiler that gets the files which use it"})
			break
		}
	}
	return out
}

// within reports whether a part of a text, from start to end, has something of one of the bodies.
func within(bodies [][2]int, start, end int) bool {
	return slices.ContainsFunc(bodies, func(b [2]int) bool { return start < b[1] && b[0] < max(end, start+1) })
}
