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

// endsPreamble is a line of C and C++ that declares a name for nobody. The includes behind it are no part of the
// preamble, of which clangd skips the bodies (22.1.8).
const endsPreamble = "struct lspi_;\n"

// bodiesIn is [lsp.DiagnosticHooks].BodiesIn.
func (a *Process) bodiesIn(ctx context.Context, path string, outside bool) (out []string) {
	release, err := a.Server.Documents().Lock(ctx)
	if err != nil {
		return nil
	}
	defer release()
	if isSource(path) {
		if a.usesTemplates(path, "", outside) {
			return []string{path}
		}
		return nil
	}
	if !outside && !a.hasTemplates(path) {
		return nil
	}
	for file := range a.Server.Journal().Files() {
		if ctx.Err() != nil || len(out) == lsp.MaxBodies {
			break
		}
		served := isSource(file) && a.Server.Spec().Serves(filepath.Base(file))
		if served && a.usesTemplates(file, path, outside) {
			out = append(out, file)
		}
	}
	return out
}

// usesTemplates reports whether a source includes a header with templates, and that header where one is named; with
// outside, any header that lspi does not follow counts as one.
func (a *Process) usesTemplates(path, header string, outside bool) bool {
	found, named := false, header == ""
	a.walk(path, func(file string, of includedTexts) []string {
		named = named || file == header
		found = found || file != path && a.hasTemplates(file) || outside && slices.ContainsFunc(of.names,
			func(name string) bool { return len(a.followed()[name]) == 0 })
		return nil
	})
	return found && named
}

// hasTemplates reports whether the text of a file has bodies of templates.
func (a *Process) hasTemplates(path string) bool {
	text := a.included(path).text
	return text != nil && len(lang.TemplateBodies(path, text.Content())) > 0
}
