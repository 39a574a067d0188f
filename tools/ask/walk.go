package ask

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/loaded"
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
	left     []*RootFiles            // the nested ones that the last Pick left out
}

// LeftOut reports whether a file is of a nested project that the last Pick left out.
func (w *WorkspaceWalk) LeftOut(path string) bool {
	return slices.ContainsFunc(w.left, func(g *RootFiles) bool { return slices.Contains(g.Files, path) })
}

// RootFiles is one root of one server with the files that the server serves there.
type RootFiles struct {
	Route router.Route
	Files []string // absolute
}

// IsNested reports whether a root is a project of its own beside those that the workspace is about
// ([spec.RootRule].OutermostOnly, Aside): a fuzz/ inside of another one, or data of tests. Loading each would
// cost as much as the project itself.
func (w *WorkspaceWalk) IsNested(g *RootFiles) bool {
	if aside(w, g) != spec.Within {
		return true
	}
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
	return InTestData(w.c, g.Route.Root)
}

// InTestData reports whether a path of the workspace lies in a folder for data of tests.
func InTestData(c *answer.Call, path string) bool {
	below, _ := source.RelativeTo(c.Workspace.Root, path)
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(below), "/"), func(part string) bool {
		return slices.Contains(testData, part)
	})
}

// aside is what the rule of the server says of a root.
func aside(w *WorkspaceWalk, g *RootFiles) spec.Aside {
	below, inside := source.RelativeTo(w.c.Workspace.Root, g.Route.Root)
	if f := g.Route.Spec.Roots.Aside; f != nil && inside {
		return f(filepath.ToSlash(below))
	}
	return spec.Within
}

// holdsName reports whether the answer is about names, and a file of the root holds one.
func (w *WorkspaceWalk) holdsName(ctx context.Context, g *RootFiles) bool {
	found := loaded.Holders(ctx, w.c, lsp.Because(lsp.SeparateProject, g.Files, true))
	return len(found) > 0 && found[0].Line > 0
}
