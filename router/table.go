package router

import (
	"slices"

	"lspi/contract"
	"lspi/lsp/spec"
)

// Table is what routing works on. It does not change after it is made, so that any goroutine may read it.
type Table struct {
	Workspace string      // absolute; the root of files for which no marker is found
	Roots     []string    // further allowed roots, absolute; the configured folders of servers are among them
	Specs     []spec.Spec // in order of preference
	Environ   []string    // of the session, as os.Environ has it; nil means that of this process
	Withheld  []Withheld  // servers that do not run because of a preset or without the user's trust
	// SkipDirs are names of build and dependency folders besides those of Specs. A configuration puts those of the
	// whole catalogue here: what the journals of its root follow must not depend on the servers in use, since a
	// server whose journal changes would have to start again.
	SkipDirs []string
	// Trusted says whether code of the workspace runs, as the specs have it already: two tables of one root that
	// differ in it never stand for each other.
	Trusted bool
}

// Withheld is a server that does not run: an untrusted configuration file of the workspace names it, or the preset in
// use leaves it out. It is kept for the error, which says so instead of "no server".
type Withheld struct {
	spec.Spec        // ID and Languages alone
	File      string // the untrusted configuration file, absolute; "" where a preset withholds the server
	Preset    string // the preset that leaves it out; "" where a file is not trusted
}

// error says why the server does not run. subject continues the name of the server, as " for main.go" does; it may be
// "".
func (w *Withheld) error(subject string) error {
	if w.Preset != "" {
		return contract.Errorf(contract.KindNotAllowedByPreset, contract.Facts{"preset": w.Preset, "server_id": w.ID},
			"the preset %s, which is in use, leaves out the language server %s%s", w.Preset, w.ID, subject)
	}
	return contract.Errorf(contract.KindConfigUntrusted, contract.Facts{"file": w.File, "server_id": w.ID},
		"the language server %s%s is named in %s, which the user does not trust", w.ID, subject, w.File)
}

// NoServer returns the error for a file name that no server of the table serves: [contract.KindConfigUntrusted] where
// an untrusted configuration names one, [contract.KindNotAllowedByPreset] where a preset leaves it out, else
// [contract.KindNoServerForExtension], whose words users of the original lspi know.
func (t *Table) NoServer(base string) error {
	for _, w := range t.Withheld {
		if w.Serves(base) {
			return w.error(" for " + base)
		}
	}
	ext := extension(base)
	facts := contract.Facts{"extension": ext}
	if ext == "" {
		facts["file_name"] = base
		return contract.Errorf(contract.KindNoServerForExtension, facts,
			"no configured LSP server matches file name: %s", base)
	}
	return contract.Errorf(contract.KindNoServerForExtension, facts,
		"no configured LSP server matches file extension: %s", ext)
}

// Candidates lists the servers for a base name of a file, in order of preference. It looks at the name alone.
func (t *Table) Candidates(base string) []*spec.Spec {
	var out []*spec.Spec
	for i := range t.Specs {
		if t.Specs[i].Serves(base) {
			out = append(out, &t.Specs[i])
		}
	}
	return out
}

// Server returns the server with an id. Its error is [contract.KindUnknownServer] with the known ids and the closest,
// or [contract.KindNotAllowedByPreset] for one that a preset leaves out.
func (t *Table) Server(id string) (*spec.Spec, error) {
	known := make([]string, len(t.Specs))
	for i := range t.Specs {
		if t.Specs[i].ID == id {
			return &t.Specs[i], nil
		}
		known[i] = t.Specs[i].ID
	}
	for _, w := range t.Withheld {
		if w.ID == id && w.Preset != "" {
			return nil, w.error("")
		}
	}
	facts := contract.Facts{"server_id": id, "known": known}
	near := contract.Closest(id, known)
	if near == "" {
		return nil, contract.Errorf(contract.KindUnknownServer, facts, "no server has the id %q", id)
	}
	facts["closest"] = near
	return nil, contract.Errorf(contract.KindUnknownServer, facts, "no server has the id %q; the closest is %q", id,
		near)
}

// RootOf returns the longest allowed root that holds path, or "" when none does.
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
