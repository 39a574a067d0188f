package rust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/move/splice"
)

// rustMove gives another module to what one declares: an item, or a module with its file. It changes the texts as they
// are before the move.
type rustMove struct {
	*Host
	crates *rustCrates

	root      string    // of the crate
	from, to  []string  // the modules that declare it
	file      string    // of the old one
	target    string    // of the new one
	item      *rustItem // that moves: of a module its mod line
	name, now string
	stays     bool // the old module goes on to have the name, for other crates
	exported  bool // another module exports it
	hidden    bool // it stands in a module that other crates do not reach, and is to stand in one that they do

	inside func(path string, offset int) bool // of what moves

	changes map[string][]splice.Change
	inner   []splice.Change // in what moves
	touched map[*rustItem]*rustTouched
	needs   map[string]*rustNeed // of modules that need an import of it, by their paths
	extra   map[*rustScope][]string
	scopes  map[*rustScope]*rustText
	seen    [][]string // modules that name it
	wide    map[*rustItem]bool
	opened  []string           // members that get pub(crate)
	freed   map[*rustUse][]int // tokens that an import has named, which no longer need it
	of      map[*rustUse]*rustText
	under   []string // names that are imported, and may be under a condition
	left    []splice.Place
	abroad  []splice.Place // uses in other crates
}

// rustTouched is a use that changes.
type rustTouched struct {
	f     *rustText
	lines []string // that stand behind it
}

// rustNeed is a module that needs an import.
type rustNeed struct {
	f      *rustText
	scope  *rustScope
	module []string
}

func newMove(h *Host) *rustMove {
	r := &rustMove{Host: h, crates: newRustCrates(h.Call.Workspace.Text)}
	r.changes, r.touched, r.needs = map[string][]splice.Change{}, map[*rustItem]*rustTouched{}, map[string]*rustNeed{}
	r.extra, r.scopes, r.wide = map[*rustScope][]string{}, map[*rustScope]*rustText{}, map[*rustItem]bool{}
	r.freed, r.of = map[*rustUse][]int{}, map[*rustUse]*rustText{}
	return r
}

// rustPath is a path from the crate on.
func rustPath(path []string) string { return strings.Join(append([]string{"crate"}, path...), "::") }

// spelled is how code of the crate names what moves.
func (r *rustMove) spelled() string { return rustPath(append(slices.Clone(r.to), r.now)) }

// change changes a text, or what moves of it.
func (r *rustMove) change(f *rustText, start, end int, text string) {
	one := splice.Replace(start, end, text)
	if r.inside(f.text.Path, start) {
		r.inner = append(r.inner, one)
	} else {
		r.changes[f.text.Path] = append(r.changes[f.text.Path], one)
	}
}

// insert adds a text to what stays.
func (r *rustMove) insert(f *rustText, at int, text string) {
	r.changes[f.text.Path] = append(r.changes[f.text.Path], splice.Insert(at, text))
}

// user gives one use the new path.
func (r *rustMove) user(p lsp.Place) {
	f := r.crates.text(p.Path)
	if f == nil || p.Err != nil {
		r.left = append(r.left, splice.Place{Path: p.Path, Line: p.Range.Start.Line, Text: p.Line})
		return
	}
	offset, err := f.text.Offset(p.Range.Start)
	n := f.tokenAt(offset)
	if err != nil || n < 0 || strings.TrimPrefix(f.at(n), "r#") != r.name {
		return // Self, or the name that an import gives it
	}
	m := r.crates.of(p.Path)
	switch {
	case m == nil || m.many:
		if !r.stays {
			r.left = append(r.left, splice.PlaceAt(f.text, offset))
		}
		return
	case m.root != r.root:
		r.abroad = append(r.abroad, splice.PlaceAt(f.text, offset))
		return
	}
	module := append(slices.Clone(m.path), f.scopeAt(offset).names()...)
	if u, k := f.useAt(n); u != nil { // of a module that moves the paths in its files are those before
		r.imported(f, module, u, k, n)
		return
	}
	switch start, q := f.qualifier(n); {
	case q >= 0 && r.isOld(f, module, q):
		r.see(module)
		r.change(f, f.tokens[start].start, f.tokens[n].end, r.spelled())
		if leaf := f.binding(f.at(start), offset); leaf != nil {
			r.freed[leaf], r.of[leaf] = append(r.freed[leaf], start), f
		}
	case q == noQualifier && !r.inside(p.Path, offset) && f.binding(r.name, offset) == nil:
		r.see(module)
		r.plain(f, module, offset, n)
	}
}

// leaves are the uses that the move breaks. Other crates keep what the old module goes on to have, or what is exported
// again.
func (r *rustMove) leaves() []splice.Place {
	if r.stays || r.exported {
		return r.left
	}
	return append(r.left, r.abroad...)
}

// see remembers a module that names what moves.
func (r *rustMove) see(module []string) {
	if !r.isModule() || !rustBelow(module, append(slices.Clone(r.from), r.name)) {
		r.seen = append(r.seen, module)
	}
}

// plain is a use without a path, which needs an import now.
func (r *rustMove) plain(f *rustText, module []string, offset, n int) {
	if f.at(n+1) == "::" && r.isModule() {
		if !slices.Equal(module, r.to) || r.now != r.name {
			r.change(f, f.tokens[n].start, f.tokens[n].end, r.spelled())
		}
		return
	}
	r.need(f, f.scopeAt(offset), module)
}

// isModule reports whether a module moves.
func (r *rustMove) isModule() bool { return r.target == "" }

// need has a module import what moves.
func (r *rustMove) need(f *rustText, scope *rustScope, module []string) {
	if key := strings.Join(module, "::"); !slices.Equal(module, r.to) && r.needs[key] == nil {
		r.needs[key] = &rustNeed{f, scope, module}
	}
}

// What [rustText.qualifier] returns for a name without a path, and for one behind something else than a path.
const (
	noQualifier    = -1
	otherQualifier = -2
)

// qualifier is the token with which the path to a token begins, and the one in front of it in the path.
func (f *rustText) qualifier(n int) (start, q int) {
	if f.at(n-1) == "." && f.at(n-2) != "." {
		return n, otherQualifier
	}
	start, q = n, noQualifier
	for f.at(start-1) == "::" {
		if start < 2 || !f.tokens[start-2].word() {
			if f.at(start-2) == ">" || q == noQualifier {
				return n, otherQualifier
			}
			return start - 1, q
		}
		start -= 2
		if q == noQualifier {
			q = start
		}
	}
	return start, q
}

// isOld reports whether the path that ends with a token means the old module.
func (r *rustMove) isOld(f *rustText, module []string, q int) bool {
	var path []string
	for n := q; n >= 0; n -= 2 {
		path = append([]string{f.at(n)}, path...)
		if f.at(n-1) != "::" {
			break
		}
	}
	return r.meansOld(f, module, path, q)
}

// meansOld reports whether a path means the old module: as the texts say, or as the server does. q is its last token.
func (r *rustMove) meansOld(f *rustText, module, path []string, q int) bool {
	if all, ok := r.crates.absolute(r.root, module, path, 0); ok {
		if _, scope := r.crates.place(r.root, all); scope != nil || slices.Equal(all, r.from) {
			return slices.Equal(all, r.from)
		}
	}
	if !f.tokens[q].word() || slices.Contains([]string{"crate", "self", "super"}, f.at(q)) {
		return false
	}
	places, err := r.Snapshot.Locate(r.Ctx, lsp.MethodDefinition, f.text.Path, f.text.PositionAt(f.tokens[q].start))
	return err == nil && len(places) == 1 && places[0].Path == r.file && places[0].Range.Start.Line == 1 &&
		places[0].Range.Start.Character == 1
}

// imported gives the subtree of a use that names what moves the new path.
func (r *rustMove) imported(f *rustText, module []string, u *rustUse, k, n int) {
	var before []int
	if u.above != nil {
		before = slices.Clone(u.above.path())
	}
	before = append(before, u.tokens[:k]...)
	var path []string
	for _, t := range before {
		path = append(path, f.at(t))
	}
	switch {
	case len(before) == 0 && f.binding(r.name, f.tokens[n].start) != nil && f.local(u) != r.name,
		len(before) > 0 && !r.meansOld(f, module, path, before[len(before)-1]):
		return
	}
	inside := r.inside(f.text.Path, u.start)
	if inside && (len(path) == 0 || slices.Equal(path, []string{"self"})) {
		return // which leads there from the new module, too
	}
	here := splice.PlaceAt(f.text, f.tokens[n].start)
	if f.commented(u.item) {
		r.left = append(r.left, here)
		return
	}
	r.see(module)
	r.exported = r.exported || f.visibility(u.item) == "pub"
	rest := f.content()[f.tokens[n].end:u.end]
	for _, leaf := range u.list { // which keeps its name
		if len(leaf.tokens) == 1 && f.at(leaf.tokens[0]) == "self" && leaf.alias == "" && k == len(u.tokens)-1 {
			at := f.tokens[leaf.tokens[0]].end - f.tokens[n].end
			rest = rest[:at] + r.renamed() + rest[at:]
		}
	}
	line := r.spelled() + rest
	if rest == "" {
		line += r.renamed()
	}
	if slices.Equal(module, r.to) {
		if line = "self::" + r.now + rest; rest == "" && r.now == r.name || u.alias == r.now {
			line = ""
		} else if rest == "" {
			line += " as " + r.name
		}
	}
	if inside { // a use in a function that moves
		r.left = append(r.left, here)
		return
	}
	r.take(f, u, line)
}

// take takes a node out of its use, and puts another use behind it; "" for none.
func (r *rustMove) take(f *rustText, u *rustUse, line string) {
	u.gone = true
	t := r.touched[u.item]
	if t == nil {
		t = &rustTouched{f: f}
		r.touched[u.item] = t
	}
	if line != "" {
		t.lines = append(t.lines, line)
	}
}

// passOn adds what moves where all of the old module is exported again. was is its visibility.
func (r *rustMove) passOn(was string) error {
	if len(r.from) == 0 || was == "" {
		return nil
	}
	passed := map[*rustItem]bool{}
	return r.eachExport(r.from[len(r.from)-1:], func(f *rustText, module []string, leaf *rustUse) {
		item, all := leaf.item, leaf.path()
		if passed[item] || f.local(leaf) != "*" || len(all) < 2 || slices.Equal(module, r.to) {
			return
		}
		if of := f.segments(leaf); !r.meansOld(f, module, of[:len(of)-1], all[len(all)-2]) {
			return
		}
		passed[item] = true
		vis := f.visibility(item)
		if was != "pub" {
			vis = was
		}
		r.see(module)
		r.exported = r.exported || vis == "pub"
		r.imports(r.now, r.item)
		r.after(f, item, f.attributes(item)+vis+" use "+r.spelled()+";")
	})
}

// eachExport visits the leaves of the uses of the crate that are not private, in files that hold one of words. module
// is where the use stands.
func (r *rustMove) eachExport(words []string, visit func(f *rustText, module []string, leaf *rustUse)) error {
	held, err := r.Holding(words...)
	if err != nil {
		return err
	}
	for _, path := range held {
		if !isSource(path) {
			continue
		}
		f, m := r.crates.text(path), r.crates.of(path)
		if f == nil || m == nil || m.root != r.root {
			continue
		}
		for _, item := range f.uses {
			if f.visibility(item) == "" {
				continue
			}
			module := append(slices.Clone(m.path), f.scopeAt(item.start).names()...)
			for _, leaf := range item.tree.leaves() {
				visit(f, module, leaf)
			}
		}
	}
	return nil
}

// public reports whether other crates reach a module: by its path, or since it or one above it is exported again.
func (r *rustMove) public(m *rustModule) (is bool, err error) {
	if is = m.public(r.crates); is || !isLibrary(m.root) {
		return is, nil
	}
	for ; !is && m.mod != nil && r.crates.text(m.parent.file).visibility(m.mod) == "pub"; m = m.parent {
		own, all := m.path, above(m.path)
		err = r.eachExport(own[max(len(own)-2, 0):], func(f *rustText, module []string, leaf *rustUse) {
			of, want := f.segments(leaf), own
			if f.local(leaf) == "*" {
				of, want = of[:len(of)-1], all
			}
			path, ok := r.crates.absolute(r.root, module, of, 0)
			is = is || f.visibility(leaf.item) == "pub" && ok && !f.global(leaf) && slices.Equal(path, want)
		})
		if err != nil {
			return false, err
		}
	}
	return is, nil
}

// forOthers finds out what other crates see of an item where it is, and would see in another module.
func (r *rustMove) forOthers(f *rustText, item *rustItem, from, to *rustModule) error {
	was, err := r.public(from)
	if err != nil {
		return err
	}
	is, err := r.public(to)
	r.item, r.hidden, r.stays = item, !was && is, was && f.visibility(item) == "pub"
	return err
}

// attributes are those of an item, each on a line of its own, in front of what follows on the next one.
func (f *rustText) attributes(item *rustItem) (out string) {
	for _, a := range item.attributes {
		out += a + splice.LineEnd(f.content()) + f.indent(item.start)
	}
	return out
}

// after adds a line behind an item.
func (r *rustMove) after(f *rustText, item *rustItem, line string) {
	at := f.lineEnd(item.end)
	r.insert(f, at, f.fitted(at, f.indent(item.head)+line))
}

// lineEnd is the offset behind the line of an offset.
func (f *rustText) lineEnd(offset int) int {
	if i := strings.IndexByte(f.content()[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(f.content())
}

// fitted is a line that is inserted at the beginning of another one.
func (f *rustText) fitted(at int, line string) string {
	end := splice.LineEnd(f.content())
	if at > 0 && f.content()[at-1] != '\n' {
		return end + line
	}
	return line + end
}

// indent is the white space in front of an offset in its line.
func (f *rustText) indent(offset int) string {
	start := f.text.LineStart(f.text.LineOf(offset) + 1)
	line := f.content()[start:offset]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// finishUses writes the uses that change, without those that nothing needs any more.
func (r *rustMove) finishUses() {
	for leaf, tokens := range r.freed {
		f := r.of[leaf]
		rest := slices.DeleteFunc(f.heads(f.local(leaf)), func(n int) bool {
			return slices.Contains(tokens, n) || leaf.item.first < n && n < leaf.item.last
		})
		if len(rest) == 0 && !leaf.gone && f.visibility(leaf.item) == "" && !f.commented(leaf.item) &&
			len(f.submodules()) == 0 {
			r.take(f, leaf, "")
		}
	}
	items := slices.SortedFunc(maps.Keys(r.touched), func(a, b *rustItem) int { return a.start - b.start })
	for _, item := range items {
		t := r.touched[item]
		f, end := t.f, splice.LineEnd(t.f.content())
		vis := f.content()[item.vis[0]:item.vis[1]]
		if vis != "" {
			vis += " "
		}
		indent, attributes := f.indent(item.start), f.attributes(item)
		var lines []string
		for _, line := range t.lines {
			lines = append(lines, vis+"use "+line+";")
		}
		switch rest := f.printed(item.tree, r.taken(f.text.Path, item.head, item.end)); {
		case rest == "" && len(lines) == 0:
			from, to := item.lead, f.lineEnd(item.end)
			if strings.TrimSpace(f.content()[item.end:to]) != "" {
				from, to = item.start, item.end
			}
			r.change(f, from, to, "")
		case rest == "":
			r.change(f, item.head, item.end, strings.Join(lines, end+indent+attributes))
		default:
			at := f.lineEnd(item.end)
			r.change(f, item.tree.start, item.tree.end, rest)
			for _, line := range lines {
				r.insert(f, at, f.fitted(at, indent+attributes+line))
			}
		}
	}
}

// taken takes the changes between two offsets out of those of a text.
func (r *rustMove) taken(path string, from, to int) (out []splice.Change) {
	r.changes[path] = slices.DeleteFunc(r.changes[path], func(c splice.Change) bool {
		within := from <= c.Start && c.End <= to
		if within {
			out = append(out, c)
		}
		return within
	})
	return out
}

// finishNeeds gives the modules that use what moves without a path an import.
func (r *rustMove) finishNeeds() {
	for _, key := range slices.Sorted(maps.Keys(r.needs)) {
		need := r.needs[key]
		if !r.covered(need) {
			r.add(need.f, need.scope, "use "+r.spelled()+r.renamed()+";")
			r.imports(r.now, r.item)
		}
	}
	for _, scope := range slices.SortedFunc(maps.Keys(r.extra), func(a, b *rustScope) int { return a.start - b.start }) {
		f := r.scopes[scope]
		at, before, after := f.usesEnd(scope)
		lines := r.extra[scope]
		slices.Sort(lines)
		end := splice.LineEnd(f.content())
		text := ""
		for _, line := range slices.Compact(lines) {
			text += f.indentOf(scope) + line + end
		}
		if before {
			text = end + text
		}
		if after {
			text += end
		}
		r.insert(f, at, text)
	}
}

// tidied is a text without the blank lines that its changes have left at its ends, and beside others. Where a text
// that was inserted has several in a row they stay: they may be of a string.
func tidied(before, after string, changes ...splice.Change) string {
	end := splice.LineEnd(before)
	if double := strings.Repeat(end, 3); !strings.Contains(before, double) && !slices.ContainsFunc(changes,
		func(c splice.Change) bool { return strings.Contains(c.Text, double) }) {
		for strings.Contains(after, double) {
			after = strings.ReplaceAll(after, double, end+end)
		}
	}
	if !strings.HasPrefix(before, end) {
		after = strings.TrimLeft(after, end)
	}
	if strings.HasSuffix(after, end+end) && !strings.HasSuffix(before, end+end) {
		after = strings.TrimRight(after, end) + end
	}
	return after
}

// submodules are the mod lines of a file, whose modules may use its imports by super.
func (f *rustText) submodules() (out []string) {
	for _, item := range f.top.items {
		if item.kind == "mod" && item.inner == nil {
			out = append(out, "mod "+item.name)
		}
	}
	return out
}

// renamed is the name that an import keeps.
func (r *rustMove) renamed() string {
	if r.now != r.name {
		return " as " + r.name
	}
	return ""
}

// add adds a use to a module.
func (r *rustMove) add(f *rustText, scope *rustScope, line string) {
	r.extra[scope] = append(r.extra[scope], line)
	r.scopes[scope] = f
}

// covered reports whether a module gets what moves by all that another one has.
func (r *rustMove) covered(need *rustNeed) bool {
	for _, item := range need.f.uses {
		if item.block != [2]int{need.scope.start, need.scope.end} {
			continue
		}
		for _, leaf := range item.tree.leaves() {
			of := need.f.segments(leaf)
			if len(of) < 2 || of[len(of)-1] != "*" {
				continue
			}
			all, ok := r.crates.absolute(r.root, need.module, of[:len(of)-1], 0)
			if ok && !slices.Equal(all, need.module) && (slices.Equal(all, r.to) || r.stays && slices.Equal(all, r.from) ||
				rustBelow(need.module, all) && r.needs[strings.Join(all, "::")] != nil) {
				return true
			}
		}
	}
	return false
}

// usesEnd is where a use is added to a module: behind those that it has, else in front of its items; before and after
// say that a blank line is missing there.
func (f *rustText) usesEnd(scope *rustScope) (at int, before, after bool) {
	var last *rustItem
	for _, item := range scope.items {
		if item.kind == "use" && item.attributes == nil {
			last = item
		} else if !slices.Contains([]string{"use", "mod", "extern", "crate", "macro call", "macro_rules"}, item.kind) ||
			item.inner != nil {
			break
		}
	}
	if last != nil {
		if at = f.lineEnd(last.end); at > 0 && f.content()[at-1] == '\n' {
			return at, false, false
		}
		return at, true, false
	}
	for _, item := range scope.items {
		switch {
		case item.kind == "extern" || item.kind == "crate" || item.kind == "mod" && item.inner == nil:
			at, before = f.lineEnd(item.end), true
			continue
		case at == 0:
			return item.lead, false, true
		}
		break
	}
	if at > 0 {
		return at, before, false
	}
	if scope.item != nil {
		return f.lineEnd(scope.start), false, false
	}
	return len(f.content()), strings.TrimSpace(f.content()) != "", false
}

// indentOf is the indentation of the items of a module.
func (f *rustText) indentOf(scope *rustScope) string {
	if len(scope.items) > 0 {
		return f.indent(scope.items[0].start)
	}
	if scope.item != nil {
		return f.indent(scope.item.start) + "    "
	}
	return ""
}

// visibility is that of what moves in the new module, for those who name it there.
func (r *rustMove) visibility(f *rustText, item *rustItem) string {
	was, written := f.visibility(item), f.content()[item.vis[0]:item.vis[1]]
	if strings.HasPrefix(was, "pub(in") && !strings.HasPrefix(was, "pub(incrate") || r.hides(f, item) {
		return "pub(crate)"
	}
	visible := func(vis string) bool {
		return !slices.ContainsFunc(r.seen, func(from []string) bool { return !rustVisible(vis, r.to, from) })
	}
	switch {
	case visible(was):
		return written
	case len(r.to) > 1 && visible("pub(super)"):
		return "pub(super)"
	}
	return "pub(crate)"
}

// tellPublic says what the move means to other crates.
func (r *rustMove) tellPublic(f *rustText, item *rustItem) {
	words := ""
	switch {
	case r.stays:
		words = fmt.Sprintf("Other crates keep the path: %s exports %s again (pub use).", r.Call.Show(f.text.Path), r.name)
	case r.hides(f, item):
		words = fmt.Sprintf("%s is pub(crate) now, since other crates could not name it where it was.", r.now)
	case r.shows(f, item):
		words = fmt.Sprintf("Other crates can name %s now, which they could not where it was.", r.now)
	default:
		return
	}
	r.Call.Step(contract.NextStep{Kind: contract.StepDoc, Message: words})
}

// shows reports whether what moves would be new to other crates.
func (r *rustMove) shows(f *rustText, item *rustItem) bool {
	return f.visibility(item) == "pub" && r.hidden && !r.exported
}

// hides reports whether what moves is to be kept from other crates. A type is not: they may have values of it, which
// the compiler denies them where it is not pub.
func (r *rustMove) hides(f *rustText, item *rustItem) bool {
	return r.shows(f, item) && !slices.Contains(rustTypes, item.kind)
}

// reach makes what a path of the crate leads to visible in a module, and returns the path by which it is.
func (r *rustMove) reach(from, path []string) []string {
	for i := range path {
		f, scope := r.crates.place(r.root, path[:i])
		if f == nil {
			return path
		}
		item := scope.named(path[i])
		if item == nil {
			leaf := f.bindingIn(scope, path[i])
			if leaf == nil || rustVisible(f.visibility(leaf.item), path[:i], from) {
				return path
			}
			if all, ok := r.crates.absolute(r.root, path[:i], f.segments(leaf), 0); ok && len(all) > 0 {
				return r.reach(from, append(slices.Clone(all), path[i+1:]...))
			}
			return path
		}
		if !rustVisible(f.visibility(item), path[:i], from) && !r.inside(f.text.Path, item.start) {
			r.widen(f, scope, item)
		}
		if item.kind != "mod" {
			return path
		}
	}
	return path
}

// reachUse makes visible in a module what a use of the old one imports, besides what is in what moves.
func (r *rustMove) reachUse(f *rustText, item *rustItem, module, now, moves []string) {
	for _, leaf := range item.tree.leaves() {
		path := f.segments(leaf)
		if len(path) > 0 && path[len(path)-1] == "*" {
			path = path[:len(path)-1]
		}
		if all, ok := r.crates.absolute(r.root, module, path, 0); ok && !f.global(leaf) && !rustBelow(all, moves) {
			r.reach(now, all)
		}
	}
}

// widen makes an item visible in all of the crate, with the items of its module that its head names: the compiler
// warns of what is less visible than what shows it.
func (r *rustMove) widen(f *rustText, scope *rustScope, item *rustItem) {
	if r.wide[item] {
		return
	}
	r.wide[item] = true
	text := "pub(crate)"
	if item.vis[0] == item.vis[1] {
		text += " "
	}
	r.change(f, item.vis[0], item.vis[1], text)
	if item.kind == "mod" {
		return
	}
	last := item.last
	if item.kind == "fn" && item.body[1] > 0 {
		last = item.body[0]
	}
	for n := item.first + 2; n < last; n++ {
		if item.kind == "struct" && item.body[0] > 0 && n > item.body[0] && !f.publicField(item, n) {
			continue
		}
		r.widenType(f, scope, n)
	}
}

// widenType widens a private type of a module that a token names.
func (r *rustMove) widenType(f *rustText, scope *rustScope, n int) {
	if !f.tokens[n].word() || f.at(n-1) == "::" || f.at(n-1) == "." {
		return
	}
	if other := scope.named(f.at(n)); other != nil && f.visibility(other) == "" && slices.Contains(rustTypes, other.kind) &&
		!r.inside(f.text.Path, other.start) {
		r.widen(f, scope, other)
	}
}

// rustTypes are the items that the head of another one may show.
var rustTypes = []string{"struct", "enum", "union", "trait", "type"}

// publicField reports whether a token in the body of a struct is of a field that is not private.
func (f *rustText) publicField(item *rustItem, n int) bool {
	for ; n > item.body[0]; n-- {
		switch f.at(n) {
		case ",":
			return false
		case "pub":
			return true
		}
	}
	return false
}

// heads are the tokens of a name at which a path, or a name alone, begins.
func (f *rustText) heads(name string) (out []int) {
	for n, t := range f.tokens {
		if t.text == name && f.at(n-1) != "::" && (f.at(n-1) != "." || f.at(n-2) == ".") {
			out = append(out, n)
		}
	}
	return out
}

// locate is where the server leads from a token.
func (r *rustMove) locate(f *rustText, n int) []lsp.Place {
	places, err := r.Snapshot.Locate(r.Ctx, lsp.MethodDefinition, f.text.Path, f.text.PositionAt(f.tokens[n].start))
	if err != nil {
		return nil
	}
	return places
}

func samePlaces(a, b []lsp.Place) bool {
	return slices.ContainsFunc(a, func(p lsp.Place) bool {
		return slices.ContainsFunc(b, func(q lsp.Place) bool { return p.Path == q.Path && p.Range.Start == q.Range.Start })
	})
}

// rustTrait is what a trait offers.
type rustTrait struct {
	name    string
	methods []string
}

// shadows reports whether code of a target means by a name, which it has from all of a module or the prelude,
// something else than what is declared at places: a name that is declared, or imported by itself, comes before these
// (The Rust Reference, "Use declarations"), and the compiler says nothing.
func (r *rustMove) shadows(into *rustText, name string, to []lsp.Place) bool {
	return slices.ContainsFunc(into.heads(name), func(n int) bool {
		if into.at(n+1) == ":" || r.isModule() && into.at(n+1) != "::" || into.inAttribute(n) ||
			into.binding(name, into.tokens[n].start) != nil {
			return false
		}
		found := r.locate(into, n)
		return len(found) > 0 && !samePlaces(found, to) && !slices.ContainsFunc(found, into.declaresInside)
	})
}

// declaresInside reports whether a place is of the text, and not the name of an item of a module: such as a variable,
// which comes before all items.
func (f *rustText) declaresInside(p lsp.Place) bool {
	offset, err := f.text.Offset(p.Range.Start)
	return p.Path == f.text.Path && err == nil && !slices.ContainsFunc(f.scopeAt(offset).items,
		func(item *rustItem) bool { return item.nameAt == offset })
}

// traitAt is the trait that is declared at one of places; nil where none is.
func (r *rustMove) traitAt(places []lsp.Place) *rustTrait {
	for _, p := range places {
		f := r.outside(p.Path)
		if f == nil || p.Err != nil {
			continue
		}
		offset, err := f.text.Offset(p.Range.Start)
		if err != nil {
			continue
		}
		item := f.itemAround(offset)
		if item != nil && item.kind == "trait" && item.nameAt == offset {
			return &rustTrait{item.name, f.methods(item)}
		}
	}
	return nil
}

// outside is a source of any crate.
func (r *rustMove) outside(path string) *rustText {
	if f := r.crates.text(path); f != nil {
		return f
	}
	text, err := source.Read(path)
	if err != nil {
		return nil
	}
	f := rustTextOf(text)
	r.crates.texts[path] = f
	return f
}

// itemAround is the item of a module around an offset; nil where none is.
func (f *rustText) itemAround(offset int) *rustItem {
	for _, item := range f.scopeAt(offset).items {
		if item.start <= offset && offset < item.end {
			return item
		}
	}
	return nil
}

// methods are the functions that a trait declares.
func (f *rustText) methods(item *rustItem) (out []string) {
	for n := item.body[0]; n < item.body[1]; n++ {
		if f.at(n) == "fn" && !slices.Contains(out, f.at(n+1)) {
			out = append(out, f.at(n+1))
		}
	}
	return out
}

// callsOf reports whether code calls what a trait offers without naming the trait.
func (r *rustMove) callsOf(f *rustText, trait *rustTrait, in func(offset int) bool) bool {
	if trait == nil {
		return false
	}
	for n, t := range f.tokens {
		if in(t.start) && slices.Contains(trait.methods, "write_fmt") && f.writes(n) {
			return true
		}
		if !in(t.start) || !slices.Contains(trait.methods, t.text) || f.at(n-1) != "." && f.at(n-1) != "::" {
			continue
		}
		places := r.locate(f, n)
		if len(places) == 0 {
			return true
		}
		for _, p := range places {
			of := r.outside(p.Path)
			if of == nil || p.Err != nil {
				return true
			}
			offset, err := of.text.Offset(p.Range.Start)
			if item := of.itemAround(offset); err == nil && item != nil && item.body[1] > 0 && (item.kind == "trait" ||
				item.kind == "impl") && slices.ContainsFunc(of.tokens[item.first:item.body[0]], func(t rustToken) bool {
				return t.text == trait.name
			}) {
				return true
			}
		}
	}
	return false
}

// callsUnknown reports whether code calls a method of which the server knows nothing.
func (r *rustMove) callsUnknown(f *rustText, in func(offset int) bool) bool {
	for n, t := range f.tokens {
		if in(t.start) && t.word() && f.at(n-1) == "." && f.at(n-2) != "." && f.at(n+1) == "(" &&
			len(r.locate(f, n)) == 0 {
			return true
		}
	}
	return false
}

// writes reports whether a token calls write! or writeln! for something else than a Formatter, which has write_fmt
// without a trait.
func (f *rustText) writes(n int) bool {
	if f.at(n) != "write" && f.at(n) != "writeln" || f.at(n+1) != "!" {
		return false
	}
	item := f.itemAround(f.tokens[n].start)
	for i := range f.tokens {
		t := f.tokens[i]
		if item == nil || t.start < item.start || t.start > item.end || t.text != f.at(n+3) || f.at(i+1) != ":" {
			continue
		}
		for j := i + 2; j < len(f.tokens) && f.at(j) != "," && f.at(j) != ")"; j++ {
			if f.at(j) == "Formatter" {
				return false
			}
		}
	}
	return true
}
