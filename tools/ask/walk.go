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

// WorkspaceWalk collects the roots of a workspace file by file. What was decided for a name pattern or
// a folder is not decided again: a workspace has many thousand files, but few kinds and folders of
// them. [Survey] makes it; one goroutine uses it.
type WorkspaceWalk struct {
	c      *answer.Call
	method string
	only   []*spec.Spec // the servers that may be chosen; nil means all

	specs    map[string][]*spec.Spec // by name pattern: see choose
	Missing  map[string]*spec.Spec   // by name pattern without a server: the one to install
	Unserved map[string][]string     // by the same patterns: their files
	found    map[*spec.Spec]bool     // whether a program exists
	byFolder map[string]*RootFiles   // by server and folder; nil where the server serves nothing
	Roots    []*RootFiles            // in the order in which they were found
	Routes   []router.Route          // picked by [WorkspaceWalk.Pick]
}

// RootFiles is one root of one server with the files that the server serves there.
type RootFiles struct {
	Route router.Route
	Files []string // absolute
}

// IsNested reports whether a root is a project of its own beside those that the workspace is about
// ([spec.RootRule].OutermostOnly): a fuzz/ inside of another one, or data of tests. Loading each would
// cost as much as the project itself.
func (w *WorkspaceWalk) IsNested(g *RootFiles) bool {
	if !g.Route.Spec.Roots.OutermostOnly {
		return false
	}
	return w.isTestData(g) || slices.ContainsFunc(w.Roots, func(other *RootFiles) bool {
		_, inside := source.RelativeTo(other.Route.Root, g.Route.Root)
		return inside && other.Route.Spec == g.Route.Spec && other.Route.Root != g.Route.Root
	})
}

// isTestData reports whether a root is below a folder for data of tests.
func (w *WorkspaceWalk) isTestData(g *RootFiles) bool {
	below, _ := source.RelativeTo(w.c.Workspace.Root, g.Route.Root)
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(below), "/"), func(part string) bool {
		return slices.Contains(testData, part)
	})
}
