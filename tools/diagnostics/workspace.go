package diagnostics

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/loaded"
)

// ofWorkspace is [ofFiles] for the whole workspace.
func ofWorkspace(ctx context.Context, c *answer.Call, s *lsp.Snapshot, all bool) (*lsp.Diagnosis, error) {
	q := s.Diagnostics()
	if all {
		found, err := q.All(ctx)
		if err == nil {
			noteErrors(c, s, found)
		}
		return found, err
	}
	found, err := q.AllFirst(ctx)
	if err != nil {
		return nil, err
	}
	noteErrors(c, s, found)
	if len(found.Pending) > 0 {
		rest, err := q.FinishAll(ctx)
		if err != nil {
			return nil, err
		}
		c.Session.Errors.Await(s.Server, rest)
	}
	return found, nil
}

// target is one process that is asked about the workspace.
type target struct {
	route router.Route
	roots []string
	files []string // the sources that it serves there
	// sweeps: the server looks at open files only, so that lspi opens all of these.
	sweeps bool
}

// diagnoseWorkspace asks the servers of all files of the workspace, or of those in the scope. Of those that report on
// whole projects, unless wait is set, what is not known when soon ends stays pending; those that look at open files
// only have until ctx ends.
func diagnoseWorkspace(ctx, soon context.Context, c *answer.Call, in scope, wait bool, d *gathered) error {
	walk, err := ask.Survey(ctx, c, lsp.MethodPublishDiag)
	if err != nil {
		return err
	}
	if in, err = in.limit(c, walk); err != nil {
		return err
	}
	walk.Routes = walk.Pick(ctx, func(g *ask.RootFiles) bool {
		return slices.ContainsFunc(g.Files, in.has) && !byItself(g.Route)
	})
	uninstalled(c, walk, in)
	targets := worthAsking(c, walk, in)
	if len(targets) == 0 {
		return noneAsked(c, walk)
	}
	notTaken(c, targets, in)
	errs := make([]error, len(targets))
	answer.Parallel(len(targets), 0, func(i int) {
		t := targets[i]
		within := soon
		if t.sweeps {
			within = ctx
		}
		errs[i] = d.askServer(within, c, t.route, "", func(ctx context.Context, s *lsp.Snapshot) (*lsp.Diagnosis,
			error) {
			// One process may serve several roots; the question is about all of them.
			for _, root := range t.roots {
				if err := s.Reach(ctx, root); err != nil && !loaded.NoRoom(c, err) {
					return nil, err
				}
			}
			var found *lsp.Diagnosis
			var err error
			if t.sweeps {
				found, err = sweep(ctx, c, s, t, wait)
			} else {
				found, err = ofWorkspace(ctx, c, s, wait)
			}
			if err != nil {
				return nil, err
			}
			UncheckedProjects(ctx, c, s, t.roots, nil, found)
			for _, root := range t.roots {
				ask.WarnLoadFailed(ctx, c, s, root)
			}
			in.cut(c, walk, found)
			return found, nil
		})
	})
	if err := answer.ErrorOfAll(errs); err != nil {
		return err
	}
	if slices.ContainsFunc(targets, func(t target) bool { return t.route.Spec != targets[0].route.Spec }) {
		c.AnsweredByMany() // each finding says whose it is
	}
	for i, err := range errs {
		if err != nil {
			ask.PartFailed(c, targets[i].route.Spec.ID, err)
		}
	}
	return nil
}

// noneAsked is the answer for a workspace of which no server can be asked: it is an error, unless warnings say why.
func noneAsked(c *answer.Call, walk *ask.WorkspaceWalk) error {
	if len(c.Warnings()) > 0 {
		return nil
	}
	return contract.Errorf(contract.KindNoServerForExtension, contract.Facts{"extension": ""},
		"no installed language server reports on the files of this workspace")
}

// uninstalled warns of the languages of the scope whose files no installed server checks.
func uninstalled(c *answer.Call, walk *ask.WorkspaceWalk, in scope) {
	for _, key := range slices.Sorted(maps.Keys(walk.Missing)) {
		// Nobody misses the errors of prose.
		spec := walk.Missing[key]
		if spec == nil || spec.Diagnostics.Apart || !slices.ContainsFunc(walk.Unserved[key], in.has) {
			continue
		}
		files := slices.DeleteFunc(slices.Clone(walk.Unserved[key]), func(path string) bool { return !in.has(path) })
		slices.Sort(files)
		facts := contract.Facts{"server_id": spec.ID, "error": contract.KindServerNotInstalled,
			"files": c.ShowSome(files), "total": len(files)}
		c.Warn(contract.WarnServerFailed, facts, fmt.Sprintf(
			"no language server for %s files is installed, such as %s; they were not checked", key, spec.ID))
		c.Step(answer.ToolStep("list_servers", "See how to install what is missing."))
	}
}

// maxOfNoServer bounds the notebooks and scripts that are read for their language.
const maxOfNoServer = 200

// notTaken warns of notebooks and scripts without an ending that are code of a language which is asked about, and that
// no server takes for sources. What shells and build tools run is no code of a project.
func notTaken(c *answer.Call, targets []target, in scope) {
	var files []string
	for _, tree := range c.Workspace.Trees() {
		for path := range c.Workspace.Pool.Journal(tree).Files() {
			ext := filepath.Ext(path)
			if (ext == ".ipynb" || ext == "" && lang.Of(path).ID == "") && in.has(path) {
				files = append(files, path)
			}
		}
	}
	slices.Sort(files)
	files = slices.DeleteFunc(files[:min(len(files), maxOfNoServer)], func(path string) bool {
		text, err := source.Read(path)
		if err != nil {
			return true
		}
		id := lang.OfText(path, text.Content()).ID
		return id == "" || lang.ByID(id).Optional || !slices.ContainsFunc(targets, func(t target) bool {
			return slices.ContainsFunc(t.route.Spec.Languages, func(l spec.Language) bool { return l.ID == id })
		})
	})
	if len(files) == 0 {
		return
	}
	facts := contract.Facts{"files": c.ShowSome(files), "total": len(files)}
	c.Warn(contract.WarnCoverageOpenFilesOnly, facts, fmt.Sprintf(
		"%s not checked, the first %s: no server reads notebooks, and scripts whose names have no ending",
		answer.Counted(len(files), "file"), c.Show(files[0])))
}

// worthAsking returns the processes to ask, each with all of its roots. Servers that only check are asked where they
// run.
func worthAsking(c *answer.Call, walk *ask.WorkspaceWalk, in scope) (targets []target) {
	others := slices.ContainsFunc(walk.Roots, func(g *ask.RootFiles) bool { return !g.Route.Spec.Diagnostics.Apart })
	add := func(r router.Route, files []string) {
		files = slices.DeleteFunc(slices.Clone(files), func(path string) bool { return !in.has(path) })
		i := slices.IndexFunc(targets, func(t target) bool { return t.route.Key() == r.Key() })
		switch {
		case len(files) == 0:
			return
		case i < 0:
			i, targets = len(targets), append(targets, target{route: r, sweeps: !r.Spec.Diagnostics.Workspace})
		}
		t := &targets[i]
		t.files = append(t.files, files...)
		if !slices.Contains(t.roots, r.Root) {
			t.roots = append(t.roots, r.Root)
		}
	}
	for _, g := range walk.Roots {
		picked := slices.ContainsFunc(walk.Routes, func(r router.Route) bool {
			return r.Key() == g.Route.Key() && r.Root == g.Route.Root && r.NoMarker == g.Route.NoMarker
		})
		// The question does not mean what stands for itself, where there is anything else.
		if (picked || byItself(g.Route)) && !(others && g.Route.Spec.Diagnostics.Apart) {
			add(g.Route, g.Files)
		}
	}
	// The walk chooses servers that navigate; a linter that runs has findings as well.
	for _, s := range c.Workspace.Pool.Running() {
		if s.Spec().Roles.Has(spec.RoleDiagnostics) && !s.Spec().Roles.Has(spec.RoleNavigation) {
			r := c.Workspace.Pool.RouteTo(s)
			add(r, loaded.Sources(c, s.Unverified(), r.Root))
		}
	}
	return targets
}

// byItself reports whether the server looks at the files of a root each by itself, though it loads projects and there
// is none. Where a project file also says how files are compiled, what the server says without one is a guess.
func byItself(r router.Route) bool {
	p := r.Spec.Project
	return r.NoMarker && p != nil && !p.AnswersWithout() && !r.Spec.Diagnostics.Workspace
}
