package diagnostics

import (
	"context"
	"fmt"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
)

// aloneLimit bounds the question whether the source compiles of which a file is a part.
const aloneLimit = 5 * time.Second

// ReadAlone warns of errors in a file that no build compiles by itself, where the source that includes it compiles:
// they may be errors of the file alone, which the build does not have, and what a change breaks there may not show.
func ReadAlone(ctx context.Context, c *answer.Call, s *lsp.Snapshot, found *lsp.Diagnosis) {
	part := s.Hooks().PartOf
	if part == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, aloneLimit)
	defer cancel()
	for _, r := range found.Reports {
		line := firstError(r)
		if line == 0 {
			continue
		}
		of, _ := part(ctx, r.Path)
		if of == "" || !compiles(ctx, s, of) {
			continue
		}
		c.Warn(contract.WarnNoCompilationDatabase, contract.Facts{"server_id": s.ID(),
			"files": []string{c.Show(r.Path)}, "line": line, "total": 1}, fmt.Sprintf(
			"%s reads %s by itself, and no build does: it is compiled as a part of %s, which has no error; the errors in it may be of no build",
			s.ID(), c.Show(r.Path), c.Show(of)))
		return
	}
}

// firstError is the line of the first error of a report; 0 when it has none. What is about nothing at the beginning is
// about how the file is compiled, and not about its text.
func firstError(r lsp.Report) int {
	for _, f := range r.Findings {
		if f.Severity == "error" && f.Range != beginning {
			return f.Range.Start.Line
		}
	}
	return 0
}

// beginning is the empty range with which a file begins.
var beginning = contract.Range{Start: contract.Position{Line: 1, Character: 1},
	End: contract.Position{Line: 1, Character: 1}}

// compiles reports whether the server, asked now, knows no error of a file.
func compiles(ctx context.Context, s *lsp.Snapshot, path string) bool {
	d, err := s.Diagnostics().Of(ctx, []string{path})
	if err != nil {
		return false
	}
	for _, r := range d.Reports {
		if r.Path == path && firstError(r) > 0 {
			return false
		}
	}
	return true
}
