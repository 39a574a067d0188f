package rust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/move/splice"
)

// byMethods has the modules import a trait that moves whose methods they call without naming it.
func (g *symbolMove) byMethods() error {
	if g.item.kind != "trait" {
		return nil
	}
	for n := g.item.body[0]; n < g.item.body[1]; n++ {
		if g.f.at(n) != "fn" {
			continue
		}
		places, err := g.Snapshot.References(g.Ctx, g.At.Path, g.f.text.PositionAt(g.f.tokens[n+1].start), false)
		if err != nil {
			return err
		}
		for _, p := range places {
			f := g.r.crates.text(p.Path)
			if f == nil || p.Err != nil {
				continue
			}
			offset, err := f.text.Offset(p.Range.Start)
			at := f.tokenAt(offset)
			m := g.r.crates.of(p.Path)
			if err != nil || at < 0 || f.at(at-1) != "." && f.at(at-1) != "::" || g.inside(p.Path, offset) || m == nil ||
				m.root != g.r.root || f.binding(g.At.Name, offset) != nil || g.asNothing(f, offset) {
				continue
			}
			module := append(slices.Clone(m.path), f.scopeAt(offset).names()...)
			g.r.see(module)
			g.r.need(f, f.scopeAt(offset), module)
		}
	}
	return nil
}

// asNothing reports whether an import of the trait as _ is known at an offset.
func (g *symbolMove) asNothing(f *rustText, offset int) bool {
	leaf := f.binding("_", offset)
	return leaf != nil && slices.Contains(f.segments(leaf), g.At.Name)
}

// openMembers makes private fields and methods of what moves visible where code that stays uses them, and tells so.
func (g *symbolMove) openMembers() error {
	for _, p := range g.pieces {
		for _, n := range g.f.privateMembers(p) {
			places, err := g.Snapshot.References(g.Ctx, g.At.Path, g.f.text.PositionAt(g.f.tokens[n].start), false)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(places, g.looksIn) {
				g.r.open(g.f, g.f.at(n), []int{n})
			}
		}
	}
	if private := g.f.privateTuple(g.item); len(private) > 0 && slices.ContainsFunc(g.uses, g.takesApart) {
		g.r.open(g.f, "its fields", private)
	}
	g.r.openOthers(g.own, []*rustText{g.f})
	g.r.tellOpened()
	return nil
}

// looksIn reports whether a place is outside of the new module and what moves.
func (g *symbolMove) looksIn(p lsp.Place) bool {
	f := g.r.crates.text(p.Path)
	m := g.r.crates.of(p.Path)
	if f == nil || p.Err != nil || m == nil {
		return false
	}
	offset, err := f.text.Offset(p.Range.Start)
	return err == nil && !g.inside(p.Path, offset) && !rustBelow(append(slices.Clone(m.path),
		f.scopeAt(offset).names()...), g.r.to)
}

// takesApart reports whether a use outside of what moves makes a tuple, or may name its fields.
func (g *symbolMove) takesApart(p lsp.Place) bool {
	if !g.looksIn(p) {
		return false
	}
	f := g.r.crates.text(p.Path)
	offset, _ := f.text.Offset(p.Range.Start)
	if n := f.tokenAt(offset); f.at(n+1) == "(" {
		return true
	}
	if !rustBelow(g.r.crates.of(p.Path).path, g.r.from) { // where they are not visible
		return false
	}
	for n, t := range f.tokens {
		if t.text[0] >= '0' && t.text[0] <= '9' && f.at(n-1) == "." && f.at(n-2) != "." && !g.inside(p.Path, t.start) {
			return true
		}
	}
	return false
}

// again has other modules that export all of the old one export what moves, too, and the old one itself where other
// crates may name it there.
func (g *symbolMove) again() error {
	if g.r.stays {
		g.r.add(g.f, g.f.top, "pub use "+g.r.spelled()+";")
		g.r.imports(g.r.now, g.item)
		delete(g.r.needs, strings.Join(g.r.from, "::"))
		g.r.see(g.r.from)
		return nil
	}
	return g.r.passOn(g.f.visibility(g.item))
}

// dropImports takes the imports away that nothing but what moves has used.
func (g *symbolMove) dropImports() {
	for _, item := range g.f.uses {
		if item.block != [2]int{g.f.top.start, g.f.top.end} || g.f.visibility(item) != "" || g.f.commented(item) {
			continue
		}
		for _, leaf := range item.tree.leaves() {
			local := g.f.local(leaf)
			if leaf.gone || local == "*" || local == g.At.Name || !g.usesLeaf(leaf, g.moves) || g.usesLeaf(leaf, g.stays) ||
				g.namedBelow(local) {
				continue
			}
			tests := g.testsWith(leaf)
			if tests == nil && g.usesLeaf(leaf, g.staysInner) {
				continue
			}
			for _, scope := range tests {
				line := strings.Join(g.f.segments(leaf), "::")
				if all, ok := g.r.crates.absolute(g.r.root, g.r.from, g.f.segments(leaf), 0); ok && !g.f.global(leaf) {
					line = rustPath(all)
				}
				if leaf.alias != "" {
					line += " as " + leaf.alias
				}
				g.r.add(g.f, scope, "use "+line+";")
			}
			g.r.take(g.f, leaf, "")
		}
	}
}

// stays reports whether an offset of the old module itself is not in what moves.
func (g *symbolMove) stays(offset int) bool {
	return !g.moves(offset) && g.f.scopeAt(offset) == g.f.top
}

// staysInner reports whether an offset is in an inline module of the file.
func (g *symbolMove) staysInner(offset int) bool { return g.f.scopeAt(offset) != g.f.top }

// testsWith are the inline modules of tests that alone use what a leaf imports, by all that the module has; nil where
// others do, or none.
func (g *symbolMove) testsWith(leaf *rustUse) (out []*rustScope) {
	for _, item := range g.f.top.items {
		if item.inner == nil || !g.usesLeaf(leaf, func(offset int) bool {
			return item.inner.start <= offset && offset < item.inner.end
		}) || g.f.bindingIn(item.inner, g.f.local(leaf)) != nil {
			continue
		}
		if !item.attribute("cfg") {
			return nil
		}
		out = append(out, item.inner)
	}
	return out
}

// namedBelow reports whether a submodule in a file of its own may use an import of the old module.
func (g *symbolMove) namedBelow(local string) bool {
	return slices.ContainsFunc(g.f.top.items, func(item *rustItem) bool {
		if item.kind != "mod" || item.inner != nil {
			return false
		}
		f, _ := g.r.crates.place(g.r.root, append(slices.Clone(g.r.from), item.name))
		return f == nil || local != "_" && source.HasWord(f.content(), local) && source.HasWord(f.content(), "super")
	})
}

// seeItem makes what moves visible to those who name it.
func (g *symbolMove) seeItem() {
	text := g.r.visibility(g.f, g.item)
	if text != "" && g.item.vis[0] == g.item.vis[1] {
		text += " "
	}
	g.r.change(g.f, g.item.vis[0], g.item.vis[1], text)
}

// declare makes the new module one of the crate, and visible to those who name it.
func (g *symbolMove) declare() {
	to := g.r.to
	if g.Fresh {
		to = above(to)
	}
	for _, from := range g.r.seen {
		g.r.reach(from, to)
	}
	if !g.Fresh {
		return
	}
	vis := ""
	if slices.ContainsFunc(g.r.seen, func(from []string) bool { return !rustBelow(from, to) }) {
		vis = "pub(crate) "
	}
	name := g.other.path[len(g.other.path)-1]
	g.r.addMod(g.r.crates.text(g.parent.file), name, vis+"mod "+name+";")
}

// addMod adds a mod line to a file: in the order of the names where those that it has are in it.
func (r *rustMove) addMod(f *rustText, name, line string) {
	var mods []*rustItem
	for _, item := range f.top.items {
		if item.kind == "mod" && item.inner == nil && !item.attribute("cfg(test") && !item.attribute("macro_use") {
			mods = append(mods, item)
		}
	}
	i := slices.IndexFunc(mods, func(item *rustItem) bool { return item.name > name })
	switch sorted := slices.IsSortedFunc(mods, func(a, b *rustItem) int { return strings.Compare(a.name, b.name) }); {
	case len(mods) > 0 && sorted && i >= 0:
		at := mods[i].lead
		r.insert(f, at, line+splice.LineEnd(f.content()))
	case len(mods) > 0:
		at := f.lineEnd(mods[len(mods)-1].end)
		r.insert(f, at, f.fitted(at, line))
	default:
		at, before, after := f.modsAt()
		text := line + splice.LineEnd(f.content())
		if before {
			text = splice.LineEnd(f.content()) + text
		}
		if after {
			text += splice.LineEnd(f.content())
		}
		r.insert(f, at, text)
	}
}

// modsAt is where the first mod line of a file is added: behind its uses, else in front of its items.
func (f *rustText) modsAt() (at int, before, after bool) {
	for _, item := range f.top.items {
		if item.kind != "use" && item.kind != "crate" {
			if at == 0 {
				return item.lead, false, true
			}
			break
		}
		at = f.lineEnd(item.end)
	}
	if at == 0 {
		at = len(f.content())
	}
	return at, at > 0, false
}

// conditions returns the conditions of two modules where they are not the same.
func (r *rustMove) conditions(one, other *rustModule) []string {
	of := func(m *rustModule) (out []string) {
		for ; m != nil; m = m.parent {
			if f := r.crates.text(m.file); f != nil {
				out = append(out, rustCondition.FindAllString(f.content(), -1)...)
			}
			if m.mod == nil {
				continue
			}
			for _, a := range m.mod.attributes {
				if strings.HasPrefix(strings.TrimLeft(a, "#[ "), "cfg(") {
					out = append(out, strings.Join(strings.Fields(a), ""))
				}
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	was, now := of(one), of(other)
	if slices.Equal(was, now) {
		return nil
	}
	return slices.Concat(was, now)
}

// imports remembers an import of what may be under a condition.
func (r *rustMove) imports(name string, item *rustItem) {
	if item.attribute("cfg(") && !slices.Contains(r.under, name) {
		r.under = append(r.under, name)
	}
}

// tellConditions tells of conditions that what moves, or an import, has where it is, and not where it is to be.
func (r *rustMove) tellConditions(from, to *rustModule) {
	if all := r.conditions(from, to); all != nil {
		r.needsLook("conditions", "%s and %s are not built under the same conditions (%s)", r.Call.Show(from.file),
			r.Call.Show(to.file), strings.Join(all, ", "))
	}
	if len(r.under) > 0 {
		r.needsLook("conditions", "imports may lack a condition (#[cfg]), or have one that they should not have: %s",
			strings.Join(r.under, ", "))
	}
}

var rustCondition = source.LazyRegexp(`(?m)^#!\[cfg\([^\n]*`)

// write makes the new texts.
func (g *symbolMove) write() {
	g.cut()
	g.intoTarget()
	g.moved.After = g.r.texts()
	g.r.tellPublic(g.f, g.item)
}

// cut takes the pieces out of the source, each with one of the blank lines around it.
func (g *symbolMove) cut() {
	content := g.f.content()
	end := 0
	for _, p := range g.pieces {
		from, to := g.f.text.LineStart(g.f.text.LineOf(p.lead)+1), g.f.lineEnd(p.end)
		above := from == 0 || from == end || strings.HasSuffix(strings.TrimRight(content[:from], " \t\r"), "\n\n") ||
			strings.HasSuffix(content[:from], "\r\n\r\n")
		switch next := g.f.lineEnd(to); {
		case to < len(content) && strings.TrimSpace(content[to:next]) == "" && above:
			to = next
		case strings.TrimSpace(content[to:]) == "" && from > 0:
			from = max(end, len(strings.TrimRight(content[:from], " \t\r\n"))+len(splice.LineEnd(content)))
		}
		from = max(from, end)
		g.r.changes[g.At.Path] = append(g.r.changes[g.At.Path], splice.Cut(from, to))
		end = to
	}
}

// text is what moves, with the changes in it.
func (g *symbolMove) text() string {
	var parts []string
	for _, p := range g.pieces {
		from, to := g.f.text.LineStart(g.f.text.LineOf(p.lead)+1), g.f.lineEnd(p.end)
		parts = append(parts, strings.Trim(g.f.part(from, to, g.r.inner), "\r\n"))
	}
	end := splice.LineEnd(g.into.content(), g.f.content())
	return splice.WithLineEnd(strings.Join(parts, "\n\n"), end)
}

// intoTarget adds what moves to the target, in front of its tests, with the imports that it needs.
func (g *symbolMove) intoTarget() {
	end := splice.LineEnd(g.into.content(), g.f.content())
	for _, head := range slices.Sorted(maps.Keys(g.carried)) {
		names := g.carried[head]
		slices.Sort(names)
		if len(names) > 1 {
			g.lines = append(g.lines, fmt.Sprintf("use %s::{%s};", head, strings.Join(names, ", ")))
		} else {
			g.lines = append(g.lines, fmt.Sprintf("use %s::%s;", head, names[0]))
		}
	}
	slices.Sort(g.lines)
	moved := g.text()
	if g.Fresh {
		text := ""
		if len(g.lines) > 0 {
			text = strings.Join(g.lines, end) + end + end
		}
		g.r.changes[g.To] = []splice.Change{splice.Insert(0, text+moved+end)}
		return
	}
	if len(g.lines) > 0 {
		at, before, after := g.into.usesEnd(g.into.top)
		text := strings.Join(g.lines, end) + end
		if before {
			text = end + text
		}
		if after {
			text += end
		}
		g.r.changes[g.To] = append(g.r.changes[g.To], splice.Insert(at, text))
	}
	at := len(g.into.content())
	for _, item := range slices.Backward(g.into.top.items) {
		if item.kind != "mod" || !item.attribute("cfg(test") {
			break
		}
		at = item.lead
	}
	before := g.into.content()[:at]
	gap := ""
	if trimmed := strings.TrimRight(before, " \t\r\n"); trimmed != "" {
		gap = strings.Repeat(end, max(2-strings.Count(before[len(trimmed):], "\n"), 0))
	}
	tail := end
	if at < len(g.into.content()) {
		tail += end
	}
	g.r.changes[g.To] = append(g.r.changes[g.To], splice.Insert(at, gap+moved+tail))
}
