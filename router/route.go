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
	Root       string // absolute; a workspace folder of the server
	LanguageID string // of the file, as this server expects it (LSP, TextDocumentItem.languageId)
	NoMarker   bool   // no root marker was found: Root is the allowed root that holds the file
}

// Key identifies the process for a route: routes with equal keys share one.
type Key struct {
	Server string // the spec's id
	Root   string // "" when one process serves every root as a workspace folder
}

// Key returns the key of the route's process. Where the spec shares folders, a pool that finds the process running
// still has to add the route's Root to it (LSP, workspace/didChangeWorkspaceFolders).
func (r Route) Key() Key {
	if r.Spec.SharedFolders {
		return Key{Server: r.Spec.ID}
	}
	return Key{Server: r.Spec.ID, Root: r.Root}
}

// Unlisted reports whether the server needs a project file to know all files of the root, and there is none.
func (r Route) Unlisted() bool { return r.Spec.Project != nil && r.NoMarker }

// For returns the routes whose server has the role, in their order.
func For(routes []Route, role spec.Role) []Route {
	return slices.DeleteFunc(slices.Clone(routes), func(r Route) bool { return !r.Spec.Roles.Has(role) })
}

// Route lists the servers for the file at path (absolute; the caller resolves symbolic links), in order of
// preference. It does not know which of them are installed.
//
// Its errors are [contract.KindOutsideWorkspace] when no allowed root holds the file, or when every server for it is
// confined to another root_dir, and those of [Table.NoServer] when the table has no server for it. A file outside,
// such as a source of a dependency that a definition led to, has no root of its own: the caller that may show it
// picks a running server among [Table.Candidates].
func (t *Table) Route(files source.Files, path string) ([]Route, error) {
	path = filepath.Clean(path)
	limit := t.RootOf(path)
	if limit == "" {
		return nil, outside(path, t.Allowed())
	}
	files = source.View(files) // the candidates look for markers in the same folders
	base := filepath.Base(path)
	var routes []Route
	var confined []string
	for _, spec := range t.Candidates(base) {
		if !reaches(spec, path) {
			confined = append(confined, spec.RootDir)
			continue
		}
		root, found := Root(files, spec, path, limit)
		// Such as a linter without its configuration: it would answer for files of projects that do not use it.
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

// reaches reports whether the configured root of a server, if it has one, covers the file.
func reaches(spec *spec.Spec, path string) bool {
	return spec.RootDir == "" || source.Within(filepath.Clean(spec.RootDir), path) || longest(spec.Folders, path) != ""
}

// preferLongest sorts the servers with a configured root among themselves by its length, longest first, and leaves
// all others in their places. Of two servers of one language, confined to a/ and to a/b/, the second is meant for
// a/b/, whichever the configuration names first.
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

// extension returns the part behind the last dot in lower case, or "". A name such as .bashrc has none.
func extension(base string) string {
	i := strings.LastIndexByte(base, '.')
	if i <= 0 {
		return ""
	}
	return strings.ToLower(base[i+1:])
}
