package rust

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/move/splice"
	"lspi/tools/symbol"
)

// fileMove is the move of the file or folder of a module to another one.
type fileMove struct {
	*FileHost
	r           *rustMove
	own, parent *rustModule // the module, and the one that is to declare it
	f           *rustText   // that declares it
	moved       Moved
}

// File plans the move of the file or folder of a module; nil where it is no module, or stays in its folder.
func File(h *FileHost) (*Moved, error) {
	g := &fileMove{FileHost: h, moved: Moved{After: map[string]string{}, Files: h.Files}}
	g.r = newMove(&h.Host)
	file, to := h.Path, h.To
	if h.Folder {
		file, to = filepath.Join(file, "mod.rs"), filepath.Join(to, "mod.rs")
	}
	crates := g.r.crates
	if g.own = crates.of(file); g.own == nil || g.own.parent == nil || filepath.Dir(h.Path) == filepath.Dir(h.To) {
		return nil, nil
	}
	dir, name := rustDir(to)
	dir = filepath.Dir(dir)
	if g.parent = crates.parentOf(dir, g.own.root); g.parent == nil || rustBelow(g.parent.path, g.own.path) {
		return nil, h.Refuse("no_parent", "Make the module of that folder first, by its mod.rs or a file of its name.",
			"no module of the crate of %s has its submodules in the folder %s", h.Call.Show(h.Path), h.Call.Show(dir))
	}
	g.f = crates.text(g.own.parent.file)
	g.r.root, g.r.from, g.r.to = g.own.root, g.own.parent.path, g.parent.path
	g.r.name, g.r.now, g.r.file, g.r.inside = g.own.path[len(g.own.path)-1], name, g.own.parent.file, g.inside
	err := g.r.forOthers(g.f, g.own.mod, g.own.parent, g.parent)
	if err == nil {
		err = g.check(name)
	}
	if err == nil {
		err = g.withBeside()
	}
	if same := slices.Equal(g.r.from, g.r.to) && g.r.now == g.r.name; err != nil || same {
		return &g.moved, err
	}
	if err = g.users(); err == nil {
		err = g.declare()
	}
	if err != nil {
		return nil, err
	}
	var files []*rustText
	for _, path := range g.moved.Files {
		if !isSource(path) {
			continue
		}
		if f := crates.text(path); f != nil {
			files = append(files, f)
			g.outward(f)
		}
	}
	g.r.openOthers(g.own.parent, files)
	g.r.tellOpened()
	g.r.finishNeeds()
	g.r.finishUses()
	g.r.tellConditions(g.own.parent, g.parent)
	g.moved.After, g.moved.Left = g.r.texts(), g.r.leaves()
	return &g.moved, nil
}

// inside is [rustMove].inside: the mod line moves.
func (g *fileMove) inside(path string, offset int) bool {
	return path == g.own.parent.file && g.own.mod.lead <= offset && offset < g.own.mod.end
}

// check refuses a module that cannot move there.
func (g *fileMove) check(name string) error {
	here := g.f.content()[g.own.mod.end:g.f.lineEnd(g.own.mod.end)]
	scope := g.r.crates.text(g.parent.file).top
	leaf := g.r.crates.text(g.parent.file).bindingIn(scope, name)
	same := slices.Equal(g.r.from, g.r.to) && name == g.r.name
	other := false
	if leaf != nil {
		all, ok := g.r.crates.absolute(g.r.root, g.r.to, g.r.crates.text(g.parent.file).segments(leaf), 0)
		other = !ok || !slices.Equal(all, g.own.path)
	}
	begin := contract.Range{Start: contract.Position{Line: 1, Character: 1}}
	other = other || g.r.shadows(g.r.crates.text(g.parent.file), name, []lsp.Place{{Path: g.own.file, Range: begin}})
	switch {
	case g.own.many || g.parent.many:
		return g.Refuse("several_crates", ByHand, "%s is a module of several crates", g.Call.Show(g.Path))
	case !isRustName(name):
		return g.Refuse("no_module", "Give a name of letters, digits and _.", "%s is no name of a module", name)
	case !same && (scope.named(name) != nil || other):
		return g.Refuse("name_taken", "Give another name.", "%s has another %s", g.Call.Show(g.parent.file), name)
	case g.own.mod.attribute("macro_use"):
		return g.Refuse("macros", ByHand, "the macros of %s are known behind its mod line in %s alone", g.Call.Show(g.Path),
			g.Call.Show(g.own.parent.file))
	case strings.TrimSpace(here) != "" && !strings.HasPrefix(strings.TrimSpace(here), "//"):
		return g.Refuse("not_separate", ByHand, "the mod line of %s shares its line with other code", g.Call.Show(g.Path))
	}
	return nil
}

// withBeside adds the files of the submodules beside the file that moves.
func (g *fileMove) withBeside() error {
	to, beside := strings.TrimSuffix(g.To, ".rs"), strings.TrimSuffix(g.Path, ".rs")
	dir, _ := rustDir(g.To)
	switch {
	case g.Folder:
		return nil
	case filepath.Base(g.Path) == "mod.rs":
		if dir != filepath.Dir(g.Path) && len(source.Glob(filepath.Dir(g.Path), "*")) > 1 {
			return g.Refuse("has_submodules", AsModule, "%s has submodules in its folder; move the folder", g.Call.Show(g.Path))
		}
		return nil
	case !source.IsFolder(beside) || filepath.Base(g.To) == "mod.rs" && filepath.Dir(g.To) == beside:
		return nil // without submodules, or to where they are
	case filepath.Base(g.To) == "mod.rs" || source.Exists(to):
		return g.Refuse("has_submodules", AsModule, "%s has submodules in the folder %s, which cannot go to %s",
			g.Call.Show(g.Path), g.Call.Show(beside), g.Call.Show(to))
	}
	files, err := g.Listed(beside)
	g.moved.Beside, g.moved.Files = beside, append(slices.Clone(g.Files), files...)
	return err
}

// users gives all who name the module its new path.
func (g *fileMove) users() error {
	at := symbol.Located{Path: g.own.parent.file, At: g.f.text.PositionAt(g.own.mod.nameAt), Name: g.r.name}
	places, err := g.Snapshot.References(g.Ctx, at.Path, at.At, true)
	if err != nil {
		return err
	}
	for _, p := range places {
		if p.Err != nil || p.Path != at.Path || p.Range.Start != at.At {
			g.r.user(p)
		}
	}
	if err := g.unbuilt(places); err != nil {
		return err
	}
	if g.r.stays {
		return nil
	}
	return g.r.passOn(g.f.visibility(g.own.mod))
}

// unbuilt gives uses the new path that the server does not list, since their code is not built.
func (g *fileMove) unbuilt(known []lsp.Place) error {
	held, err := g.Holding(g.r.name)
	if err != nil {
		return err
	}
	for _, path := range held {
		f, m := g.r.crates.text(path), g.r.crates.of(path)
		if f == nil || !isSource(path) || m == nil || m.many || m.root != g.r.root {
			continue
		}
		for n, t := range f.tokens {
			at := f.text.PositionAt(t.start)
			if t.text != g.r.name || f.at(n+1) != "::" && f.at(n-1) != "::" ||
				slices.ContainsFunc(known, func(p lsp.Place) bool { return p.Path == path && p.Range.Start == at }) {
				continue
			}
			names := []string{t.text}
			for i := n; f.at(i-1) == "::" && i > 1; i -= 2 {
				names = append([]string{f.at(i - 2)}, names...)
			}
			module := append(slices.Clone(m.path), f.scopeAt(t.start).names()...)
			if all, ok := g.r.crates.absolute(g.r.root, module, names, 0); ok && slices.Equal(all, g.own.path) {
				g.r.user(lsp.Place{Path: path, Range: contract.Range{Start: at, End: at}})
			}
		}
	}
	return nil
}

// declare moves the mod line.
func (g *fileMove) declare() error {
	mod, into := g.own.mod, g.r.crates.text(g.parent.file)
	for _, from := range g.r.seen {
		g.r.reach(from, g.r.to)
	}
	if g.r.stays && !slices.Equal(g.r.from, g.r.to) {
		g.r.add(g.f, g.f.top, "pub use "+g.r.spelled()+g.r.renamed()+";")
		g.r.imports(g.r.now, mod)
		g.r.see(g.r.from)
	}
	g.r.tellPublic(g.f, mod)
	vis := g.r.visibility(g.f, mod)
	if vis != "" {
		vis += " "
	}
	indent := g.f.indent(mod.start)
	line := splice.WithLineEnd(g.f.content()[mod.lead:mod.head], splice.LineEnd(into.content()))
	line = strings.TrimLeft(line, " \t") + vis + "mod " + g.r.now + ";"
	from, to := g.f.text.LineStart(g.f.text.LineOf(mod.lead)+1), g.f.lineEnd(mod.end)
	if tail := strings.TrimSpace(g.f.content()[mod.end:to]); tail != "" {
		line += " " + tail
	}
	if indent != "" || g.f.content()[from:mod.lead] != "" {
		return g.Refuse("not_separate", ByHand, "the mod line of %s does not begin its line", g.Call.Show(g.Path))
	}
	g.r.changes[g.f.text.Path] = append(g.r.changes[g.f.text.Path], splice.Cut(from, to))
	g.r.addMod(into, g.r.now, line)
	return nil
}

// outward gives the paths of a file that moves which lead out of the module ones that lead there from the new place.
func (g *fileMove) outward(f *rustText) {
	m := g.r.crates.of(f.text.Path)
	if m == nil || !rustBelow(m.path, g.own.path) {
		return
	}
	now := append(append(slices.Clone(g.r.to), g.r.now), m.path[len(g.own.path):]...)
	for _, item := range f.uses {
		module := append(slices.Clone(m.path), f.scopeAt(item.start).names()...)
		g.r.reachUse(f, item, module, now, g.own.path)
	}
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
func (g *fileMove) outwardPath(f *rustText, module, now []string, n int) {
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
