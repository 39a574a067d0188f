package move

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/symbol"
)

// cSymbolRule: a declaration is cut with its comments and comes into the same namespaces of the target; both files and
// all users include what they need then. clangd has no request for it (22.1.8): its tweaks move bodies between a header
// and its source alone.
var cSymbolRule = symbolRule{languages: []string{"c", "cpp"}, plan: planCSymbol}

// cSymbol is the move of a declaration of C or C++.
type cSymbol struct {
	*symbolMove
	ctx     context.Context
	graph   *cGraph
	text    *source.Text
	from    *cFile
	target  *cFile // as it is before; empty where it is made
	symbols []lsp.Symbol
	moved   lsp.Symbol
	as      lsp.SymbolAt // what the server tells of it
	names   []string     // of the namespaces around
	chain   []cBlock
	parts   []cItem // whole lines: the declaration, and the definitions of the members of a class in the same file
	items   []cItem // of these
	uses    []lsp.Place
	needs   []string // includes that the target gets
	carried []string // forward declarations that go along

	header, toHeader bool // what the files are
}

func planCSymbol(ctx context.Context, m *symbolMove) (*lsp.Planned, error) {
	g := &cSymbol{symbolMove: m, ctx: ctx, graph: newCGraph(ctx, m)}
	for _, step := range []func() error{g.find, g.openTarget, g.judge, g.findUses, g.carry, g.users, g.rewrite} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// find finds what moves.
func (g *cSymbol) find() error {
	var err error
	if g.symbols, g.text, err = g.s.DocumentSymbols(g.ctx, g.at.Path); err != nil {
		return err
	}
	if g.s.Hooks().Includes == nil || g.s.Hooks().SymbolInfo.Method == "" {
		return g.refuse("no_rule", byEdits, "%s does not tell which includes a declaration needs", g.s.ID())
	}
	g.header = !g.s.Hooks().Includes.IsSource(g.at.Path)
	g.toHeader = !g.s.Hooks().Includes.IsSource(g.to)
	g.from = cFileOf(g.at.Path, g.text.Content())
	g.graph.files[g.at.Path] = g.from
	var around []lsp.Symbol
	ok := false
	if g.moved, around, ok = symbolNamedAt(g.symbols, g.at.At, nil); !ok {
		return g.noDeclaration()
	}
	var within []string
	for _, s := range around {
		if s.Kind == "null" || s.Kind == "string" { // as clangd 22.1.8 tells macros
			return g.refuse("macro", byEdits, "%s is declared by a macro (%s)", g.at.Name, s.Name)
		}
		if s.Kind != "namespace" {
			return g.refuse("no_declaration", "Move what declares it.", "%s is declared in %s, and does not move alone", g.at.Name,
				s.Name)
		}
		within = append(within, s.Name)
	}
	if g.from.broken {
		return g.refuse("conditional", byEdits, "the braces of %s are in pairs only under some conditions (#if)",
			g.c.Show(g.at.Path))
	}
	offset, err := g.text.Offset(g.at.At)
	if err != nil {
		return err
	}
	block := g.from.blockAt(offset)
	g.chain = g.from.chain(block)
	if g.names = namesOf(g.chain); !sameScope(g.names, within) {
		return g.refuse("macro", byEdits, "%s is declared in %s, which the text does not show: macros open it", g.at.Name,
			strings.Join(within, "::"))
	}
	if g.from.depth(offset) > 0 {
		return g.refuse("conditional", byEdits, "%s is declared under a condition (#if)", g.at.Name)
	}
	for _, path := range []string{g.at.Path, g.to} {
		if f := g.graph.file(path); f != nil && cModule.MatchString(f.code) {
			return g.refuse("module", byEdits, "%s is, or imports, a module of C++", g.c.Show(path))
		}
	}
	if err := g.addItem(g.moved, block); err != nil {
		return err
	}
	if g.moved.Kind.IsContainer() {
		if err := g.addMembers(around); err != nil {
			return err
		}
	}
	slices.SortFunc(g.items, inText)
	slices.SortFunc(g.parts, inText)
	return nil
}

// symbolNamedAt finds the symbol whose name begins at a place, with those around it.
func symbolNamedAt(all []lsp.Symbol, at contract.Position, around []lsp.Symbol) (lsp.Symbol, []lsp.Symbol, bool) {
	for _, s := range all {
		if s.NameAt.Start == at {
			return s, around, true
		}
		if found, in, ok := symbolNamedAt(s.Children, at, append(slices.Clone(around), s)); ok {
			return found, in, true
		}
	}
	return lsp.Symbol{}, nil, false
}

// sameScope reports whether the blocks of a text are the namespaces that the server tells.
func sameScope(names, told []string) bool {
	var own []string
	for _, name := range names {
		switch name {
		case cLinkage:
		case "":
			own = append(own, "(anonymous namespace)")
		default:
			own = append(own, name)
		}
	}
	return slices.Equal(own, strings.Split(strings.Join(told, "::"), "::")) || len(own)+len(told) == 0
}

var (
	cHeadWord = source.LazyRegexp(`^[\w\s]*$`)
	cForward  = source.LazyRegexp(`^(?:class|struct|union|enum(?:\s+(?:class|struct))?)\b[^{}();=]*;$`)
	cWord     = source.LazyRegexp(`[A-Za-z_]\w*`)
)

// addItem adds the declaration of a symbol, which has to stand alone and to be as the server tells.
func (g *cSymbol) addItem(s lsp.Symbol, block int) error {
	f := g.from
	name, err := g.text.Offset(s.NameAt.Start)
	start, err2 := g.text.Offset(s.Range.Start)
	end, err3 := g.text.Offset(s.Range.End)
	if err != nil || err2 != nil || err3 != nil {
		return g.noDeclaration()
	}
	item, ok := f.itemAt(block, name)
	if ok && slices.Contains(g.items, item) {
		return nil
	}
	head, whole := "", ""
	if ok {
		whole = strings.TrimSpace(cAttribute.ReplaceAllString(withoutTemplate(f.code[item.start:item.end]), " "))
	}
	if others := namesBetween(g.symbols, g.text, item, s.Name); len(others) > 0 && !strings.HasPrefix(whole, "typedef") {
		return g.refuse("not_separate", "", "%s is declared together with %s", s.Name, others[0].Name)
	}
	if ok && item.start <= start {
		head = cAttribute.ReplaceAllString(withoutTemplate(f.code[item.start:start]), " ")
	}
	var lines cItem
	if ok {
		lines.start, lines.end, ok = f.lines(item)
	}
	if !ok || item.start > start || item.end < end || !cHeadWord.MatchString(head) ||
		strings.Trim(f.code[end:item.end], " \t\r\n;") != "" {
		return g.refuse("not_separate", "", "%s shares its lines with other code, or a macro is part of it", s.Name)
	}
	if cForward.MatchString(whole) && s.Kind != "enum" {
		g.c.Instead("find_definition", "Find its definition, and move it from there.")
		return g.refuse("no_declaration", "", "%s:%d only says that there is a type %s", g.c.Show(g.at.Path),
			s.NameAt.Start.Line, s.Name)
	}
	depth := 0
	for _, d := range f.directives {
		if d.start < lines.start || d.start >= lines.end {
			continue
		}
		switch d.word {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			depth--
		}
		if depth < 0 || d.word == "define" || d.word == "undef" || d.word == "include" {
			return g.refuse("conditional", byEdits, "%s has a directive (#%s) in it", s.Name, d.word)
		}
	}
	if depth != 0 {
		return g.refuse("conditional", byEdits, "a condition (#if) of %s ends behind it", s.Name)
	}
	g.items, g.parts = append(g.items, item), append(g.parts, lines)
	return nil
}

// namesBetween are the symbols that an item declares besides that of a name, not those in what they declare.
func namesBetween(all []lsp.Symbol, text *source.Text, item cItem, name string) (out []lsp.Symbol) {
	for _, s := range all {
		at, err := text.Offset(s.NameAt.Start)
		inside := err == nil && item.start <= at && at < item.end
		switch {
		case inside && s.Name != name && !strings.HasPrefix(s.Name, "("):
			out = append(out, s)
		case !inside && s.Kind == "namespace":
			out = append(out, namesBetween(s.Children, text, item, name)...)
		}
	}
	return out
}

// addMembers adds what defines members of a class in its file.
func (g *cSymbol) addMembers(around []lsp.Symbol) error {
	siblings := g.symbols
	for _, s := range around {
		var next []lsp.Symbol
		for _, one := range siblings {
			if one.Name == s.Name && one.Kind == s.Kind {
				next = append(next, one.Children...)
			}
		}
		siblings = next
	}
	member := regexp.MustCompile(`^` + regexp.QuoteMeta(g.moved.Name) + `(?:<.*>)?::`)
	for _, s := range siblings {
		if !member.MatchString(s.Name) {
			continue
		}
		offset, err := g.text.Offset(s.NameAt.Start)
		if err != nil {
			return g.noDeclaration()
		}
		if g.from.depth(offset) > 0 {
			return g.refuse("conditional", byEdits, "%s is defined under a condition (#if)", s.Name)
		}
		if err := g.addItem(s, g.from.blockAt(offset)); err != nil {
			return err
		}
	}
	return nil
}

// openTarget reads the target.
func (g *cSymbol) openTarget() error {
	g.target = &cFile{path: g.to}
	if !g.fresh {
		if g.target = g.graph.file(g.to); g.target == nil {
			return g.refuse("unreadable", "", "%s cannot be read", g.c.Show(g.to))
		}
	}
	if g.target.broken {
		return g.refuse("conditional", byEdits, "the braces of %s are in pairs only under some conditions (#if)",
			g.c.Show(g.to))
	}
	g.graph.files[g.to] = g.target
	if langID(g.to) != langID(g.at.Path) && (langID(g.to) == "c" || langID(g.at.Path) == "c" && !g.toHeader) {
		return g.refuse("several_languages", "", "%s is of another language than %s", g.c.Show(g.to), g.c.Show(g.at.Path))
	}
	return nil
}

var (
	cMain = source.LazyRegexp(`\bmain\s*\(`)
	// cShared matches what each file may define; "template <>" does not make it so.
	cShared = source.LazyRegexp(`\b(?:inline|constexpr|consteval)\b|\btemplate\s*<\s*[^>\s]`)
	cExtern = source.LazyRegexp(`\bextern\b`)
	// cPlainPragma matches a pragma that says nothing of the code behind it.
	cPlainPragma = source.LazyRegexp(`pragma\s+(?:once|mark|region|endregion|comment|message|(?:GCC|clang)\s+diagnostic|warning)\b`)
)

// head is the code of an item up to its body.
func (g *cSymbol) head(item cItem) string {
	head, _, _ := strings.Cut(g.from.code[item.start:item.end], "{")
	return head
}

// pragma is a line of a file, up to an offset, that may say something of all code behind it; "" for none.
func (f *cFile) pragma(before int) string {
	for _, d := range f.directives {
		line := strings.TrimSpace(f.content[d.start:d.end])
		if d.start < before && d.word == "pragma" && !cPlainPragma.MatchString(line) {
			return line
		}
	}
	return ""
}

// programs reports whether several sources of the folder of the target begin a program.
func (g *cSymbol) programs() (bool, error) {
	held, err := g.holding(g.ctx, "main")
	n := 0
	for _, path := range held {
		if !isC(path) || filepath.Dir(path) != filepath.Dir(g.to) {
			continue
		}
		if f := g.graph.file(path); f != nil && cMain.MatchString(f.code) {
			n++
		}
	}
	return n > 1, err
}

// judge refuses, or tells, what another place would mean for the linker and for the order in which a program begins.
func (g *cSymbol) judge() error {
	check, err := g.s.CheckSymbol(g.ctx, g.at.Path, g.at.At)
	if err != nil {
		return err
	}
	for _, one := range check.All() {
		if g.isHere(one.Declared) || g.isHere(one.Defined) {
			g.as = one
		}
	}
	if g.as.USR == "" {
		return g.refuse("not_told", byEdits, "%s does not tell by a name what is declared at %s:%d", g.s.ID(),
			g.c.Show(g.at.Path), g.at.At.Line)
	}
	item, code := g.items[0], g.from.code
	head := g.head(item)
	function := slices.Contains([]lsp.SymbolKind{"function", "method", "constructor", "operator"}, g.moved.Kind)
	value := slices.Contains([]lsp.SymbolKind{"variable", "constant"}, g.moved.Kind)
	// The server tells no definition for a variable of C without a value.
	defines := (function || value) && g.isHere(g.as.Defined) || value && !cExtern.MatchString(head)
	private := !strings.HasPrefix(g.as.USR, "c:@") // to its file
	shared := cShared.MatchString(head)
	switch {
	case g.moved.Name == "main" && len(g.names) == 0:
		return g.refuse("not_called", "", "main is called by the language")
	case defines && !private && !shared && g.toHeader && !g.header:
		return g.refuse("not_inline", "Move it to a source, or make it inline first.",
			"%s defines %s, which is not inline: each file that includes it would define it", g.c.Show(g.at.Path), g.at.Name)
	case !private && g.toHeader && !g.header && slices.ContainsFunc(g.items[1:], func(i cItem) bool {
		return !cShared.MatchString(g.head(i))
	}):
		return g.refuse("not_inline", "Make them inline first.",
			"%s defines members of %s that are not inline: each file that includes %s would define them", g.c.Show(g.at.Path),
			g.at.Name, g.c.Show(g.to))
	case defines && g.elsewhere() && (g.header || private):
		return g.refuse("several_declarations", "Move its declaration, or both yourself.",
			"%s:%d defines what another line declares for those who have this file", g.c.Show(g.at.Path), g.at.At.Line)
	}
	if private && !g.header && g.toHeader && (function || value) {
		g.needsLook("copies", "each file that includes %s gets a %s of its own", g.c.Show(g.to), g.at.Name)
	}
	if !g.toHeader && (g.fresh || !g.listed()) {
		g.needsLook("not in the build", "%s is in no build that lspi knows; add it to the build file", g.c.Show(g.to))
	}
	if defines && !private && !shared && !g.toHeader && !g.header {
		several, err := g.programs()
		if err != nil {
			return err
		}
		if several || filepath.Dir(g.to) != filepath.Dir(g.at.Path) || cMain.MatchString(g.target.code) {
			g.needsLook("link", "no list of sources tells whether each program that uses %s links %s", g.at.Name,
				g.c.Show(g.to))
		}
	}
	for _, f := range []*cFile{g.from, g.target} {
		before := len(f.content)
		if f == g.from {
			before = item.start
		}
		if line := f.pragma(before); line != "" {
			g.needsLook("pragma", "%q of %s may say how %s is compiled", line, g.c.Show(f.path), g.at.Name)
		}
	}
	if value && defines && !g.toHeader && !strings.Contains(head, "constexpr") && runs(code[item.start:item.end]) {
		g.needsLook("order of initialization", "%s calls functions when the program starts, and the order of two sources is "+
			"not given", g.at.Name)
	}
	if function && g.overloaded() {
		g.needsLook("overloads", "%s has overloads that stay: who includes one of both files may get another one",
			g.at.Name)
	}
	return nil
}

// runs reports whether the initializer of a variable calls something.
func runs(code string) bool {
	_, init, ok := strings.Cut(code, "=")
	return ok && strings.Contains(init, "(") || !ok && strings.ContainsAny(code, "({")
}

// overloaded reports whether functions of its name stay in its scope of the file.
func (g *cSymbol) overloaded() bool {
	var found func(all []lsp.Symbol, names []string) bool
	found = func(all []lsp.Symbol, names []string) bool {
		return slices.ContainsFunc(all, func(s lsp.Symbol) bool {
			if s.Kind == "namespace" {
				return found(s.Children, append(slices.Clone(names), s.Name))
			}
			at, err := g.text.Offset(s.NameAt.Start)
			return err == nil && s.Name == g.moved.Name && s.Detail != g.moved.Detail && sameScope(g.names, names) &&
				!g.moves(at)
		})
	}
	return found(g.symbols, nil)
}

// moves reports whether an offset of the source is in what moves.
func (g *cSymbol) moves(offset int) bool {
	return slices.ContainsFunc(g.parts, func(p cItem) bool { return p.start <= offset && offset < p.end })
}

// isHere reports whether a line is one of what moves.
func (g *cSymbol) isHere(l lsp.LineOf) bool {
	return l.Path == g.at.Path && l.Line > 0 && l.Line <= g.text.Lines() && g.moves(g.text.LineStart(l.Line))
}

// elsewhere reports whether what moves is a definition of what another place declares, which is what others use.
func (g *cSymbol) elsewhere() bool {
	return !g.as.IsType() && g.as.Declared.Path != "" && !g.isHere(g.as.Declared)
}

// listed reports whether the compilation database lists the target, or there is none.
func (g *cSymbol) listed() bool {
	built := g.s.Hooks().FirstListed
	if built == nil {
		return true
	}
	for dir := filepath.Dir(g.to); ; dir = filepath.Dir(dir) {
		if all := built(dir, maxListed); len(all) > 0 {
			return slices.Contains(all, g.to)
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// maxNeeds bounds the names in what moves that the server is asked about.
const maxNeeds = 3000

// carry finds what the target has to include for what moves.
func (g *cSymbol) carry() error {
	seen := map[string]bool{}
	n := 0
	for _, item := range g.items {
		code := g.from.code[item.start:item.end]
		for _, m := range cWord.FindAllStringIndex(code, -1) {
			word, at := code[m[0]:m[1]], item.start+m[0]
			before := strings.TrimRight(g.from.code[max(0, at-40):at], " \t\r\n")
			key := before[strings.LastIndexAny(before, " \t\r\n(){};,<")+1:] + " " + word
			if lang.ByID("cpp").Keywords[word] || seen[key] {
				continue
			}
			seen[key] = true
			if n++; n > maxNeeds {
				return g.refuse("too_many", byEdits, "%s has more names than lspi asks about", g.at.Name)
			}
			if err := g.carryName(word, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// carryName finds what the target has to include for a name.
func (g *cSymbol) carryName(word string, offset int) error {
	at := g.text.PositionAt(offset)
	check, err := g.s.CheckSymbol(g.ctx, g.at.Path, at)
	if err != nil {
		return err
	}
	all := check.All()
	if i := slices.IndexFunc(all, func(s lsp.SymbolAt) bool { return strings.Contains(s.USR, "@macro@") }); i >= 0 {
		one := all[i]
		if place := g.definedAt(g.ctx, g.text, offset); place.Path != "" {
			one.Declared = lsp.LineOf{Path: place.Path, Line: place.Range.Start.Line}
		}
		all = []lsp.SymbolAt{one}
	}
	for _, one := range all {
		of := one.Declared
		if one.Defined.Path != "" && (one.IsType() || of.Path == "") {
			of = one.Defined
		}
		switch {
		case of.Path == "" || one.IsNamespace() || g.isHere(one.Declared) && g.isHere(of):
		case g.isHere(of) || one.USR == g.as.USR && g.s.Hooks().Includes.IsSource(of.Path):
		case g.graph.own(of.Path):
			err = g.needFile(word, of, one)
		default:
			err = g.needProvider(at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// needFile has the target include the file that declares a name.
func (g *cSymbol) needFile(word string, of lsp.LineOf, one lsp.SymbolAt) error {
	path := of.Path
	if path == g.at.Path {
		if one.IsType() && one.Declared.Path == path && g.pointsTo(word) {
			of = one.Declared
		}
		if forward := g.forwardAt(of.Line); forward != "" {
			if !slices.Contains(g.carried, forward) {
				g.carried = append(g.carried, forward)
			}
			return nil
		}
	} else if !g.graph.reach(g.at.Path, false, false)[path] {
		// What brings it under a condition (port.h) stands for it.
		for _, i := range g.from.includes {
			if to := g.graph.target(g.from, i); to != "" && g.graph.mayReach(to, path) {
				path = to
				break
			}
		}
	}
	switch {
	case path == g.to || g.graph.reaches(g.to, path):
		return nil
	case g.s.Hooks().Includes.IsSource(path):
		return g.refuse("uses_own", "Move "+word+" first, to a header that both can include.",
			"%s uses %s, which %s:%d alone declares", g.at.Name, word, g.c.Show(of.Path), of.Line)
	}
	spelled, ok := g.graph.spelled(g.to, path, g.near...)
	if !ok {
		return g.refuse("no_include", byEdits, "%s cannot include %s", g.c.Show(g.to), g.c.Show(path))
	}
	g.need(spelled, path)
	return g.noRing(g.to, path, word)
}

// pointsTo reports whether what moves has no more of a type than pointers and references to it, which need no
// definition.
func (g *cSymbol) pointsTo(name string) bool {
	for _, item := range g.items {
		code := g.from.code[item.start:item.end]
		for _, i := range source.Occurrences(code, name) {
			rest := strings.TrimLeft(code[i+len(name):], " \t\r\n")
			if !strings.HasPrefix(rest, "*") && !strings.HasPrefix(rest, "&") && !cElaborated.MatchString(code[:i]) {
				return false
			}
		}
	}
	return true
}

// cElaborated matches what stands in front of the name of a type that need not be declared.
var cElaborated = source.LazyRegexp(`\b(?:class|struct|union|enum)\s+$`)

// staysUsed reports whether the old file goes on using what moves.
func (g *cSymbol) staysUsed() bool {
	return !g.elsewhere() && slices.ContainsFunc(g.uses, func(p lsp.Place) bool { return p.Path == g.at.Path })
}

// staysForward reports whether the old file says first that there is the type that moves, and may go on with that.
func (g *cSymbol) staysForward() bool {
	first := 0
	for _, p := range g.uses {
		if p.Path == g.at.Path && (first == 0 || p.Range.Start.Line < first) {
			first = p.Range.Start.Line
		}
	}
	return g.as.IsType() && first > 0 && g.forwardAt(first) != ""
}

// noRing refuses an include by which two files would include each other.
func (g *cSymbol) noRing(in, path, word string) error {
	if !g.graph.ring(in, path) {
		return nil
	}
	return g.refuse("import_cycle", "Move what both need first.", "%s would include %s for %s, which includes it",
		g.c.Show(in), g.c.Show(path), word)
}

func (g *cSymbol) need(spelled, to string) {
	g.needs = append(g.needs, spelled)
	g.graph.added[g.to] = append(g.graph.added[g.to], to)
}

// forwardAt is the forward declaration of a type on a line of the source; "" where it has none.
func (g *cSymbol) forwardAt(line int) string {
	offset := g.text.LineStart(line)
	block := g.from.blockAt(offset)
	if !slices.Equal(namesOf(g.from.chain(block)), g.names) {
		return ""
	}
	for _, i := range g.from.items(block) {
		if i.start >= offset && i.start < g.from.lineEnd(offset) &&
			cForward.MatchString(withoutTemplate(g.from.code[i.start:i.end])) {
			return g.from.content[i.start:i.end]
		}
	}
	return ""
}

// cProvider matches how a hover of clangd tells the header of a name (22.1.8).
var cProvider = source.LazyRegexp("provided by `(?:<([^`>]+)>|\"([^`\"]+)\")`")

// needProvider has the target include the header of a library that brings the name at a place.
func (g *cSymbol) needProvider(at contract.Position) error {
	h, err := g.s.Hover(g.ctx, g.at.Path, at)
	if err != nil || h == nil {
		return err
	}
	m := cProvider.FindStringSubmatch(h.Text)
	if m == nil {
		return nil
	}
	name, spelled := m[1], "<"+m[1]+">"
	if name == "" {
		name, spelled = m[2], `"`+m[2]+`"`
	}
	for _, i := range g.from.includes { // another one that brings it is what the file has
		if standard(i.name) == standard(name) {
			spelled = i.spelled()
		}
	}
	if g.graph.reaches(g.to, standard(name)) {
		return nil
	}
	g.need(spelled, standard(name))
	return nil
}

// findUses finds the uses of all that moves.
func (g *cSymbol) findUses() error {
	ask := []lsp.Symbol{g.moved}
	if g.moved.Kind == "enum" { // whose values have no name in front of them
		ask = append(ask, g.moved.Children...)
	}
	ask = append(ask, namesBetween(g.symbols, g.text, g.items[0], g.moved.Name)...)
	for _, s := range ask {
		at := symbol.Located{Path: g.at.Path, At: s.NameAt.Start, Name: s.Name, Sym: g.at.Sym}
		if s.NameAt == g.moved.NameAt {
			at = g.at
		}
		uses, err := g.usesOf(g.ctx, g.c, g.s, at)
		if err != nil {
			return err
		}
		g.uses = append(g.uses, uses...)
	}
	g.near = append(g.near, g.at.Path) // whose includes tell how others are written
	for _, p := range g.uses {
		if p.Err == nil && isC(p.Path) && !slices.Contains(g.near, p.Path) {
			g.near = append(g.near, p.Path)
		}
	}
	g.uses = slices.DeleteFunc(g.uses, func(p lsp.Place) bool {
		if p.Path != g.at.Path || p.Err != nil {
			return false
		}
		offset, err := g.text.Offset(p.Range.Start)
		return err == nil && g.moves(offset)
	})
	return nil
}
