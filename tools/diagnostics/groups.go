package diagnostics

import (
	"slices"

	"lspi/router"
)

// Group is files that one server is asked about together, with the roots that it serves them under.
type Group struct {
	Routes []router.Route // the first is how the server is got; the others are further roots of it
	Paths  []string
}

// Roots are the folders that the server serves the files under.
func (g *Group) Roots() (out []string) {
	for _, r := range g.Routes {
		out = append(out, r.Root)
	}
	return out
}

// Groups are files by the servers that are asked about them. A file may be in several.
type Groups []*Group

// Add puts a file that a route leads to into the group whose first route is the same, or a new one.
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
