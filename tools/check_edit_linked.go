package tools

import (
	"context"
	"slices"
	"time"

	"lspi/lsp"
	"lspi/source"
)

// linkedToTrial warns of projects that use the edited one by path and hold names of what the edit changes, as an answer about these
// names does: the server tries the edit in one project, so that whether it breaks the others nobody has looked.
func linkedToTrial(ctx context.Context, c *Call, s *lsp.Server, roots []string, texts map[string]*editedText) {
	for _, root := range roots {
		contents := map[string]string{}
		for path, t := range texts {
			if deepest(roots, path) == root {
				contents[path] = t.after.Content()
			}
		}
		if len(contents) == 0 || s.LinkedApart(ctx, root) == nil {
			continue
		}
		about := subject{}
		about.names, about.any = lsp.ChangedForOthers(ctx, s, contents)
		if len(about.names) == 0 && !about.any {
			continue
		}
		warnLinked(ctx, c, s, root, func(ctx context.Context, files []string) []holder {
			ctx, cancel := context.WithTimeout(ctx, holdersLimit)
			defer cancel()
			return about.holders(ctx, slices.DeleteFunc(files, func(path string) bool { return texts[path] != nil }))
		})
	}
}

// projectsOfTrial makes the server load the other projects that come to files of a trial, and gives the sources that it does not see
// them from for all that.
func projectsOfTrial(ctx context.Context, c *Call, s *lsp.Server, contents map[string]string) (apart []holder) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/3)
		defer cancel()
	}
	var files []string
	for path := range contents {
		others, all := lsp.ProjectsImporting(ctx, s, path)
		if !all {
			c.leaveOut(s, nil, false, path)
			continue
		}
		_, _ = lsp.LoadProjects(ctx, s, others[:min(len(others), maxProjects)])
		unseen, _ := lsp.Unread(ctx, s, others, []string{path}) // those of no project are looked at like others
		files = append(files, unseen...)
	}
	slices.Sort(files)
	for _, path := range slices.Compact(files) {
		if _, tried := contents[path]; !tried {
			apart = append(apart, holder{path: path})
		}
	}
	return apart
}

// deepest is the innermost of the folders that holds a path; "" when none does.
func deepest(folders []string, path string) (out string) {
	for _, folder := range folders {
		if _, ok := source.RelativeTo(folder, path); ok && len(folder) > len(out) {
			out = folder
		}
	}
	return out
}

// declaringProject is the folder of the project that declares what the answer is about, which that at root may use; root where that is not
// one of the linked projects.
func declaringProject(ctx context.Context, c *Call, s *lsp.Server, l *lsp.Linked, root string) string {
	c.mu.Lock()
	about := slices.Clone(c.subject.at)
	c.mu.Unlock()
	if len(about) > 0 {
		if declared, ok := c.declaration(ctx, s, about[0]); ok {
			if folder := deepest(l.Folders, declared.Path); folder != "" {
				return folder
			}
		}
	}
	return root
}
