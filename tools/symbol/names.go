package symbol

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/router"
)

// Components splits a name into its parts, whatever the language writes between them: "(*Client).Call",
// "Client.Call", "ns::Widget::draw", "Widget/draw", "Widget::operator bool", "draw(int)", "impl Foo for
// Bar" (which is Bar). Arguments and generic arguments are left out.
func Components(name string) []string {
	// Most names are one word, and a question may take apart those of a whole file.
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !source.IsWord(r) }) < 0 {
		return []string{name}
	}
	name, operator := cutOperator(strings.TrimSpace(name))
	name = withoutGenerics(name)
	if target, ok := implTarget(name); ok {
		name = target
	}
	name = withoutArguments(name)
	name = plain.Replace(name)
	parts := strings.FieldsFunc(name, func(r rune) bool {
		return r == 0 || r == '.' || r == '/' || r == '#' || r == ' '
	})
	if operator != "" {
		parts = append(parts, operator)
	}
	return parts
}

// plain replaces what separates words, and removes what encloses them.
var plain = strings.NewReplacer("::", "\x00", "(", "", ")", "", "*", "", "&", "")

// cutOperator splits off a C++ operator at the end of a name. It comes first, because an operator may
// hold any of the characters that separate or enclose elsewhere: "operator<", "operator()", "operator
// bool", "operator/".
func cutOperator(name string) (scope, operator string) {
	const word = "operator"
	for from := 0; ; {
		i := strings.Index(name[from:], word)
		if i < 0 {
			return name, ""
		}
		i += from
		from = i + len(word)
		before, _ := utf8.DecodeLastRuneInString(name[:i])
		if i > 0 && source.IsWord(before) {
			continue
		}
		rest := name[from:]
		sign := strings.TrimSpace(rest)
		next, _ := utf8.DecodeRuneInString(sign)
		switch {
		case sign == "", strings.ContainsRune(".:#", next), next == '/' && sign != "/" && sign != "/=":
			continue // a plain name
		case source.IsWord(next) && rest == sign:
			continue // the beginning of a longer word
		case source.IsWord(next):
			return name[:i], word + " " + strings.Join(strings.Fields(sign), " ")
		}
		return name[:i], word + strings.ReplaceAll(sign, " ", "")
	}
}

// implTarget returns the type of a Rust impl block without its generics: Bar for "impl Foo for dyn
// Bar". ok is false for any other name; target is "" for a slice or a tuple.
func implTarget(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "impl ")
	if !ok {
		return "", false
	}
	if _, target, ok := strings.Cut(rest+" ", " for "); ok {
		rest = target
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return "", true // a slice or a tuple
	}
	return words[len(words)-1], true
}

// withoutArguments drops parameter lists ("draw(int, String)"); parentheses at the head of a part are a receiver.
func withoutArguments(name string) string {
	var b strings.Builder
	depth, head := 0, true
	for _, r := range name {
		switch {
		case depth > 0 && r == '(':
			depth++
		case depth > 0 && r == ')':
			depth--
		case depth > 0:
		case r == '(' && !head:
			depth = 1
		default:
			b.WriteRune(r)
		}
		head = depth == 0 && strings.ContainsRune(".:/#( ", r)
	}
	return b.String()
}

// withoutGenerics drops what stands in matching angle or square brackets: Foo<T>, Map[K, V].
func withoutGenerics(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '<', '[':
			depth++
		case '>', ']':
			depth = max(depth-1, 0)
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// Nameless reports whether a symbol's name is a description that no code can use: "(anonymous namespace)",
// "<function>", "describe(\"suite\") callback". What is inside is then named without it.
func Nameless(name string) bool {
	if strings.HasPrefix(name, "<") || strings.HasPrefix(name, "(anonymous") {
		return true
	}
	scope, _ := cutOperator(name)
	scope = withoutGenerics(scope)
	if _, ok := implTarget(scope); ok {
		return false
	}
	return strings.ContainsAny(scope, "\"'`") || strings.Contains(strings.TrimSpace(withoutArguments(scope)), " ")
}

// LastComponent returns the bare name; the name itself when it has no components.
func LastComponent(name string) string {
	parts := Components(name)
	if len(parts) == 0 {
		return name
	}
	return parts[len(parts)-1]
}

// EndsWith reports whether the components of want are the last ones of have. False for an empty want.
func EndsWith(have, want []string) bool {
	if len(want) == 0 || len(want) > len(have) {
		return false
	}
	for i := range want {
		if have[len(have)-len(want)+i] != want[i] {
			return false
		}
	}
	return true
}

// JoinParts writes components as a qualified name of a language, which can be given back as
// symbol_name.
func JoinParts(languageID string, parts []string) string {
	return lang.ByID(languageID).Join(parts)
}

// Base returns the last element of a path.
func Base(path string) string { return filepath.Base(path) }

// Located is the place that the arguments of a call lead to.
type Located struct {
	Path string // absolute
	At   contract.Position
	Name string // the identifier there; "" when the position holds none
	Sym  *Named // the symbol with this name, when the name alone led there; else nil
	// Aside: the name that was asked about stands there in a comment or a string.
	Aside bool

	Adjusted *contract.Warning // says how the place differs from the one that was given; nil when it is the very one
}

// Named is a symbol of a file with the components of its whole name.
type Named struct {
	Sym   lsp.Symbol
	Parts []string
	scope []string // the components before its own
	Local bool     // declared in a function with a name; what is in a callback counts as of the file
}

// Flatten appends a tree of symbols to out in its order, each with its whole name below scope.
func Flatten(symbols []lsp.Symbol, scope []string, out []Named) []Named {
	for _, sym := range symbols {
		n, inside := NameWithin(sym, scope)
		out = append(out, n)
		below := len(out)
		out = Flatten(sym.Children, inside, out)
		for i := below; i < len(out) && IsCode(sym.Kind) && !Nameless(sym.Name); i++ {
			out[i].Local = true
		}
	}
	return out
}

// NameWithin returns a symbol with its whole name, and the scope of what is inside of it.
func NameWithin(sym lsp.Symbol, scope []string) (n Named, inside []string) {
	own := Components(sym.Name)
	if len(own) == 0 { // a computed member of JavaScript, [key], is not what it is a member of
		own = []string{sym.Name}
	}
	parts := append(slices.Clone(scope), own...)
	if !IsNamespace(sym) {
		return Named{Sym: sym, Parts: parts, scope: scope}, scope
	}
	return Named{Sym: sym, Parts: parts, scope: scope}, parts
}

// SymbolHit is one symbol that a search of the workspace found, with the server that knows it.
type SymbolHit struct {
	Sym    lsp.WorkspaceSymbol
	Route  router.Route
	Known  []string // the components of the whole name when the file's symbols were looked at; else nil
	Detail string   // the server's, from the file's symbols; else ""
	Local  bool     // declared in a function, as far as the file's symbols were looked at
	Brings bool     // the declaration only brings in a name of another scope

	Inherited bool // the name that was searched for is that of a type which inherits the symbol
}

// ByteOffset returns the byte offset of a character, counted from 1 in code points; the length of the
// line beyond its end.
func ByteOffset(line string, character int) int {
	n := 1
	for i := range line {
		if n == character {
			return i
		}
		n++
	}
	return len(line)
}

// WordAt returns the identifier that stands at a place; "" where none does.
func WordAt(p lsp.Place) string {
	from, to, _ := source.WordAround(p.Line, ByteOffset(p.Line, p.Range.Start.Character))
	return p.Line[from:to]
}

// NameAt returns the way from the outermost symbol to the one whose name stands at a position; nil when
// there is none. Of several the innermost counts, and of those the last. Only the symbols on the way
// are looked at: naming all of a large file ([Flatten]) takes longer than the server's answer.
func NameAt(symbols []lsp.Symbol, at contract.Position) []lsp.Symbol {
	for i := len(symbols) - 1; i >= 0; i-- {
		sym := symbols[i]
		if path := NameAt(sym.Children, at); path != nil {
			return slices.Insert(path, 0, sym)
		}
		if sym.NameAt.Start == at || sym.NameAt.Contains(at) && sym.NameAt != sym.Range {
			return []lsp.Symbol{sym}
		}
	}
	return nil
}

// PathParts returns the components that the path of a file adds to the names in it, as packages and
// modules do. Names that stand for the folder itself (index, mod, __init__) and source folders (src,
// lib) add none.
func PathParts(shown string) []string {
	stem := strings.TrimSuffix(shown, filepath.Ext(shown))
	var out []string
	for part := range strings.SplitSeq(filepath.ToSlash(stem), "/") {
		switch part {
		case "", "src", "lib", "mod", "index", "__init__":
		default:
			out = append(out, part)
		}
	}
	return out
}

// IsCode reports whether symbols of a kind have a body that runs.
func IsCode(kind lsp.SymbolKind) bool {
	return kind == "function" || kind == "method" || kind == "constructor"
}

// IsNamespace reports whether what is inside of a symbol is named after it. It is not after a
// description ("<function>"), nor after the macro that it came from (clangd 22 tells those with kind
// null).
func IsNamespace(sym lsp.Symbol) bool { return !Nameless(sym.Name) && sym.Kind != "null" }

// Path returns all components that the server tells of the symbol, with those of the package around its
// scope.
func (h SymbolHit) Path() []string {
	if h.scoped() {
		return append(Components(h.Sym.Container), h.Parts()...)
	}
	return h.Parts()
}

// Names returns the forms of the name that a regular expression of a caller may mean: bare, qualified,
// and as the server writes it.
func (h SymbolHit) Names() []string {
	out := []string{LastComponent(h.Sym.Name), strings.Join(h.Parts(), "."), h.Sym.Name}
	if len(h.Parts()) > 1 {
		out = append(out, strings.Join(h.Parts(), "::"))
	}
	if h.Sym.Container != "" && (h.scoped() || strings.Contains(h.Sym.Container, "/")) {
		out = append(out, LastComponent(h.Sym.Container)+"."+h.Sym.Name)
	}
	return out
}

// Parts returns the components of the symbol's whole name. gopls puts the scope into the name, clangd
// and rust-analyzer put it into containerName; some servers use both.
func (h SymbolHit) Parts() []string {
	if h.Known != nil {
		return h.Known
	}
	name, scope := Components(h.Sym.Name), Components(h.Sym.Container)
	if len(name) > 1 {
		return name
	}
	return append(scope, name...)
}

// Language returns LSP's language identifier of the symbol's file.
func (h SymbolHit) Language() string { return h.Route.Spec.LanguageID(Base(h.Sym.Place.Path)) }

// Qualified returns the name as code of the language writes it. Of a container that is the path of a
// package, code writes the last part, and not even that where it is a version (example.com/m/v2).
func (h SymbolHit) Qualified() string {
	if h.scoped() {
		return h.Sym.Name
	}
	if h.Known == nil && strings.Contains(h.Sym.Container, "/") {
		if pkg := path.Base(h.Sym.Container); !version.MatchString(pkg) {
			return pkg + "." + h.Sym.Name
		}
		return h.Sym.Name
	}
	return JoinParts(h.Language(), h.Parts())
}

// scoped reports whether the server writes the scope into the name; the container is then the package.
func (h SymbolHit) scoped() bool { return h.Known == nil && len(Components(h.Sym.Name)) > 1 }

// Means reports whether the components of a name mean this symbol.
func (h SymbolHit) Means(want []string) bool {
	return EndsWith(h.Parts(), want) || EndsWith(append(Components(h.Sym.Container), Components(h.Sym.Name)...), want)
}

// IsNamed reports whether word is the symbol's bare name.
func (h SymbolHit) IsNamed(word string) bool { return EndsWith(Components(h.Sym.Name), []string{word}) }

// IsKind reports whether the symbol is of a kind; "" is every kind. Some servers report methods as
// functions in a search (a field of their row says so); there a function with a container counts as a
// method.
func (h SymbolHit) IsKind(kind string) bool {
	have := string(h.Sym.Kind)
	return kind == "" || have == kind ||
		h.Known == nil && kind == "method" && have == "function" && h.Sym.Container != "" &&
			h.Route.Spec.Symbols.MethodsAreFunctions
}

// version is the last part of the path of a Go module from its second major version on.
var version = source.LazyRegexp(`^v[0-9]+$`)
