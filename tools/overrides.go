package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/source"
)

// A member that a class overrides has its name in both classes. A server that renames it in one of them ([lsp.Spec.Bases])
// leaves a program that breaks only when it runs.

// The bounds of the search for classes that override a member.
const (
	overridesLimit = 4 * time.Second
	maxBases       = 200 // names of bases that the server is asked about
)

// declaringClass is a class in which a member is declared.
type declaringClass struct {
	usePlace             // of its name
	symbol    lsp.Symbol // with its members
	text      *source.Text
	structure bool // every class with its members counts as derived from it: a Protocol
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
	s     *lsp.Server
	above map[usePlace][]*declaringClass // those right above a class
	asked int
}

// overridesLeft are the declarations of a member that an edit does not take, in classes that derive from the one that it is
// renamed in, or from which that derives; all is false when not all could be looked at.
func overridesLeft(ctx context.Context, c *Call, s *lsp.Server, at spot, taken map[usePlace]bool) (left []usePlace, all bool) {
	if s.Spec().Bases == nil || strings.HasPrefix(at.name, "__") {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(ctx, overridesLimit)
	defer cancel()
	o := &overrides{ctx: ctx, s: s, above: map[usePlace][]*declaringClass{}}
	own := o.declaring(at)
	if own == nil {
		return nil, true
	}
	add := func(d *declaringClass) {
		if p, ok := d.member(at.name); ok && d.usePlace != own.usePlace {
			if u := (usePlace{d.path, p}); !taken[u] && !slices.Contains(left, u) {
				left = append(left, u)
			}
		}
	}
	above := o.allAbove(own)
	for _, d := range above {
		add(d)
	}
	files := lsp.WithoutOutput(ctx, s, at.path, c.sources(s, s.Root()))
	slices.Sort(files)
	var buf []byte
	for _, path := range files {
		var holds bool
		if holds, buf = fileHolds(path, []byte(at.name), buf); !holds {
			continue
		}
		for _, d := range o.classes(path) {
			if _, ok := d.member(at.name); !ok {
				continue
			}
			if d.satisfies(own) || own.satisfies(d) || slices.ContainsFunc(o.allAbove(d), func(a *declaringClass) bool { return a.usePlace == own.usePlace }) {
				add(d)
			}
		}
		if ctx.Err() != nil || o.asked > maxBases {
			return left, false
		}
	}
	return left, true
}

// declaring is the class that declares what a place is about; nil when none does.
func (o *overrides) declaring(at spot) *declaringClass {
	places, err := o.s.Locate(o.ctx, lsp.MethodDefinition, at.path, at.at)
	if err != nil || len(places) == 0 {
		places = []lsp.Place{{Path: at.path, Range: contract.Range{Start: at.at, End: at.at}}}
	}
	for _, p := range places {
		for _, d := range o.classes(p.Path) {
			if !slices.ContainsFunc(d.symbol.Children, func(m lsp.Symbol) bool { return m.NameAt.Contains(p.Range.Start) }) {
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
			if isTypeKind(sym.Kind) {
				out = append(out, &declaringClass{usePlace{path, sym.NameAt.Start}, sym, text, slices.Contains(o.baseNames(sym, text), "Protocol")})
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
	return o.s.Spec().Bases(text.Content(), end)
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
	seen := map[usePlace]bool{d.usePlace: true}
	for next := o.rightAbove(d); len(next) > 0; {
		up := next[0]
		if next = next[1:]; !seen[up.usePlace] {
			seen[up.usePlace] = true
			out = append(out, up)
			next = append(next, o.rightAbove(up)...)
		}
	}
	return out
}

func (o *overrides) rightAbove(d *declaringClass) (out []*declaringClass) {
	if known, ok := o.above[d.usePlace]; ok {
		return known
	}
	for _, offset := range o.bases(d.symbol, d.text) {
		if o.asked++; o.asked > maxBases || o.ctx.Err() != nil {
			break
		}
		places, _ := o.s.Locate(o.ctx, lsp.MethodDefinition, d.path, d.text.PositionAt(offset))
		for _, p := range places {
			for _, class := range o.classes(p.Path) {
				if class.symbol.NameAt.Contains(p.Range.Start) {
					out = append(out, class)
				}
			}
		}
	}
	o.above[d.usePlace] = out
	return out
}

// warnOfOverrides says which declarations of a member a rename leaves in related classes.
func (c *Call) warnOfOverrides(ctx context.Context, s *lsp.Server, at spot, taken map[usePlace]bool) {
	left, all := overridesLeft(ctx, c, s, at, taken)
	if !all {
		c.warn(contract.WarnPartFailed, contract.Facts{"part": "overrides", "server_id": s.ID()},
			fmt.Sprintf("not all classes could be looked at that may override %s; %s does not rename it there", at.name, s.ID()))
	}
	if len(left) == 0 {
		return
	}
	var files, places []string
	for _, u := range left {
		if !slices.Contains(files, u.path) {
			files = append(files, u.path)
		}
		if len(places) < maxLeftOutShown {
			places = append(places, fmt.Sprintf("%s:%d", c.show(u.path), u.at.Line))
		}
	}
	message := fmt.Sprintf("%s renames %s in one class only, not where a class above or below it declares it, too: %s",
		s.ID(), at.name, strings.Join(places, ", "))
	if len(places) < len(left) {
		message += ", …"
	}
	c.warn(contract.WarnUsesLeft, contract.Facts{"total": len(left), "files": c.showSome(files)}, message)
}
