package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// An outline shows the symbols of a file as an agent reads them: a line each, indented below what they are in, so that
// no line repeats the name of its class. Functions, fields, constants and members of an enum of one parent share a
// line, since the name is mostly all that is looked for. No server is asked here.

// outlineOptions are what of a file's symbols is shown, and how.
type outlineOptions struct {
	Language string // LSP's identifier
	MaxDepth int    // levels of nesting; what lies deeper is counted
	Detail   bool   // a line for each symbol, also for fields and constants, with what the server adds to their names

	Text *source.Text // of the file; with nil nothing tells which values are functions
	// Exported: only what the file exports is shown, by the rule of its language, and members of a type by their names.
	Exported bool
	Path     string // of Text, with Exported
}

// fileOutline is a file's symbols in the order in which they are shown.
type fileOutline struct {
	Items  []*outlineItem
	Deeper int // symbols below the depth
	Kept   int // symbols that are not exported, without what is in them
}

// outlineItem is one symbol, or the group of those whose names begin with the same type, which is
// declared elsewhere.
type outlineItem struct {
	Sym lsp.Symbol // the zero value for a group

	parent      *outlineItem // what it is indented below; nil at the top
	first, last int          // its lines
	kind, name  string
	detail      string
	row         *outlineItem // the first one of those that share its line; nil for one with a line of its own
	group       bool         // it stands for a type that is declared elsewhere
	numbered    bool         // sharing a line, its name is followed by its own line
	function    bool         // it is a function, or has one as its value
}

// newOutline returns the outline of a file's symbols.
func newOutline(symbols []lsp.Symbol, o outlineOptions) *fileOutline {
	w := outliner{outlineOptions: o, separator: lang.ByID(o.Language).Join([]string{"", ""}), out: &fileOutline{}}
	if o.Exported {
		w.exported = lang.Exporter(o.Language, o.Path, o.Text.Content())
	}
	for _, b := range w.walk(symbols, outlineLevel{depth: 1}) {
		w.out.Items = append(w.out.Items, b.items()...)
	}
	return w.out
}

// outliner makes one outline.
type outliner struct {
	outlineOptions
	separator string
	exported  func(*lang.Declared) bool // nil without a rule
	out       *fileOutline
}

// outlineLevel is where the symbols of one parent stand.
type outlineLevel struct {
	parent     *outlineItem
	outer      *lang.Declared // what the parent declares, where only what is exported is shown
	depth      int
	functions  int  // the level of functions within the function around; 0 outside of functions
	inFunction bool // the parent is a function, or a value of one: values here are parameters and local variables
}

// outlineNode is an item with what is shown below it.
type outlineNode struct {
	item  *outlineItem
	below []*outlineNode
}

// items returns the item of a node and those below it. A group is no symbol and is not among them.
func (b *outlineNode) items() []*outlineItem {
	var out []*outlineItem
	if !b.item.group { // which is no symbol
		out = append(out, b.item)
	}
	for _, c := range b.below {
		out = append(out, c.items()...)
	}
	return out
}

// walk returns the shown symbols of one parent. Namespaces and modules are no level of their own: most
// files are one.
func (w *outliner) walk(symbols []lsp.Symbol, l outlineLevel) []*outlineNode {
	// The tree is shared by all calls (the cache of symbols), so that it is sorted in a copy.
	symbols = slices.Clone(symbols)
	slices.SortStableFunc(symbols, func(a, b lsp.Symbol) int { // tsserver 6.0 sorts by name
		return a.Range.Start.Compare(b.Range.Start)
	})
	var out []*outlineNode
	for _, sym := range symbols {
		if b := w.node(sym, l); b != nil {
			out = append(out, b)
		}
	}
	if !lang.ByID(w.Language).Optional {
		out = w.grouped(out)
	}
	if !w.Detail {
		out = w.rows(out, l.parent != nil && !l.parent.Sym.Kind.IsScope())
	}
	return out
}

// node returns one symbol with what is in it; nil when it is not shown. Functions in functions are one level, however
// deep they are, and types in functions begin at that level. Parameters and local variables are on none: they are shown
// only where a function is in them.
func (w *outliner) node(sym lsp.Symbol, l outlineLevel) *outlineNode {
	isFunction := sym.Kind.IsFunction() || sym.Kind.IsValue() && w.holdsFunction(sym)
	at := l.depth
	if isFunction && l.functions > 0 {
		at = l.functions
	}
	b := &outlineNode{item: newItem(sym, l.parent)}
	b.item.function = isFunction
	isLocal := l.inFunction && !isFunction && !symbol.IsTypeKind(sym.Kind) && !sym.Kind.IsScope()
	inside := outlineLevel{parent: b.item, depth: at, functions: l.functions, inFunction: isFunction || isLocal}
	switch {
	case isFunction:
		inside.functions = max(at, 2)
		inside.depth = inside.functions
	case !sym.Kind.IsScope():
		inside.depth++
	}
	if sym.Kind == "null" { // a macro (clangd 22), after which nothing that it makes is named
		inside.parent = l.parent
	}
	if w.Exported {
		inside.outer = w.declared(sym, l.outer)
		if !w.shows(inside.outer) {
			return nil
		}
	}
	// What a function declares is no export of its file.
	if !w.Exported || !isFunction {
		b.below = w.walk(sym.Children, inside)
	}
	switch empty := len(b.below) == 0; {
	// A callback has no name to ask for: it stands here for what is declared in it.
	case empty && (isLocal || !w.Detail && l.parent != nil && isFunction && symbol.Nameless(sym.Name)):
		return nil
	case empty && at > w.MaxDepth:
		w.out.Deeper++
		return nil
	case w.Exported && empty && (sym.Kind.IsScope() && len(sym.Children) > 0 || resolve.IsImpl(sym) &&
		!strings.Contains(sym.Name, " for ")):
		return nil // it only holds others
	}
	return b
}

// holdsFunction reports whether a symbol has a function as its value.
func (w *outliner) holdsFunction(sym lsp.Symbol) bool {
	rule := lang.ByID(w.Language).FunctionValue
	if rule == nil || w.Text == nil {
		return false
	}
	at, err := w.Text.Offset(sym.NameAt.End)
	return err == nil && at <= len(w.Text.Content()) && rule(w.Text.Content()[at:])
}

// declared returns a symbol as the rules of languages see it.
func (w *outliner) declared(sym lsp.Symbol, outer *lang.Declared) *lang.Declared {
	offset := func(p contract.Position) int {
		n, _ := w.Text.Offset(p) // that of a place behind the text is 0, where no declaration has a name
		return n
	}
	return &lang.Declared{Name: sym.Name, Kind: string(sym.Kind), Outer: outer,
		From: offset(sym.Range.Start), At: offset(sym.NameAt.Start), End: offset(sym.Range.End)}
}

// shows reports whether a declaration is for other files, and counts those that are not. What has no
// name is for none.
func (w *outliner) shows(d *lang.Declared) bool {
	if symbol.IsCode(lsp.SymbolKind(d.Kind)) && symbol.Nameless(d.Name) {
		return false
	}
	if w.exported == nil || w.exported(d) {
		return true
	}
	w.out.Kept++
	return false
}

// newItem returns the item of a symbol. It begins at the line of the name, so that line and name
// address the symbol: some servers count comments and attributes before it in.
func newItem(sym lsp.Symbol, parent *outlineItem) *outlineItem {
	first := sym.NameAt.Start.Line
	if !sym.Range.Contains(sym.NameAt.Start) { // the name comes from a macro
		first = sym.Range.Start.Line
	}
	return &outlineItem{Sym: sym, parent: parent, first: first, last: max(first, sym.Range.End.Line),
		kind: string(sym.Kind),
		name: resolve.OneLine(sym.Name), detail: detailOf(sym)}
}

// fewGrouped is how many members of a type that is declared elsewhere get a line above them for its
// name; for fewer that line is longer than what it saves.
const fewGrouped = 3

// grouped puts members below the type that their names begin with: methods of Go ("(*T).M"), and what
// C++ defines outside of its class ("T::M"). In a file that is shown as it is, only members that follow
// each other are grouped.
func (w *outliner) grouped(all []*outlineNode) []*outlineNode {
	var out []*outlineNode
	done := map[*outlineNode]bool{}
	heads := make([]string, len(all))
	for i, b := range all {
		heads[i] = w.head(b.item)
	}
	for i, b := range all {
		head := heads[i]
		if done[b] {
			continue
		}
		below := []*outlineNode{b}
		for j := i + 1; head != "" && j < len(all); j++ {
			if heads[j] == head {
				below = append(below, all[j])
			} else if !w.Exported {
				break
			}
		}
		if head == "" || len(below) < fewGrouped {
			out = append(out, b)
			continue
		}
		group := &outlineNode{item: &outlineItem{parent: b.item.parent, first: b.item.first, kind: "in", name: head,
			group: true},
			below: below}
		for _, c := range below {
			done[c] = true
			group.item.last = max(group.item.last, c.item.last)
		}
		out = append(out, group)
	}
	// Below the line of their type the members need only their own names.
	for _, group := range out {
		if !group.item.group || len(group.below) == 0 {
			continue
		}
		for _, c := range group.below {
			c.item.parent, c.item.name = group.item, strings.TrimPrefix(c.item.name, group.item.name+w.separator)
		}
		if !w.Detail {
			group.below = w.rows(group.below, w.Exported)
		}
	}
	return out
}

// head returns the type that a name begins with; "" for none.
func (w *outliner) head(i *outlineItem) string {
	if resolve.IsImpl(i.Sym) || symbol.Nameless(i.Sym.Name) {
		return ""
	}
	head, ok := strings.CutSuffix(i.name, w.separator+symbol.LastComponent(i.name))
	if !ok {
		return ""
	}
	return head
}

// longRow is how many lines a value may have to share its line; where a longer one stands is worth
// knowing.
const longRow = 5

// rows lets values and functions of the same kind share a line: all of a type, and of a file or a
// namespace those that follow each other.
func (w *outliner) rows(all []*outlineNode, ofType bool) []*outlineNode {
	var out []*outlineNode
	taken := map[*outlineNode]bool{}
	for i, b := range all {
		if taken[b] {
			continue
		}
		out = append(out, b)
		if !w.shares(b, ofType) {
			continue
		}
		b.item.row, b.item.numbered = b.item, !w.Exported && b.item.function
		for _, c := range all[i+1:] {
			if w.shares(c, ofType) && c.item.kind == b.item.kind {
				c.item.row, c.item.numbered, taken[c] = b.item.row, !w.Exported && c.item.function, true
				out = append(out, c)
			} else if !ofType {
				break
			}
		}
	}
	return out
}

// shares reports whether an item may share a line. Names on a line are separated by commas, so a name
// must not hold one.
func (w *outliner) shares(b *outlineNode, ofType bool) bool {
	i := b.item
	if len(b.below) > 0 || symbol.Nameless(i.name) || strings.Contains(i.name, ",") {
		return false
	}
	return (i.Sym.Kind.IsValue() || i.Sym.Kind == "enum_member") && i.last-i.first < longRow ||
		(!w.Exported || ofType) && i.Sym.Kind.IsFunction()
}

// outlineLines returns the lines of items that follow each other in an outline. They begin with the
// lines of what the first item is in, also when that is not among them: a page has to be readable by
// itself.
func outlineLines(items []*outlineItem, terse bool) []string {
	var out []string
	var open []*outlineItem // the item above, and what it is in
	for len(items) > 0 {
		i := items[0]
		within := i.within()
		for n, head := range within {
			if !slices.Contains(open, head) {
				out = append(out, head.line(n, nil, terse))
			}
		}
		n := 1
		for i.row != nil && n < len(items) && items[n].row == i.row {
			n++
		}
		out = append(out, i.line(len(within), items[1:n], terse))
		open, items = append(within, i), items[n:]
	}
	return out
}

// within returns the items that an item is in, from the outermost.
func (i *outlineItem) within() []*outlineItem {
	if i.parent == nil {
		return nil
	}
	return append(i.parent.within(), i.parent)
}

// line writes an item, with those that share its line.
func (i *outlineItem) line(level int, more []*outlineItem, terse bool) string {
	last, kind, name := i.last, i.kind, i.name
	if len(more) > 0 {
		name = i.inRow()
	}
	for _, m := range more {
		last, name = max(last, m.last), name+", "+m.inRow()
	}
	if len(more) > 0 {
		kind = pluralOf(kind)
	}
	at := fmt.Sprint(i.first)
	if last > i.first {
		at = fmt.Sprintf("%d-%d", i.first, last)
	}
	text := fmt.Sprintf("%s%s %s %s", strings.Repeat(" ", level), at, kind, name)
	if i.hasDetail() && !terse {
		text += ": " + i.detail
	}
	return text
}

// inRow returns the name of an item that shares its line. A function of a whole file comes with its
// line, because its body is what readers look for.
func (i *outlineItem) inRow() string {
	if i.numbered {
		return fmt.Sprintf("%s:%d", i.name, i.first)
	}
	return i.name
}

// hasDetail reports whether an item is shown with what the server adds to its name.
func (i *outlineItem) hasDetail() bool { return i.detail != "" && i.row == nil }

// pluralOf returns the plural of a kind.
func pluralOf(kind string) string {
	if stem, ok := strings.CutSuffix(kind, "y"); ok {
		return stem + "ies"
	}
	return kind + "s"
}

// maxDetail is the longest detail that is shown, in code points.
const maxDetail = 120

// detailOf returns what the server adds to the name, where it is short and says more than the kind
// does.
func detailOf(sym lsp.Symbol) string {
	detail := strings.TrimSpace(sym.Detail)
	bare := strings.TrimSpace(strings.TrimSuffix(detail, "{...}")) // gopls 0.23: "struct{...}"
	// One line for each symbol is what makes an outline readable.
	if strings.Contains(detail, "\n") || utf8.RuneCountInString(detail) > maxDetail || bare == string(sym.Kind) {
		return ""
	}
	return detail
}
