package tools

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"lspi/adapter"
	"lspi/contract"
	"lspi/lsp"
	"lspi/overlay"
	"lspi/router"
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
		if len(contents) == 0 || adapter.LinkedApart(ctx, s, root) == nil {
			continue
		}
		about := subject{}
		about.names, about.any = overlay.ChangedForOthers(ctx, s, contents)
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
		others, all := adapter.ProjectsImporting(ctx, s, path)
		if !all {
			c.leaveOut(s, nil, false, path)
			continue
		}
		_, _ = adapter.LoadProjects(ctx, s, others[:min(len(others), maxProjects)])
		unseen, _ := adapter.Unread(ctx, s, others, []string{path}) // those of no project are looked at like others
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

// The bounds of what is compared on disk for files that others may notice, at servers that are asked for each.
const (
	maxReaders      = 60
	maxReadersBuilt = 8
)

// diskReaders warns of the servers that may notice the edits on disk alone, and gives those that can be compared there. Edits that others
// may notice are refused.
func diskReaders(c *Call, plan *editPlan, d *difference) (out []diskReader) {
	journal := c.env.Pool.Journal(c.env.Settings.Workspace)
	all, extensions := slices.Sorted(journal.Files()), journal.CountByExt()
	texts := map[string]string{}
	for path, t := range d.texts {
		texts[path] = t.after.Content()
	}
	for i := range c.env.Table.Specs {
		spec := &c.env.Table.Specs[i]
		if !spec.Roles.Has(lsp.RoleDiagnostics) || spec.Off() != "" || !servesOneOf(spec, extensions) || !c.isInstalled(spec) {
			continue
		}
		roots := map[string]string{}
		rootOf := func(path string) string {
			dir := filepath.Dir(path)
			if _, known := roots[dir]; !known {
				roots[dir], _ = router.Root(c.env.Files, spec, path, c.env.Settings.Workspace)
			}
			return roots[dir]
		}
		for _, path := range slices.Sorted(maps.Keys(texts)) {
			n := overlay.FindDiskDependents(spec, c.env.Settings.Workspace, all, texts, overlay.DiskChange{Path: path, New: plan.fresh[path], After: texts[path]}, rootOf)
			if n.By == overlay.DependsNot {
				continue
			}
			readers, few := c.readersAt(spec, n.Files)
			if len(readers) == 0 { // another server has these files
				break
			}
			c.warnNoticed(spec, path, n, few)
			if few {
				out = append(out, readers...)
			}
		}
	}
	return out
}

func servesOneOf(spec *lsp.Spec, extensions map[string]int) bool {
	for ext := range extensions {
		if spec.Serves("x" + ext) {
			return true
		}
	}
	return false
}

func (c *Call) isInstalled(spec *lsp.Spec) bool {
	return c.program(spec) != "" || spec.Configured() != nil
}

// readersAt are the processes of a server that report on files, with what each is asked about; few is false when they are too many to
// be asked about. Of a server that tells of all files one of each root is enough. None where another server reports on them.
func (c *Call) readersAt(spec *lsp.Spec, files []string) (out []diskReader, few bool) {
	means, limit := spec.Diagnostics, maxReaders
	if means.Rebuild {
		limit = maxReadersBuilt
	}
	few = means.Workspace || len(files) <= limit
	for _, path := range files {
		r, ok := c.reportsOn(spec, path)
		if !ok {
			continue
		}
		i := slices.IndexFunc(out, func(have diskReader) bool {
			return have.route.Key() == r.Key() && (!means.Workspace || have.route.Root == r.Root)
		})
		if i < 0 {
			i, out = len(out), append(out, diskReader{route: r})
		}
		if !means.Workspace || len(out[i].files) == 0 {
			out[i].files = append(out[i].files, path)
		}
		if !few {
			break
		}
	}
	return out, few
}

// reportsOn is the route of a file to a server when that is one of those whose diagnostics of the file count.
func (c *Call) reportsOn(spec *lsp.Spec, path string) (router.Route, bool) {
	routes, err := c.routes(path)
	if err != nil {
		return router.Route{}, false
	}
	for _, r := range router.For(routes, lsp.RoleDiagnostics) {
		if r.Spec == spec {
			return r, true
		}
		if main := lsp.RoleNavigation; r.Spec.Roles.Has(main) && spec.Roles.Has(main) && c.isInstalled(r.Spec) {
			break
		}
	}
	return router.Route{}, false
}

// warnNoticed says which files may notice an edit of another on disk. Too many of them cannot be compared there.
func (c *Call) warnNoticed(spec *lsp.Spec, path string, n overlay.DiskDependents, few bool) {
	kind, others, shown := contract.WarnPartFailed, c.show(n.Files[0]), c.show(path)
	if len(n.Files) > 1 {
		others = fmt.Sprintf("%d files, such as %s,", len(n.Files), others)
	}
	message := fmt.Sprintf("%s loads the project from disk: what the change of %s does to %s is not checked", spec.ID, shown, others)
	switch n.By {
	case overlay.DependsOnData:
		message = fmt.Sprintf("%s reads %s from disk: what the change does to %s is not checked", spec.ID, shown, others)
	case overlay.DependsOnNew:
		message = fmt.Sprintf("%s sees the new %s only on disk: what it does to %s, by what these import, is not checked", spec.ID, shown, others)
	}
	if !few {
		kind, message = contract.WarnSyncIncomplete, message+"; these are too many to be compared"
	}
	c.warn(kind, contract.Facts{"server_id": spec.ID, "part": base(path), "reason": string(n.By), "total": len(n.Files),
		"files": c.showSome(n.Files)}, message)
}
