package loaded

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// NotImports returns places without those that are only the import of what was asked about: the server
// did not find what is imported. places does not change.
func NotImports(places []lsp.Place) []lsp.Place {
	return slices.DeleteFunc(slices.Clone(places), func(p lsp.Place) bool { return p.Import })
}

// ImportUsed warns when references are of a name that the server knows only as the import of what it
// did not find: other files that import the same have their own references, which the answer lacks.
func ImportUsed(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, places []lsp.Place) {
	// References in other files show that the server followed the import.
	elsewhere := slices.ContainsFunc(places, func(p lsp.Place) bool { return p.Path != at.Path })
	if elsewhere || s.Hooks().IsImport == nil || !s.Offers(lsp.MethodDefinition) {
		return
	}
	if defined, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At); err == nil && len(defined) > 0 &&
		len(NotImports(defined)) == 0 {
		notFollowed(ctx, c, s, at, defined[0])
	}
}

// notFollowed warns that what an import names was not found, with the error that the server reports on
// that line, if it does so in time.
func notFollowed(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, imported lsp.Place) {
	ctx, cancel := context.WithTimeout(ctx, unresolvedLimit)
	defer cancel()
	facts := contract.Facts{"name": at.Name, "file_path": c.Show(imported.Path), "line": imported.Range.Start.Line}
	message := fmt.Sprintf("%s knows %s only as the import in line %d of %s and does not find the imported module",
		s.ID(), at.Name, imported.Range.Start.Line, c.Show(imported.Path))
	if d, err := s.Diagnostics().Of(ctx, []string{imported.Path}); err == nil {
		errors := errorsIn(d, imported.Path)
		if i := slices.IndexFunc(errors, func(f lsp.Finding) bool {
			return f.Range.Start.Line == imported.Range.Start.Line
		}); i >= 0 {
			message += ": " + answer.Quoted(errors[i])
		}
	}
	c.Warn(contract.WarnUnresolved, facts, message)
	c.Step(answer.DiagnosticsStep(c.Show(imported.Path)))
}

// errorsIn returns the errors of one file.
func errorsIn(d *lsp.Diagnosis, path string) (out []lsp.Finding) {
	for _, r := range d.Reports {
		for _, f := range r.Findings {
			if r.Path == path && f.Severity == "error" {
				out = append(out, f)
			}
		}
	}
	return out
}
