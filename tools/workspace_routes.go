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
	j := c.env.Pool.Journal(c.env.Settings.Workspace)
	if _, err := j.Barrier(ctx); err != nil {
		return nil, err
	}
	w := &workspaceWalk{c: c, method: method, only: only, specs: map[string]*lsp.Spec{}, missing: map[string]*lsp.Spec{},
		found: map[*lsp.Spec]bool{}, roots: map[string]bool{}, perServer: map[*lsp.Spec]int{}}
	for path := range j.Files() {
		w.visit(path)
	}
	for _, r := range w.routes {
		if more := w.perServer[r.Spec] - maxRoots; more > 0 {
			c.warn(contract.WarnTruncated, contract.Facts{"server_id": r.Spec.ID, "roots": w.perServer[r.Spec]},
				fmt.Sprintf("%d further projects of %s were left out; file_path picks one", more, r.Spec.ID))
		}
	}
	return w, nil
}

// workspaceWalk collects routes file by file; what is decided for a name or a folder is not decided again.
type workspaceWalk struct {
	c      *Call
	method string
	only   []*lsp.Spec // the servers that may be chosen; nil means all

	specs     map[string]*lsp.Spec // by name pattern: the server chosen, nil for none
	missing   map[string]*lsp.Spec // by name pattern: the first server that would serve it, and is not installed
	found     map[*lsp.Spec]bool   // whether a program is there
	roots     map[string]bool      // server and folder that were looked at
	perServer map[*lsp.Spec]int    // roots
	routes    []router.Route       // each server with each of its roots
}

// nonNil are the routes, so that none is not taken for all.
func (w *workspaceWalk) nonNil() []router.Route { return append([]router.Route{}, w.routes...) }

func (w *workspaceWalk) visit(path string) {
	dir, base := filepath.Split(path)
	spec := w.choose(base)
	if spec == nil {
		return
	}
	at := spec.ID + "\x00" + dir
	if w.roots[at] {
		return
	}
	w.roots[at] = true
	routes, err := w.c.env.Table.Route(w.c.env.Files, path)
	if err != nil {
		return
	}
	for _, r := range routes {
		if r.Spec == spec {
			w.add(r)
			return
		}
	}
}

func (w *workspaceWalk) add(r router.Route) {
	if p := r.Spec.Project; p != nil && r.NoMarker {
		w.c.warn(contract.WarningKind(p.Warning), contract.Facts{"server_id": r.Spec.ID, "markers": p.Files},
			"files of "+r.Spec.ID+" were not searched: "+p.Hint)
		return
	}
	same := func(o router.Route) bool { return o.Spec == r.Spec && o.Root == r.Root }
	if slices.ContainsFunc(w.routes, same) {
		return
	}
	if w.perServer[r.Spec]++; w.perServer[r.Spec] <= maxRoots {
		w.routes = append(w.routes, r)
	}
}

// choose is the server for files of this name: the extension decides unless the whole name is known.
func (w *workspaceWalk) choose(base string) *lsp.Spec {
	key := strings.ToLower(filepath.Ext(base))
	if key == "" {
		key = base
	}
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
		if w.installed(spec) {
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
