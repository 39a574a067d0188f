package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/source"
)

// maxRoots bounds how many roots of one server a question without a file is sent to.
const maxRoots = 16

// workspaceRoutes are the servers that the workspace as a whole needs for method: for each language that it has files
// of, the first server in order of preference that is installed and known to offer it, for each root that its markers
// show. Files of a project that cannot be loaded (no compilation database) are not asked about; a warning says so.
func (c *Call) workspaceRoutes(ctx context.Context, method string) ([]router.Route, error) {
	w, err := c.walkWorkspace(ctx, method)
	if err != nil {
		return nil, err
	}
	return w.routes, nil
}

// walkWorkspace looks at every file. Where only is given, its roots alone are collected, whoever else would be chosen.
func (c *Call) walkWorkspace(ctx context.Context, method string, only ...*lsp.Spec) (*workspaceWalk, error) {
	w, err := c.survey(ctx, method, only...)
	if err == nil {
		w.routes = w.pick(ctx, func(*ground) bool { return true })
	}
	return w, err
}

// survey looks at every file and picks no route yet: it says nothing in the answer, and starts nothing.
func (c *Call) survey(ctx context.Context, method string, only ...*lsp.Spec) (*workspaceWalk, error) {
	j := c.env.Pool.Journal(c.env.Settings.Workspace)
	if _, err := j.Barrier(ctx); err != nil {
		return nil, err
	}
	w := &workspaceWalk{c: c, method: method, only: only, specs: map[string]*lsp.Spec{}, missing: map[string]*lsp.Spec{},
		lost: map[string][]string{}, found: map[*lsp.Spec]bool{}, places: map[string]*ground{}}
	var tags []string
	for path := range j.Files() {
		w.visit(path)
		if filepath.Base(path) == source.CacheTag {
			tags = append(tags, path)
		}
	}
	w.withoutGenerated(tags)
	if len(w.grounds) == 0 && only == nil {
		return w, w.lacking(ctx)
	}
	return w, nil
}

// lacking is the error for a workspace in which no server of any language is there: that of the one that most files
// need, with how to install it. nil where no file declares anything.
func (w *workspaceWalk) lacking(ctx context.Context) error {
	var most []string
	for _, pattern := range sortedKeys(w.missing) {
		if language := w.missing[pattern].LanguageID("x" + pattern); slices.Contains(noSymbols, language) {
			continue
		}
		if files := w.lost[pattern]; len(files) > len(most) {
			most = files
		}
	}
	if len(most) == 0 {
		return nil
	}
	return w.c.ask(ctx, most[0], w.method, func(context.Context, *lsp.Server) error { return nil })
}

func (w *workspaceWalk) visit(path string) {
	dir, base := filepath.Split(path)
	key := patternOf(base)
	spec := w.choose(key, base)
	if spec == nil {
		if w.missing[key] != nil {
			w.lost[key] = append(w.lost[key], path)
		}
		return
	}
	at := spec.ID + "\x00" + dir
	g, known := w.places[at]
	if !known {
		g = w.ground(spec, path)
		w.places[at] = g
	}
	if g != nil {
		g.files = append(g.files, path)
	}
}

// ground is the one that a file belongs to; nil when the server is not offered for it.
func (w *workspaceWalk) ground(spec *lsp.Spec, path string) *ground {
	routes, err := w.c.env.Table.Route(w.c.env.Files, path)
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(routes, func(r router.Route) bool { return r.Spec == spec })
	if i < 0 {
		return nil
	}
	r := routes[i]
	for _, g := range w.grounds {
		if g.route.Spec == spec && g.route.Root == r.Root && g.unlisted() == (&ground{route: r}).unlisted() {
			return g
		}
	}
	g := &ground{route: r}
	w.grounds = append(w.grounds, g)
	return g
}

// unlisted reports whether the server needs a project file there and has none.
func (g *ground) unlisted() bool { return g.route.Spec.Project != nil && g.route.NoMarker }

// noneListed reports whether there are servers for the workspace, and none of them has the project file that it needs.
func (w *workspaceWalk) noneListed() bool {
	return len(w.grounds) > 0 && !slices.ContainsFunc(w.grounds, func(g *ground) bool { return !g.unlisted() })
}

// pick are the routes of the grounds that are wanted, as far as they can be asked; what cannot is said.
func (w *workspaceWalk) pick(ctx context.Context, wanted func(*ground) bool) []router.Route {
	out := []router.Route{}
	count := map[*lsp.Spec]int{}
	var left []*ground
	alone := !slices.ContainsFunc(w.grounds, func(g *ground) bool { return wanted(g) && !w.aside(g) })
	for _, g := range w.grounds {
		spec := g.route.Spec
		switch {
		case !wanted(g):
		case !alone && w.aside(g):
			left = append(left, g)
		case g.unlisted():
			if found := w.c.holders(ctx, g.files); len(found) > 0 {
				w.c.warnHolders(contract.WarningKind(spec.Project.Warning),
					contract.Facts{"server_id": spec.ID, "markers": spec.Project.Files}, found, w.unread(g, found))
			}
		default:
			if count[spec]++; count[spec] <= maxRoots {
				out = append(out, g.route)
			}
		}
	}
	for _, g := range w.grounds {
		if more := count[g.route.Spec] - maxRoots; more > 0 {
			w.c.warn(contract.WarnTruncated, contract.Facts{"server_id": g.route.Spec.ID, "roots": count[g.route.Spec]},
				fmt.Sprintf("%d further projects of %s were left out; file_path picks one", more, g.route.Spec.ID))
		}
	}
	w.leaveAside(ctx, left)
	return out
}

// unread says which files are not searched because nothing tells their server what the project is.
func (w *workspaceWalk) unread(g *ground, found []holder) string {
	return fmt.Sprintf("%s not searched: %s has no %s there. %s", w.c.such(found), g.route.Spec.ID,
		strings.Join(g.route.Spec.Project.Files, " or "), g.route.Spec.Project.Hint)
}

// patternOf is what of a base name decides about its server: the extension, or the whole name where there is none.
func patternOf(base string) string {
	if key := strings.ToLower(filepath.Ext(base)); key != "" {
		return key
	}
	return base
}

// choose is the server for files of this name: the extension decides unless the whole name is known.
func (w *workspaceWalk) choose(key, base string) *lsp.Spec {
	if spec, ok := w.specs[key]; ok {
		return spec
	}
	w.specs[key] = nil
	for _, spec := range w.c.env.Table.Candidates(base) {
		if w.only != nil {
			if slices.Contains(w.only, spec) {
				w.specs[key] = spec
			}
			continue
		}
		if !spec.Roles.Has(lsp.RoleNavigation) || slices.Contains(spec.Lacks, w.method) {
			continue
		}
		if w.installed(spec) || spec.Configured() != nil { // the error of one that is configured and not there is the answer
			w.specs[key] = spec
			delete(w.missing, key)
			break
		}
		if w.missing[key] == nil {
			w.missing[key] = spec
		}
	}
	return w.specs[key]
}

// installed reports whether a program for the server is there; a running server is.
func (w *workspaceWalk) installed(spec *lsp.Spec) bool {
	known, ok := w.found[spec]
	if !ok {
		known = slices.ContainsFunc(w.c.env.Pool.Running(), func(s *lsp.Server) bool { return s.ID() == spec.ID })
		if !known {
			commands, _ := lsp.FindCommands(spec)
			known = len(commands) > 0
		}
		w.found[spec] = known
	}
	return known
}
