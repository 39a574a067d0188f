package tools

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/lsp"
	"lspi/router"
	"lspi/source"
)

// workspaceWalk collects routes file by file; what is decided for a name or a folder is not decided again.
type workspaceWalk struct {
	c      *Call
	method string
	only   []*lsp.Spec // the servers that may be chosen; nil means all

	specs   map[string]*lsp.Spec // by name pattern: the server chosen, nil for none
	missing map[string]*lsp.Spec // by name pattern: the first server that would serve it, and is not installed
	lost    map[string][]string  // by name pattern: the files of missing
	found   map[*lsp.Spec]bool   // whether a program is there
	places  map[string]*ground   // by server and folder; nil where the server serves nothing
	grounds []*ground            // in the order in which they were found
	routes  []router.Route       // what was picked
}

// ground is one root of one server, with its files.
type ground struct {
	route router.Route
	files []string // absolute
}

// aside reports whether a ground is a project of its own beside those that the workspace is about ([lsp.RootRule].Aside): a
// fuzz/ below another one, test data.
func (w *workspaceWalk) aside(g *ground) bool {
	if !g.route.Spec.Roots.Aside {
		return false
	}
	below, _ := source.RelativeTo(w.c.env.Settings.Workspace, g.route.Root)
	if slices.ContainsFunc(strings.Split(filepath.ToSlash(below), "/"), func(part string) bool { return slices.Contains(testData, part) }) {
		return true
	}
	return slices.ContainsFunc(w.grounds, func(other *ground) bool {
		_, inside := source.RelativeTo(other.route.Root, g.route.Root)
		return inside && other.route.Spec == g.route.Spec && other.route.Root != g.route.Root
	})
}
