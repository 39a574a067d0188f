package diagnostics

import (
	"slices"

	"lspi/router"
)

// Group is files that one server is asked about together.
type Group struct {
	Routes []router.Route // the first is how the server is found; the others are further roots of the same server
	Paths  []string
}

// Roots returns the roots under which the server serves the files.
func (g *Group) Roots() (out []string) {
	for _, r := range g.Routes {
		out = append(out, r.Root)
	}
	return out
}

// Groups are files by the servers that are asked about them. A file may be in several.
type Groups []*Group

// Add puts a file with one of its routes into the group whose first route is the same by the function,
// else into a new group.
func (all *Groups) Add(path string, r router.Route, same func(router.Route) bool) {
	i := slices.IndexFunc(*all, func(g *Group) bool { return same(g.Routes[0]) })
	if i < 0 {
		i, *all = len(*all), append(*all, &Group{})
	}
	g := (*all)[i]
	g.Paths = append(g.Paths, path)
	if !slices.ContainsFunc(g.Routes, func(have router.Route) bool { return have.Root == r.Root }) {
		g.Routes = append(g.Routes, r)
	}
}
