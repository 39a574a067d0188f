package tsserver

import (
	"cmp"
	"context"
	"slices"

	"lspi/internal/lang"
	"lspi/lsp"
)

// tsserver answers for the projects that it has loaded, and loads that of each opened file, with those that it
// refers to. A project that uses another one by a path, by a name for a path or by a link in node_modules is not
// loaded for a question about the other (typescript-language-server 6.0.2); when a file of it is open its uses are
// in the answers.

// otherProjects is [lsp.LoadedProjectHooks].Others.
func (a *Process) otherProjects(ctx context.Context, asked string, may func(path string, m *lang.Mentions) bool) (
	others []lsp.OtherProject, all bool) {
	return a.projects.others(ctx, a.Server, asked, func(p *project, path string) bool {
		t := a.projects
		return may(path, t.script(path).mentions) &&
			t.follow(path, func(next string) bool { return next == asked || p.files[next] || t.script(next).ours })
	})
}

// projectsImporting is [lsp.LoadedProjectHooks].Importing.
func (a *Process) projectsImporting(ctx context.Context, file string) (others []lsp.OtherProject, all bool) {
	return a.projects.others(ctx, a.Server, file, func(_ *project, path string) bool {
		return a.projects.follow(path, func(next string) bool { return next == file || a.projects.script(next).ours })
	})
}

// others are the projects, besides that of a file, with the sources in them that may use it; all is false when ctx
// ended, or the file's own project could not be asked for.
func (t *projects) others(ctx context.Context, s *lsp.Server, asked string, may func(p *project, path string) bool) (
	others []lsp.OtherProject, all bool) {
	release, ok := t.take(ctx, s)
	if !ok {
		return nil, false
	}
	defer release()
	own := t.folderOf(asked)
	// Without a project of its own, or with no other in the tree, nothing can be missing.
	if own == "" || len(t.folders) < 2 {
		return nil, true
	}
	p, err := t.project(ctx, s, own, asked)
	if err != nil {
		return nil, false
	}
	for folder, sources := range t.folders {
		o := lsp.OtherProject{Folder: folder}
		for _, path := range sources {
			if ctx.Err() != nil {
				return nil, false
			}
			if folder != own && !p.files[path] && may(p, path) {
				o.Files = append(o.Files, path)
			}
		}
		if slices.Sort(o.Files); len(o.Files) > 0 {
			others = append(others, o)
		}
	}
	slices.SortFunc(others, func(a, b lsp.OtherProject) int {
		// The project with the most files comes first; the folder decides between equal ones, so that the order is
		// always the same.
		return cmp.Or(len(b.Files)-len(a.Files), cmp.Compare(a.Folder, b.Folder))
	})
	return others, true
}

// loadProjects is [lsp.LoadedProjectHooks].Load.
func (a *Process) loadProjects(ctx context.Context, others []lsp.OtherProject) (fresh bool, err error) {
	t, s := a.projects, a.Server
	if len(others) == 0 {
		return false, nil
	}
	release, ok := t.take(ctx, s)
	if !ok {
		return false, context.Cause(ctx)
	}
	defer release()
	for _, o := range others {
		before := s.Documents().Paths()
		p, err := t.project(ctx, s, o.Folder, o.Files[0])
		if err != nil {
			return fresh, err
		}
		if t.opened(p, o.Folder, before) {
			continue
		}
		fresh = fresh || len(p.members) > 0
		if !t.opened(p, o.Folder, s.Documents().Paths()) && len(p.members) > 0 {
			if _, err := s.Documents().OpenDocument(ctx, p.members[0]); lsp.UnlessGone(err) != nil {
				return fresh, err
			}
		}
	}
	return fresh, nil
}

// opened reports whether one of the open files makes the server load the project of a folder: a source of that
// folder does.
func (t *projects) opened(p *project, folder string, open []string) bool {
	return slices.ContainsFunc(open, func(path string) bool { return p.files[path] && t.folderOf(path) == folder })
}

// unread is [lsp.LoadedProjectHooks].Unread.
func (a *Process) unread(ctx context.Context, others []lsp.OtherProject) (out []lsp.Uncovered) {
	t, s := a.projects, a.Server
	if len(others) == 0 {
		return nil
	}
	release, ok := t.take(ctx, s)
	if !ok {
		for _, o := range others {
			out = append(out, lsp.Because(lsp.OfOtherProject, o.Files, true)...)
		}
		return out
	}
	defer release()
	for _, o := range others {
		p := t.known[o.Folder]
		if p == nil || len(p.members) > 0 && !t.opened(p, o.Folder, s.Documents().Paths()) {
			out = append(out, lsp.Because(lsp.OfOtherProject, o.Files, true)...)
			continue
		}
		for _, path := range o.Files {
			if !p.files[path] && !t.isOutput(s, p, o.Folder, path) {
				out = append(out, lsp.Uncovered{Path: path, Reason: lsp.OutsideBuild})
			}
		}
	}
	return out
}
