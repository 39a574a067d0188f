package hooks

import (
	"context"
	"maps"
	"slices"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/ask"
	"lspi/tools/diagnostics"
	"lspi/tools/edits"
	"lspi/tools/overlay"
)

// maxTexts bounds the texts from before that a server is shown at once.
const maxTexts = 30

// judge finds the errors that are new, and keeps what was seen. When files changed meanwhile it does neither, since
// what was seen may be of older texts.
func (l *look) judge(ctx context.Context, all []seen) error {
	var first []seen // files with errors that are looked at for the first time
	clean := map[string]bool{}
	for _, s := range all {
		f := l.st.files[s.path]
		switch {
		case len(s.errors) == 0 || f != nil && f.text != nil:
		case l.cleanBefore(s.path):
			clean[s.path] = true
		default:
			first = append(first, s)
		}
	}
	old := map[string][]lsp.Finding{}
	if len(first) > 0 {
		var err error
		if old, err = l.errorsBefore(ctx, first); err != nil {
			l.owe(all)
			return err
		}
	}
	for path := range clean {
		old[path] = nil
	}
	if l.changedSince(ctx) {
		l.owe(all)
		return nil
	}
	for _, s := range all {
		before, known := old[s.path]
		if f := l.st.files[s.path]; f != nil && f.text != nil {
			before, known = f.errors, true
		}
		if !known && len(s.errors) > 0 {
			l.st.owed[s.path] = max(l.st.owed[s.path], 1)
			continue
		}
		l.keep(s, before)
	}
	return nil
}

// owe notes files as owed.
func (l *look) owe(all []seen) {
	for _, s := range all {
		l.st.owed[s.path] = max(l.st.owed[s.path], 1)
	}
	l.st.waits = true
}

// changedSince reports whether a source has changed since the change was looked for.
func (l *look) changedSince(ctx context.Context) bool {
	for _, at := range l.st.marks {
		if _, err := at.journal.Barrier(ctx); err != nil {
			return true
		}
		changes, ok := at.journal.Since(at.mark)
		for _, change := range changes {
			if !ok || len(l.c.Workspace.Table.Candidates(base(change.Path))) > 0 {
				return true
			}
		}
		if !ok {
			return true
		}
	}
	return false
}

// keep notes what was seen of a file whose errors were before, and adds those that are new to what is told.
func (l *look) keep(s seen, before []lsp.Finding) {
	f := l.st.file(s.path)
	was := f.text
	if was == nil {
		was = l.before[s.path]
	}
	texts := map[string]*edits.EditedText{}
	if was != nil {
		texts[s.path] = &edits.EditedText{Before: was, After: s.text}
	}
	news, _ := edits.CompareFindings(before, s.errors, texts)
	brought, _ := edits.CompareFindings(without(before, f.brought), s.errors, texts)
	f.brought = brought
	gone, _ := edits.CompareFindings(f.ended, s.errors, texts)
	f.ended = without(s.errors, gone)
	f.errors = s.errors
	if !s.whole { // what was known of it besides may still be there
		f.errors = slices.Concat(s.errors, without(before, s.errors))
	}
	f.text = s.text
	if len(news) > 0 {
		l.news, l.takeBack = append(l.news, news...), append(l.takeBack, func() { l.st.untell(f, news) })
	}
}

// cleanBefore reports whether it is known that a file which did not change in the session had no error when it began:
// what breaks it is elsewhere, perhaps in a project file, whose text from before a server may not load.
func (l *look) cleanBefore(path string) bool {
	if f := l.st.files[path]; f != nil && f.changed {
		return false
	}
	routes := l.routes(path)
	return len(routes) > 0 && !slices.ContainsFunc(routes, func(r router.Route) bool {
		return !l.st.whole[serverAt{r.Spec.ID, r.Root}]
	})
}

// errorsBefore returns the errors of files with the texts from before the session, by path. A file that was not there
// then had none. A file that is missing in the result has to be looked at again.
func (l *look) errorsBefore(ctx context.Context, first []seen) (map[string][]lsp.Finding, error) {
	old := map[string][]lsp.Finding{}
	before, err := l.textsBefore(ctx)
	if err != nil {
		return nil, err
	}
	l.before = before
	var groups diagnostics.Groups
	for _, s := range first {
		if f := l.st.files[s.path]; f != nil && f.changed && before[s.path] == nil {
			old[s.path] = nil // it is new
			continue
		}
		routes, err := diagnostics.InstalledRoutes(l.c, s.path, spec.RoleDiagnostics)
		if err != nil {
			return nil, err
		}
		for _, r := range routes {
			groups.Add(s.path, r, func(have router.Route) bool { return have.Spec == r.Spec && have.Root == r.Root })
		}
	}
	for _, g := range groups {
		found, err := l.under(ctx, g, before)
		if err != nil {
			return nil, err
		}
		for _, path := range g.Paths {
			if !slices.Contains(found.Silent, path) {
				old[path] = append(old[path], errorsIn(found, path)...)
			}
		}
	}
	return old, nil
}

// textsBefore returns the texts from before of the files that the session changed, where they differ and there were
// any.
func (l *look) textsBefore(ctx context.Context) (map[string]*source.Text, error) {
	out := map[string]*source.Text{}
	for _, path := range slices.Sorted(maps.Keys(l.st.files)) {
		if !l.st.files[path].changed || len(out) == maxTexts {
			continue
		}
		was, err := l.st.before.of(ctx, path)
		if err != nil {
			return nil, err
		}
		if was != nil {
			out[path] = was
		}
	}
	return out, nil
}

// under asks one server for the diagnostics of files while it has the texts from before.
func (l *look) under(ctx context.Context, g *diagnostics.Group, before map[string]*source.Text) (
	found *lsp.Diagnosis, err error) {
	r, n := g.Routes[0], l.c.Nested(l.c.Tool, l.c.Request)
	contents := map[string]string{}
	for path, text := range before {
		if r.Spec.Serves(base(path)) {
			contents[path] = text.Content()
		}
	}
	err = ask.Diagnostics(ctx, n, r, g.Paths[0], r.Spec.ForOverlay(), func(ctx context.Context, s *lsp.Snapshot) error {
		if s.Spec().Diagnostics.Overlay == nil {
			release, err := n.Servers.Exclusive(ctx, s.Server)
			if err != nil {
				return err
			}
			defer release()
		}
		if err := s.Sync(ctx); err != nil {
			return err
		}
		found, err = overlay.Under(ctx, s, contents, g.Paths)
		return err
	})
	return found, err
}

// errorsIn returns the errors of one file.
func errorsIn(d *lsp.Diagnosis, path string) (out []lsp.Finding) {
	for _, f := range d.Findings() {
		if f.Path == path && f.Severity == "error" {
			out = append(out, f)
		}
	}
	return out
}
