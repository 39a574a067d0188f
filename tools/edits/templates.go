package edits

import (
	"context"
	"maps"
	"slices"
	"time"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/diagnostics"
	"lspi/tools/overlay"
)

// maxUnits bounds the sources that are compiled with the bodies of the templates that they use.
const maxUnits = 8

// compareTemplates adds to a comparison the errors that templates in headers have for what sources give them, before
// the edit and with it, at a server that leaves these out. It returns of unchecked what is not judged by that either.
// forUsers is [overlay.Options].ForUsers.
func compareTemplates(ctx context.Context, s *lsp.Snapshot, tried *overlay.Comparison, contents map[string]string,
	unchecked []lsp.CompilerLine, forUsers time.Duration) ([]lsp.CompilerLine, error) {
	bodiesIn := s.Hooks().BodiesIn
	if bodiesIn == nil || tried.Pending != nil {
		return unchecked, nil
	}
	before, after := map[string]*source.Text{}, map[string]*source.Text{}
	tried.EachCompiled = true
	judged := map[string]bool{} // files whose bodies are compiled in all sources that include them
	for _, path := range slices.Concat(slices.Sorted(maps.Keys(contents)), tried.Looked) {
		units := bodiesIn(ctx, path, true)
		all := len(units) < lsp.MaxBodies
		judged[path], tried.EachCompiled = all && len(units) > 0, all && tried.EachCompiled
		for _, unit := range units {
			text, err := s.Documents().Load(unit)
			switch have := after[unit] != nil; {
			case have || err != nil:
			case len(after) == maxUnits:
				judged[path], tried.EachCompiled = false, false
			default:
				before[unit], after[unit] = text, text
				if with, ok := contents[unit]; ok {
					after[unit] = source.New(unit, with)
				}
			}
		}
	}
	if len(after) == 0 {
		return unchecked, nil
	}
	within, cancel := ctx, context.CancelFunc(func() {})
	if forUsers > 0 {
		within, cancel = context.WithTimeout(ctx, forUsers)
	}
	defer cancel()
	with, err := diagnostics.WithBodies(within, s, after, contents)
	if err == nil && hasErrors(with) { // which may have been there before
		var was *lsp.Diagnosis
		if was, err = diagnostics.WithBodies(within, s, before, nil); err == nil {
			diagnostics.AddNew(tried.Before, was)
		}
	}
	if err != nil {
		if within.Err() == nil || ctx.Err() != nil {
			return unchecked, err
		}
		tried.EachCompiled = false
		tried.Pending, tried.All = &overlay.Pending{Files: slices.Sorted(maps.Keys(after))}, false
		return unchecked, nil
	}
	diagnostics.AddNew(tried.After, with)
	tried.Compiled = slices.Sorted(maps.Keys(after))
	return slices.DeleteFunc(unchecked, func(l lsp.CompilerLine) bool { return judged[l.Path] && l.What != "" }), nil
}

// hasErrors reports whether a diagnosis has any finding.
func hasErrors(d *lsp.Diagnosis) bool {
	return slices.ContainsFunc(d.Reports, func(r lsp.Report) bool { return len(r.Findings) > 0 })
}
