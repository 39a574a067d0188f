package router

import (
	"slices"

	"lspi/contract"
	"lspi/lsp/spec"
)

// Table is what routing works on. It is not changed after it was made, so that it may be read by all.
type Table struct {
	Workspace string      // absolute; the root of files for which no marker is found
	Roots     []string    // further allowed roots, absolute; the configured folders of servers are among them
	Specs     []spec.Spec // in order of preference
}

// Candidates lists the servers for a file of this base name, in order of preference. It looks at the name alone.
func (t *Table) Candidates(base string) []*spec.Spec {
	var out []*spec.Spec
	for i := range t.Specs {
		if t.Specs[i].Serves(base) {
			out = append(out, &t.Specs[i])
		}
	}
	return out
}

// Server finds a server by its id. Its error is a [contract.KindUnknownServer] with the known ids and the closest one.
func (t *Table) Server(id string) (*spec.Spec, error) {
	known := make([]string, len(t.Specs))
	for i := range t.Specs {
		if t.Specs[i].ID == id {
			return &t.Specs[i], nil
		}
		known[i] = t.Specs[i].ID
	}
	facts := contract.Facts{"server_id": id, "known": known}
	near := contract.Closest(id, known)
	if near == "" {
		return nil, contract.Errorf(contract.KindUnknownServer, facts, "no server has the id %q", id)
	}
	facts["closest"] = near
	return nil, contract.Errorf(contract.KindUnknownServer, facts, "no server has the id %q; the closest is %q", id, near)
}

// RootOf is the longest allowed root that holds path, or "" when none does.
func (t *Table) RootOf(path string) string { return longest(t.Allowed(), path) }

// Allowed lists the roots inside which files are served.
func (t *Table) Allowed() []string {
	roots := []string{t.Workspace}
	for _, r := range t.Roots {
		if !slices.Contains(roots, r) {
			roots = append(roots, r)
		}
	}
	return roots
}
