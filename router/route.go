package router

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/spec"
)

// Route is one server that may answer for a file.
type Route struct {
	Spec       *spec.Spec
	Root       string // absolute
	LanguageID string // of the file, for this server
	NoMarker   bool   // no marker was found: Root is only the allowed root that holds the file
}

// Key names the process that serves a route: routes with equal keys share one.
type Key struct {
	Server string // the spec's id
	Root   string // "" when one process serves every root as workspace folders
}

// Key is the key of the process for this route. A pool that finds a process of this key running still has to make the
// route's Root known to it (workspace/didChangeWorkspaceFolders) when the spec shares folders.
func (r Route) Key() Key {
	if r.Spec.SharedFolders {
		return Key{Server: r.Spec.ID}
	}
	return Key{Server: r.Spec.ID, Root: r.Root}
}

// For keeps the routes whose server has the role, in their order.
func For(routes []Route, role spec.Role) []Route {
	return slices.DeleteFunc(slices.Clone(routes), func(r Route) bool { return !r.Spec.Roles.Has(role) })
}

// Route lists the servers for the file at path (absolute; symbolic links resolved by the caller), in order of
// preference; which of them is installed it does not know. Its errors are [contract.KindOutsideWorkspace] when no
// allowed root holds the file, or when every server for it is confined to another root_dir, and
// those of [Table.NoServer] when no server is offered for it. A file outside, such as a dependency's source
// that a server pointed at, has no root of its own; who may show it picks among [Table.Candidates] those that run.
func (t *Table) Route(files source.Files, path string) ([]Route, error) {
	path = filepath.Clean(path)
	limit := t.RootOf(path)
	if limit == "" {
		return nil, outside(path, t.Allowed())
	}
	files = source.View(files)
	base := filepath.Base(path)
	var routes []Route
	var confined []string
	for _, spec := range t.Candidates(base) {
		if !reaches(spec, path) {
			confined = append(confined, spec.RootDir)
			continue
		}
		root, found := Root(files, spec, path, limit)
		if !found && spec.Roots.Required {
			continue
		}
		routes = append(routes, Route{Spec: spec, Root: root, LanguageID: spec.LanguageID(base), NoMarker: !found})
	}
	switch {
	case len(routes) > 0:
		preferLongest(routes)
		return routes, nil
	case len(confined) > 0:
		return nil, outside(path, confined)
	default:
		return nil, t.NoServer(base)
	}
}

// reaches reports whether the configured root of a server, if it has one, lets it serve the file.
func reaches(spec *spec.Spec, path string) bool {
	return spec.RootDir == "" || source.Within(filepath.Clean(spec.RootDir), path) || longest(spec.Folders, path) != ""
}

// preferLongest orders the servers with a configured root by its length, longest first, in the places that they have:
// of two servers of one language, confined to a/ and to a/b/, the second is meant for a/b/.
func preferLongest(routes []Route) {
	var places []int
	var configured []Route
	for i, r := range routes {
		if r.Spec.RootDir != "" || slices.Contains(r.Spec.Folders, r.Root) {
			places, configured = append(places, i), append(configured, r)
		}
	}
	slices.SortStableFunc(configured, func(a, b Route) int { return len(b.Root) - len(a.Root) })
	for i, place := range places {
		routes[place] = configured[i]
	}
}

func outside(path string, roots []string) error {
	facts := contract.Facts{"file_path": path, "roots": roots}
	return contract.Errorf(contract.KindOutsideWorkspace, facts,
		"%s is outside the workspace roots (%s)", path, strings.Join(roots, ", "))
}

// extension is the part behind the last dot, in lower case; a name whose only dot is its first character has none.
func extension(base string) string {
	i := strings.LastIndexByte(base, '.')
	if i <= 0 {
		return ""
	}
	return strings.ToLower(base[i+1:])
}
