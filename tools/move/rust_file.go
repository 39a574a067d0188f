package move

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/edits"
	"lspi/tools/symbol"
)

// rustFile is the move of the file or folder of a module to another one.
type rustFile struct {
	*moving
	r           *rustMove
	own, parent *rustModule // the module, and the one that is to declare it
	f           *rustText   // that declares it
}

// rustElsewhere is [rule].elsewhere: the mod line goes to another module, and all paths follow.
func rustElsewhere(ctx context.Context, m *moving) (*lsp.Planned, []place, error) {
	g := &rustFile{moving: m}
	file, to := m.from, m.to
	if m.folder {
		file, to = filepath.Join(file, "mod.rs"), filepath.Join(to, "mod.rs")
	}
	crates := newRustCrates(m.c.Workspace.Text)
	if g.own = crates.of(file); g.own == nil || g.own.parent == nil || filepath.Dir(m.from) == filepath.Dir(m.to) {
		return nil, nil, nil // which the server knows
	}
	dir, name := rustDir(to)
	dir = filepath.Dir(dir)
	if g.parent = crates.parentOf(dir, g.own.root); g.parent == nil || rustBelow(g.parent.path, g.own.path) {
		return nil, nil, m.refuse("no_parent", "Make the module of that folder first, by its mod.rs or a file of its name.",
			"no module of the crate of %s has its submodules in the folder %s", m.c.Show(m.from), m.c.Show(dir))
	}
	g.f = crates.text(g.own.parent.file)
	g.r = &rustMove{c: m.c, s: m.s, ctx: ctx, crates: crates, root: g.own.root, from: g.own.parent.path, to: g.parent.path,
		name: g.own.path[len(g.own.path)-1], now: name, file: g.own.parent.file, inside: g.inside}
	g.r.init()
	g.r.hidden = !g.own.parent.public(crates) && g.parent.public(crates)
	if err := g.check(name); err != nil {
		return nil, nil, err
	}
	if m.beside = ""; !m.folder && filepath.Base(m.from) != "mod.rs" {
		if dir := strings.TrimSuffix(m.from, ".rs"); source.IsFolder(dir) {
			m.beside = dir
		}
	}
	if err := g.withBeside(); err != nil {
		return nil, nil, err
	}
	if slices.Equal(g.r.from, g.r.to) && g.r.now == g.r.name {
		planned, err := g.plan()
		return planned, nil, err
	}
	err := g.users()
	if err == nil {
		err = g.declare()
	}
	if err != nil {
		return nil, nil, err
	}
	for _, path := range m.files {
		if f := crates.text(path); f != nil && langID(path) == "rust" {
			g.outward(f)
		}
	}
	g.r.finishNeeds()
	g.r.finishUses()
	planned, err := g.plan()
	return planned, g.r.left, err
}

// inside is [rustMove].inside: the mod line moves.
func (g *rustFile) inside(path string, offset int) bool {
	return path == g.own.parent.file && g.own.mod.lead <= offset && offset < g.own.mod.end
}

// check refuses a module that cannot move there.
func (g *rustFile) check(name string) error {
	here := g.f.content()[g.own.mod.end:g.f.lineEnd(g.own.mod.end)]
	scope := g.r.crates.text(g.parent.file).top
	leaf := g.r.crates.text(g.parent.file).bindingIn(scope, name)
	same := slices.Equal(g.r.from, g.r.to) && name == g.r.name
	other := false
	if leaf != nil {
		all, ok := g.r.crates.absolute(g.r.root, g.r.to, g.r.crates.text(g.parent.file).segments(leaf), 0)
		other = !ok || !slices.Equal(all, g.own.path)
	}
	switch {
	case g.own.many || g.parent.many:
		return g.refuse("several_crates", byHand, "%s is a module of several crates", g.c.Show(g.from))
	case !isRustName(name):
		return g.refuse("no_module", "Give a name of letters, digits and _.", "%s is no name of a module", name)
	case !same && (scope.named(name) != nil || other):
		return g.refuse("name_taken", "Give another name.", "%s has another %s", g.c.Show(g.parent.file), name)
	case g.own.mod.attribute("macro_use"):
		return g.refuse("macros", byHand, "the macros of %s are known behind its mod line in %s alone", g.c.Show(g.from),
			g.c.Show(g.own.parent.file))
	case strings.TrimSpace(here) != "" && !strings.HasPrefix(strings.TrimSpace(here), "//"):
		return g.refuse("not_separate", byHand, "the mod line of %s shares its line with other code", g.c.Show(g.from))
	}
	return nil
}

// withBeside adds the files of the submodules beside the file that moves.
func (g *rustFile) withBeside() error {
	to := strings.TrimSuffix(g.to, ".rs")
	dir, _ := rustDir(g.to)
	switch {
	case !g.folder && filepath.Base(g.from) == "mod.rs" && dir != filepath.Dir(g.from) &&
		len(source.Glob(filepath.Dir(g.from), "*")) > 1:
		return g.refuse("has_submodules", asModule, "%s has submodules in its folder; move the folder", g.c.Show(g.from))
	case g.beside == "":
		return nil
	case filepath.Base(g.to) == "mod.rs" && filepath.Dir(g.to) == g.beside: // where its submodules are
		g.beside = ""
		return nil
	case filepath.Base(g.to) == "mod.rs" || source.Exists(to):
		return g.refuse("has_submodules", asModule, "%s has submodules in the folder %s, which cannot go to %s",
			g.c.Show(g.from), g.c.Show(g.beside), g.c.Show(to))
	}
	all := &moving{c: g.c, from: g.beside, to: to, folder: true}
	files, err := all.listed()
	g.files = append(slices.Clone(g.files), files...)
	for _, path := range files {
		if langID(path) == "rust" {
			g.sources = append(g.sources, path)
		}
	}
	return err
}

// users gives all who name the module its new path.
func (g *rustFile) users() error {
	at := symbol.Located{Path: g.own.parent.file, At: g.f.text.PositionAt(g.own.mod.nameAt), Name: g.r.name}
	places, err := g.usesOf(g.r.ctx, g.c, g.s, at)
	if err != nil {
		return err
	}
	g.c.Withdraw(func(w contract.Warning) bool { return w.Kind == contract.WarnMentions }) // of the name alone
	g.r.stays = g.f.visibility(g.own.mod) == "pub" && g.own.parent.public(g.r.crates)
	for _, p := range places {
		if p.Err != nil || p.Path != at.Path || p.Range.Start != at.At {
			g.r.user(p)
		}
	}
	if n := len(g.r.from); n > 0 && !g.r.stays && g.f.visibility(g.own.mod) != "" {
		held, err := (&symbolMove{c: g.c, at: at}).holding(g.r.ctx, g.r.from[n-1])
		if err != nil {
			return err
		}
		g.r.passOn(slices.DeleteFunc(held, func(path string) bool { return langID(path) != "rust" }),
			g.f.visibility(g.own.mod))
	}
	return nil
}

// declare moves the mod line.
func (g *rustFile) declare() error {
	mod, into := g.own.mod, g.r.crates.text(g.parent.file)
	if all := g.r.conditions(g.own.parent, g.parent); all != nil {
		g.c.Warn(contract.WarnNeedsConfirmation, contract.Facts{"label": "conditions",
			"files": g.c.ShowSome([]string{g.from})}, fmt.Sprintf("%s and %s are not built under the same conditions (%s)",
			g.c.Show(g.own.parent.file), g.c.Show(g.parent.file), strings.Join(all, ", ")))
	}
	for _, from := range g.r.seen {
		g.r.reach(from, g.r.to)
	}
	if g.r.stays && !slices.Equal(g.r.from, g.r.to) {
		g.r.add(g.f, g.f.top, "pub use "+g.r.spelled()+g.r.renamed()+";")
		g.r.see(g.r.from)
	}
	g.r.tellPublic(g.f, mod)
	vis := g.r.visibility(g.f, mod)
	if vis != "" {
		vis += " "
	}
	indent := g.f.indent(mod.start)
	line := withLineEnd(g.f.content()[mod.lead:mod.head], lineEndOf(into.content()))
	line = strings.TrimLeft(line, " \t") + vis + "mod " + g.r.now + ";"
	from, to := g.f.text.LineStart(g.f.text.LineOf(mod.lead)+1), g.f.lineEnd(mod.end)
	if tail := strings.TrimSpace(g.f.content()[mod.end:to]); tail != "" {
		line += " " + tail
	}
	if indent != "" || g.f.content()[from:mod.lead] != "" {
		return g.refuse("not_separate", byHand, "the mod line of %s does not begin its line", g.c.Show(g.from))
	}
	g.r.changes[g.f.text.Path] = append(g.r.changes[g.f.text.Path], change{from, to, ""})
	g.r.addMod(into, g.r.now, line)
	return nil
}

// outward gives the paths of a file that moves which lead out of the module ones that lead there from the new place.
func (g *rustFile) outward(f *rustText) {
	m := g.r.crates.of(f.text.Path)
	if m == nil || !rustBelow(m.path, g.own.path) {
		return
	}
	now := append(append(slices.Clone(g.r.to), g.r.now), m.path[len(g.own.path):]...)
	for n, t := range f.tokens {
		module := append(slices.Clone(m.path), f.scopeAt(t.start).names()...)
		switch {
		case t.text == "pub" && f.at(n+1) == "(" && f.at(n+2) == "super" && f.at(n+3) == ")":
			if slices.Equal(module, g.own.path) && !slices.Equal(g.r.from, g.r.to) {
				g.r.change(f, t.start, f.tokens[n+3].end, "pub(crate)")
			}
		case f.at(n-1) == "::" || f.at(n+1) != "::" || f.at(n-1) == "in":
		case t.text == "super" || t.text == "crate" || t.text == "self":
			g.outwardPath(f, module, now, n)
		}
	}
}

// outwardPath changes the path that begins with a token.
func (g *rustFile) outwardPath(f *rustText, module, now []string, n int) {
	path, last := f.relativeAt(n)
	all, ok := g.r.crates.absolute(g.r.root, module, path, 0)
	if !ok || rustBelow(all, g.own.path) {
		return
	}
	g.r.reach(now, all)
	base, ok := g.r.crates.absolute(g.r.root, module, path[:(last-n)/2+1], 0)
	if f.at(n) == "crate" || !ok || rustBelow(base, g.own.path) {
		return
	}
	g.r.change(f, f.tokens[n].start, f.tokens[last].end, rustPath(base))
}

// relativeAt is the path that begins with a token, and the last of its tokens that counts from a module.
func (f *rustText) relativeAt(n int) (path []string, last int) {
	last = n
	for i := n; i < len(f.tokens) && f.tokens[i].word(); i += 2 {
		if path = append(path, f.at(i)); f.at(i) == "super" || f.at(i) == "self" {
			last = i
		}
		if f.at(i+1) != "::" {
			break
		}
	}
	return path, last
}

// plan is the plan of the new texts and paths.
func (g *rustFile) plan() (*lsp.Planned, error) {
	var all []edit.TextChange
	for path, changes := range g.r.changes {
		f := g.r.crates.text(path)
		if now := tidied(f.content(), applied(f.content(), changes)); now != f.content() {
			all = append(all, edit.TextChange{Path: path, Before: f.content(), After: now})
		}
	}
	slices.SortFunc(all, func(a, b edit.TextChange) int { return strings.Compare(a.Path, b.Path) })
	moved := []edit.Moved{{From: g.moving.from, To: g.moving.to}}
	if g.beside != "" {
		moved = append(moved, edit.Moved{From: g.beside, To: g.after(g.beside)})
	}
	plan, err := edits.PlanMove(g.c, all, moved...)
	return &lsp.Planned{Plan: plan}, err
}
