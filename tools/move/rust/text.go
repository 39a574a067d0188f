package rust

import (
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/tools/move/splice"
)

// rustText is what moves read of a source of Rust: its items, by the tokens of the code (The Rust Reference, "Items").
type rustText struct {
	text   *source.Text
	code   []bool // of each byte: it is neither in a comment nor in a string
	tokens []rustToken
	pairs  map[int]int // the token of the bracket that closes one, by the token that opens it
	top    *rustScope
	uses   []*rustItem // all of them, those in functions, too
}

// rustToken is a word, a lifetime, :: or a sign of the code.
type rustToken struct {
	start, end int
	text       string
}

func (t rustToken) word() bool { return source.IsLetter(rune(t.text[0])) }

// rustScope is the body of a module: of the file, or of an inline one.
type rustScope struct {
	item       *rustItem // the inline module; nil for the file
	above      *rustScope
	start, end int
	items      []*rustItem
}

// rustItem is an item of a module, or a use in a function.
type rustItem struct {
	lead       int // where its comments and attributes begin
	start, end int // from its first attribute on
	head       int // behind its attributes
	vis        [2]int
	kind, name string
	nameAt     int
	attributes []string
	inner      *rustScope // of an inline module
	body       [2]int     // tokens of the brackets around its body; both 0 where it has none
	first      int        // the token of its keyword
	last       int        // its last token
	tree       *rustUse   // of a use
	block      [2]int     // of a use: the offsets between which its names are known
}

// rustUse is a node of the tree of a use.
type rustUse struct {
	above      *rustUse
	item       *rustItem
	tokens     []int // its segments
	alias      string
	list       []*rustUse // nil for a leaf
	isList     bool
	start, end int
	gone       bool
}

// rustTextOf reads a source.
func rustTextOf(text *source.Text) *rustText {
	f := &rustText{text: text, code: lang.Code(text.Path, text.Content()), pairs: map[int]int{}}
	f.tokenize()
	f.top = &rustScope{end: len(text.Content())}
	f.top.items = f.itemsIn(0, len(f.tokens), f.top)
	f.findUses()
	return f
}

func (f *rustText) content() string { return f.text.Content() }

// tokenize finds the tokens and the pairs of brackets.
func (f *rustText) tokenize() {
	content := f.content()
	var open []int
	for i := 0; i < len(content); {
		b := content[i]
		if !f.code[i] || b == ' ' || b == '\t' || b == '\n' || b == '\r' || strings.HasPrefix(content[i:], "\ufeff") {
			i++
			continue
		}
		end := i + 1
		switch {
		case strings.HasPrefix(content[i:], "r#") && i+2 < len(content) && source.IsLetter(rune(content[i+2])):
			end = f.wordEnd(i + 2)
		case b == '\'' || b >= 0x80 || source.IsLetter(rune(b)):
			end = f.wordEnd(i + 1)
		case strings.HasPrefix(content[i:], "::") || strings.HasPrefix(content[i:], "->") ||
			strings.HasPrefix(content[i:], "=>"):
			end = i + 2
		}
		n := len(f.tokens)
		switch {
		case end == i+1 && strings.IndexByte("([{", b) >= 0:
			open = append(open, n)
		case end == i+1 && strings.IndexByte(")]}", b) >= 0 && len(open) > 0:
			f.pairs[open[len(open)-1]] = n
			open = open[:len(open)-1]
		}
		f.tokens = append(f.tokens, rustToken{i, end, content[i:end]})
		i = end
	}
}

func (f *rustText) wordEnd(i int) int {
	content := f.content()
	for i < len(content) && f.code[i] && (content[i] >= 0x80 || source.IsLetter(rune(content[i]))) {
		i++
	}
	return i
}

// at is the token with a number; one without text behind the last.
func (f *rustText) at(n int) string {
	if n < 0 || n >= len(f.tokens) {
		return ""
	}
	return f.tokens[n].text
}

// tokenAt is the number of the token that begins at an offset; -1 where none does.
func (f *rustText) tokenAt(offset int) int {
	n, ok := slices.BinarySearchFunc(f.tokens, offset, func(t rustToken, offset int) int { return t.start - offset })
	if !ok {
		return -1
	}
	return n
}

// closes is the token of the bracket that closes the one of a token, or the last token.
func (f *rustText) closes(n int) int {
	if end, ok := f.pairs[n]; ok {
		return end
	}
	return len(f.tokens) - 1
}

// rustPlain are the items that end with a semicolon, whatever braces they have.
var rustPlain = []string{"use", "const", "static", "type", "crate"}

// rustModifiers may stand in front of the keyword of an item.
var rustModifiers = []string{"default", "async", "unsafe", "safe", "auto"}

// itemsIn reads the items between two tokens.
func (f *rustText) itemsIn(from, to int, scope *rustScope) (out []*rustItem) {
	for n := from; n < to; {
		if f.at(n) == "#" && f.at(n+1) == "!" && f.at(n+2) == "[" { // of what encloses the items
			n = f.closes(n+2) + 1
			continue
		}
		if f.at(n) == ";" {
			n++
			continue
		}
		item := f.itemAt(n, to)
		item.lead = f.leadOf(item.start)
		if item.kind == "mod" && item.body[1] > 0 {
			item.inner = &rustScope{item: item, above: scope, start: f.tokens[item.body[0]].end,
				end: f.tokens[item.body[1]].start}
			item.inner.items = f.itemsIn(item.body[0]+1, item.body[1], item.inner)
		}
		out = append(out, item)
		n = item.last + 1
	}
	return out
}

// itemAt reads the item that begins with a token.
func (f *rustText) itemAt(n, to int) *rustItem {
	item := &rustItem{start: f.tokens[n].start}
	for f.at(n) == "#" && f.at(n+1) == "[" {
		end := f.closes(n + 1)
		item.attributes = append(item.attributes, f.content()[f.tokens[n].start:f.tokens[end].end])
		n = end + 1
	}
	if n >= to {
		item.last = to - 1
		item.end = f.tokens[item.last].end
		return item
	}
	item.head = f.tokens[n].start
	item.vis = [2]int{item.head, item.head}
	if f.at(n) == "pub" {
		item.vis[1] = f.tokens[n].end
		if n++; f.at(n) == "(" {
			item.vis[1] = f.tokens[f.closes(n)].end
			n = f.closes(n) + 1
		}
	}
	for slices.Contains(rustModifiers, f.at(n)) || f.at(n) == "const" && slices.Contains(
		[]string{"fn", "unsafe", "async", "extern"}, f.at(n+1)) || f.at(n) == "extern" && f.at(n+1) != "{" {
		n++
	}
	item.first, item.kind = n, f.at(n)
	switch {
	case item.kind == "static" && f.at(n+1) == "mut":
		item.nameAt = n + 2
	case item.kind == "macro_rules":
		item.nameAt = n + 2
	case f.at(n+1) == "!" || f.at(n+1) == "::" || item.kind == "::":
		item.kind = "macro call"
	case item.kind == "impl" || item.kind == "use" || item.kind == "extern":
	default:
		item.nameAt = n + 1
	}
	if item.nameAt > 0 && item.nameAt < len(f.tokens) {
		item.name = strings.TrimPrefix(f.at(item.nameAt), "r#")
		item.nameAt = f.tokens[item.nameAt].start
	}
	for ; n < to; n++ {
		switch f.at(n) {
		case "(", "[":
			n = f.closes(n)
		case "{":
			end := f.closes(n)
			if item.body == [2]int{} {
				item.body = [2]int{n, end}
			}
			if n = end; !slices.Contains(rustPlain, item.kind) {
				item.last = n
			}
		case ";":
			item.last = n
		}
		if item.last > 0 {
			break
		}
	}
	if item.last == 0 {
		item.last = to - 1
	}
	item.end = f.tokens[item.last].end
	return item
}

// leadOf is where the comments begin that stand directly above an offset.
func (f *rustText) leadOf(offset int) int {
	line := f.text.LineOf(offset) + 1
	lead := f.text.LineStart(line)
	if strings.TrimSpace(f.content()[lead:offset]) != "" {
		return offset
	}
	for line--; line >= 1; line-- {
		at := f.text.LineStart(line)
		words := strings.TrimSpace(f.content()[at:lead])
		if words == "" || strings.HasPrefix(words, "//!") || strings.HasPrefix(words, "/*!") ||
			slices.Contains(f.code[at:at+len(strings.TrimRight(f.content()[at:lead], " \t\r\n"))], true) &&
				f.hasToken(at, lead) {
			break
		}
		lead = at
	}
	return lead
}

// inAttribute reports whether a token is in an attribute.
func (f *rustText) inAttribute(n int) bool {
	for open := n; open > 0 && f.at(open) != ";" && f.at(open) != "{" && f.at(open) != "}"; open-- {
		if f.at(open) == "[" && (f.at(open-1) == "#" || f.at(open-2) == "#") && f.closes(open) > n {
			return true
		}
	}
	return false
}

// reads reports whether a token calls a macro that takes in the file of a path, which is written there.
func (f *rustText) reads(n int) bool {
	return slices.Contains([]string{"include", "include_str", "include_bytes"}, f.at(n)) && f.at(n+1) == "!" &&
		(f.at(n+3) == ")" || f.at(n+3) == ",")
}

// hasToken reports whether a token begins between two offsets.
func (f *rustText) hasToken(from, to int) bool {
	n, _ := slices.BinarySearchFunc(f.tokens, from, func(t rustToken, offset int) int { return t.start - offset })
	return n < len(f.tokens) && f.tokens[n].start < to
}

// scopeAt is the innermost module around an offset.
func (f *rustText) scopeAt(offset int) *rustScope {
	scope := f.top
	for {
		i := slices.IndexFunc(scope.items, func(item *rustItem) bool {
			return item.inner != nil && item.inner.start <= offset && offset < item.inner.end
		})
		if i < 0 {
			return scope
		}
		scope = scope.items[i].inner
	}
}

// names are those of the inline modules from the file to a scope.
func (s *rustScope) names() []string {
	if s.item == nil {
		return nil
	}
	return append(s.above.names(), s.item.name)
}

// item is the item of a name in a module; nil where it has none.
func (s *rustScope) named(name string) *rustItem {
	for _, item := range s.items {
		if item.name == name && item.kind != "macro_rules" && item.kind != "macro call" {
			return item
		}
	}
	return nil
}

// findUses reads all use declarations.
func (f *rustText) findUses() {
	known := map[int]*rustItem{}
	var add func(s *rustScope)
	add = func(s *rustScope) {
		for _, item := range s.items {
			if item.kind == "use" {
				item.block = [2]int{s.start, s.end}
				known[item.first] = item
			}
			if item.inner != nil {
				add(item.inner)
			}
		}
	}
	add(f.top)
	var open []int
	for n := range f.tokens {
		switch t := f.at(n); {
		case t == "{":
			open = append(open, n)
		case t == "}" && len(open) > 0:
			open = open[:len(open)-1]
		case t != "use":
		case known[n] != nil:
			f.uses = append(f.uses, f.withTree(known[n], n))
		case len(open) > 0 && (slices.Contains([]string{"{", "}", ";", "]"}, f.at(n-1))): // in a function
			item := &rustItem{start: f.tokens[n].start, head: f.tokens[n].start, kind: "use", first: n,
				vis: [2]int{f.tokens[n].start, f.tokens[n].start}}
			item.lead = item.start
			for item.last = n; item.last < len(f.tokens)-1 && f.at(item.last) != ";"; item.last++ {
			}
			item.end = f.tokens[item.last].end
			around := open[len(open)-1]
			item.block = [2]int{f.tokens[around].start, f.tokens[f.closes(around)].end}
			f.uses = append(f.uses, f.withTree(item, n))
		}
	}
}

func (f *rustText) withTree(item *rustItem, n int) *rustItem {
	item.tree, _ = f.useTree(item, nil, n+1)
	return item
}

// useTree reads the tree that begins with a token, and returns the token behind it.
func (f *rustText) useTree(item *rustItem, above *rustUse, n int) (*rustUse, int) {
	u := &rustUse{item: item, above: above}
	if n >= len(f.tokens) {
		return u, n
	}
	u.start = f.tokens[n].start
	for ; n < item.last; n++ {
		switch t := f.at(n); {
		case t == "{":
			u.isList = true
			end := f.closes(n)
			for n++; n < end; {
				if f.at(n) == "," {
					n++
					continue
				}
				var one *rustUse
				one, n = f.useTree(item, u, n)
				u.list = append(u.list, one)
			}
			u.end = f.tokens[end].end
			return u, end + 1
		case t == "::":
		case t == "as":
			u.alias = f.at(n + 1)
			n++
		case f.tokens[n].word() || t == "*":
			u.tokens = append(u.tokens, n)
		default:
			u.end = f.tokens[n-1].end
			return u, n
		}
	}
	u.end = f.tokens[max(n-1, 0)].end
	return u, n
}

// leaves are the leaves of a tree.
func (u *rustUse) leaves() (out []*rustUse) {
	if !u.isList {
		return []*rustUse{u}
	}
	for _, one := range u.list {
		out = append(out, one.leaves()...)
	}
	return out
}

// path are the tokens of a leaf from the root of its tree on.
func (u *rustUse) path() []int {
	if u.above == nil {
		return u.tokens
	}
	return append(slices.Clone(u.above.path()), u.tokens...)
}

// segments is the path of a leaf, without a self at its end.
func (f *rustText) segments(u *rustUse) (out []string) {
	for _, n := range u.path() {
		out = append(out, f.at(n))
	}
	if len(out) > 1 && out[len(out)-1] == "self" {
		out = out[:len(out)-1]
	}
	return out
}

// local is the name that a leaf binds; * for all.
func (f *rustText) local(u *rustUse) string {
	if u.alias != "" {
		return u.alias
	}
	all := f.segments(u)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// global reports whether a path begins with ::.
func (f *rustText) global(u *rustUse) bool {
	for u.above != nil {
		u = u.above
	}
	return strings.HasPrefix(f.content()[u.start:], "::")
}

// useAt is the node of a use whose segments hold a token, with the number of the segment; nil where none does.
func (f *rustText) useAt(n int) (*rustUse, int) {
	for _, item := range f.uses {
		if item.first < n && n < item.last {
			return item.tree.holding(n)
		}
	}
	return nil, 0
}

func (u *rustUse) holding(n int) (*rustUse, int) {
	if i := slices.Index(u.tokens, n); i >= 0 {
		return u, i
	}
	for _, one := range u.list {
		if found, i := one.holding(n); found != nil {
			return found, i
		}
	}
	return nil, 0
}

// binding is the leaf that gives a name to the code at an offset; nil where none names it.
func (f *rustText) binding(name string, offset int) *rustUse {
	scope := f.scopeAt(offset)
	for _, item := range f.uses {
		if item.block[0] > offset || offset > item.block[1] || f.scopeAt(item.start) != scope {
			continue
		}
		for _, leaf := range item.tree.leaves() {
			if f.local(leaf) == name {
				return leaf
			}
		}
	}
	return nil
}

// printed is a tree with changes, and without the nodes that are gone; "" where nothing is left.
func (f *rustText) printed(u *rustUse, changes []splice.Change) string {
	if u.gone {
		return ""
	}
	content := f.content()
	if !u.changed() {
		return f.part(u.start, u.end, changes)
	}
	var rest []string
	for _, one := range u.list {
		if text := f.printed(one, changes); text != "" {
			rest = append(rest, text)
		}
	}
	open := strings.IndexByte(content[u.start:u.end], '{') + u.start
	head, inside := f.part(u.start, open, changes), content[open+1:u.end-1]
	switch {
	case len(rest) == 0:
		return ""
	case len(rest) == 1 && rest[0] != "self" && !strings.HasPrefix(rest[0], "self "):
		return head + rest[0]
	case strings.Contains(inside, "\n"):
		line := strings.TrimLeft(inside, " \t")
		if line = line[:len(line)-len(strings.TrimLeft(line, " \t\r\n"))]; line == "" {
			line = " "
		}
		tail := inside[len(strings.TrimRight(inside, " \t\r\n")):]
		return head + "{" + line + strings.Join(rest, ","+line) + "," + tail + "}"
	}
	return head + "{" + strings.Join(rest, ", ") + "}"
}

// part is the text between two offsets, with the changes there.
func (f *rustText) part(from, to int, changes []splice.Change) string {
	var within []splice.Change
	for _, c := range changes {
		if c.Start >= from && c.End <= to {
			within = append(within, splice.Replace(c.Start-from, c.End-from, c.Text))
		}
	}
	return splice.Apply(f.content()[from:to], within)
}

// commented reports whether a comment stands in an item.
func (f *rustText) commented(item *rustItem) bool {
	for i := item.head; i < item.end; i++ {
		if !f.code[i] && strings.IndexByte(" \t\r\n", f.content()[i]) < 0 {
			return true
		}
	}
	return false
}

// changed reports whether a node below is gone.
func (u *rustUse) changed() bool {
	return slices.ContainsFunc(u.list, func(one *rustUse) bool { return one.gone || one.changed() })
}
