package pyright

import (
	"context"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// A member that a class overrides has its name in both classes. The server renames it in one of them, which
// leaves a program that breaks only when it runs.

// The bounds of the search for classes that override a member.
const (
	overridesLimit = 4 * time.Second
	maxBases       = 200 // names of bases that the server is asked about
)

// classPlace is where a class is declared, or one of its members.
type classPlace struct {
	path string
	at   contract.Position
}

// declaringClass is a class in which a member is declared.
type declaringClass struct {
	classPlace            // of its name
	symbol     lsp.Symbol // with its members
	text       *source.Text
	structure  bool // every class with its members counts as derived from it: a Protocol
}

// member is where a class itself declares a name.
func (d *declaringClass) member(name string) (contract.Position, bool) {
	i := slices.IndexFunc(d.symbol.Children, func(m lsp.Symbol) bool { return m.Name == name })
	if i < 0 {
		return contract.Position{}, false
	}
	return d.symbol.Children[i].NameAt.Start, true
}

// satisfies reports whether a class has all members of a protocol.
func (d *declaringClass) satisfies(protocol *declaringClass) bool {
	return protocol.structure && !slices.ContainsFunc(protocol.symbol.Children, func(m lsp.Symbol) bool {
		_, has := d.member(m.Name)
		return !has && !strings.HasPrefix(m.Name, "__")
	})
}

// overrides is the search for the classes that are related to one.
type overrides struct {
	ctx   context.Context
	a     *Process
	s     *lsp.Snapshot
	above map[classPlace][]*declaringClass // those right above a class
	// unresolved are the bases of a class that come by an import that the server does not resolve, from what has the
	// name of a file or folder of the tree: a package of the tree that is not installed.
	unresolved map[classPlace][]string
	// unknown is the first base of a class that the server does not resolve, or has no type for.
	unknown map[classPlace]unknownBase
	asked   int
}

// unknownBase is a base of which the server knows nothing.
type unknownBase struct {
	offset int
	is     lsp.Base
}

func (a *Process) newOverrides(ctx context.Context, s *lsp.Snapshot) *overrides {
	return &overrides{ctx: ctx, a: a, s: s, above: map[classPlace][]*declaringClass{},
		unresolved: map[classPlace][]string{}, unknown: map[classPlace]unknownBase{}}
}

// overrides is [lsp.EditHooks].Overrides. It finds the declarations of a member in related classes in two
// directions: upwards by the bases of the declaring class, and downwards by the classes in files that hold the
// name, of which each is asked for its bases in turn; besides, in the other bases of a class that derives from it. A
// Protocol needs no base: a class that has all of its members counts as well. So does a class with a base that the
// server does not resolve. all is false when the time or maxBases was over while the files were looked at; what was
// found by then is still true. Names that begin with __ are left out.
func (a *Process) overrides(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position, name string,
	files []string) (out []lsp.Place, all bool) {
	if strings.HasPrefix(name, "__") {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(ctx, overridesLimit)
	defer cancel()
	o := a.newOverrides(ctx, s)
	own := o.declaring(path, at)
	if own == nil {
		return nil, true
	}
	add := func(d *declaringClass) {
		at, ok := d.member(name)
		known := slices.ContainsFunc(out, func(p lsp.Place) bool { return p.Path == d.path && p.Range.Start == at })
		if ok && !known && d.classPlace != own.classPlace {
			out = append(out, lsp.Place{Path: d.path, Range: contract.Range{Start: at, End: at}})
		}
	}
	above := append(o.allAbove(own), own)
	for _, d := range above {
		add(d)
	}
	for _, joining := range o.joining(own, files) {
		for _, d := range o.allAbove(joining) {
			add(d)
		}
	}
	for _, path := range files {
		// The word is looked for first, because symbols and bases cost a request each.
		if text, err := source.Read(path); err != nil || !source.HasWord(text.Content(), name) {
			continue
		}
		for _, d := range o.classes(path) {
			if _, ok := d.member(name); !ok {
				continue
			}
			if d.satisfies(own) || own.satisfies(d) || o.mayDerive(above, d) ||
				slices.ContainsFunc(append(o.allAbove(d), d), func(a *declaringClass) bool {
					return a.classPlace == own.classPlace || len(o.unresolved[a.classPlace]) > 0
				}) {
				add(d)
			}
		}
		if ctx.Err() != nil || o.asked > maxBases {
			return out, false
		}
	}
	return out, ctx.Err() == nil && o.asked <= maxBases // the search above may have been cut short, too
}

// joining are the classes of several bases that derive from a class, in the given files: what one base declares fills
// or hides what another one does. Heads of classes are told by their texts first, because a server is asked for each.
func (o *overrides) joining(own *declaringClass, files []string) (out []*declaringClass) {
	type head struct{ path, name, bases string }
	var heads []head
	for _, path := range files {
		text, err := source.Read(path)
		if err != nil {
			continue
		}
		for _, m := range classHead.FindAllStringSubmatch(text.Content(), -1) {
			heads = append(heads, head{path, m[1], m[2]})
		}
	}
	derived := map[string]bool{own.symbol.Name: true}
	for had := 0; had < len(derived); {
		had = len(derived)
		for _, h := range heads {
			derived[h.name] = derived[h.name] || slices.ContainsFunc(
				strings.FieldsFunc(h.bases, func(r rune) bool { return !source.IsWord(r) }),
				func(word string) bool { return derived[word] })
		}
	}
	var in []string // the files of classes of several bases that may derive from it
	for _, h := range heads {
		if derived[h.name] && strings.Contains(h.bases, ",") && !slices.Contains(in, h.path) {
			in = append(in, h.path)
		}
	}
	for _, path := range in {
		isOwn := func(a *declaringClass) bool { return a.classPlace == own.classPlace }
		for _, d := range o.classes(path) {
			if derived[d.symbol.Name] && len(o.bases(d.symbol, d.text)) > 1 && slices.ContainsFunc(o.allAbove(d), isOwn) {
				out = append(out, d)
			}
		}
	}
	return out
}

// classHead matches the head of a class with its bases.
var classHead = source.LazyRegexp(`(?m)^[ \t]*class[ \t]+(\w+)[^(:\n]*\(([^():]*)`)

// declaring is the class that declares what a place is about; nil when none does.
func (o *overrides) declaring(path string, at contract.Position) *declaringClass {
	places, err := o.s.Locate(o.ctx, lsp.MethodDefinition, path, at)
	if err != nil || len(places) == 0 {
		places = []lsp.Place{{Path: path, Range: contract.Range{Start: at, End: at}}}
	}
	for _, p := range places {
		for _, d := range o.classes(p.Path) {
			if !slices.ContainsFunc(d.symbol.Children, func(m lsp.Symbol) bool {
				return m.NameAt.Contains(p.Range.Start)
			}) {
				continue
			}
			return d
		}
	}
	return nil
}

// classes are those that a file declares, those in others too.
func (o *overrides) classes(path string) (out []*declaringClass) {
	symbols, text, err := o.s.DocumentSymbols(o.ctx, path)
	if err != nil {
		return nil
	}
	var walk func([]lsp.Symbol)
	walk = func(symbols []lsp.Symbol) {
		for _, sym := range symbols {
			if sym.Kind == "class" {
				out = append(out, &declaringClass{classPlace{path, sym.NameAt.Start}, sym, text,
					slices.Contains(o.baseNames(sym, text), "Protocol")})
			}
			walk(sym.Children)
		}
	}
	walk(symbols)
	return out
}

func (o *overrides) bases(class lsp.Symbol, text *source.Text) []int {
	end, err := text.Offset(class.NameAt.End)
	if err != nil {
		return nil
	}
	return bases(text.Content(), end)
}

func (o *overrides) baseNames(class lsp.Symbol, text *source.Text) (out []string) {
	for _, at := range o.bases(class, text) {
		if from, to, ok := source.WordAround(text.Content(), at); ok {
			out = append(out, text.Content()[from:to])
		}
	}
	return out
}

// allAbove are the classes from which one derives, as far as the server finds them.
func (o *overrides) allAbove(d *declaringClass) (out []*declaringClass) {
	// A text that is being edited may have a class among its own bases; seen ends such a circle.
	seen := map[classPlace]bool{d.classPlace: true}
	for next := o.rightAbove(d); len(next) > 0; {
		up := next[0]
		if next = next[1:]; !seen[up.classPlace] {
			seen[up.classPlace] = true
			out = append(out, up)
			next = append(next, o.rightAbove(up)...)
		}
	}
	return out
}

// mayDerive reports whether a class has the name of a base that the server does not resolve.
func (o *overrides) mayDerive(from []*declaringClass, base *declaringClass) bool {
	return slices.ContainsFunc(from, func(d *declaringClass) bool {
		return slices.Contains(o.unresolved[d.classPlace], base.symbol.Name)
	})
}

// rightAbove are the classes that the head of a class names, by the server's definitions of these names; they are
// asked for once for each class. When the time or maxBases is over the list is short.
func (o *overrides) rightAbove(d *declaringClass) (out []*declaringClass) {
	if known, ok := o.above[d.classPlace]; ok {
		return known
	}
	for _, offset := range o.bases(d.symbol, d.text) {
		if o.asked++; o.asked > maxBases || o.ctx.Err() != nil {
			break
		}
		places, err := o.s.Locate(o.ctx, lsp.MethodDefinition, d.path, d.text.PositionAt(offset))
		is := lsp.BaseKnown
		if err == nil {
			is = o.isUnknown(d, offset, places)
		}
		if had := o.unknown[d.classPlace]; is > had.is {
			o.unknown[d.classPlace] = unknownBase{offset, is}
		}
		if is == lsp.BaseUnknown {
			from, to, _ := source.WordAround(d.text.Content(), offset)
			o.unresolved[d.classPlace] = append(o.unresolved[d.classPlace], d.text.Content()[from:to])
		}
		for _, p := range places {
			for _, class := range o.classes(p.Path) {
				if class.symbol.NameAt.Contains(p.Range.Start) {
					out = append(out, class)
				}
			}
		}
	}
	o.above[d.classPlace] = out
	return out
}

// isUnknown tells what the server knows of a base, to whose definitions it leads: nothing where these are imports, or
// a function or a variable of the tree that has no type.
func (o *overrides) isUnknown(d *declaringClass, offset int, places []lsp.Place) lsp.Base {
	found := slices.DeleteFunc(slices.Clone(places), func(p lsp.Place) bool { return p.Import })
	if len(found) == 0 && o.a.foreign(o.ctx, d.text, offset, lsp.Place{}) {
		return lsp.BaseOutside
	}
	for _, p := range found {
		if !o.s.Folders().Inside(p.Path) || slices.ContainsFunc(o.classes(p.Path),
			func(class *declaringClass) bool { return class.symbol.NameAt.Contains(p.Range.Start) }) {
			return lsp.BaseKnown
		}
	}
	if len(found) > 0 {
		h, err := o.s.Hover(o.ctx, d.path, d.text.PositionAt(offset))
		if err != nil || h == nil || strings.Contains(h.Text, "type[") || strings.Contains(h.Text, "(class)") ||
			strings.Contains(h.Text, "(type") {
			return lsp.BaseKnown
		}
	}
	return lsp.BaseUnknown
}

// mayDerive is [lsp.CoverageHooks].MayDerive: every member of a class may.
func (a *Process) mayDerive(text *source.Text) func(ctx context.Context, offset int) bool {
	has := strings.Contains(text.Content(), "class ")
	return func(context.Context, int) bool { return has }
}

// unknownBase is [lsp.CoverageHooks].UnknownBase. Names that begin with __ are those of the language.
func (a *Process) unknownBase(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position) (base lsp.Place,
	is lsp.Base) {
	ctx, cancel := context.WithTimeout(ctx, overridesLimit)
	defer cancel()
	o := a.newOverrides(ctx, s)
	for _, d := range o.classes(path) {
		i := slices.IndexFunc(d.symbol.Children, func(m lsp.Symbol) bool { return m.NameAt.Contains(at) })
		if i < 0 || strings.HasPrefix(d.symbol.Children[i].Name, "__") {
			continue
		}
		for _, above := range append(o.allAbove(d), d) {
			if found := o.unknown[above.classPlace]; found.is > is {
				start := above.text.PositionAt(found.offset)
				base = lsp.Place{Path: above.path, Range: contract.Range{Start: start, End: start},
					Line: above.text.Line(start.Line)}
				is = found.is
			}
		}
	}
	return base, is
}

// bases are the offsets of the names of the classes from which the class whose name ends at an offset derives: the last
// word of each positional argument of its head, without type arguments (The Python Language Reference, Class
// definitions).
func bases(text string, end int) (out []int) {
	depth, last, keyword := 0, -1, false
	take := func() {
		if last >= 0 && !keyword {
			out = append(out, last)
		}
		last, keyword = -1, false
	}
	squares, params := 0, false // brackets of type parameters and arguments, and the parentheses of the head
	for i := end; i < len(text); i++ {
		switch c := text[i]; {
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '[':
			squares++
		case c == ']':
			squares--
		case squares > 0:
		case c == '(':
			if depth++; depth == 1 {
				params = true
			}
		case c == ')':
			if depth--; depth == 0 {
				take()
				return out
			}
		case depth == 0 && (c == ':' || !params && !strings.ContainsRune(" \t\\\r\n", rune(c))):
			return nil
		case depth == 1 && c == ',':
			take()
		case depth == 1 && c == '=':
			keyword = true
		case depth == 1 && !keyword:
			if from, to, ok := source.WordAround(text, i); ok && from == i {
				last, i = from, to-1
			}
		}
	}
	return nil
}
