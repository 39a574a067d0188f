package ask

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/loaded"
)

// maxRoots bounds the roots of one server to which a question without a file goes: each is a project to
// load.
const maxRoots = 16

// WorkspaceRoutes returns the servers that the workspace as a whole needs for method: for each language
// of its files the first server in order of preference that is installed and known to offer it, for
// each root that its markers show. Files of a project that cannot be loaded (no compilation database)
// are not asked about; a warning says so.
func WorkspaceRoutes(ctx context.Context, c *answer.Call, method string) ([]router.Route, error) {
	w, err := WalkWorkspace(ctx, c, method)
	if err != nil {
		return nil, err
	}
	return w.Routes, nil
}

// WalkWorkspace looks at every file and picks the routes. With only, no other servers are chosen,
// whoever would be preferred.
func WalkWorkspace(ctx context.Context, c *answer.Call, method string, only ...*spec.Spec) (*WorkspaceWalk, error) {
	w, err := Survey(ctx, c, method, only...)
	if err == nil {
		w.Routes = w.Pick(ctx, func(*RootFiles) bool { return true })
	}
	return w, err
}

// Survey looks at every file without picking routes: it adds nothing to the answer and starts nothing.
// The exception is a workspace for which no server is installed; its error is made by asking about a
// file of it, as any other call would.
func Survey(ctx context.Context, c *answer.Call, method string, only ...*spec.Spec) (*WorkspaceWalk, error) {
	picked := c.Picked()
	if picked != "" && only == nil {
		spec, err := c.Workspace.Table.Server(picked)
		if err != nil {
			return nil, err
		}
		only = append(only, spec)
	}
	w := &WorkspaceWalk{c: c, method: method, only: only, specs: map[string][]*spec.Spec{},
		Missing:  map[string]*spec.Spec{},
		Unserved: map[string][]string{}, found: map[*spec.Spec]bool{}, byFolder: map[string]*RootFiles{}}
	var tags []string
	for _, tree := range c.Workspace.Trees() {
		j := c.Workspace.Pool.Journal(tree)
		// After the barrier the journal has the files that were on disk when the call began, so none that was just
		// written is missed.
		if _, err := j.Barrier(ctx); err != nil {
			return nil, err
		}
		for path := range j.Files() {
			w.visit(path)
			if filepath.Base(path) == source.CacheTag {
				// Looked at after the walk: a folder may be walked before its tag is found.
				tags = append(tags, path)
			}
		}
	}
	w.withoutGenerated(tags)
	// Whoever serves a file all the same, where its marker is found, is enough.
	maps.DeleteFunc(w.Missing, func(key string, _ *spec.Spec) bool { return len(w.Unserved[key]) == 0 })
	if len(w.Roots) == 0 && picked != "" {
		return w, answer.Invalid("server_id", "names %s, which serves no file of this workspace", picked)
	}
	// With only given the caller has a better error: the one about the server that it named.
	if len(w.Roots) == 0 && only == nil {
		return w, w.noServerError(ctx)
	}
	return w, nil
}

// noServerError is the error of a workspace without any installed server: that of the server which most files
// need, with how to install it. nil where no file declares anything.
func (w *WorkspaceWalk) noServerError(ctx context.Context) error {
	var most []string
	for _, pattern := range slices.Sorted(maps.Keys(w.Missing)) {
		// A README is no reason to install a server for Markdown.
		if language := w.Missing[pattern].LanguageID("x" + pattern); lang.ByID(language).NoSymbols {
			continue
		}
		if files := w.Unserved[pattern]; len(files) > len(most) {
			most = files
		}
	}
	if len(most) == 0 {
		return nil
	}
	return File(ctx, w.c, most[0], w.method, func(context.Context, *lsp.Snapshot) error { return nil })
}

// visit adds one file to the root that serves it, or to the files that no installed server serves. A
// file whose name no server of the table serves is forgotten.
func (w *WorkspaceWalk) visit(path string) {
	dir, base := filepath.Split(path)
	key := patternOf(base)
	// Decided once for a pattern and a method: ten thousand files have a few dozen patterns.
	for _, spec := range w.choose(key, base) {
		at := spec.ID + "\x00" + dir
		g, known := w.byFolder[at]
		if !known {
			g = w.rootFilesOf(spec, path)
			// nil is kept too: it says that the server serves nothing in this folder.
			w.byFolder[at] = g
		}
		if g != nil {
			g.Files = append(g.Files, path)
			return
		}
	}
	if w.Missing[key] != nil {
		w.Unserved[key] = append(w.Unserved[key], path)
	}
}

// rootFilesOf returns the root of a server that a file belongs to; nil when the server is not offered
// for it.
func (w *WorkspaceWalk) rootFilesOf(spec *spec.Spec, path string) *RootFiles {
	routes, err := w.c.Workspace.Table.Route(w.c.Workspace.Process.Files, path)
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(routes, func(r router.Route) bool { return r.Spec == spec })
	if i < 0 {
		return nil
	}
	r := routes[i]
	for _, g := range w.Roots {
		// Files of one root may differ in whether a project file is above them; those without one cannot be asked
		// about, the others can.
		if g.Route.Spec == spec && g.Route.Root == r.Root && g.unlisted() == r.Unlisted() {
			return g
		}
	}
	g := &RootFiles{Route: r}
	w.Roots = append(w.Roots, g)
	return g
}

// unlisted reports whether the server needs a project file at this root and there is none.
func (g *RootFiles) unlisted() bool { return g.Route.Unlisted() }

// NoneListed reports whether there are servers for the workspace, but each lacks the project file that
// it needs. They are asked then, as far as they answer without.
func (w *WorkspaceWalk) NoneListed() bool {
	return len(w.Roots) > 0 && !slices.ContainsFunc(w.Roots, func(g *RootFiles) bool { return !g.unlisted() })
}

// Pick returns the routes of the roots for which wanted is true, as far as they can be asked, and warns
// of the others.
func (w *WorkspaceWalk) Pick(ctx context.Context, wanted func(*RootFiles) bool) []router.Route {
	out := []router.Route{}
	count := map[*spec.Spec]int{}
	w.left = nil
	// When only nested projects are wanted they are what the workspace is about, and are asked.
	alone := !slices.ContainsFunc(w.Roots, func(g *RootFiles) bool { return wanted(g) && !w.IsNested(g) })
	for _, g := range w.Roots {
		sp := g.Route.Spec
		switch {
		case !wanted(g):
		case !alone && w.IsNested(g) && !(aside(w, g) == spec.Named && w.holdsName(ctx, g)):
			w.left = append(w.left, g)
		// Only files that may hold what is asked for are told: a stray .c file is no reason to call every answer
		// partial.
		case g.unlisted() && (!w.NoneListed() || w.method == lsp.MethodPublishDiag): // the server guesses errors
			if found := loaded.Holders(ctx, w.c, lsp.Because(lsp.LacksProject(sp.Project), g.Files,
				true)); len(found) > 0 {
				loaded.Warn(w.c, contract.Facts{"server_id": sp.ID, "markers": sp.Project.Files}, found,
					w.unread(g, found))
			}
		default:
			// Each root costs a load of its project.
			if count[sp]++; count[sp] <= maxRoots {
				out = append(out, g.Route)
			}
		}
	}
	// An equal warning is not repeated by the call, so each server is named once although it has many roots.
	for _, g := range w.Roots {
		if more := count[g.Route.Spec] - maxRoots; more > 0 {
			w.c.Warn(contract.WarnTruncated, contract.Facts{"server_id": g.Route.Spec.ID, "roots": count[g.Route.Spec]},
				fmt.Sprintf("lspi left out %d further projects of %s; file_path selects one", more, g.Route.Spec.ID))
		}
	}
	w.warnNested(ctx, w.left)
	return out
}

// unread says which files are not searched because their server has no project file there.
func (w *WorkspaceWalk) unread(g *RootFiles, found []lsp.Uncovered) string {
	return fmt.Sprintf("%s not searched: %s has no %s there. %s", loaded.FilesWere(w.c, found), g.Route.Spec.ID,
		strings.Join(g.Route.Spec.Project.Files, " or "), g.Route.Spec.Project.Hint)
}

// patternOf returns the part of a base name that decides about its server: the extension, or the whole
// name without one.
func patternOf(base string) string {
	if key := strings.ToLower(filepath.Ext(base)); key != "" {
		return key
	}
	return base
}

// choose returns the servers for files of this name, in order of preference: those that serve only where their marker
// is found, up to one that serves any. The choice is made once for each pattern.
func (w *WorkspaceWalk) choose(key, base string) []*spec.Spec {
	if all, ok := w.specs[key]; ok {
		return all
	}
	// Only the first file of a pattern gets here; nil is remembered for patterns that nobody serves.
	w.specs[key] = nil
	for _, sp := range w.c.Workspace.Table.Candidates(base) {
		if w.only != nil {
			if slices.Contains(w.only, sp) {
				w.specs[key] = append(w.specs[key], sp)
			}
			continue
		}
		if !sp.Roles.Has(spec.RoleNavigation) || slices.Contains(sp.Lacks, w.method) {
			continue
		}
		// the error of one that is configured and not there is the answer
		if w.installed(sp) || sp.Configured() != nil {
			w.specs[key] = append(w.specs[key], sp)
			delete(w.Missing, key)
			if !sp.Roots.Required {
				break
			}
			continue // where its marker is not found, the next one serves the file
		}
		// The first one is the preferred one, and the one to install.
		if w.Missing[key] == nil {
			w.Missing[key] = sp
		}
	}
	return w.specs[key]
}

// installed reports whether a program for the server exists; one that runs does.
func (w *WorkspaceWalk) installed(spec *spec.Spec) bool {
	known, ok := w.found[spec]
	if !ok {
		known = slices.ContainsFunc(w.c.Workspace.Pool.Running(), func(s *lsp.Server) bool { return s.ID() == spec.ID })
		if !known {
			commands, _ := launch.FindCommands(spec)
			known = len(commands) > 0
		}
		w.found[spec] = known
	}
	return known
}
