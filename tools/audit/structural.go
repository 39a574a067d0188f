package audit

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// Where a class satisfies an interface by its members alone ([lsp.CoverageHooks].Structural), a class that has them all
// implements it, and a use of the member of such an interface may be one of the member of the class.

// maxSatisfying bounds the files whose classes are looked at.
const maxSatisfying = 40

// declaredType is a type and the file that declares it.
type declaredType struct {
	path string
	sym  *lsp.Symbol
}

// required are the members that whatever satisfies an interface has; nil for a class, and for an interface of which the
// text does not tell them all.
func (t declaredType) required(s *lsp.Snapshot) (names []string) {
	text, err := s.Documents().Text(t.path)
	if err != nil || t.sym.Kind != "interface" {
		return nil
	}
	for _, member := range t.sym.Children {
		end, err := text.Offset(member.NameAt.End)
		if err != nil || !lang.IsWord(member.Name) {
			return nil
		}
		if !strings.HasPrefix(text.Content()[end:], "?") && !slices.Contains(names, member.Name) {
			names = append(names, member.Name)
		}
	}
	return names
}

// has reports whether a type declares members of all these names itself.
func (t declaredType) has(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(t.sym.Children, func(member lsp.Symbol) bool { return member.Name == name })
	})
}

// satisfies reports whether a place declares the member of an interface that the class of the symbol satisfies, though
// it does not say so.
func (v *verdict) satisfies(ctx context.Context, p lsp.Place) bool {
	if !v.s.Hooks().Structural || !v.member || holdsPlace(v.declared, p) {
		return false
	}
	own, of := v.typeAround(ctx, v.declared[0]), v.typeAround(ctx, p)
	if own.sym == nil || of.sym == nil || own.sym.Kind != "class" {
		return false
	}
	names := of.required(v.s)
	return len(names) > 0 && own.has(names)
}

// relatedBeyond reports whether an occurrence in another project, which a server does not relate by itself, declares a
// member that the one of the symbol implements, or that implements it.
func (v *verdict) relatedBeyond(ctx context.Context, o *occurrence) bool {
	if !InOtherProject(v.c, v.s, v.at.Path, o.path) || !v.s.Offers(lsp.MethodImplementation) {
		return false
	}
	found, err := v.asked.Locate(ctx, lsp.MethodImplementation, o.path, o.at)
	return err == nil && slices.ContainsFunc(found, func(p lsp.Place) bool {
		return holdsPlace(v.declared, p) || holdsPlace(v.family, p)
	})
}

// typeAround is the innermost type around a place.
func (v *verdict) typeAround(ctx context.Context, p lsp.Place) declaredType {
	symbols, _, err := v.s.DocumentSymbols(ctx, p.Path)
	if err != nil {
		return declaredType{}
	}
	around := symbol.Enclosing(symbols, p.Range.Start)
	for i := len(around) - 1; i >= 0; i-- {
		if symbol.IsTypeKind(around[i].Kind) && !around[i].NameAt.Contains(p.Range.Start) {
			return declaredType{p.Path, &around[i]}
		}
	}
	return declaredType{}
}

// satisfying adds the classes that have all members of the interface that was asked about. Where their types are as in
// the interface they implement it; else they may.
func (m *implementerSearch) satisfying(ctx context.Context) {
	if !m.s.Hooks().Structural {
		return
	}
	for _, t := range m.own {
		names := t.required(m.s)
		if len(names) == 0 {
			continue
		}
		files := m.declaring(ctx, names)
		if len(files) > maxSatisfying {
			m.late, files = true, files[:maxSatisfying]
		}
		for _, path := range files {
			m.satisfyingIn(ctx, path, t, names)
		}
	}
}

// declaring are the sources that seem to declare members of all these names in a class.
func (m *implementerSearch) declaring(ctx context.Context, names []string) (files []string) {
	declares := make([]*regexp.Regexp, len(names))
	for i, name := range names {
		declares[i] = regexp.MustCompile(`(?m)(?:^|[{;])[ \t]*(?:(?:public|readonly|override|async|get|set|declare|accessor)\s+)*` +
			regexp.QuoteMeta(name) + `\s*[(<:=;?!]|(?:public|readonly)\s+` + regexp.QuoteMeta(name) + `\b`)
	}
	held, all, err := m.c.Workspace.Words(m.own[0].path).Holding(ctx, names[0])
	m.late = m.late || err != nil || !all
	for _, h := range held {
		text, err := m.c.Workspace.Text(h.Path)
		if err != nil || h.Use&lang.CodeUse == 0 || !m.s.Spec().Serves(symbol.Base(h.Path)) ||
			!source.HasWord(text.Content(), "class") {
			continue
		}
		if !slices.ContainsFunc(declares, func(re *regexp.Regexp) bool { return !re.MatchString(text.Content()) }) {
			files = append(files, h.Path)
		}
	}
	return files
}

// satisfyingIn adds the classes of one file.
func (m *implementerSearch) satisfyingIn(ctx context.Context, path string, t declaredType, names []string) {
	symbols, _, err := m.asked.DocumentSymbols(ctx, path)
	if err != nil {
		return
	}
	for _, named := range symbol.Flatten(symbols, nil, nil) {
		class := declaredType{path, &named.Sym}
		if named.Sym.Kind != "class" || !class.has(names) || m.lists(path, named.Sym.Range) {
			continue
		}
		same, apart := m.alike(ctx, t, class, names)
		if apart {
			continue
		}
		if same {
			m.found(ctx, occurrence{path: path, at: named.Sym.NameAt.Start}, &named.Sym)
			continue
		}
		m.unexplained = append(m.unexplained, occurrence{path: path, at: named.Sym.NameAt.Start, name: named.Sym.Name,
			reason: reasonStructural})
	}
}

// alike compares the members of a class with those of an interface, going by their hovers: all may have the same
// signature, or one has a type by which the class does not satisfy the interface.
func (m *implementerSearch) alike(ctx context.Context, of, class declaredType, names []string) (same, apart bool) {
	same = true
	for _, name := range names {
		want, is := m.signature(ctx, of, name), m.signature(ctx, class, name)
		same = same && want != "" && want == is
		wantType, isType := want[strings.LastIndex(want, ":")+1:], is[strings.LastIndex(is, ":")+1:]
		apart = apart || wantType != isType && slices.Contains(plainTypes, strings.TrimSpace(wantType)) &&
			slices.Contains(append(plainTypes, "void"), strings.TrimSpace(isType))
	}
	return same, apart
}

// plainTypes are types of TypeScript of which none is one of the others.
var plainTypes = []string{"string", "number", "boolean", "bigint", "symbol"}

// signature is what the hover about a member of a type says behind the member's name; "" where nothing is known.
func (m *implementerSearch) signature(ctx context.Context, t declaredType, name string) string {
	i := slices.IndexFunc(t.sym.Children, func(member lsp.Symbol) bool { return member.Name == name })
	h, err := m.asked.Hover(ctx, t.path, t.sym.Children[i].NameAt.Start)
	if err != nil || h == nil {
		return ""
	}
	_, behind, _ := strings.Cut(h.Text, "."+name)
	behind, _, _ = strings.Cut(behind, "\n```")
	return strings.TrimSpace(behind)
}

// inOtherProjects adds what implements the type or method at a place, or is implemented by it, in projects that the
// server does not relate with the one of the place: asked there, it does.
func (m *implementerSearch) inOtherProjects(ctx context.Context, at symbol.Located) {
	if !m.s.Spec().OneProject {
		return
	}
	declared := leads(ctx, m.asked, at.Path, at.At)
	names, ofType := loaded.MethodsAt(ctx, m.asked, at), false
	for _, d := range declared {
		own, _ := m.symbolsAt(ctx, d.Path, d.Range.Start)
		ofType = ofType || own != nil && own.NameAt.Contains(d.Range.Start) && symbol.IsTypeKind(own.Kind)
	}
	if !ofType {
		names = []string{at.Name}
	}
	asked := 0
	for _, name := range names {
		held, all, err := m.c.Workspace.Words(at.Path).Holding(ctx, name)
		m.late = m.late || err != nil || !all
		for _, h := range held {
			if h.Use&lang.CodeUse == 0 || !m.s.Spec().Serves(symbol.Base(h.Path)) ||
				!InOtherProject(m.c, m.s, at.Path, h.Path) {
				continue
			}
			if asked++; asked > maxSatisfying {
				m.late = true
				return
			}
			m.relatedIn(ctx, h.Path, name, ofType, declared)
		}
	}
}

// relatedIn adds what is related with one of declared, and has, or is, a method of a name in a file.
func (m *implementerSearch) relatedIn(ctx context.Context, path, name string, ofType bool, declared []lsp.Place) {
	symbols, _, err := m.asked.DocumentSymbols(ctx, path)
	text, errText := m.c.Workspace.Text(path)
	if err != nil || errText != nil {
		m.late = true
		return
	}
	for _, named := range symbol.Flatten(symbols, nil, nil) {
		if named.Sym.Kind != "method" || symbol.LastComponent(named.Sym.Name) != name {
			continue
		}
		places := []lsp.Place{{Path: path, Range: named.Sym.NameAt, Full: named.Sym.NameAt,
			Line: text.Line(named.Sym.NameAt.Start.Line)}}
		if ofType {
			places = m.typeOf(ctx, text, symbols, named.Sym)
		}
		for _, p := range places {
			found, err := m.asked.Locate(ctx, lsp.MethodImplementation, p.Path, p.Range.Start)
			m.late = m.late || err != nil
			if slices.ContainsFunc(found, func(f lsp.Place) bool { return holdsPlace(declared, f) }) &&
				!holdsPlace(m.places, p) && !holdsPlace(m.more, p) {
				m.more = append(m.more, p)
			}
		}
	}
}

// receiver matches what stands in front of the name of a method of Go, up to the name of its type.
var receiver = source.LazyRegexp(`func\s*\(\s*(?:[\pL_][\pL\d_]*\s+)?\*?\s*`)

// typeOf returns where the type of a method is declared: around it, or where its receiver leads.
func (m *implementerSearch) typeOf(ctx context.Context, text *source.Text, symbols []lsp.Symbol,
	method lsp.Symbol) []lsp.Place {
	around := symbol.Enclosing(symbols, method.NameAt.Start)
	for i := len(around) - 1; i >= 0; i-- {
		if t := around[i]; symbol.IsTypeKind(t.Kind) {
			return []lsp.Place{{Path: text.Path, Range: t.NameAt, Full: t.NameAt, Line: text.Line(t.NameAt.Start.Line)}}
		}
	}
	from, err := text.Offset(method.Range.Start)
	if err != nil {
		return nil
	}
	head := receiver.FindStringIndex(text.Content()[from:])
	if head == nil {
		return nil
	}
	found, err := m.asked.Locate(ctx, lsp.MethodDefinition, text.Path, text.PositionAt(from+head[1]))
	m.late = m.late || err != nil
	return found
}
