package rust

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/edits"
	"lspi/tools/move/splice"
)

// symbolMove is the move of an item.
type symbolMove struct {
	*SymbolHost
	r          *rustMove
	f, into    *rustText
	item       *rustItem
	pieces     []*rustItem // in their order
	own, other *rustModule
	parent     *rustModule // that declares a file which is made
	uses       []lsp.Place
	carried    map[string][]string // names that the target imports, by the path in front of them
	lines      []string            // other uses for the target
	moved      Moved
}

// rustMoved are the items that move.
var rustMoved = []string{"fn", "struct", "enum", "union", "trait", "type", "const", "static"}

// Symbol plans the move of an item.
func Symbol(h *SymbolHost) (*Moved, error) {
	g := &symbolMove{SymbolHost: h, carried: map[string][]string{}, moved: Moved{After: map[string]string{}}}
	g.r = newMove(&h.Host)
	g.r.name, g.r.now, g.r.file, g.r.target, g.r.inside = h.At.Name, h.At.Name, h.At.Path, h.To, g.inside
	for _, step := range []func() error{g.find, g.modules, g.forOthers, g.askUses, g.registers, g.carry,
		g.follow, g.byMethods, g.openMembers, g.again} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	g.dropImports()
	g.seeItem()
	g.declare()
	g.r.finishNeeds()
	g.r.finishUses()
	g.r.tellConditions(g.own, g.other)
	g.write()
	g.moved.Left = g.r.leaves()
	return &g.moved, nil
}

// askUses asks for the uses of the item.
func (g *symbolMove) askUses() (err error) {
	g.uses, err = g.Uses()
	return err
}

// follow gives all uses the new path.
func (g *symbolMove) follow() error {
	for _, p := range g.uses {
		if p.Err != nil || p.Path != g.At.Path || p.Range.Start != g.At.At {
			g.r.user(p)
		}
		g.moved.Near = append(g.moved.Near, p.Path)
	}
	return nil
}

// inside reports whether a place is of what moves.
func (g *symbolMove) inside(path string, offset int) bool {
	return path == g.At.Path && slices.ContainsFunc(g.pieces, func(p *rustItem) bool {
		return p.lead <= offset && offset < p.end
	})
}

// find finds the item, and behind a type its implementations in the file.
func (g *symbolMove) find() error {
	g.f = g.r.crates.text(g.At.Path)
	if g.f == nil {
		return g.NoDeclaration()
	}
	offset, err := g.f.text.Offset(g.At.At)
	if err != nil {
		return err
	}
	scope := g.f.scopeAt(offset)
	i := slices.IndexFunc(scope.items, func(item *rustItem) bool { return item.nameAt == offset && item.name != "" })
	if i < 0 {
		around := g.f.itemAround(offset)
		if around != nil && (around.kind == "impl" || around.kind == "trait" || around.kind == "fn") {
			return g.Refuse("not_of_module", "Move the item in which it is.",
				"%s is declared in another item, and not by a module", g.At.Name)
		}
		return g.NoDeclaration()
	}
	g.item = scope.items[i]
	switch {
	case g.item.kind == "mod":
		return g.Refuse("is_module", "Move its file by file_path and new_path alone.", "%s is a module", g.At.Name)
	case g.item.kind == "macro_rules":
		return g.Refuse("is_macro", ByEdits, "%s is a macro, whose place in the text decides about who sees it", g.At.Name)
	case !slices.Contains(rustMoved, g.item.kind):
		return g.NoDeclaration()
	case scope != g.f.top:
		return g.Refuse("inline_module", ByEdits, "%s is declared in the inline module %s of %s", g.At.Name,
			scope.item.name, g.Call.Show(g.At.Path))
	case g.item.kind == "fn" && g.At.Name == "main" && isCrate(g.At.Path):
		return g.Refuse("not_called", "", "main is called by the language")
	}
	same := 0
	for _, item := range scope.items {
		if item.name == g.item.name && slices.Contains(rustMoved, item.kind) {
			same++
		}
		if item == g.item || item.kind == "impl" && g.f.implements(item) == g.At.Name &&
			slices.Contains([]string{"struct", "enum", "union"}, g.item.kind) {
			g.pieces = append(g.pieces, item)
		}
	}
	if same > 1 {
		return g.Refuse("several_declarations", "Move all of its declarations yourself.",
			"%s declares several items of the name %s", g.Call.Show(g.At.Path), g.At.Name)
	}
	for _, p := range g.pieces {
		before := g.f.content()[g.f.text.LineStart(g.f.text.LineOf(p.lead)+1):p.lead]
		tail := strings.TrimSpace(g.f.content()[p.end:g.f.lineEnd(p.end)])
		if strings.TrimSpace(before) != "" || tail != "" && !strings.HasPrefix(tail, "//") {
			return g.Refuse("not_separate", "", "%s shares its lines with other code", g.At.Name)
		}
	}
	return nil
}

// implements is the type of an impl: the last name of its path, without & and arguments.
func (f *rustText) implements(item *rustItem) string {
	name, angles := "", 0
	for n := item.first + 1; n < item.body[0]; n++ {
		switch t := f.at(n); {
		case t == "<":
			angles++
		case t == ">":
			angles--
		case angles > 0:
		case t == "for" && f.at(n+1) != "<":
			name = ""
		case t == "where":
			return name
		case t == "(" || t == "[" || t == "dyn":
			return ""
		case f.tokens[n].word() && t != "mut" && t != "const" && t != "unsafe":
			if name = t; f.at(n-1) == "::" && f.at(n-2) != "self" {
				name = ""
			}
		}
	}
	return name
}

// modules finds the modules of both files.
func (g *symbolMove) modules() error {
	g.own = g.r.crates.of(g.At.Path)
	if err := g.known(g.own, g.At.Path); err != nil {
		return err
	}
	if g.Fresh {
		dir, name := rustDir(g.To)
		if !isRustName(name) || filepath.Base(g.To) == "mod.rs" || isCrate(g.To) {
			return g.Refuse("no_module", "Give a path such as "+g.Call.Show(filepath.Join(filepath.Dir(g.To), "name.rs"))+".",
				"%s is no file of a module that lspi can make", g.Call.Show(g.To))
		}
		if g.parent = g.r.crates.parentOf(filepath.Dir(dir), g.own.root); g.parent == nil {
			return g.Refuse("no_parent", "Make the module of that folder first, by its mod.rs or a file of its name.",
				"no module of the crate of %s has its submodules in the folder of %s", g.Call.Show(g.At.Path), g.Call.Show(g.To))
		}
		if g.r.crates.text(g.parent.file).top.named(name) != nil {
			return g.Refuse("name_taken", "Give another name.", "%s declares %s already", g.Call.Show(g.parent.file), name)
		}
		g.other = &rustModule{root: g.own.root, path: append(slices.Clone(g.parent.path), name), file: g.To,
			parent: g.parent}
		g.into = rustTextOf(source.New(g.To, ""))
		g.r.crates.texts[g.To], g.r.crates.modules[g.To] = g.into, g.other
	} else {
		g.other = g.r.crates.of(g.To)
		if err := g.known(g.other, g.To); err != nil {
			return err
		}
		g.into = g.r.crates.text(g.To)
	}
	if g.own.root != g.other.root {
		return g.Refuse("other_crate", "Move it within its crate.", "%s and %s are of different crates",
			g.Call.Show(g.At.Path), g.Call.Show(g.To))
	}
	g.r.root, g.r.from, g.r.to = g.own.root, g.own.path, g.other.path
	own := []lsp.Place{{Path: g.At.Path, Range: contract.Range{Start: g.At.At}}}
	if g.into.top.named(g.At.Name) != nil || g.ownBinding(own) || g.r.shadows(g.into, g.At.Name, own) {
		return g.Refuse("name_taken", "Rename one of them first.", "%s has another %s", g.Call.Show(g.To), g.At.Name)
	}
	return nil
}

// ownBinding reports whether the target imports something else under the name of what moves.
func (g *symbolMove) ownBinding(own []lsp.Place) bool {
	leaf := g.into.bindingIn(g.into.top, g.At.Name)
	if leaf == nil {
		return false
	}
	all, ok := g.r.crates.absolute(g.r.root, g.r.to, g.into.segments(leaf), 0)
	if ok && slices.Equal(all, append(slices.Clone(g.r.from), g.At.Name)) {
		return false
	}
	path := leaf.path()
	return !samePlaces(g.r.locate(g.into, path[len(path)-1]), own)
}

// known refuses a file whose module lspi cannot tell.
func (g *symbolMove) known(m *rustModule, path string) error {
	switch {
	case m == nil:
		return g.Refuse("no_module", ByEdits, "lspi finds no mod line that makes %s a module of a crate", g.Call.Show(path))
	case m.many:
		return g.Refuse("several_crates", ByEdits, "%s is a module of several crates", g.Call.Show(path))
	}
	return nil
}

// isRustName reports whether a name can be that of a module.
func isRustName(name string) bool {
	return lang.ByID("rust").Name(name) && !lang.Reserved("rust", name)
}

// parentOf is the module of a crate whose submodules are in a folder; nil where none has them there.
func (r *rustCrates) parentOf(dir, root string) *rustModule {
	for _, path := range parentFiles(dir) {
		if r.text(path) == nil {
			continue
		}
		if m := r.of(path); m != nil && !m.many && m.root == root && r.dirOf(m) == dir {
			return m
		}
	}
	return nil
}

// registers warns of an item that something may use by an attribute alone.
func (g *symbolMove) registers() error {
	symbols, text, err := g.Snapshot.DocumentSymbols(g.Ctx, g.At.Path)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(symbols, func(s lsp.Symbol) bool { return s.NameAt.Start == g.At.At })
	if i < 0 {
		return g.NoDeclaration()
	}
	d, err := edits.DeclarationOf(text, symbols[i])
	if err == nil {
		g.Registered(d, slices.DeleteFunc(slices.Clone(g.uses), func(p lsp.Place) bool {
			return p.Path == g.At.Path && p.Range.Start == g.At.At
		}))
	}
	return err
}

// forOthers tells what other crates see of the item.
func (g *symbolMove) forOthers() error { return g.r.forOthers(g.f, g.item, g.own, g.other) }

// moves reports whether an offset of the source is in what moves.
func (g *symbolMove) moves(offset int) bool { return g.inside(g.At.Path, offset) }

// carry finds what the target has to import for what moves, and gives it the paths that it needs there.
func (g *symbolMove) carry() error {
	if err := g.ownMacros(); err != nil {
		return err
	}
	explained := map[string]bool{g.At.Name: true}
	for _, item := range g.f.uses {
		if item.block != [2]int{g.f.top.start, g.f.top.end} {
			continue
		}
		for _, leaf := range item.tree.leaves() {
			local := g.f.local(leaf)
			explained[local] = true
			if local == "*" || local == g.At.Name || !g.usesLeaf(leaf, g.moves) {
				continue
			}
			g.r.imports(local, item)
			if err := g.needLeaf(leaf, local); err != nil {
				return err
			}
		}
	}
	for _, item := range g.f.top.items {
		if item.name == "" || explained[item.name] || slices.Contains(g.pieces, item) || item.kind == "macro_rules" {
			continue
		}
		explained[item.name] = true
		if !g.usesItem(item, g.moves) {
			continue
		}
		g.r.imports(item.name, item)
		if err := g.needPath(item.name, append(slices.Clone(g.r.from), item.name), ""); err != nil {
			return err
		}
	}
	g.globs(explained)
	g.relative()
	return nil
}

// ownMacros refuses what uses a macro of its file.
func (g *symbolMove) ownMacros() error {
	for _, item := range g.f.top.items {
		if item.kind != "macro_rules" {
			continue
		}
		for _, n := range g.f.heads(item.name) {
			if g.f.at(n+1) == "!" && g.moves(g.f.tokens[n].start) {
				return g.Refuse("uses_macro", ByEdits, "%s uses the macro %s of %s, which is known behind its declaration alone",
					g.At.Name, item.name, g.Call.Show(g.At.Path))
			}
		}
	}
	return nil
}

// usesLeaf reports whether code uses what a leaf imports.
func (g *symbolMove) usesLeaf(leaf *rustUse, in func(offset int) bool) bool {
	path := leaf.path()
	if len(path) == 0 {
		return false
	}
	last := path[len(path)-1]
	if g.f.at(last) == "self" && len(path) > 1 {
		last = path[len(path)-2]
	}
	var to []lsp.Place
	asked := false
	where := func() []lsp.Place {
		if !asked {
			to, asked = g.r.locate(g.f, last), true
		}
		return to
	}
	if g.isUsed(g.f.local(leaf), where, in, leaf.item) {
		return true
	}
	if first := strings.TrimPrefix(g.f.at(last), "r#"); first[0] < 'A' || first[0] > 'Z' {
		return false // no trait
	}
	if len(where()) > 0 {
		return g.r.callsOf(g.f, g.r.traitAt(where()), in)
	}
	// Of a crate that the server has not read: what no code names is a trait.
	return !slices.ContainsFunc(g.f.heads(g.f.local(leaf)), func(n int) bool {
		return g.f.tokens[n].start < leaf.item.start || g.f.tokens[n].start >= leaf.item.end
	}) && g.r.callsUnknown(g.f, in)
}

// usesItem reports whether code uses an item of the old module.
func (g *symbolMove) usesItem(item *rustItem, in func(offset int) bool) bool {
	where := func() []lsp.Place {
		return []lsp.Place{{Path: g.At.Path, Range: contract.Range{Start: g.f.text.PositionAt(item.nameAt)}}}
	}
	if item.kind == "mod" && item.inner == nil {
		where = func() []lsp.Place { return g.r.locate(g.f, g.f.tokenAt(item.nameAt)) }
	}
	if g.isUsed(item.name, where, in, item) {
		return true
	}
	return item.kind == "trait" && g.r.callsOf(g.f, &rustTrait{item.name, g.f.methods(item)}, in)
}

// isUsed reports whether a name in code means what is declared at places.
func (g *symbolMove) isUsed(name string, to func() []lsp.Place, in func(offset int) bool, but *rustItem) bool {
	for _, n := range g.f.heads(name) {
		if t := g.f.tokens[n]; !in(t.start) || but.start <= t.start && t.start < but.end {
			continue
		}
		found := g.r.locate(g.f, n)
		if g.f.at(n+1) == "!" || len(found) == 0 || samePlaces(found, to()) ||
			len(to()) == 0 && !slices.ContainsFunc(found, g.isLocal) {
			return true
		}
	}
	return false
}

// isLocal reports whether a place is in the file, and not the name of an item.
func (g *symbolMove) isLocal(p lsp.Place) bool { return p.Path == g.At.Path }

// needLeaf has the target import what an import of the source binds.
func (g *symbolMove) needLeaf(leaf *rustUse, local string) error {
	path := g.f.segments(leaf)
	as := ""
	if leaf.alias != "" {
		as = " as " + leaf.alias
	}
	if all, ok := g.r.crates.absolute(g.r.root, g.r.from, path, 0); ok && !g.f.global(leaf) {
		return g.needPath(local, all, as)
	}
	head := strings.Join(path[:len(path)-1], "::")
	if g.f.global(leaf) {
		head = "::" + head
	}
	return g.needName(local, head, path[len(path)-1]+as, path)
}

// needPath has the target import what has a path in the crate.
func (g *symbolMove) needPath(local string, all []string, as string) error {
	if slices.Equal(above(all), g.r.to) && len(all) > 0 && (as == "" || local == "_") {
		return nil // which the target declares itself
	}
	if len(all) == 0 {
		g.lines = append(g.lines, "use crate"+as+";")
		return nil
	}
	all = g.r.reach(g.r.to, all)
	return g.needName(local, rustPath(all[:len(all)-1]), all[len(all)-1]+as, append([]string{"crate"}, all...))
}

// needName adds a name to the imports of the target, unless it has it; one that has something else of it is refused.
func (g *symbolMove) needName(local, head, item string, path []string) error {
	if leaf := g.into.bindingIn(g.into.top, local); leaf != nil && local != "_" {
		g.r.imports(local, leaf.item)
		own := g.into.segments(leaf)
		one, ok := g.r.crates.absolute(g.r.root, g.r.to, own, 0)
		other, is := g.r.crates.absolute(g.r.root, g.r.to, path, 0)
		if ok && is && slices.Equal(one, other) || !ok && !is && slices.Equal(own, path) || g.samePlace(leaf, local) {
			return nil
		}
		return g.taken(local)
	}
	if local != "_" && (g.into.top.named(local) != nil || g.r.shadows(g.into, local, g.meant(local))) {
		return g.taken(local)
	}
	if head == "" {
		g.lines = append(g.lines, "use "+item+";")
	} else if !slices.Contains(g.carried[head], item) {
		g.carried[head] = append(g.carried[head], item)
	}
	return nil
}

func (g *symbolMove) taken(local string) error {
	return g.Refuse("name_taken", "Rename one of them first.", "%s has another %s than the one that %s uses",
		g.Call.Show(g.To), local, g.At.Name)
}

// samePlace reports whether the server leads from an import of the target to where it leads from the name in what
// moves.
func (g *symbolMove) samePlace(leaf *rustUse, local string) bool {
	path := leaf.path()
	return samePlaces(g.meant(local), g.r.locate(g.into, path[len(path)-1]))
}

// meant are the places to which the server leads from a name in what moves.
func (g *symbolMove) meant(name string) (out []lsp.Place) {
	for _, n := range g.f.heads(name) {
		if g.moves(g.f.tokens[n].start) {
			out = append(out, g.r.locate(g.f, n)...)
		}
	}
	return out
}

// rustPrelude are names that need no import (std::prelude).
var rustPrelude = strings.Fields(`Option Some None Result Ok Err Vec String Box ToString ToOwned Clone Copy Send Sync Sized
	Drop Fn FnMut FnOnce drop AsRef AsMut Into From Default Iterator Extend IntoIterator DoubleEndedIterator
	ExactSizeIterator Eq PartialEq Ord PartialOrd TryFrom TryInto FromIterator Self self super crate str bool char u8 u16 u32
	u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 Debug Hash`)

// globs carries the imports of all of a module by which what moves may have a name.
func (g *symbolMove) globs(explained map[string]bool) {
	var all []*rustUse
	for _, item := range g.f.uses {
		if item.block == [2]int{g.f.top.start, g.f.top.end} {
			for _, leaf := range item.tree.leaves() {
				if g.f.local(leaf) == "*" && len(leaf.path()) > 1 {
					all = append(all, leaf)
				}
			}
		}
	}
	if len(all) == 0 {
		return
	}
	var found []lsp.Place
	unknown := false
	for n, t := range g.f.tokens {
		if !g.moves(t.start) || !t.word() || explained[t.text] || slices.Contains(rustPrelude, t.text) ||
			lang.Reserved("rust", t.text) || t.text[0] == '\'' || g.f.at(n-1) == "::" || g.f.at(n-1) == "." {
			continue
		}
		explained[t.text] = true
		places := g.r.locate(g.f, n)
		unknown = unknown || len(places) == 0 && g.f.at(n+1) != ":" // of which the server knows nothing
		for _, p := range places {
			if p.Path != g.At.Path {
				found = append(found, p)
			}
		}
	}
	used := false
	var others []*rustUse
	for _, leaf := range all {
		switch of, known := g.explains(leaf, found); {
		case of:
			used = true
			g.carryGlob(leaf)
		case !known:
			others = append(others, leaf)
		}
	}
	for _, leaf := range others {
		if unknown || len(found) > 0 && !used || strings.HasSuffix(strings.Join(g.f.segments(leaf), "::"), "prelude::*") {
			g.carryGlob(leaf)
		}
	}
}

// explains reports whether one of places is declared by the module, or enum, all of whose names a leaf imports; known
// is false where lspi cannot tell.
func (g *symbolMove) explains(leaf *rustUse, found []lsp.Place) (of, known bool) {
	path := g.f.segments(leaf)
	all, ok := g.r.crates.absolute(g.r.root, g.r.from, path[:len(path)-1], 0)
	if !ok {
		return false, false
	}
	start, end := 0, 0
	f, scope := g.r.crates.place(g.r.root, all)
	if f != nil {
		start, end = scope.start, scope.end
	} else if f, scope = g.r.crates.place(g.r.root, all[:max(len(all)-1, 0)]); f == nil || len(all) == 0 {
		return false, false
	} else if item := scope.named(all[len(all)-1]); item != nil {
		start, end = item.start, item.end
	}
	for _, p := range found {
		if p.Path == f.text.Path {
			if offset, err := f.text.Offset(p.Range.Start); err == nil && start <= offset && offset < end {
				return true, true
			}
		}
	}
	return false, !slices.ContainsFunc(f.uses, func(item *rustItem) bool { return f.visibility(item) != "" })
}

// carryGlob has the target import all that a leaf does.
func (g *symbolMove) carryGlob(leaf *rustUse) {
	path := g.f.segments(leaf)
	head := strings.Join(path[:len(path)-1], "::")
	g.r.imports(head+"::*", leaf.item)
	if all, ok := g.r.crates.absolute(g.r.root, g.r.from, path[:len(path)-1], 0); ok && !g.f.global(leaf) {
		if slices.Equal(all, g.r.to) {
			return
		}
		head = rustPath(all)
		g.r.reach(g.r.to, all)
	} else if g.f.global(leaf) {
		head = "::" + head
	}
	line := "use " + head + "::*;"
	if !strings.Contains(g.into.content(), line) {
		g.lines = append(g.lines, line)
	}
}

// relative gives the paths in what moves that count from the old module ones that lead there from the new one, and
// makes what paths of the crate lead to visible there.
func (g *symbolMove) relative() {
	same := slices.Equal(above(g.r.from), above(g.r.to)) && len(g.r.from) > 0 && len(g.r.to) > 0
	for _, item := range g.f.uses { // in functions
		if g.moves(item.start) {
			g.r.reachUse(g.f, item, g.r.from, g.r.to, append(slices.Clone(g.r.from), g.At.Name))
		}
	}
	for n, t := range g.f.tokens {
		switch {
		case !g.moves(t.start):
		case g.f.reads(n) && filepath.Dir(g.At.Path) != filepath.Dir(g.To):
			g.r.needsLook("paths", "%s reads a file by its path from the folder of %s (%s)", g.At.Name,
				g.Call.Show(g.At.Path), splice.PlaceAt(g.f.text, t.start).Text)
		case t.text == "pub" && g.f.at(n+1) == "(" && t.start != g.item.vis[0]:
			end := g.f.closes(n + 1)
			written := strings.Join(strings.Fields(g.f.content()[t.start:g.f.tokens[end].end]), "")
			if written == "pub(super)" && !same || strings.HasPrefix(written, "pub(in") {
				g.r.change(g.f, t.start, g.f.tokens[end].end, "pub(crate)")
			}
		case g.f.at(n-1) == "::" || g.f.at(n+1) != "::" || g.f.at(n-1) == "in":
		case t.text == "self" || t.text == "super" || t.text == "crate":
			g.relativePath(n)
		}
	}
}

// above is the path of the module above one.
func above(module []string) []string { return module[:max(len(module)-1, 0)] }

// relativePath changes the path that begins with a token.
func (g *symbolMove) relativePath(n int) {
	path, last := g.f.relativeAt(n)
	all, ok := g.r.crates.absolute(g.r.root, g.r.from, path, 0)
	if !ok || slices.Equal(all, append(slices.Clone(g.r.from), g.At.Name)) {
		return // which is a use of what moves
	}
	g.r.reach(g.r.to, all)
	if g.f.at(n) == "crate" {
		return
	}
	base, ok := g.r.crates.absolute(g.r.root, g.r.from, path[:(last-n)/2+1], 0)
	if ok {
		g.r.change(g.f, g.f.tokens[n].start, g.f.tokens[last].end, rustPath(base))
	}
}
