package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
)

// notImports are places without those that are only the import of what was asked about: the server did not find what is
// imported.
func notImports(places []lsp.Place) []lsp.Place {
	return slices.DeleteFunc(slices.Clone(places), func(p lsp.Place) bool { return p.Import })
}

// importUsed warns where references are of a name that the server knows only as the import of what it did not find: other
// files that import the same have others.
func (c *Call) importUsed(ctx context.Context, s *lsp.Server, at spot, places []lsp.Place) {
	elsewhere := slices.ContainsFunc(places, func(p lsp.Place) bool { return p.Path != at.path })
	if elsewhere || len(s.Spec().ImportHeads) == 0 || !s.Offers(lsp.MethodDefinition) {
		return
	}
	if defined, err := s.Locate(ctx, lsp.MethodDefinition, at.path, at.at); err == nil && len(defined) > 0 && len(notImports(defined)) == 0 {
		c.notFollowed(ctx, s, at, defined[0])
	}
}

// notFollowed says that what an import names was not found, with what the server says is wrong in its file.
func (c *Call) notFollowed(ctx context.Context, s *lsp.Server, at spot, imported lsp.Place) {
	ctx, cancel := context.WithTimeout(ctx, unresolvedLimit)
	defer cancel()
	facts := contract.Facts{"name": at.name, "file_path": c.show(imported.Path), "line": imported.Range.Start.Line}
	message := fmt.Sprintf("%s knows %s only as the import in line %d of %s and does not find what that imports",
		s.ID(), at.name, imported.Range.Start.Line, c.show(imported.Path))
	if d, err := s.Diagnose(ctx, []string{imported.Path}); err == nil {
		message += c.errorOnLine(d, imported)
	}
	c.warn(contract.WarnUnresolved, facts, message)
	c.step(diagnosticsStep(c.show(imported.Path)))
}

// errorOnLine are the words of the first error on the line of a place; "" when there is none.
func (c *Call) errorOnLine(d *lsp.Diagnosis, at lsp.Place) string {
	for _, r := range d.Reports {
		for _, f := range r.Findings {
			if r.Path == at.Path && f.Severity == "error" && f.Range.Start.Line == at.Range.Start.Line {
				return ": " + quoted(f)
			}
		}
	}
	return ""
}
