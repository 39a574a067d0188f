package move

import (
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/edits"
	"lspi/tools/move/rust"
	"lspi/tools/move/splice"
	"lspi/tools/symbol"
)

// rustRule: a mod line of the parent names the file. rust-analyzer changes it with all paths, for a new name in the
// same folder alone (1.96.0); to another folder lspi moves it.
var rustRule = rule{
	languages: []string{"rust"},
	check:     checkRust,
	elsewhere: rustElsewhere,
	empty:     noModuleEdit,
	uses:      rustUses,
}

// rustElsewhere is [rule].elsewhere: the mod line goes to another module, and all paths follow.
func rustElsewhere(ctx context.Context, m *moving) (*lsp.Planned, []splice.Place, error) {
	moved, err := rust.File(&rust.FileHost{Host: rust.Host{Ctx: ctx, Call: m.c, Snapshot: m.s, Path: m.from,
		Refuse:  m.refuse,
		Holding: func(words ...string) ([]string, error) { return holdingWords(ctx, m.c, m.sources[0], words...) }},
		To: m.to, Folder: m.folder, Files: m.files,
		Listed: func(dir string) ([]string, error) { return (&moving{c: m.c, from: dir}).listed() }})
	if err != nil || moved == nil {
		return nil, nil, err
	}
	m.files, m.beside = moved.Files, moved.Beside
	all, err := textChanges(m.c, moved.After)
	if err != nil {
		return nil, nil, err
	}
	paths := []edit.Moved{{From: m.from, To: m.to}}
	if m.beside != "" {
		paths = append(paths, edit.Moved{From: m.beside, To: m.after(m.beside)})
	}
	plan, err := edits.PlanMove(m.c, all, paths...)
	return &lsp.Planned{Plan: plan}, moved.Left, err
}

// textChanges are the changes to new texts.
func textChanges(c *answer.Call, after map[string]string) (all []edit.TextChange, err error) {
	for _, path := range slices.Sorted(maps.Keys(after)) {
		text, err := c.Workspace.Text(path)
		if err != nil {
			return nil, err
		}
		if text.Content() != after[path] {
			all = append(all, edit.TextChange{Path: path, Before: text.Content(), After: after[path]})
		}
	}
	return all, nil
}

// checkRust refuses a module whose submodules are in a folder beside it, which rust-analyzer leaves where it is.
func checkRust(m *moving) error {
	stem := strings.TrimSuffix(m.from, ".rs")
	if !m.folder && source.IsFolder(stem) && filepath.Dir(m.from) == filepath.Dir(m.to) {
		return m.refuse("has_submodules", rust.AsModule,
			"%s has submodules in the folder %s, which rust-analyzer does not move with it", m.c.Show(m.from), m.c.Show(stem))
	}
	if m.folder && source.Exists(m.from+".rs") {
		return m.refuse("has_submodules", rust.AsModule,
			"%s holds the submodules of %s.rs, which has to move with it", m.c.Show(m.from),
			m.c.Show(m.from))
	}
	return nil
}

// declaredModule is the mod line that declares what moves; ok is false where none is found.
func declaredModule(m *moving) (at symbol.Located, ok bool) {
	base := m.from
	if filepath.Base(base) == "mod.rs" {
		base = filepath.Dir(base)
	}
	dir, name := filepath.Dir(base), strings.TrimSuffix(filepath.Base(base), ".rs")
	line := regexp.MustCompile(`(?m)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?mod[ \t]+(` + regexp.QuoteMeta(name) + `)[ \t]*;`)
	for _, parent := range []string{"mod.rs", "lib.rs", "main.rs", "../" + filepath.Base(dir) + ".rs"} {
		text, err := m.c.Workspace.Text(filepath.Join(dir, filepath.FromSlash(parent)))
		if err != nil {
			continue
		}
		if g := line.FindStringSubmatchIndex(text.Content()); g != nil {
			return symbol.Located{Path: text.Path, At: text.PositionAt(g[2]), Name: name}, true
		}
	}
	return at, false
}

// rustUses warns of uses of a module by its name that the edit of the server leaves, as for a rename of it.
func rustUses(ctx context.Context, m *moving, p *lsp.Planned) {
	at, ok := declaredModule(m)
	now := strings.TrimSuffix(filepath.Base(m.to), ".rs")
	if !ok || now == at.Name || now == "mod" {
		return
	}
	edits.UsesLeft(ctx, m.c, m.s, at, now, p, func([]symbol.UsePlace) (*lsp.Planned, error) { return p, nil })
}

// noModuleEdit refuses the move of a module for which the server has no edit.
func noModuleEdit(m *moving, p *lsp.Planned) error {
	if p.Totals.Edits > 0 {
		return nil
	}
	switch at, ok := declaredModule(m); {
	case !ok:
		return nil
	case filepath.Dir(m.from) == filepath.Dir(m.to):
		return m.refuse("no_edit", byHand, "rust-analyzer has no edit for this module, which %s declares; maybe a "+
			"condition (#[cfg]) leaves it out", m.c.Show(at.Path))
	default:
		return m.refuse("no_edit",
			"Declare it in its new parent by mod, move the file, and change the paths that get_diagnostics names.",
			"rust-analyzer changes the paths of a module only for another name in the same folder, and %s declares this one",
			m.c.Show(at.Path))
	}
}
