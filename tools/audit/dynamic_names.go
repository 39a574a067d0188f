package audit

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// A module's name for something is used in ways that a server does not follow: in a string that says where it is
// (patch("pkg.core.load")), by an import that it does not find because the program extends the search path, of a
// module that is known only when the program runs, and by the parameter of a test that asks for a fixture.

// namedUse is a place that names what was asked about and is not in the answer.
type namedUse struct {
	path   string
	at     contract.Position
	owner  *contract.Position // of the last word of what is before the name; nil when a hover about it decides nothing
	how    naming
	onPath bool // the owner may be the module, by its name
}

// naming is how a place names it.
type naming uint8

const (
	byText   naming = iota // "core.name": certain
	byGetter               // getattr(core, "name")
	byMember               // core.name
	byImport               // from core import name
	byWord                 // a word of its own, which may be a parameter
	byType                 // cast("Name", x)
	byKey                  // t["name"], t.get("name"), {"name": 1}, p._replace(name=1)
)

// nameScan looks for such uses of one name.
type nameScan struct {
	*nameRequests
	rules    *spec.Dynamic
	name     string
	owner    string   // the module or class that declares it
	path     []string // the words that a path to the module may have: its own and those of its folders
	member   bool     // of a class
	injected bool
	keys     *keyScan // where members of the class that declares it are keys; nil elsewhere
}

// nameRequests makes the requests of one search for uses of a name. A request that fails gives nothing
// and is noted: without its answer nobody knows whether a place is a use.
type nameRequests struct {
	ctx    context.Context
	s      *lsp.Snapshot
	failed error // of the last request that failed since somebody set it to nil
}

func (r *nameRequests) locate(method, path string, at contract.Position) []lsp.Place {
	places, err := r.s.Locate(r.ctx, method, path, at)
	r.note(err)
	return places
}

func (r *nameRequests) symbols(path string) ([]lsp.Symbol, *source.Text) {
	symbols, text, err := r.s.DocumentSymbols(r.ctx, path)
	r.note(err)
	return symbols, text
}

// head returns the code at the head of a hover; "" when there is none.
func (r *nameRequests) head(path string, at contract.Position) string {
	said, err := r.s.Hover(r.ctx, path, at)
	if r.note(err); err != nil || said == nil {
		return ""
	}
	code, _, _ := CutBlock(strings.TrimSpace(said.Text))
	return code
}

func (r *nameRequests) note(err error) {
	if err != nil {
		r.failed = err
	}
}

// openNamesFound is the outcome of a search for uses of a name. Only open is about places; the rest
// says why there may be more of them.
type openNamesFound struct {
	open    []namedUse
	unasked int        // places behind the bounds, of which the server was not asked
	failed  int        // places of which the server was asked, and did not answer
	unread  Unsearched // a file that holds the name and was not searched; its Path is "" when there is none
	// of a request without which all or part of the search is missing, or of the last of failed; nil when all answered
	why error
}

// openNames warns of uses that the server does not know of what a module or a class declares. found are
// those that it knows. The server's row has to have rules for it ([spec.Dynamic]).
func openNames(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, found []lsp.Place) {
	if s.Spec().Dynamic.Names == nil {
		return
	}
	ctx, cancel := withinSearch(ctx)
	defer cancel()
	n := &nameScan{nameRequests: &nameRequests{ctx: ctx, s: s}, rules: s.Spec().Dynamic, name: at.Name}
	declared := n.declared(at)
	out := openNamesFound{why: n.failed}
	if !declared {
		warnOfNames(c, s, at.Name, out)
		return
	}
	known := CoveredBy(found)
	asked := 0
	// The order of files is the same each time, because the bound of questions cuts the list.
	files := lsp.WithoutOutput(ctx, s.Server, at.Path, Sources(c, s, s.Root()))
	slices.Sort(files)
	var buf []byte
	for _, path := range files {
		var holds bool
		if holds, buf = FileHolds(path, []byte(n.name), buf); !holds {
			continue
		}
		text, err := source.Read(path)
		if err != nil {
			// Where members are looked for such a file is told too.
			if !n.member && out.unread.Path == "" && MayHold(ctx, path, n.name) {
				out.unread = Unsearched{path, err}
			}
			continue
		}
		for _, u := range n.places(text, path) {
			if known(u.path, u.at) {
				continue
			}
			// A text with the whole path is certain and costs no question, so the bounds do not apply to it.
			if u.how == byType {
				// A bare name is the one that was asked about only where the file has it from its module.
				if u.onPath || path == at.Path || slices.ContainsFunc(found, func(p lsp.Place) bool {
					return p.Path == path
				}) ||
					strings.Contains(text.Content(), "import *") {
					out.open = append(out.open, u)
				}
				continue
			}
			if asked++; u.how != byText && (asked > MaxLeadingAsked || ctx.Err() != nil) {
				out.unasked++
				continue
			}
			n.failed = nil
			switch unknown := n.unknown(u); {
			case n.failed != nil:
				out.failed, out.why = out.failed+1, n.failed
			case unknown:
				out.open = append(out.open, u)
			}
		}
	}
	warnOfNames(c, s, at.Name, out)
}

// declared finds out what declares the name; false when no module and no class does, or a request
// failed. It sets what the later steps compare with: the owner, for a module the words of the path to
// it, for a class whether its members are keys.
func (n *nameScan) declared(at symbol.Located) bool {
	places := n.locate(lsp.MethodDefinition, at.Path, at.At)
	if n.failed != nil {
		return false
	}
	if len(places) == 0 {
		places = []lsp.Place{{Path: at.Path, Range: contract.Range{Start: at.At, End: at.At}}}
	}
	for _, p := range places {
		// What a library declares is not looked for.
		if _, in := source.RelativeTo(n.s.Root(), p.Path); !in {
			continue
		}
		symbols, text := n.symbols(p.Path)
		switch path := symbol.NameAt(symbols, p.Range.Start); {
		// At the top of a file: the module is the owner.
		case len(path) == 1:
			n.owner = strings.TrimSuffix(symbol.Base(p.Path), filepath.Ext(p.Path))
			if strings.HasPrefix(n.owner, "__") { // a package is its folder
				n.owner = symbol.Base(filepath.Dir(p.Path))
			}
			below, _ := source.RelativeTo(n.s.Root(), filepath.Dir(p.Path))
			n.path = append(strings.Split(filepath.ToSlash(below), "/"), n.owner)
			n.injected = n.decorated(text, p.Range.Start.Line)
		// In a class: the class is the owner.
		case len(path) > 1 && isTypeKind(path[len(path)-2].Kind):
			n.owner, n.member = path[len(path)-2].Name, true
			n.keys = &keyScan{nameRequests: n.nameRequests, names: n.rules.Names, untyped: n.rules.Untyped,
				name: n.name, owner: n.owner}
			if !n.keys.of(lsp.Place{Path: p.Path, Range: path[len(path)-2].NameAt}, p) {
				n.keys = nil
			}
		default:
			continue
		}
		return true
	}
	return false
}

// decorated reports whether a decorator right above a declaration makes parameters of its name get it,
// as a fixture of pytest does. A decorator may go over several lines, which end with a comma or begin
// with the closing parenthesis.
func (n *nameScan) decorated(text *source.Text, line int) bool {
	for line--; line > 0; line-- {
		switch above := strings.TrimSpace(text.Line(line)); {
		case strings.HasPrefix(above, "@"):
			if strings.Contains(above, n.rules.Names.Injected) {
				return true
			}
		case !strings.HasPrefix(above, ")") && !strings.HasSuffix(above, ","):
			return false
		}
	}
	return false
}

// places returns the places in a text that may be uses of the name.
func (n *nameScan) places(text *source.Text, path string) (out []namedUse) {
	sign := lang.CommentSign(path)
	if n.keys != nil {
		for _, u := range n.keys.places(text, path, sign) {
			out = append(out, namedUse{path: path, at: u.at, owner: u.owner, how: byKey, onPath: u.typed})
		}
	}
	quoted, importing := false, false // a text, and an import, of several lines
	for number := 1; number <= text.Lines(); number++ {
		line := text.Line(number)
		// As for keys: texts of several lines are no code. A line with triple quotes is left out as a whole, since
		// where in it the text begins is not looked at.
		was := quoted
		triples := strings.Count(line, `"""`) + strings.Count(line, `'''`)
		if n.rules.Triple && triples%2 == 1 {
			quoted = !quoted
		}
		trimmed := strings.TrimSpace(line)
		// An import with an open parenthesis goes on to the line that closes it.
		imports := importing || n.imports(trimmed)
		importing = imports && !strings.Contains(line, ")") && (importing || strings.Contains(line, "("))
		if was || quoted || n.rules.Triple && triples > 0 || strings.HasPrefix(trimmed, sign) {
			continue
		}
		found := source.Occurrences(line, n.name)
		if len(found) == 0 {
			continue
		}
		code, columns := lang.Code(path, line), columnsOf(text, number)
		for _, i := range found {
			u, ok := n.use(line, i, code[i], imports)
			if !ok && !code[i] && !n.member && n.inType(text, number, i) {
				u, ok = namedUse{how: byType, onPath: strings.HasSuffix(line[:i], ".")}, true
			}
			if ok {
				if u.owner != nil {
					at := columns.position(u.owner.Character)
					u.owner = &at
				}
				u.path, u.at = path, columns.position(i)
				out = append(out, u)
			}
		}
	}
	return out
}

// imports reports whether a line begins an import of names from a module that may be the one. A
// relative import may always be; any other when a word of its path is one of the module's.
func (n *nameScan) imports(line string) bool {
	i := slices.IndexFunc(n.rules.Names.Heads, func(head string) bool { return strings.HasPrefix(line, head) })
	if i < 0 {
		return false
	}
	from, _, _ := strings.Cut(strings.TrimSpace(line[len(n.rules.Names.Heads[i]):]), " ")
	return strings.HasPrefix(from, ".") || slices.ContainsFunc(strings.Split(from, "."), n.onPath)
}

// onPath reports whether a word may stand in a path to the module that declares the name.
func (n *nameScan) onPath(word string) bool { return slices.Contains(n.path, word) }

// use tells how a line uses the name at i; the owner's Character is an offset in the line. In a string
// only a full path or an argument of a getter counts. In code a member is left to the search for
// members ([DynamicUses]), and a word of its own counts only for what is injected.
func (n *nameScan) use(line string, i int, code, imports bool) (u namedUse, ok bool) {
	before := line[:i]
	dotted := strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "..")
	if !code {
		if dotted {
			from, to, ok := source.WordAround(line, i-2)
			return namedUse{how: byText}, ok && line[from:to] == n.owner && inQuotes(line, i)
		}
		return n.byGetter(line, i)
	}
	switch {
	case n.member:
		return u, false // looked for as a member
	case dotted:
		owner, _ := receiverAt(strings.TrimRight(before[:len(before)-1], " \t"))
		if owner == nil {
			return u, false
		}
		from, to, ok := source.WordAround(line, owner.Character)
		return namedUse{how: byMember, owner: owner, onPath: ok && n.onPath(line[from:to])}, true
	case imports:
		return namedUse{how: byImport}, true
	}
	return namedUse{how: byWord}, n.injected
}

// byGetter is a string that is given to a function behind the module or class that has the name
// (getattr), or, for what is injected, among the arguments of usefixtures.
func (n *nameScan) byGetter(line string, i int) (u namedUse, ok bool) {
	end := i + len(n.name)
	if i == 0 || end >= len(line) || line[i-1] != line[end] || (line[end] != '"' && line[end] != '\'') {
		return u, false
	}
	// Only the end of a long line is looked at: the name may stand in it very often.
	before := strings.TrimRight(line[max(i-1-lang.MaxScanned, 0):i-1], " \t")
	open := strings.LastIndexByte(before, '(')
	if open < 0 || !strings.HasSuffix(before, ",") {
		return u, n.injected && open >= 0 && strings.HasSuffix(before[:open], "usefixtures")
	}
	from, to, ok := source.WordAround(before, open)
	if !ok || to != open || !slices.Contains(n.rules.Names.Getters, before[from:to]) {
		return u, false
	}
	first := strings.TrimRight(before[:len(before)-1], " \t")
	owner, _ := receiverAt(first)
	// The name has to be the second argument, behind one that ends with a word.
	if owner == nil || strings.Contains(first[open:], ",") {
		return u, false
	}
	// The offset was counted in the part that was cut off; from here on it counts in the line.
	owner.Character += i - 1 - len(line[max(i-1-lang.MaxScanned, 0):i-1])
	return namedUse{how: byGetter, owner: owner}, true
}

// inType reports whether the name at i stands in a string that a function takes as a type (cast). The
// function may stand on the line above.
func (n *nameScan) inType(text *source.Text, number, i int) bool {
	line := text.Line(number)
	const parts = "[]|., " // of a type in a text, beside words
	open := strings.LastIndexAny(line[:i], `"'`)
	if open < 0 || i-open > lang.MaxScanned {
		return false
	}
	end := strings.IndexByte(line[i:], line[open])
	if end < 0 || end > lang.MaxScanned || strings.ContainsFunc(line[open+1:i+end], func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(parts, r)
	}) {
		return false
	}
	before := line[max(open-lang.MaxScanned, 0):open]
	if strings.TrimSpace(before) == "" && number > 1 {
		before = text.Line(number - 1)
		before = before[max(len(before)-lang.MaxScanned, 0):]
	}
	// The parenthesis that is still open, and whether an argument stands behind it already.
	later := false
	for k, depth := len(before)-1, 0; k >= 0; k-- {
		switch before[k] {
		case ')', ']':
			depth++
		case '[':
			if depth == 0 { // the commas so far are of what is in it
				later = false
			}
			depth = max(depth-1, 0)
		case ',':
			later = later || depth == 0
		case '(':
			if depth--; depth >= 0 {
				continue
			}
			from, to, ok := source.WordAround(before, k)
			functions := n.rules.Names.TypeFirst
			if later {
				functions = n.rules.Names.TypeLater
			}
			return ok && to == k && slices.Contains(functions, before[from:to])
		}
	}
	return false
}

// unknown reports whether the server does not know what a place names, and that may be what was asked
// about. A string with the full path always counts. The result means nothing when a request failed.
func (n *nameScan) unknown(u namedUse) bool {
	switch u.how {
	case byText:
		return true
	case byKey:
		return n.keys.may(u.path, keyUse{at: u.at, owner: u.owner, typed: u.onPath})
	}
	if u.how != byGetter {
		places := n.locate(lsp.MethodDefinition, u.path, u.at)
		// A parameter that is asked for by name is its own definition at the server.
		if u.how == byWord {
			return len(places) == 1 && places[0].Path == u.path && places[0].Range.Start == u.at &&
				n.says(u.at, u.path, n.rules.Names.Given)
		}
		if len(places) > 0 {
			return false // it is another one, or the answer would have it
		}
	}
	// The server leads nowhere. What it says of the owner decides whether this can be the name: an import stays
	// open, a member needs its class there, the rest a module.
	switch {
	case u.how == byImport:
		return true
	case n.member:
		return n.says(*u.owner, u.path, " "+n.owner)
	case u.how == byGetter:
		return n.says(*u.owner, u.path, "(module) "+n.owner, n.rules.Names.Opaque)
	}
	// An owner with a word of the module's path may be the module, opaque or known. Any other owner has to be
	// opaque, or a module of the project.
	if u.onPath {
		return n.says(*u.owner, u.path, append([]string{n.rules.Names.Opaque}, n.rules.Names.Modules...)...)
	}
	return n.says(*u.owner, u.path, n.rules.Names.Opaque) || n.says(*u.owner, u.path, n.rules.Names.Modules...) &&
		n.inProject(u)
}

// inProject reports whether the owner of a use is a module of the project.
func (n *nameScan) inProject(u namedUse) bool {
	places := n.locate(lsp.MethodDefinition, u.path, *u.owner)
	return slices.ContainsFunc(places, func(p lsp.Place) bool {
		_, in := source.RelativeTo(n.s.Root(), p.Path)
		return in
	})
}

// says reports whether the head of a hover holds one of these texts. An empty head (no hover) holds
// none.
func (n *nameScan) says(at contract.Position, path string, texts ...string) bool {
	head := n.head(path, at)
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(head, text) })
}
