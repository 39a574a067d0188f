package move

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/edits"
	"lspi/tools/move/rust"
	"lspi/tools/move/splice"
	"lspi/tools/symbol"
)

// maxFiles bounds the files of a folder that is moved.
const maxFiles = 2000

// moving is a move that is planned.
type moving struct {
	c        *answer.Call
	s        *lsp.Snapshot // of the server that answers for the sources; nil until it is asked
	from, to string        // absolute, without links
	folder   bool
	files    []string // that move, by their paths before
	sources  []string // those of files that the server answers for
	rule     *rule    // of the language of the sources; nil where only the server knows
	sameName []string // see [moving.onlyOne]; nil before it is asked
	beside   string   // a folder that moves with the file, to the name of the file; else ""
}

// Plan proposes the move of a file or folder. given and to are the paths as the caller wrote them.
func Plan(ctx context.Context, c *answer.Call, given, to string) (ch *edits.Proposed, from string, err error) {
	m, err := newMoving(c, given, to)
	if err != nil {
		return nil, "", err
	}
	err = ask.FileForRole(ctx, c, spec.RoleEdits, m.sources[0], "", func(ctx context.Context, s *lsp.Snapshot) error {
		m.s = s
		var err error
		ch, err = m.propose(ctx)
		return err
	})
	if err == nil && ch == nil {
		err = contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": c.ServerID()},
			"%s is still loading the project, so that lspi cannot tell what the move changes", c.ServerID())
	}
	return ch, m.from, err
}

// Along looks for what else names the files and folders that the rename of a symbol gives another path, as for a move
// of their own, and returns the new paths of the files that move; nil where none does. path is the file of the symbol.
func Along(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, p *lsp.Planned) (map[string]string,
	error) {
	var moved map[string]string
	if stays := staying(p); len(stays) > 0 {
		c.Warn(contract.WarnUsesLeft, contract.Facts{"total": len(stays), "files": c.ShowSome(stays)}, fmt.Sprintf(
			"the edit takes the sources of a folder along and leaves %s in it, such as %s; what the code reads there by its "+
				"path breaks; move the whole folder by new_path instead", answer.Counted(len(stays), "entry"),
			c.Show(stays[0])))
	}
	for _, one := range moves(p) {
		m := &moving{c: c, s: s, from: one.From, to: one.To, folder: source.IsFolder(one.From), files: []string{one.From},
			sources: []string{path}, rule: ruleOf(lang.Of(path).ID)}
		var err error
		if m.folder {
			m.files, err = m.listed()
		}
		if err == nil {
			err = m.tellLeft(ctx, p, nil)
		}
		if err != nil {
			return nil, err
		}
		if moved == nil {
			moved = map[string]string{}
		}
		maps.Copy(moved, m.moved())
	}
	return moved, nil
}

// staying is what a folder holds whose files a plan moves to another one, besides these.
func staying(p *lsp.Planned) (out []string) {
	moved, dirs := map[string]bool{}, map[string]bool{}
	for i := range p.Files {
		f := &p.Files[i]
		switch {
		case f.Kind == edit.Rename:
			moved[f.From] = true
			if filepath.Dir(f.From) != filepath.Dir(f.Path) && filepath.Base(f.From) == filepath.Base(f.Path) {
				dirs[filepath.Dir(f.From)] = true
			}
		case f.Kind == edit.Delete:
			moved[f.Path] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		all, _ := os.ReadDir(dir)
		for _, e := range all {
			if path := filepath.Join(dir, e.Name()); !moved[path] && !moved[dir] {
				out = append(out, path)
			}
		}
	}
	return out
}

// moves are the files and folders that a plan gives another path, without those in another one. A folder that is
// deleted because its files move to another one has moved (gopls moves a package so).
func moves(p *lsp.Planned) (all []edit.Moved) {
	for i := range p.Files {
		f := &p.Files[i]
		if f.Kind != edit.Rename {
			continue
		}
		one := edit.Moved{From: f.From, To: f.Path}
		dir := filepath.Dir(f.From)
		if filepath.Base(f.From) == filepath.Base(f.Path) && slices.ContainsFunc(p.Files, func(d edit.File) bool {
			return d.Kind == edit.Delete && d.Folder && d.Path == dir
		}) {
			one = edit.Moved{From: dir, To: filepath.Dir(f.Path)}
		}
		if !slices.ContainsFunc(all, func(had edit.Moved) bool { return source.Within(had.From, one.From) }) {
			all = append(all, one)
		}
	}
	return all
}

// moved are the new paths of the files that move.
func (m *moving) moved() map[string]string {
	out := map[string]string{}
	for _, path := range m.files {
		out[path] = m.after(path)
	}
	return out
}

// after is where a path leads after the move.
func (m *moving) after(path string) string {
	if rel, ok := source.RelativeTo(m.from, path); ok {
		return filepath.Join(m.to, rel)
	}
	if rel, ok := source.RelativeTo(m.beside, path); ok && m.beside != "" {
		return filepath.Join(strings.TrimSuffix(m.to, filepath.Ext(m.to)), rel)
	}
	return path
}

// moves reports whether a path is of what moves.
func (m *moving) moves(path string) bool {
	return source.Within(m.from, path) || m.beside != "" && source.Within(m.beside, path)
}

// propose asks for what changes with the paths, and looks for what that leaves.
func (m *moving) propose(ctx context.Context) (*edits.Proposed, error) {
	var planned *lsp.Planned
	var left []splice.Place
	var err error
	if m.rule != nil && m.rule.check != nil {
		if err := m.rule.check(m); err != nil {
			return nil, err
		}
	}
	if m.rule != nil && m.rule.elsewhere != nil {
		planned, left, err = m.rule.elsewhere(ctx, m)
	}
	switch {
	case err != nil || planned != nil:
	case m.s.Offers(lsp.MethodWillRename) && (m.rule == nil || !m.rule.first):
		if planned, err = m.byServer(ctx); err == nil {
			left = m.barePaths(planned)
		}
		if err == nil && m.rule != nil && m.rule.uses != nil {
			m.rule.uses(ctx, m, planned)
		}
	case m.rule != nil && m.rule.empty == nil:
		planned, left, err = m.byRule(ctx)
	default:
		err = m.refuse("no_rule", byHand,
			"%s does not tell what changes with the path of a file, and lspi has no rule of its own for this language", m.s.ID())
	}
	if err == nil {
		err = m.tellLeft(ctx, planned, left)
	}
	if err != nil {
		return nil, err
	}
	ch := edits.ProposedBy(m.c, m.s, planned)
	ch.Moved = m.moved()
	old, now := filepath.ToSlash(m.c.Show(m.from)), filepath.ToSlash(m.c.Show(m.to))
	ch.Renamed = func(message string) string { return strings.ReplaceAll(message, old, now) }
	for _, path := range m.sources { // which the plan only takes along
		// What the server never checks breaks nowhere (testdata of Go).
		if !slices.ContainsFunc(planned.Files, func(f edit.File) bool { return f.Path == path || f.From == path }) &&
			lsp.ReportsOn(ctx, m.s.Server, path) {
			ch.Near = append(ch.Near, path)
		}
	}
	return ch, nil
}

// byServer is the plan of the edit that the server gives for the move.
func (m *moving) byServer(ctx context.Context) (*lsp.Planned, error) {
	proposal, err := m.s.WillRename(ctx, m.sources[0], m.from, m.to)
	if err != nil {
		return nil, err
	}
	planned, err := m.s.Plan(ctx, proposal, lsp.PlanOptions{Roots: m.c.Workspace.EditRoots(),
		Protected: m.c.Session.Protected(), Label: m.c.Show})
	if err == nil && m.rule != nil && m.rule.empty != nil {
		err = m.rule.empty(m, planned)
	}
	return planned, err
}

// barePaths are the entries of project files from which the edit takes the dot and slash, with which TypeScript reads
// them as paths (typescript-language-server 6.0.2).
func (m *moving) barePaths(p *lsp.Planned) (left []splice.Place) {
	for i := range p.Files {
		f := &p.Files[i]
		for _, r := range f.Edits {
			if filepath.Ext(f.Path) == ".json" && strings.HasPrefix(r.Old, "./") && !strings.HasPrefix(r.New, ".") {
				left = append(left, splice.Place{Path: f.Path, Line: r.Line, Text: r.New + " without ./"})
			}
		}
	}
	return left
}

// byRule is the plan of what the rule of the language changes, with the imports that it could not change.
func (m *moving) byRule(ctx context.Context) (*lsp.Planned, []splice.Place, error) {
	imports := m.rule.imports
	if !m.folder && m.rule.inFolder != nil {
		imports = m.rule.inFolder
	}
	candidates, err := m.candidates(ctx)
	if err != nil {
		return nil, nil, err
	}
	var all []edit.TextChange
	var left []splice.Place
	for _, path := range candidates {
		text, err := m.c.Workspace.Text(path)
		if err != nil {
			left = append(left, splice.Place{Path: path, Line: 1, Text: "cannot be read"})
			continue
		}
		changes, unknown := imports(ctx, m, text)
		left = append(left, unknown...)
		if now := splice.Apply(text.Content(), changes); now != text.Content() {
			all = append(all, edit.TextChange{Path: path, Before: text.Content(), After: now})
		}
	}
	plan, err := edits.PlanMove(m.c, all, edit.Moved{From: m.from, To: m.to})
	return &lsp.Planned{Plan: plan}, left, err
}

// candidates are the sources of the rule's languages that may import what moves, and those that move.
func (m *moving) candidates(ctx context.Context) ([]string, error) {
	held, err := m.holding(ctx)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(m.files)
	for _, path := range held {
		if !m.moves(path) {
			out = append(out, path)
		}
	}
	return slices.DeleteFunc(out, func(path string) bool {
		return !slices.Contains(m.rule.languages, lang.Of(path).ID)
	}), nil
}

// holding are the files of the workspace that hold a word of the path of what moves, or of a name in it.
func (m *moving) holding(ctx context.Context) ([]string, error) {
	names := []string{wordOf(filepath.Base(m.from))}
	if m.rule != nil && m.rule.byBase {
		for _, path := range m.files {
			names = append(names, wordOf(filepath.Base(path)))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	words := m.c.Workspace.Words(m.from)
	held, all, err := words.Holding(ctx, names...)
	if err != nil {
		return nil, err
	}
	if words.Linked(m.from) { // behind Holding, which reads what has changed
		return nil, m.refuse("symbolic_link", "Take the link away first.",
			"a symbolic link of the workspace leads to %s, and would lead nowhere", m.c.Show(m.from))
	}
	if names[0] == "" { // a name without a word, which every file may hold
		return slices.Sorted(m.c.Workspace.Pool.Journal(m.from).Files()), nil
	}
	var out []string
	if !all {
		m.c.Warn(contract.WarnPartFailed, contract.Facts{"part": "words"},
			"lspi could not read all files of the workspace in time; files that it has not read may name what moves")
	}
	for _, h := range held {
		out = append(out, h.Path)
	}
	return out, nil
}

// holdingWords are the files of the workspace of a file that hold one of words.
func holdingWords(ctx context.Context, c *answer.Call, path string, words ...string) (out []string, err error) {
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	held, all, err := c.Workspace.Words(path).Holding(ctx, words...)
	if err != nil {
		return nil, err
	}
	if !all {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "words"},
			"lspi could not read all files of the workspace in time; files that it has not read may name "+
				symbol.Base(path))
	}
	for _, h := range held {
		out = append(out, h.Path)
	}
	return out, nil
}

// wordOf is the longest word of a file's name without its extensions; "" where it has none.
func wordOf(base string) (word string) {
	stem, _, _ := strings.Cut(strings.TrimLeft(base, "."), ".")
	for _, one := range strings.FieldsFunc(stem, func(r rune) bool { return !source.IsLetter(r) }) {
		if len(one) > len(word) && !source.IsNumber(one) {
			word = one
		}
	}
	return word
}

// listed returns the regular files in a folder; the error says what keeps it from being moved.
func (m *moving) listed() (files []string, err error) {
	err = filepath.WalkDir(m.from, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Type() == fs.ModeSymlink:
			return m.refuse("symbolic_link", byHand,
				"%s is a symbolic link, and may lead elsewhere from another folder", m.c.Show(path))
		case e.IsDir() && path != m.from && source.Exists(filepath.Join(path, ".git")):
			return m.refuse("nested_repository", byHand, "%s is a repository of its own", m.c.Show(path))
		case e.Type().IsRegular():
			files = append(files, path)
		}
		if len(files) > maxFiles {
			return m.refuse("too_many", "Move the folders in it one by one.",
				"%s holds more than %d files", m.c.Show(m.from), maxFiles)
		}
		return nil
	})
	return files, err
}

// refuse is the error for a move that lspi does not make; next says how to go on.
func (m *moving) refuse(reason, next, format string, args ...any) error {
	m.c.Step(contract.NextStep{Kind: contract.StepDoc, Message: next})
	facts := contract.Facts{"reason": reason, "file_path": m.from}
	return contract.Errorf(contract.KindEditRejected, facts, format, args...)
}

// byHand is the step after a refusal that no other call of lspi avoids.
const byHand = rust.ByHand
