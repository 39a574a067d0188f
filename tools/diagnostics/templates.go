package diagnostics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// PendingTemplates is the stage of what templates in headers say to what the files give them, at a server that does not
// compile the bodies of included files.
const PendingTemplates = "templates"

// addTemplates adds to a diagnosis of files the errors in the templates that they use; unless all is set, that these
// are pending.
func addTemplates(ctx context.Context, c *answer.Call, s *lsp.Snapshot, g *Group, all bool,
	found *lsp.Diagnosis) error {
	bodiesIn := s.Hooks().BodiesIn
	if bodiesIn == nil {
		return nil
	}
	texts := map[string]*source.Text{}
	var many []string // of whose includers only some are looked at
	for _, path := range g.Paths {
		units := bodiesIn(ctx, path, all)
		if len(units) == lsp.MaxBodies {
			many = append(many, path)
		}
		for _, unit := range units {
			if text, err := s.Documents().Load(unit); err == nil {
				texts[unit] = text
			}
		}
	}
	switch {
	case len(texts) == 0:
		return nil
	case !all:
		found.Pending = append(found.Pending, PendingTemplates)
		return nil
	}
	r := g.Routes[0]
	err := ask.Diagnostics(ctx, c, r, g.Paths[0], r.Spec.ForOverlay(), func(ctx context.Context, own *lsp.Snapshot) error {
		of, err := WithBodies(ctx, own, texts, nil)
		if err == nil {
			AddNew(found, of)
		}
		return err
	})
	if err == nil {
		if len(many) > 0 {
			c.Warn(contract.WarnCoverageOpenFilesOnly, contract.Facts{"server_id": s.ID(), "files": c.ShowSome(many)},
				fmt.Sprintf("%s compiled the templates of %s with %d of the sources that include it, and not with the others",
					s.ID(), c.Show(many[0]), lsp.MaxBodies))
		}
		c.Session.Errors.Tell(s.Server, found.Reports)
		return nil
	}
	if ctx.Err() != nil || errors.Is(err, lsp.ErrRestartNeeded) {
		return err
	}
	c.Warn(contract.WarnPartFailed, contract.Facts{"part": PendingTemplates, "server_id": s.ID()},
		"what templates in headers say to the files that use them is not known: "+answer.AsError(err).Message)
	return nil
}

// templatesOfAll is [addTemplates] for all sources of a project, as far as there is time.
func templatesOfAll(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route, files []string, all bool,
	found *lsp.Diagnosis) error {
	bodiesIn := s.Hooks().BodiesIn
	if bodiesIn == nil {
		return nil
	}
	files = slices.DeleteFunc(slices.Clone(files), func(path string) bool { return !s.Hooks().Includes.IsSource(path) })
	if !all {
		if slices.ContainsFunc(files, func(path string) bool { return len(bodiesIn(ctx, path, false)) > 0 }) {
			found.Pending = append(found.Pending, PendingTemplates)
		}
		return nil
	}
	for at := 0; at < len(files); at += lsp.MaxBodies {
		part := files[at:min(at+lsp.MaxBodies, len(files))]
		err := ctx.Err()
		if err == nil {
			err = addTemplates(ctx, c, s, &Group{Routes: []router.Route{r}, Paths: part}, true, found)
		}
		switch {
		case err == nil:
		case ctx.Err() == nil:
			return err
		default:
			left := files[at:]
			c.Warn(contract.WarnCoverageOpenFilesOnly, contract.Facts{"server_id": s.ID(), "total": len(left),
				"files": c.ShowSome(left)}, fmt.Sprintf(
				"there was no time to compile the templates of headers with the last %d of %s, the first %s", len(left),
				answer.Counted(len(files), "source"), c.Show(left[0])))
			c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics",
				Message:   "Compile them with these files.",
				Arguments: map[string]any{"file_paths": c.ShowSome(left), "wait": waitAll}})
			return nil
		}
	}
	return nil
}

// WithBodies are the errors that a server, which nobody else asks, finds in texts when it compiles the bodies of what
// they include as well ([lsp.DiagnosticHooks].BodiesIn). edited are texts of further files, in place of those on disk;
// nil when there are none.
func WithBodies(ctx context.Context, s *lsp.Snapshot, texts map[string]*source.Text, edited map[string]string) (
	d *lsp.Diagnosis, err error) {
	shown, by := maps.Clone(edited), s.Hooks().BodiesBy
	if shown == nil {
		shown = map[string]string{}
	}
	for path, text := range texts {
		shown[path] = by + strings.TrimPrefix(text.Content(), "\ufeff")
	}
	o := s.NewOverlay(shown)
	defer func() {
		if back := o.Withdraw(ctx); back != nil {
			err = back
		}
	}()
	if err := o.Show(ctx); err != nil {
		return nil, err
	}
	if d, err = s.Diagnostics().OfTexts(ctx, slices.Sorted(maps.Keys(texts))); err != nil {
		return nil, err
	}
	for n := range d.Reports {
		r := &d.Reports[n]
		text := texts[r.Path]
		if text == nil {
			continue
		}
		var findings []lsp.Finding
		for _, f := range r.Findings {
			if f, ok := f.Behind(strings.Count(by, "\n"), text); ok && f.Severity == "error" {
				findings = append(findings, f)
			}
		}
		r.Text, r.Findings = text, findings
	}
	return d, nil
}

// AddNew adds to a diagnosis the findings of another one that it lacks.
func AddNew(to, from *lsp.Diagnosis) {
	for _, r := range from.Reports {
		n := slices.IndexFunc(to.Reports, func(have lsp.Report) bool { return have.Path == r.Path })
		if n < 0 {
			to.Reports = append(to.Reports, r)
			continue
		}
		have := &to.Reports[n]
		for _, f := range r.Findings {
			if !slices.ContainsFunc(have.Findings, func(h lsp.Finding) bool {
				return h.Range.Start == f.Range.Start && h.Code == f.Code && h.Message == f.Message
			}) {
				have.Findings = append(have.Findings, f)
			}
		}
		have.More = max(have.More, r.More)
	}
	to.Silent = append(to.Silent, from.Silent...)
	to.Unsure = to.Unsure || from.Unsure
}
