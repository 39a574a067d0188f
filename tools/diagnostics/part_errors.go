package diagnostics

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// maxParts bounds the files whose errors are held against the source that includes them.
const maxParts = 8

// asIncluded leaves out the errors of files that no build compiles by themselves (headers that need another one first)
// where the source that includes them has none in what it includes, which is compiled with it. What could not be held
// against a source is told. A header with errors that no listed source includes counts as one that was not checked,
// unless the question named it.
func asIncluded(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route, named bool,
	found *lsp.Diagnosis) error {
	part := s.Hooks().PartOf
	if part == nil || s.Hooks().BodiesIn == nil {
		return nil
	}
	listed := s.Hooks().FirstListed
	lists := !named && listed != nil && len(listed(s.Projects().Folder(r.Root), 1)) > 0
	units, texts := map[string]string{}, map[string]*source.Text{} // units by part
	unsure := []string{}
	for _, report := range found.Reports {
		if !slices.ContainsFunc(report.Findings, isError) {
			continue
		}
		if len(units) == maxParts || ctx.Err() != nil {
			unsure = append(unsure, report.Path)
			continue
		}
		unit, certain := part(ctx, report.Path)
		if unit != "" && !certain {
			unsure = append(unsure, report.Path)
			continue
		}
		if unit == "" {
			if lists && !s.Hooks().Includes.IsSource(report.Path) {
				found.Unchecked = append(found.Unchecked, report.Path)
			}
			continue
		}
		text, err := s.Documents().Load(unit)
		if err != nil {
			unsure = append(unsure, report.Path)
			continue
		}
		units[report.Path], texts[unit] = unit, text
	}
	broken, compiled := map[string]bool{}, map[string]bool{} // units
	if len(units) > 0 {
		err := ask.Diagnostics(ctx, c, r, "", r.Spec.ForOverlay(), func(ctx context.Context, own *lsp.Snapshot) error {
			of, err := WithBodies(ctx, own, texts, nil)
			if err != nil {
				return err
			}
			for _, report := range of.Reports {
				compiled[report.Path], broken[report.Path] = true, brokenByIncludes(own, report)
			}
			return nil
		})
		if errors.Is(err, lsp.ErrRestartNeeded) {
			return err
		}
	}
	for path, unit := range units {
		if !compiled[unit] {
			unsure = append(unsure, path)
			delete(units, path)
		}
	}
	for n := range found.Reports {
		r := &found.Reports[n]
		unit := units[r.Path]
		if unit != "" && !broken[unit] || slices.Contains(found.Unchecked, r.Path) {
			r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), isError)
		}
	}
	if len(unsure) > 0 {
		slices.Sort(unsure)
		c.Warn(contract.WarnNoCompilationDatabase, contract.Facts{"server_id": s.ID(), "files": c.ShowSome(unsure),
			"total": len(unsure)}, fmt.Sprintf(
			"%s reads %s with errors by itself, the first %s, and lspi did not find out whether the sources that include such files have these errors",
			s.ID(), answer.Counted(len(unsure), "file"), c.Show(unsure[0])))
		if !named {
			c.Step(answer.DiagnosticsStep(c.Show(unsure[0])))
		}
	}
	return nil
}

// brokenByIncludes reports whether a source has errors in what it includes, which stand on the lines of the includes.
func brokenByIncludes(s *lsp.Snapshot, r lsp.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f lsp.Finding) bool {
		return isError(f) && s.Hooks().Includes.IsInclude(r.Text.Line(f.Range.Start.Line))
	})
}

func isError(f lsp.Finding) bool { return f.Severity == "error" }
