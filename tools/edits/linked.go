package edits

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/overlay"
	"lspi/tools/symbol"
)

// linkedToEdit warns of projects that use the edited one by path and hold names of what the edit changes, as an
// answer about these names does: the server tries the edit in one project, so that whether it breaks the others
// nobody has looked.
func linkedToEdit(ctx context.Context, c *answer.Call, s *lsp.Snapshot, roots []string, texts map[string]*EditedText) {
	for _, root := range roots {
		contents := map[string]string{}
		for path, t := range texts {
			if loaded.Deepest(roots, path) == root {
				contents[path] = t.After.Content()
			}
		}
		// Asked first, because it is known from the project files; what the edit changes for others costs requests.
		if len(contents) == 0 || lsp.LinkedApart(ctx, s.Server, root) == nil {
			continue
		}
		about := answer.Subject{}
		about.Names, about.Any = overlay.ChangedForOthers(ctx, s, contents)
		if len(about.Names) == 0 && !about.Any {
			continue
		}
		loaded.WarnLinked(ctx, c, s, root, func(ctx context.Context, files []lsp.Uncovered) []lsp.Uncovered {
			ctx, cancel := context.WithTimeout(ctx, loaded.HoldersLimit)
			defer cancel()
			return loaded.HoldersAmong(ctx, about, slices.DeleteFunc(files, func(u lsp.Uncovered) bool {
				return texts[u.Path] != nil
			}))
		})
	}
}

// projectsOfEdit makes the server load the other projects that come to edited files, and gives the sources that it
// does not see them from for all that.
func projectsOfEdit(ctx context.Context, c *answer.Call, s *lsp.Snapshot,
	contents map[string]string) (apart []lsp.Uncovered) {
	// A third of the time, because loading projects may be slow and two rounds of diagnostics follow.
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/3)
		defer cancel()
	}
	for path := range contents {
		others, all := lsp.ProjectsImporting(ctx, s.Server, path)
		if !all {
			loaded.WarnExcluded(c, s, lsp.Because(lsp.OutsideBuild, nil, false))
			continue
		}
		// What could not be loaded is found by Unread below, whatever the reason.
		_, _ = lsp.LoadProjects(ctx, s.Server, others[:min(len(others), loaded.MaxProjects)])
		apart = append(apart, lsp.Unread(ctx, s.Server, others)...)
	}
	apart = slices.DeleteFunc(apart, func(u lsp.Uncovered) bool {
		_, tried := contents[u.Path]
		return tried || u.Reason != lsp.OfOtherProject // those of no project are looked at like others
	})
	slices.SortFunc(apart, func(a, b lsp.Uncovered) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(apart)
}

// The bounds of what is compared on disk for files that others may notice, at servers that are asked for each.
const (
	maxReaders      = 60
	maxReadersBuilt = 8
)

// diskReaders warns of the servers that may notice the edits on disk alone, and gives those that can be compared
// there. Edits that others may notice are refused.
func diskReaders(c *answer.Call, plan *editPlan, d *difference) (out []DiskReader) {
	journal := c.Workspace.Pool.Journal(plan.Paths[0])
	all, extensions := slices.Sorted(journal.Files()), journal.CountByExt()
	texts := map[string]string{}
	for path, t := range d.texts {
		texts[path] = t.After.Content()
	}
	for i := range c.Workspace.Table.Specs {
		sp := &c.Workspace.Table.Specs[i]
		// Servers that report nothing here, that are switched off or not installed notice nothing; each check is
		// cheaper than the one after it.
		if !sp.Roles.Has(spec.RoleDiagnostics) || sp.Off() != "" || !servesOneOf(sp, extensions) ||
			!isInstalled(c, sp) {
			continue
		}
		// By folder: all files of a folder have one root, and finding it looks at the disk.
		roots := map[string]string{}
		rootOf := func(path string) string {
			dir := filepath.Dir(path)
			if _, known := roots[dir]; !known {
				roots[dir], _ = router.Root(c.Workspace.Process.Files, sp, path, c.Workspace.Root)
			}
			return roots[dir]
		}
		for _, path := range slices.Sorted(maps.Keys(texts)) {
			n := overlay.FindDiskDependents(sp, c.Workspace.Root, all, texts,
				overlay.DiskChange{Path: path, New: plan.fresh[path], After: texts[path]}, rootOf)
			if n.By == overlay.DependsNot {
				continue
			}
			readers, few := readersAt(c, sp, n.Files)
			if len(readers) == 0 { // another server reports on these files
				break
			}
			warnNoticed(c, sp, path, n, few)
			// Too many to be asked: the warning alone stands, of a kind that keeps the edit from being applied.
			if few {
				out = append(out, readers...)
			}
		}
	}
	return out
}

// servesOneOf reports whether a server has any file here, by the extensions that the journal counts; no file is
// looked at.
func servesOneOf(spec *spec.Spec, extensions map[string]int) bool {
	for ext := range extensions {
		if spec.Serves("x" + ext) {
			return true
		}
	}
	return false
}

// isInstalled reports whether a server can be asked; a configured one counts, because its error is to be told.
func isInstalled(c *answer.Call, spec *spec.Spec) bool {
	return answer.Program(c, spec) != "" || spec.Configured() != nil
}

// readersAt are the processes of a server that report on files, with what each is asked about; few is false when
// they are too many to be asked about. Of a server that tells of all files one of each root is enough. None where
// another server reports on them.
func readersAt(c *answer.Call, spec *spec.Spec, files []string) (out []DiskReader, few bool) {
	// A server that builds a file for each question can be asked about few files only.
	means, limit := spec.Diagnostics, maxReaders
	if means.Rebuild {
		limit = maxReadersBuilt
	}
	few = means.Workspace || len(files) <= limit
	for _, path := range files {
		r, ok := reportsOn(c, spec, path)
		if !ok {
			continue
		}
		i := slices.IndexFunc(out, func(have DiskReader) bool {
			return have.Route.Key() == r.Key() && (!means.Workspace || have.Route.Root == r.Root)
		})
		if i < 0 {
			i, out = len(out), append(out, DiskReader{Route: r})
		}
		if !means.Workspace || len(out[i].Files) == 0 {
			out[i].Files = append(out[i].Files, path)
		}
		// One route is enough to show that the server reports on such files.
		if !few {
			break
		}
	}
	return out, few
}

// reportsOn is the route of a file to a server when that is one of those whose diagnostics of the file count.
func reportsOn(c *answer.Call, sp *spec.Spec, path string) (router.Route, bool) {
	routes, err := c.Routes(path)
	if err != nil {
		return router.Route{}, false
	}
	for _, r := range router.For(routes, spec.RoleDiagnostics) {
		if r.Spec == sp {
			return r, true
		}
		// Of the servers that know the language only the first installed one counts, as in get_diagnostics.
		if main := spec.RoleNavigation; r.Spec.Roles.Has(main) && sp.Roles.Has(main) && isInstalled(c, r.Spec) {
			break
		}
	}
	return router.Route{}, false
}

// warnNoticed says which files may notice an edit of another on disk. Too many of them cannot be compared there.
func warnNoticed(c *answer.Call, spec *spec.Spec, path string, n overlay.DiskDependents, few bool) {
	kind, others, shown := contract.WarnPartFailed, c.Show(n.Files[0]), c.Show(path)
	if len(n.Files) > 1 {
		others = fmt.Sprintf("%d files, such as %s,", len(n.Files), others)
	}
	// The words say why an overlay does not show it, so that the host knows what an apply would find out.
	message := fmt.Sprintf("%s loads the project from disk, so lspi cannot check what the change of %s does to %s",
		spec.ID, shown, others)
	switch n.By {
	case overlay.DependsOnData:
		message = fmt.Sprintf("%s reads %s from disk, so lspi cannot check what the change does to %s", spec.ID, shown,
			others)
	case overlay.DependsOnNew:
		message = fmt.Sprintf(
			"%s sees the new %s only once it is on disk, so lspi cannot check what it does to the imports of %s",
			spec.ID, shown, others)
	}
	if !few {
		kind, message = contract.WarnSyncIncomplete, message+"; these are too many to compare"
	}
	c.Warn(kind, contract.Facts{"server_id": spec.ID, "part": symbol.Base(path), "reason": string(n.By),
		"total": len(n.Files),
		"files": c.ShowSome(n.Files)}, message)
}
