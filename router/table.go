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
	Environ   []string    // of the session, as os.Environ has it; nil means that of this process
	Withheld  []Withheld  // servers that do not run for want of the user's trust, or because of a preset
	// SkipDirs are names of build and dependency folders besides those of Specs. A configuration has those of the
	// whole catalogue here, so that what the journals of its root follow does not depend on which servers it has in
	// use: a running server could not go on with another journal.
	SkipDirs []string
}

// Withheld is a server that does not run: a configuration file of the workspace names it, and the user does not
// trust the file; or the preset in use leaves it out.
type Withheld struct {
	spec.Spec        // its ID and Languages
	File      string // the configuration file, absolute; "" where it is a preset
	Preset    string // the preset that leaves it out; "" where it is a file
}

// error is why the server does not answer about a subject.
func (w *Withheld) error(subject string) error {
	if w.Preset != "" {
		return contract.Errorf(contract.KindNotAllowedByPreset, contract.Facts{"preset": w.Preset, "server_id": w.ID},
			"the preset %s, which is in use, leaves out the language server %s%s", w.Preset, w.ID, subject)
	}
	return contract.Errorf(contract.KindConfigUntrusted, contract.Facts{"file": w.File, "server_id": w.ID},
		"the language server %s%s is named in %s, which the user does not trust", w.ID, subject, w.File)
}

// NoServer is the error about a file name for which no server is offered: [contract.KindConfigUntrusted] where an
// untrusted configuration names one, [contract.KindNotAllowedByPreset] where a preset leaves it out, else
// [contract.KindNoServerForExtension] in the words of the lspi guide.
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
