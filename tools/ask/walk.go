package ask

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
)

// WorkspaceWalk collects routes file by file; what is decided for a name or a folder is not decided again: a
// workspace has many thousand files, and few kinds and folders of them. It is made by [Survey] and used by one
// goroutine.
type WorkspaceWalk struct {
	c      *answer.Call
	method string
	only   []*spec.Spec // the servers that may be chosen; nil means all

	specs   map[string]*spec.Spec // by name pattern: the server chosen, nil for none
	Missing map[string]*spec.Spec // by name pattern: the first server that would serve it, and is not installed
	Lost    map[string][]string   // by name pattern: the files of missing
	found   map[*spec.Spec]bool   // whether a program is there
	places  map[string]*Ground    // by server and folder; nil where the server serves nothing
	Grounds []*Ground             // in the order in which they were found
	Routes  []router.Route        // what was picked
}

// Ground is one root of one server, with its files.
type Ground struct {
	Route router.Route
	Files []string // absolute
}

// IsNested reports whether a ground is a project of its own beside those that the workspace is about
// ([spec.RootRule].OutermostOnly): a fuzz/ below another one, test data.
func (w *WorkspaceWalk) IsNested(g *Ground) bool {
	if !g.Route.Spec.Roots.OutermostOnly {
		return false
	}
	below, _ := source.RelativeTo(w.c.Workspace.Root, g.Route.Root)
	if slices.ContainsFunc(strings.Split(filepath.ToSlash(below), "/"), func(part string) bool {
		return slices.Contains(testData, part)
	}) {
		return true
	}
	return slices.ContainsFunc(w.Grounds, func(other *Ground) bool {
		_, inside := source.RelativeTo(other.Route.Root, g.Route.Root)
		return inside && other.Route.Spec == g.Route.Spec && other.Route.Root != g.Route.Root
	})
}
