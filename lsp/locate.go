package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
)

// An answer alone does not tell whether it is about the name at the asked position or about another symbol nearby, nor
// which of two places is the definition. So the server is also asked which symbols stand there, where it has a request
// for that ([SymbolHooks].SymbolInfo).

// NameMatch compares the name at a position with the symbols that the server reports for the position.
type NameMatch uint8

// MatchUnknown: the server was not asked, because its row needs no check or no identifier stands there. MatchNamed:
// it reports a symbol of that name. MatchOther: it reports only symbols of other names. MatchNone: it reports none.
const (
	MatchUnknown NameMatch = iota
	MatchNamed
	MatchOther
	MatchNone
)

// SymbolCheck is the result of [Snapshot.CheckSymbol]: the symbols that the server reports for a position.
type SymbolCheck struct {
	Match   NameMatch
	Word    string   // the identifier there
	Symbols []string // the names of the symbols

	details []symbolDetails
}

// symbolDetails is one item of the answer to textDocument/symbolInfo (clangd 22.1.8). The definition is there only
// when the file or what it includes holds it.
type symbolDetails struct {
	Name        string    `json:"name"`
	Container   string    `json:"containerName"`
	USR         string    `json:"usr"` // Clang's Unified Symbol Resolution: the same for all declarations of one symbol
	Declaration *location `json:"declarationRange"`
	Definition  *location `json:"definitionRange"`
}

// Elsewhere reports whether the symbol at a place has the name that stands there and is declared on another line.
// What a file with errors seems to declare itself may be the use of a macro that the server does not know: of
// "EXPORT(size)" clangd makes a variable size (22.1.8). A symbol without a declaration is not elsewhere: nothing is
// known then, and a wrong true would turn a right answer into an error.
func (s SymbolCheck) Elsewhere(path string, at contract.Position) bool {
	return s.Match == MatchNamed && !slices.ContainsFunc(s.details, func(d symbolDetails) bool {
		if d.Declaration == nil {
			return true
		}
		t, ok := d.Declaration.target()
		file, isFile := URIToPath(t.uri)
		return !ok || !isFile || file == path && int(t.name.Start.Line)+1 == at.Line
	})
}

// Declares reports whether the place is the name in a declaration or definition that the server tells.
func (s SymbolCheck) Declares(path string, at contract.Position) bool {
	return slices.ContainsFunc(s.details, func(d symbolDetails) bool {
		return slices.ContainsFunc([]*location{d.Declaration, d.Definition}, func(l *location) bool {
			if l == nil {
				return false
			}
			t, ok := l.target()
			file, isFile := URIToPath(t.uri)
			return ok && isFile && file == path && int(t.name.Start.Line)+1 == at.Line &&
				int(t.name.Start.Character)+1 == at.Character
		})
	})
}

// SameAs reports whether two places mean the same symbol, as far as both are told.
// Names do not decide: overloads and equal names in two namespaces are different symbols.
func (s SymbolCheck) SameAs(other SymbolCheck) bool {
	return slices.ContainsFunc(s.details, func(d symbolDetails) bool {
		return d.USR != "" && slices.ContainsFunc(other.details, func(o symbolDetails) bool {
			// One declaration in a header is another symbol to C than to C++.
			return o.USR == d.USR || o.Name == d.Name && samePlace(d.Declaration, o.Declaration)
		})
	})
}

// SpecializedBy reports whether a symbol is a template, and another one a specialization of it, which has a symbol of
// its own at clangd.
func (s SymbolCheck) SpecializedBy(other SymbolCheck) bool {
	return slices.ContainsFunc(s.details, func(d symbolDetails) bool {
		return templateUSR.MatchString(d.USR) && slices.ContainsFunc(other.details, func(o symbolDetails) bool {
			return o.Name == d.Name && o.Container == d.Container && o.USR != d.USR && specializedUSR.MatchString(o.USR)
		})
	})
}

// In the USRs of clang templates have @ST>, @FT@> or @VT>, and specializations the name with arguments behind it.
var (
	templateUSR    = source.LazyRegexp(`@(?:ST>[^@]*@|FT@>|VT>[^@]*@)[^@]*$`)
	specializedUSR = source.LazyRegexp(`@\w+(?:>#|<#)[^@]*(?:@[NSE]@[^@]*)*$`)
)

// samePlace reports whether two locations are known and one.
func samePlace(a, b *location) bool {
	if a == nil || b == nil {
		return false
	}
	one, ok := a.target()
	other, known := b.target()
	return ok && known && one.uri == other.uri && one.name == other.name
}

// Overloads reports whether a name in a template that the server resolves to other may be s where the arguments are
// known: both are functions at namespace level, of which arguments choose ([basic.lookup.argdep]), or both are members
// of one class template and its specializations.
func (s SymbolCheck) Overloads(other SymbolCheck) bool {
	return slices.ContainsFunc(s.details, func(d symbolDetails) bool {
		return slices.ContainsFunc(other.details, func(o symbolDetails) bool {
			if d.isFree() || o.isFree() {
				return d.isFree() && o.isFree()
			}
			class, specialized, _ := strings.Cut(d.Container, "<")
			with, other, _ := strings.Cut(o.Container, "<")
			return strings.TrimSuffix(class, "::") == strings.TrimSuffix(with, "::") && class != "" &&
				(specialized != other || d.USR != o.USR && strings.Contains(d.USR+o.USR, ">#"))
		})
	})
}

// SymbolAt is a symbol as the server tells it for a position. Declared and Defined have no path where that is not told:
// of a definition, where neither the file nor what it includes holds it.
type SymbolAt struct {
	Name              string
	USR               string
	Declared, Defined LineOf
}

// LineOf is a line of a file, from 1.
type LineOf struct {
	Path string
	Line int
}

// IsType reports whether it is a class, a struct, a union or an enum, by its USR (clang's USRGeneration).
func (s SymbolAt) IsType() bool {
	before, after, ok := cutLast(s.USR, "@"+s.Name)
	return ok && (after == "" || strings.HasPrefix(after, ">#")) && typeUSR.MatchString(before)
}

// cutLast is [strings.Cut] at the last occurrence.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// IsNamespace reports whether it is a namespace.
func (s SymbolAt) IsNamespace() bool { return strings.HasSuffix(s.USR, "@N@"+s.Name) }

var typeUSR = source.LazyRegexp(`@(?:S|U|E|ST>[^@]*|SP>[^@]*)$`)

// All returns the symbols of the position.
func (s SymbolCheck) All() (out []SymbolAt) {
	line := func(l *location) (of LineOf) {
		if l == nil {
			return of
		}
		if t, ok := l.target(); ok {
			if path, isFile := URIToPath(t.uri); isFile {
				of = LineOf{path, int(t.name.Start.Line) + 1}
			}
		}
		return of
	}
	for _, d := range s.details {
		out = append(out, SymbolAt{d.Name, d.USR, line(d.Declaration), line(d.Definition)})
	}
	return out
}

// Container returns the qualified name of what the symbols at the place are declared in, as the server writes it.
func (s SymbolCheck) Container() string {
	if len(s.details) == 0 {
		return ""
	}
	return s.details[0].Container
}

// Namespace reports whether the place means a namespace.
func (s SymbolCheck) Namespace() bool {
	return len(s.details) == 1 && strings.HasSuffix(s.details[0].USR, "@N@"+s.details[0].Name)
}

// Free reports whether the place means functions outside of classes alone.
func (s SymbolCheck) Free() bool {
	return len(s.details) > 0 && !slices.ContainsFunc(s.details, func(d symbolDetails) bool { return !d.isFree() })
}

// isFree reports whether the symbol is a function outside of classes, by its USR (clang's USRGeneration).
func (d symbolDetails) isFree() bool {
	before, _, function := strings.Cut(strings.Replace(d.USR, "@FT@", "@F@", 1), "@F@")
	return function && !strings.Contains(before, "@S@") && !strings.Contains(before, "@ST") &&
		!strings.Contains(before, "@SP>") && !strings.Contains(before, "@U@")
}

// LinkerSymbol is what a symbol is to the linker.
type LinkerSymbol struct {
	Name    string // qualified
	USR     string // Clang's Unified Symbol Resolution: the same for all declarations of one symbol
	Defines bool   // the place that was asked about is its definition
}

// LinkerSymbolAt asks what stands at a place of a text that the server has ([SymbolHooks].SymbolInfo); nil for what it
// knows by no name, or by several.
func LinkerSymbolAt(ctx context.Context, s *Snapshot, text *source.Text, place contract.Position) (*LinkerSymbol,
	error) {
	at, err := text.Inward(s.encoding, place)
	if err != nil {
		return nil, err
	}
	method := s.hooks.SymbolInfo.Method
	raw, err := s.ask(ctx, method, protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(text.Path)}, Position: at})
	if err != nil {
		return nil, err
	}
	var found []symbolDetails
	if err := json.Unmarshal(raw, &found); err != nil {
		return nil, s.Undecodable(ctx, method, raw, err)
	}
	// Several symbols at one place (a using declaration of overloads) cannot be told apart by the place.
	if len(found) != 1 {
		return nil, nil
	}
	d := found[0]
	out := &LinkerSymbol{Name: d.Container + d.Name, USR: d.USR}
	if d.Definition != nil {
		target, _ := d.Definition.target()
		path, isFile := URIToPath(target.uri)
		out.Defines = isFile && path == text.Path && text.OutwardRange(s.encoding, target.name).Contains(place)
	}
	return out, nil
}

// CheckSymbol asks the server which symbols stand at a position, and compares their names with the word there. It
// asks nothing, and returns MatchUnknown, at a server without such a request and at a word that names no symbol.
func (s *Snapshot) CheckSymbol(ctx context.Context, path string, at contract.Position) (SymbolCheck, error) {
	info := s.hooks.SymbolInfo
	word := s.docs.WordAt(path, at)
	id := s.spec.LanguageID(baseName(path))
	// Keywords and operators have no symbol of that name; asked there, the server would report a symbol
	// of another name, and a right answer would be taken for wrong.
	if info.Method == "" || !lang.IsIdentifier(word) || !lang.HasKeywords(id) || lang.Reserved(id, word) ||
		slices.Contains(info.Words, word) {
		return SymbolCheck{Word: word}, nil
	}
	params, err := s.position(ctx, path, at)
	if err != nil {
		return SymbolCheck{}, err
	}
	raw, err := s.ask(ctx, info.Method, params)
	if err != nil {
		return SymbolCheck{}, err
	}
	out := SymbolCheck{Match: MatchNone, Word: word}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &out.details); err != nil {
			return SymbolCheck{}, s.Undecodable(ctx, info.Method, raw, err)
		}
	}
	for _, d := range out.details {
		out.Symbols = append(out.Symbols, d.Name)
		// The server may write more than the name: template arguments, a destructor's tilde, a literal operator.
		if source.HasWord(d.Name, word) || strings.HasSuffix(d.Name, `""`+word) { // SkipList<Key>, ~W, operator""_km
			out.Match = MatchNamed
		}
	}
	// Symbols, and none of this name: an answer about the position would be about another symbol.
	if out.Match == MatchNone && len(out.details) > 0 {
		out.Match = MatchOther
	}
	return out, nil
}

// defined are the places of a definition or a declaration as the server gives them, corrected by what the server
// says about the asked position ([Snapshot.CheckSymbol]).
func (s *Snapshot) defined(ctx context.Context, method, path string, at contract.Position, places []Place) ([]Place,
	error) {
	// No places need no check, and the further request would cost the server's time.
	if s.hooks.SymbolInfo.Method == "" || len(places) == 0 {
		return places, nil
	}
	check, err := s.CheckSymbol(ctx, path, at)
	if err != nil {
		return nil, err
	}
	switch check.Match {
	// clangd 22.1.8 without a compilation database answers with the namespace around the position. No answer is
	// better than one about another symbol; the caller finds out why there is none.
	case MatchOther:
		return nil, nil
	case MatchNone:
		return s.guesses(path, at, check.Word, places), nil
	// Asked at a definition clangd leads to the declaration, and back; the host asked for one of them by name.
	case MatchNamed:
		if own, ok := s.counterpart(ctx, method, path, at, check); ok {
			return []Place{own}, nil
		}
		for i, p := range places {
			// Half a word is no name, either.
			now, ok := s.renamed(ctx, p, check.Word)
			if errors.Is(p.Err, errNotThere) || ok && p.Err == nil && !check.SameAs(now) {
				places[i].Err, places[i].Gone = errNotThere, s.spec.Freshness.DeletedStay
				s.verified.lose(check.Word)
			}
		}
	}
	return places, nil
}

// counterpart is the place of a symbol that was asked about at its own definition or declaration, where the server
// leads to the other one instead.
func (s *Snapshot) counterpart(ctx context.Context, method, path string, at contract.Position, check SymbolCheck) (
	Place, bool) {
	texts := s.reader()
	texts.name = check.Word
	// Only places in the asked file count: the question is whether the position itself is what was asked for.
	covers := func(l *location) (Place, bool) {
		if l == nil {
			return Place{}, false
		}
		t, ok := l.target()
		if file, isFile := URIToPath(t.uri); !ok || !isFile || file != path {
			return Place{}, false
		}
		p := texts.place(t)
		// The end of a range is behind the name: a position there belongs to what follows.
		return p, p.Err == nil && p.Range.Contains(at) && p.Range.End != at
	}
	for _, d := range check.details {
		definition, there := covers(d.Definition)
		// Of a definition that is also the declaration (no header) both are told as the same place, which answers
		// either question.
		if method == MethodDefinition {
			if there {
				return definition, true
			}
			continue
		}
		// At the definition the declaration is somewhere else, where the server leads by itself.
		if declaration, ok := covers(d.Declaration); ok && !there {
			return declaration, true
		}
	}
	return Place{}, false
}

// guesses are the places for a name at which the server sees no symbol, in code that is not compiled or depends on the
// arguments of a template, or in the text of a macro: it looks for the name then. An include leads to a file.
func (s *Snapshot) guesses(path string, at contract.Position, word string, places []Place) []Place {
	text, err := s.docs.Text(path)
	// The name in an include is that of a file, which is not expected to stand at the place it leads to.
	if err == nil && lang.IsFileDirective(text.Line(at.Line)) {
		return places
	}
	var out []Place
	for _, p := range places {
		// A place without the name is no guess at it, and is left out. Where the text cannot be read nothing speaks
		// for the place either.
		if held, err := s.docs.Text(p.Path); p.Err == nil && err == nil && holdsName(held, p.Range, word) {
			p.Guess = true
			out = append(out, p)
		}
	}
	return out
}

// SwitchSourceHeader answers clangd's textDocument/switchSourceHeader: the header of a source file or the other way
// round; "" when the server knows none.
func (s *Snapshot) SwitchSourceHeader(ctx context.Context, path string) (string, error) {
	if _, err := s.docs.Open(ctx, path); err != nil {
		return "", err
	}
	raw, err := s.ask(ctx, MethodSwitchHeader, protocol.TextDocumentIdentifier{URI: uri.File(path)})
	if err != nil || len(raw) == 0 {
		return "", err
	}
	var answer string
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", s.Undecodable(ctx, MethodSwitchHeader, raw, err)
	}
	paired, _ := URIToPath(answer)
	return paired, nil
}

// Locate answers one of the requests that give places for a position: definition, declaration, typeDefinition,
// implementation (LSP 3.17, language features).
func (s *Snapshot) Locate(ctx context.Context, method, path string, at contract.Position) ([]Place, error) {
	params, err := s.position(ctx, path, at)
	if err != nil {
		return nil, err
	}
	// A type definition or an implementation has a name of its own, so that places of it are not checked for the
	// asked word.
	name := ""
	if method == MethodDefinition || method == MethodDeclaration {
		name = s.docs.WordAt(path, at)
	}
	places, err := s.locations(ctx, method, params, name)
	// Before anything is left out, so that what a hook looks at has the mark.
	s.markImports(places)
	confirm := s.hooks.ConfirmImplementations
	switch {
	case err == nil && confirm != nil && method == MethodImplementation:
		return confirm(ctx, s, path, at, places)
	case err == nil && name != "":
		return s.defined(ctx, method, path, at, places)
	}
	return places, err
}

// uses are all references without the declarations of the symbol, at a server that leaves out others when it is
// asked for uses alone. The declarations are where the server itself leads from the same place, and those beside
// these (an overload's signatures, parts of a merged one).
func (s *Snapshot) uses(ctx context.Context, path string, at contract.Position) ([]Place, error) {
	// All references, and the declarations taken away again: with includeDeclaration=false
	// typescript-language-server 6.0.2 keeps the definition, and pyright 1.1.414 drops the place that was asked
	// about.
	all, err := s.References(ctx, path, at, true)
	var declared []Place
	for _, method := range []string{MethodDefinition, MethodDeclaration} {
		// Declaration and definition are both declarations in LSP's sense (ReferenceContext.includeDeclaration).
		if err != nil || len(all) == 0 || !s.Offers(method) {
			continue
		}
		var found []Place
		found, err = s.Locate(ctx, method, path, at)
		declared = append(declared, found...)
	}
	if err != nil {
		return all, err
	}
	beside, err := s.declaredBeside(ctx, declared, all)
	declared = append(declared, beside...)
	return slices.DeleteFunc(all, func(p Place) bool {
		return slices.ContainsFunc(declared, func(d Place) bool {
			return d.Path == p.Path && d.Range.Start == p.Range.Start
		})
	}), err
}

// declaredBeside are those of the references of one symbol that the outline of their file has as further
// declarations of it: of the same name, in the same scope as one that is known.
func (s *Snapshot) declaredBeside(ctx context.Context, declared, references []Place) (out []Place, err error) {
	for _, d := range declared {
		in := slices.DeleteFunc(slices.Clone(references), func(p Place) bool {
			return p.Path != d.Path || p.Range == d.Range
		})
		if d.Err != nil || len(in) == 0 {
			continue
		}
		symbols, _, err := s.DocumentSymbols(ctx, d.Path)
		if err != nil {
			if FatalAnswer(err) {
				return nil, err
			}
			continue
		}
		for _, o := range namesakes(symbols, d.Range.Start) {
			// The range may be that of the whole declaration, whose first reference is its name
			// (typescript-language-server 6.0.2).
			for _, p := range in {
				if o.Contains(p.Range.Start) {
					if before :=
						string([]rune(p.Line)[:min(p.Range.Start.Character-1,
							len([]rune(p.Line)))]); !strings.ContainsAny(before, "@(") {
						out = append(out, p)
					}
					break
				}
			}
		}
	}
	return out, nil
}

// namesakes are the ranges of the names of the other symbols that have the name and the scope of the one that is
// declared at a place.
func namesakes(symbols []Symbol, at contract.Position) (out []contract.Range) {
	for _, o := range symbols {
		if inside := namesakes(o.Children, at); len(inside) > 0 {
			return inside
		}
	}
	i := slices.IndexFunc(symbols, func(o Symbol) bool { return o.NameAt.Contains(at) })
	for n, o := range symbols {
		if i >= 0 && n != i && o.Name == symbols[i].Name {
			out = append(out, o.NameAt)
		}
	}
	return out
}

// References answers textDocument/references.
func (s *Snapshot) References(ctx context.Context, path string, at contract.Position, declaration bool) ([]Place,
	error) {
	if !declaration && s.spec.UsesMistaken {
		return s.uses(ctx, path, at)
	}
	p, err := s.position(ctx, path, at)
	if err != nil {
		return nil, err
	}
	places, err := s.locations(ctx, MethodReferences, map[string]any{
		"textDocument": p.TextDocument, "position": p.Position,
		"context": map[string]bool{"includeDeclaration": declaration},
		// The word is read after position has opened the document, so that it is that of the text which the server has.
	}, s.docs.WordAt(path, at))
	other := s.inOtherTree(path)
	if !slices.ContainsFunc(places, func(p Place) bool { return other(p.Path) }) {
		return places, err
	}
	declared, _ := s.Locate(ctx, MethodDefinition, path, at) // a submodule may declare what is used here
	return slices.DeleteFunc(places, func(p Place) bool {
		return other(p.Path) && !slices.ContainsFunc(declared, func(d Place) bool {
			return d.Path == p.Path && d.Range.Start == p.Range.Start
		})
	}), err
}

// inOtherTree tells of a path below the server's root whether it is in another working tree of git than asked: a server
// that reads every source below its root takes those of a linked tree for users of what they have a copy of.
func (s *Snapshot) inOtherTree(asked string) func(path string) bool {
	root, files := s.Root(), source.OS{}
	if !source.Within(root, asked) {
		return func(string) bool { return false }
	}
	treeOf := func(path string) string {
		// A submodule or a clone may be a copy, too; which of its uses are of the asked symbol its own process says.
		if dir := source.Nearest(files, ".git", path, root); s.spec.Roots.Views && dir != "" {
			return dir
		}
		return source.WorkingTree(files, path, root)
	}
	own := treeOf(asked)
	known := map[string]bool{} // by folder
	return func(path string) bool {
		dir := filepath.Dir(path)
		other, ok := known[dir]
		if !ok {
			other = source.Within(root, path) && treeOf(path) != own
			known[dir] = other
		}
		return other
	}
}

// Counterparts is [Snapshot.Locate] for the definition, but that from a definition some servers lead to the
// declaration.
func (s *Snapshot) Counterparts(ctx context.Context, path string, at contract.Position) ([]Place, error) {
	params, err := s.position(ctx, path, at)
	if err != nil {
		return nil, err
	}
	return s.locations(ctx, MethodDefinition, params, s.docs.WordAt(path, at))
}
