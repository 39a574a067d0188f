package move

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/edits"
	"lspi/tools/move/splice"
)

// pythonSymbolRule: what a module declares is imported from it by name, or used behind the name of the module. pyright
// and basedpyright move nothing (1.1.414).
var pythonSymbolRule = symbolRule{languages: []string{"python"}, plan: planPythonSymbol}

// pythonSymbol is the move of a declaration of Python.
type pythonSymbol struct {
	*symbolMove
	ctx        context.Context
	paths      *moving // the move of the whole module would be that of these paths
	from       *pythonFile
	target     *pythonFile
	uses       []lsp.Place
	start, end int // what is cut of the source: whole lines
	value      bool
	carried    []string // statements that the target needs
	guarded    []string // those under TYPE_CHECKING
	guard      string   // the condition of these
	freed      []*pythonBinding
}

func planPythonSymbol(ctx context.Context, m *symbolMove) (*lsp.Planned, error) {
	g := &pythonSymbol{symbolMove: m, ctx: ctx, paths: &moving{c: m.c, s: m.s, from: m.at.Path, to: m.to,
		files: []string{m.at.Path}, sources: []string{m.at.Path}, rule: ruleOf("python")}}
	text, err := m.c.Workspace.Text(m.at.Path)
	if err != nil {
		return nil, err
	}
	g.from = pythonFileOf(text)
	other := source.New(m.to, "")
	if !m.fresh {
		if other, err = m.c.Workspace.Text(m.to); err != nil {
			return nil, err
		}
	}
	g.target = pythonFileOf(other)
	if g.uses, err = m.s.References(ctx, m.at.Path, m.at.At, false); err == nil {
		err = g.find()
	}
	if err == nil {
		err = g.carry()
	}
	if err == nil {
		err = g.users()
	}
	if err == nil {
		err = g.rewrite()
	}
	if err == nil {
		err = g.checkCycle()
	}
	for _, u := range g.uses {
		if u.Err == nil {
			m.near = append(m.near, u.Path)
		}
	}
	return nil, err
}

// find finds the statement that declares what moves.
func (g *pythonSymbol) find() error {
	symbols, text, err := g.s.DocumentSymbols(g.ctx, g.at.Path)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(symbols, func(s lsp.Symbol) bool { return s.NameAt.Start == g.at.At })
	if i < 0 {
		return g.noDeclaration()
	}
	if base := filepath.Base(g.to); base == "__init__.py" || strings.ContainsAny(strings.TrimSuffix(base, ".py"), "-. ") ||
		lang.Reserved("python", strings.TrimSuffix(base, ".py")) ||
		!strings.HasSuffix(base, ".py") || !strings.HasSuffix(g.at.Path, ".py") ||
		source.Exists(g.at.Path+"i") || source.Exists(g.to+"i") {
		return g.refuse("no_module", "Give a module without a stub, which an import can name.",
			"%s cannot get the declaration: it is a package, a stub or has one, or has no name for imports", g.c.Show(g.to))
	}
	lead, last, err := g.statements(symbols, text)
	if err != nil {
		return err
	}
	g.start, g.end = text.LineStart(lead), len(text.Content())
	if last < text.Lines() {
		g.end = text.LineStart(last + 1)
	}
	return nil
}

// statements are the lines of what declares the name: one statement, or overloads with what they are overloads of.
func (g *pythonSymbol) statements(symbols []lsp.Symbol, text *source.Text) (lead, last int, err error) {
	var parts []lsp.Symbol
	for _, s := range symbols {
		if s.Name == g.at.Name {
			parts = append(parts, s)
		}
	}
	name := regexp.QuoteMeta(g.at.Name)
	all := regexp.MustCompile(`(?m)^(?:(?:async[ \t]+)?(?:def|class)[ \t]+` + name + `\b|` + name +
		`[ \t]*(?:[-+*/|&]?=[^=]|:)|[ \t]*global[ \t][^\n]*\b` + name + `\b)`)
	n := len(all.FindAllString(text.Content(), -1))
	for i, s := range parts {
		first, line, end, err := g.linesOf(text, s)
		if err != nil {
			return 0, 0, err
		}
		if i == 0 {
			lead = first
		}
		lead, last = min(lead, first), max(last, end)
		if len(parts) > 1 && i < len(parts)-1 && !strings.Contains(text.Slice(first, line), "overload") {
			n = 0
		}
	}
	apart := slices.ContainsFunc(symbols, func(s lsp.Symbol) bool {
		return s.Name != g.at.Name && s.NameAt.Start.Line >= lead && s.NameAt.Start.Line <= last
	})
	if n != len(parts) || apart {
		return 0, 0, g.refuse("several_declarations", "Move all of its declarations yourself.",
			"%s is not declared by one statement at the beginning of a line of %s", g.at.Name, g.c.Show(g.at.Path))
	}
	return lead, last, nil
}

// linesOf are the lines of one declaration, from its comments and decorators on, and its own first one. Of a value
// pyright gives the name alone.
func (g *pythonSymbol) linesOf(text *source.Text, s lsp.Symbol) (lead, line, last int, err error) {
	if s.NameAt.Start.Character > 1 {
		d, err := edits.DeclarationOf(text, s)
		if err != nil {
			return 0, 0, 0, err
		}
		g.registered(d, g.uses)
		lead, line, last = d.Lines()
		return lead, line, last, nil
	}
	g.value = true
	lead, last = s.NameAt.Start.Line, s.NameAt.Start.Line
	for lead > 1 && strings.HasPrefix(text.Line(lead-1), "#") && !strings.HasPrefix(text.Line(lead-1), "#!") {
		lead--
	}
	line = s.NameAt.Start.Line
	for last < text.Lines() && (lang.ByID("python").Unclosed(text.Slice(line, last)+"\n") >= 0 ||
		strings.HasSuffix(strings.TrimRight(text.Line(last), "\r"), "\\")) {
		last++
	}
	own := text.Slice(line, last)
	code := lang.Code(text.Path, own)
	for i := range own {
		if own[i] == ';' && code[i] {
			return 0, 0, 0, g.refuse("not_separate", "", "%s shares its line with other code", g.at.Name)
		}
	}
	return lead, line, last, nil
}

// moves reports whether an offset of the source is in what moves.
func (g *pythonSymbol) moves(offset int) bool { return g.start <= offset && offset < g.end }

// carry finds what the target has to import for what moves.
func (g *pythonSymbol) carry() error {
	if g.target.declared()[g.at.Name] {
		return g.refuse("name_taken", "Rename one of them first.", "%s declares %s already", g.c.Show(g.to), g.at.Name)
	}
	if err := g.checkState(); err != nil {
		return err
	}
	declared := g.from.declared()
	for _, name := range g.from.namesIn(g.start, g.end) {
		binding := g.from.binding(name)
		if name == g.at.Name || binding == nil && !declared[name] || !g.isUsed(name) {
			continue
		}
		if binding == nil {
			if g.rebound(name) {
				return g.refuse("rebound", "Move all that uses the variable together.",
					"%s uses %s, which %s binds anew: an import would keep the value of one moment", g.at.Name, name,
					g.c.Show(g.at.Path))
			}
			module, ok := g.named(g.target.text.Path, pythonModule(g.at.Path))
			if !ok || strings.HasSuffix(name, "__") {
				return g.refuse("no_module", "", "%s uses %s, which no import from %s gives it", g.at.Name, name, g.c.Show(g.to))
			}
			guard := g.from.guardOf(name)
			if err := g.needGuard(guard); err != nil {
				return err
			}
			if err := g.need(name, "from "+module+" import "+name, guard); err != nil {
				return err
			}
			continue
		}
		if binding.nested {
			return g.refuse("conditional_import", "", "%s uses %s, which %s imports under a condition", g.at.Name, name,
				g.c.Show(g.at.Path))
		}
		if err := g.needBinding(binding); err != nil {
			return err
		}
	}
	if g.from.future && !g.target.future && (!g.fresh) && strings.ContainsAny(g.from.text.Content()[g.start:g.end], ":") &&
		!g.value {
		g.needsLook("annotations", "%s has from __future__ import annotations, and %s has not: the annotations of %s would be "+
			"evaluated", g.c.Show(g.at.Path), g.c.Show(g.to), g.at.Name)
	}
	return nil
}

// ofModule matches what means the module in which code stands.
var ofModule = source.LazyRegexp(`\bglobal[ \t]|\b(?:globals|vars|locals)[ \t]*\(|\b__(?:file|name|package|spec|path)__\b`)

// checkState refuses code that binds names of its module, and tells of what means the module it is in.
func (g *pythonSymbol) checkState() error {
	if strings.HasPrefix(g.at.Name, "__") && strings.HasSuffix(g.at.Name, "__") {
		g.needsLook("module", "Python and its tools know %s by %s", g.at.Name, g.c.Show(g.at.Path))
	}
	code := lang.CodeOf(g.at.Path, g.from.text.Content())[g.start:g.end]
	switch word := strings.TrimSpace(ofModule.FindString(code)); {
	case word == "":
	case word == "global":
		return g.refuse("binds_globals", "Move the variables with it yourself.", "%s binds variables of %s (global)",
			g.at.Name, g.c.Show(g.at.Path))
	default:
		g.needsLook("module", "%s uses %s, which means another module in %s", g.at.Name, strings.TrimSuffix(word, "("),
			g.c.Show(g.to))
	}
	return nil
}

// rebound reports whether the module binds a variable more than once.
func (g *pythonSymbol) rebound(name string) bool {
	quoted := regexp.QuoteMeta(name)
	code := lang.CodeOf(g.at.Path, g.from.text.Content())
	if regexp.MustCompile(`\bglobal[ \t][^\n]*\b` + quoted + `\b`).MatchString(code) {
		return true
	}
	binds := regexp.MustCompile(`(?m)^` + quoted + `[ \t]*(?::[^=\n]*)?(?:[-+*/|&%@^]|//|\*\*|<<|>>)?=(?:[^=]|$)`)
	return len(binds.FindAllString(code, 2)) > 1
}

// needBinding has the target import what an import of the source binds.
func (g *pythonSymbol) needBinding(b *pythonBinding) error {
	g.freed = append(g.freed, b)
	statement := "import " + b.item
	if b.from != "" {
		module := b.from
		if strings.HasPrefix(module, ".") {
			target, ok := g.named(g.to, g.from.absolute(module))
			if !ok {
				return g.refuse("no_module", "", "%s cannot import %s", g.c.Show(g.to), module)
			}
			module = target
		}
		if of := g.moduleNamed(b.from); b.local == b.item && (of != "" && of == pythonModule(g.to) ||
			of == "" && g.target.declared()[b.item] && filepath.Base(pythonModule(g.to)) != b.item && // not the module itself
				g.definedAt(g.ctx, g.from.text, b.at).Path == g.to) {
			return nil // which the target declares itself
		}
		statement = "from " + module + " import " + b.item
	}
	if b.as {
		statement += " as " + b.local
	}
	if err := g.needGuard(b.guard); err != nil {
		return err
	}
	return g.need(b.local, statement, b.guard)
}

// needGuard has the target import what a condition of the source uses; "" is none.
func (g *pythonSymbol) needGuard(guard string) error {
	if guard == "" {
		return nil
	}
	g.guard = guard
	word := strings.TrimPrefix(guard, "if ")
	word, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSpace(word), ":"), ".")
	if own := g.from.binding(word); own != nil && own.guard == "" {
		return g.needBinding(own)
	}
	return nil
}

// moduleNamed is the path of the module that a relative name of the source means; "" for an absolute one.
func (g *pythonSymbol) moduleNamed(name string) string {
	if strings.HasPrefix(name, ".") {
		return g.from.absolute(name)
	}
	return ""
}

// need adds a statement to the target, unless it has it; one that has something else of the name is refused.
func (g *pythonSymbol) need(local, statement, guard string) error {
	if b := g.target.binding(local); b != nil && !b.nested {
		if b.statement() == statement || g.sameOrigin(local, b) {
			return nil
		}
	}
	if g.target.binding(local) != nil || g.target.declared()[local] {
		return g.refuse("name_taken", "Rename one of them first.", "%s has another %s than the one that %s uses",
			g.c.Show(g.to), local, g.at.Name)
	}
	list := &g.carried
	if guard != "" {
		list = &g.guarded
	}
	if !slices.Contains(*list, statement) {
		*list = append(*list, statement)
	}
	return nil
}

// sameOrigin reports whether the server leads from a name in what moves to where it leads from that name in the target.
func (g *pythonSymbol) sameOrigin(local string, b *pythonBinding) bool {
	for _, i := range g.from.occurrences(local, g.start, g.end) {
		one, other := g.definedAt(g.ctx, g.from.text, i), g.definedAt(g.ctx, g.target.text, b.at)
		return one.Path != "" && one.Path == other.Path && one.Range == other.Range
	}
	return false
}

// isUsed reports whether a name in what moves may mean what the module binds to it.
func (g *pythonSymbol) isUsed(name string) bool {
	for _, i := range g.from.occurrences(name, g.start, g.end) {
		to := g.definedAt(g.ctx, g.from.text, i)
		if to.Path == g.at.Path {
			if offset, err := g.from.text.Offset(to.Range.Start); err == nil && g.moves(offset) {
				continue
			}
		}
		if to.Path != "" || g.from.code[i] {
			return true
		}
	}
	return false
}

// named is how a file names a module: relative where it has such imports and both are in one package.
func (g *pythonSymbol) named(path, module string) (string, bool) {
	text, err := g.c.Workspace.Text(path)
	p := &python{moving: &moving{c: g.c, s: g.s, from: path, to: path}, text: source.New(path, "")}
	content := g.from.text.Content()
	if err == nil {
		content = text.Content()
	}
	top := p.packageAbove(module)
	if relativeImport.MatchString(content) && source.Within(top, path) && top != filepath.Dir(path) {
		return p.spelled(module, "")
	}
	rel, ok := source.RelativeTo(top, module)
	return dottedOf(rel), ok && rel != "."
}

var relativeImport = source.LazyRegexp(`(?m)^[ \t]*from[ \t]+\.`)

// rewrite makes the new texts of both files.
func (g *pythonSymbol) rewrite() error {
	content := g.from.text.Content()
	moved := strings.Trim(content[g.start:g.end], "\r\n")
	rest := content[:g.start] + content[g.end:]
	gap := func(text string, at int) (before, after int) { // blank lines
		for i := at; i > 0 && strings.ContainsRune("\r\n", rune(text[i-1])); i-- {
			if text[i-1] == '\n' {
				before++
			}
		}
		for i := at; i < len(text) && strings.ContainsRune("\r\n", rune(text[i])); i++ {
			if text[i] == '\n' {
				after++
			}
		}
		return max(before-1, 0), after
	}
	changed := splice.Cut(g.start, g.end)
	if before, after := gap(rest, g.start); after > 0 {
		cut := min(before, after)
		end := g.end
		for ; cut > 0; cut-- {
			end += strings.IndexByte(content[end:], '\n') + 1
		}
		changed.End = end
	}
	left := pythonFileOf(source.New(g.at.Path, splice.Apply(content, []splice.Change{changed})))
	uses := g.usedIn(g.at.Path) || regexp.MustCompile(`["']`+regexp.QuoteMeta(g.at.Name)+`["']`).MatchString(left.text.Content())
	var changes []splice.Change
	if uses {
		module, ok := g.named(g.at.Path, pythonModule(g.to))
		if !ok {
			return g.refuse("no_module", "", "%s cannot import %s", g.c.Show(g.at.Path), g.c.Show(g.to))
		}
		changes = append(changes, left.insertion([]string{"from " + module + " import " + g.at.Name},
			splice.LineEnd(left.text.Content(), content)))
	}
	changes = append(changes, g.unusedIn(left)...)
	now := splice.Apply(left.text.Content(), changes)
	if strings.TrimSpace(content[changed.End:]) == "" { // the blank lines between what is left and what moves
		trimmed := strings.TrimRight(now, "\r\n")
		now = trimmed + lineEnd.FindString(now[len(trimmed):])
	}
	if strings.TrimSpace(content[:1]) != "" { // those behind an import that was the first line
		now = strings.TrimLeft(now, "\r\n")
	}
	g.after[g.at.Path] = now
	return g.intoTarget(moved)
}

// usedIn reports whether a file uses what moves outside of it and of imports.
func (g *pythonSymbol) usedIn(path string) bool {
	return slices.ContainsFunc(g.uses, func(p lsp.Place) bool {
		if p.Path != path || p.Err != nil || strings.Contains(p.Line, " import ") {
			return false
		}
		offset, err := g.from.text.Offset(p.Range.Start)
		return path != g.at.Path || err != nil || !g.moves(offset)
	})
}

// intoTarget adds what moves to the target: at the end, or in front of what uses it when the module is imported.
func (g *pythonSymbol) intoTarget(moved string) error {
	g.carried = g.sorted(g.carried)
	if g.fresh && g.from.future {
		g.carried = append([]string{"from __future__ import annotations"}, g.carried...)
	}
	text := g.after[g.to]
	if text == "" {
		text = g.target.text.Content()
	}
	t := pythonFileOf(source.New(g.to, text))
	end := splice.LineEnd(text, g.from.text.Content())
	moved = splice.WithLineEnd(moved, end)
	var changes []splice.Change
	if len(g.carried) > 0 {
		changes = append(changes, t.insertion(g.carried, end))
	}
	if len(g.guarded) > 0 {
		changes = append(changes, t.guardedInsertion(g.guard, g.guarded, end))
	}
	if g.usedIn(g.to) {
		at := t.importsEnd()
		changes = append(changes, splice.Insert(at, end+end+moved+end))
		g.after[g.to] = splice.Apply(text, changes)
		return nil
	}
	text = strings.TrimRight(splice.Apply(text, changes), " \t\r\n")
	if text != "" {
		text += end + end + end
	}
	g.after[g.to] = text + moved + end
	return nil
}

// sorted are imports in the order of the source, those by relative names last.
func (g *pythonSymbol) sorted(statements []string) []string {
	place := func(statement string) int {
		i := slices.IndexFunc(g.from.bindings, func(b *pythonBinding) bool {
			return strings.HasSuffix(statement, strings.TrimLeft(b.statement()[strings.IndexByte(b.statement(), ' '):], " ."))
		})
		if strings.HasPrefix(statement, "from .") {
			i += len(g.from.bindings) + 1
		}
		return i
	}
	slices.SortStableFunc(statements, func(a, b string) int { return place(a) - place(b) })
	i := slices.IndexFunc(statements, func(s string) bool { return strings.HasPrefix(s, "from .") })
	if g.fresh && i > 0 {
		statements = slices.Insert(statements, i, "")
	}
	return statements
}

// unusedIn takes the imports away that nothing in the rest of the source uses, and that nobody imports from there.
func (g *pythonSymbol) unusedIn(left *pythonFile) (out []splice.Change) {
	if filepath.Base(g.at.Path) == "__init__.py" {
		return nil
	}
	for _, freed := range g.freed {
		b := left.binding(freed.local)
		if b == nil || b.count > 1 || b.as && b.local == b.item || b.noqa || strings.Contains(b.item, ".") && !b.as {
			continue
		}
		if b.guard != "" && !slices.ContainsFunc(left.bindings, func(o *pythonBinding) bool {
			return (o.end == b.start || o.start == b.end) && !slices.Contains(out, splice.Cut(o.start, o.end))
		}) {
			continue // the block would be empty
		}
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(b.local) + `\b`)
		rest := left.text.Content()[:b.start] + left.text.Content()[b.end:]
		if word.MatchString(rest) || g.importedBy(b.local) {
			continue
		}
		out = append(out, splice.Cut(b.start, b.end))
	}
	return out
}

// importedBy reports whether a file may use a name by way of the source.
func (g *pythonSymbol) importedBy(name string) bool {
	held, err := g.holding(g.ctx, name)
	if err != nil {
		return true
	}
	stem := regexp.QuoteMeta(filepath.Base(pythonModule(g.at.Path)))
	through := regexp.MustCompile(`\b` + stem + `[.:]` + regexp.QuoteMeta(name) + `\b|\b` + stem +
		`[ \t]+import[ \t]*(?:\([^)]*|[^\n]*)\b` + regexp.QuoteMeta(name) + `\b`)
	return slices.ContainsFunc(held, func(path string) bool {
		text, err := g.c.Workspace.Text(path)
		return path != g.at.Path && (err != nil || through.MatchString(text.Content()))
	})
}
