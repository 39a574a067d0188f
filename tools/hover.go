package tools

import (
	"context"
	"fmt"
	"html"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/indexed"
	"lspi/tools/loaded"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// hoverIn says which symbol; IncludeSnippet adds the code of its definition.
type hoverIn struct {
	resolve.Target
	severalIn
	IncludeSnippet bool `json:"include_snippet" default:"false"`
	answer.Caps
}

// hoverOut is what is known about one symbol; what is not known is null.
type hoverOut struct {
	Symbol         string         `json:"symbol" nullable:"true"`
	Kind           lsp.SymbolKind `json:"kind" nullable:"true"`
	Container      string         `json:"container,omitempty"`
	Signature      string         `json:"signature" nullable:"true"`
	Documentation  string         `json:"documentation" nullable:"true"`
	Definition     *definition    `json:"definition" nullable:"true"`
	TypeDefinition *definition    `json:"type_definition,omitempty" schema:"object"`
	Results        []symbolResult `json:"results,omitempty" schema:"-"` // of several symbols, by [severalOut]
}

// hover tells what a symbol is: textDocument/hover, split into its parts, with the places of its
// definition and of its type.
var hover = addressing(lsp.MethodHover, define("hover", answer.Navigation,
	orIndex(func(ctx context.Context, c *answer.Call, in hoverIn) (*hoverOut, error) {
		out := &hoverOut{}
		err := resolve.At(ctx, c, in.Target, lsp.MethodHover, func(ctx context.Context, s *lsp.Snapshot,
			at symbol.Located) error {
			var err error
			out, err = hoverAt(ctx, c, s, at, in.IncludeSnippet)
			return err
		})
		if err != nil {
			return nil, err
		}
		return out, nil
	}, hoverByIndex), lsp.MethodHover))

// hoverByIndex tells what a symbol is where no server does.
func hoverByIndex(ctx context.Context, c *answer.Call, q *indexed.Question, in hoverIn) (*hoverOut, error) {
	sym, err := q.At(ctx, in.Target)
	if err != nil {
		return nil, err
	}
	out := &hoverOut{Symbol: q.Shown(sym), Kind: sym.Kind}
	out.Signature, out.Documentation = indexed.Documentation(sym.Information)
	places, err := q.Definitions(ctx, sym)
	if err != nil {
		return nil, err
	}
	if places = answer.SortPlaces(places, sym.Path); len(places) > 0 {
		d := indexedDefinition(c, q, sym, places[0], snippetArguments{include: in.IncludeSnippet})
		out.Definition = &d
	}
	q.Conclude(ctx, sym.Scope(false))
	return out, nil
}

// hoverAt asks one server what it says about a place, and where that is defined. What fails beside the
// text is a warning.
func hoverAt(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, code bool) (*hoverOut, error) {
	// The definition is always needed, so it is asked for while the server works on the hover.
	defer s.Ahead(ctx, lsp.MethodDefinition, at.Path, at.At)()
	said, err := s.Documented(ctx, at.Path, at.At)
	if err != nil {
		return nil, err
	}
	out := &hoverOut{}
	// Nothing said is no error: the definition below may still be known.
	if said != nil {
		parts := splitHover(said.Text, said.Markdown)
		out.Container, out.Signature, out.Documentation = parts.container, parts.signature, parts.documentation
	}
	// The definition gives the symbol its name and kind, which hover texts do not have in one form.
	defined, err := firstPlace(ctx, c, s, lsp.MethodDefinition, at, nil)
	if err != nil {
		return nil, err
	}
	if defined == nil {
		loaded.AboutAt(c, s, at, nil)
		loaded.Unresolved(ctx, c, s, at)
	} else {
		loaded.AboutAt(c, s, at, []lsp.Place{*defined})
		d := describeDefinition(ctx, c, s, *defined, snippetArguments{include: code})
		out.Definition = &d
		out.Symbol, out.Kind = d.Symbol, d.Kind
		// The name that was asked about is that of the field; the server's definition is the type.
		if own, ok := embedded(ctx, c, s, at, d.Kind); ok {
			out.Symbol, out.Kind = symbol.JoinParts(s.Spec().LanguageID(symbol.Base(at.Path)), own.Parts), own.Sym.Kind
		}
	}
	if symbol.EndsWith(symbol.Components(out.Symbol), append(symbol.Components(out.Container),
		symbol.LastComponent(out.Symbol))) {
		out.Container = "" // the name tells
	}
	// The word at the place is better than no name, but only where the server knows something there.
	if out.Symbol == "" && (said != nil || defined != nil) {
		out.Symbol = at.Name
	}
	// One request less for what has no type of its own, and for what the server does not know.
	if !hasType(out.Kind) || said == nil && defined == nil {
		return out, nil
	}
	typed, err := firstPlace(ctx, c, s, lsp.MethodTypeDefinition, at, defined)
	if typed != nil && err == nil {
		d := describeDefinition(ctx, c, s, *typed, snippetArguments{})
		out.TypeDefinition = &d
	}
	return out, err
}

// embedded returns the field that is declared at a place which the server takes for the use of a type:
// the name of an embedded field of Go is both, and its references are those of the field (gopls 0.23).
func embedded(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	found lsp.SymbolKind) (symbol.Named, bool) {
	if found.IsValue() || symbol.IsCode(found) || found == "" {
		return symbol.Named{}, false
	}
	own, ok := resolve.SymbolAt(ctx, c, s, lsp.Place{Path: at.Path, Range: contract.Range{Start: at.At, End: at.At}})
	return own, ok && own.Sym.Kind.IsValue() && symbol.LastComponent(own.Sym.Name) == at.Name
}

// hasType reports whether a symbol of a kind has a type that is declared elsewhere. A function's type
// is its signature; parameters and local variables have no kind, because no list of symbols has them.
func hasType(kind lsp.SymbolKind) bool {
	switch kind {
	case "", "variable", "field", "property", "constant", "object", "key":
		return true
	}
	return false
}

// firstPlace returns the first place that a request gives, one of the workspace before one of a
// dependency. It is nil when there is none, when other is among them, or when the server does not say.
// other may be nil. The error is only the end of the server or of the call; any other failure is a
// warning, since the hover is an answer without it.
func firstPlace(ctx context.Context, c *answer.Call, s *lsp.Snapshot, method string, at symbol.Located,
	other *lsp.Place) (*lsp.Place, error) {
	if !s.Offers(method) {
		return nil, nil
	}
	places, err := s.Locate(ctx, method, at.Path, at.At)
	switch {
	case err == nil:
	case ask.Final(err) || ctx.Err() != nil:
		return nil, err
	case answer.AsError(err).Kind == contract.KindRequestFailed && method == lsp.MethodTypeDefinition:
		return nil, nil // gopls 0.23 refuses what has no type
	default:
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": method, "error": answer.AsError(err).Kind},
			answer.AsError(err).Message)
		return nil, nil
	}
	if places = loaded.NotImports(places); method == lsp.MethodDefinition && len(places) == 1 {
		if places, err = audit.DefinitionsSeen(ctx, c, s, at, places); err != nil {
			return nil, err
		}
		audit.TellDefinitions(c, s, places)
	}
	// A place that was found by its name alone is shown with that warning.
	loaded.Guessed(c, s, at, places)
	var first *lsp.Place
	for _, p := range c.DropStale(places) {
		// The type of a type is itself: told once.
		if other != nil && p.Path == other.Path && p.Range.Start == other.Range.Start {
			return nil, nil
		}
		if _, inside := source.RelativeTo(c.Workspace.Root, p.Path); first == nil || inside {
			if first = &p; inside {
				break
			}
		}
	}
	return first, nil
}

// fileLink matches a Markdown link to a file URI, which no tool takes.
var fileLink = source.LazyRegexp(`\[([^\[\]]*)\]\(file:[^()\s]*\)`)

// hoverParts are the parts of a server's hover text.
type hoverParts struct {
	container     string
	signature     string
	documentation string
}

// splitHover finds the declaration in a server's text. It is the code block at the beginning (gopls,
// rust-analyzer, typescript-language-server, pyright) or the one behind the last rule (clangd); the
// rest is documentation. A text in no known form is documentation as a whole, so nothing that the
// server said is lost, but for links to file URIs, of which only the words stay, and for what only a
// renderer of Markdown needs ([unescaped]).
func splitHover(text string, markdown bool) hoverParts {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	text = fileLink.ReplaceAllString(text, "$1")
	if !markdown {
		return hoverParts{documentation: text}
	}
	p := markedHover(text)
	p.documentation = unescaped(p.documentation)
	return p
}

// markedHover is [splitHover] of a text in Markdown.
func markedHover(text string) hoverParts {
	// The first block is the declaration at all servers but clangd, which puts it at the end.
	code, rest, ok := answer.CutBlock(text)
	if !ok {
		return hoverAtEnd(text)
	}
	var p hoverParts
	blocks := []string{code}
	// rust-analyzer 1.97 writes the path of the module and the declaration as blocks of their own, one behind the
	// other.
	for {
		code, after, ok := answer.CutBlock(strings.TrimLeft(rest, "\n"))
		if !ok {
			break
		}
		blocks, rest = append(blocks, code), after
	}
	if len(blocks) > 1 && !strings.ContainsAny(blocks[0], " \n\t") { // rust-analyzer puts the path of the module first
		p.container, blocks = blocks[0], blocks[1:]
	}
	p.signature = strings.Join(blocks, "\n")
	p.documentation = trimRules(withoutUnknown(trimRules(rest)))
	return p
}

// unescaped returns Markdown as its author wrote it: without the backslashes (CommonMark 2.4), entities
// (2.5) and spaces at the ends of lines (6.7) by which servers keep a renderer from changing
// documentation that is no Markdown. pyright 1.1.414 writes an indented line of a docstring with one
// &nbsp; for each space, which can be half of its hover text. Code stays as it is.
func unescaped(text string) string {
	lines := strings.Split(text, "\n")
	fence := ""
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		mark := fenceMark.FindString(trimmed)
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && mark == trimmed {
				fence = ""
			}
		case mark != "" && !strings.Contains(trimmed[len(mark):], "`"):
			fence = mark
		case strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"): // indented code
		default:
			lines[i] = unescapedLine(line)
		}
	}
	return strings.Join(lines, "\n")
}

// fenceMark matches what opens or closes a fenced block of code (CommonMark 4.5).
var fenceMark = source.LazyRegexp("^(```+|~~~+)")

// markup matches a span of code or an escaped character of a line.
var markup = source.LazyRegexp("``[^`].*?``|`[^`]*`|\\\\[!-/:-@\\[-`{-~]|&#?[0-9A-Za-z]+;")

// unescapedLine is [unescaped] for one line outside of code.
func unescapedLine(line string) string {
	line = markup.ReplaceAllStringFunc(strings.TrimRight(line, " "), func(found string) string {
		switch found[0] {
		case '\\':
			return found[1:]
		case '&':
			return strings.ReplaceAll(html.UnescapeString(found), "\u00a0", " ")
		}
		return found
	})
	return strings.TrimRight(line, " ")
}

// withoutUnknown drops a paragraph before the documentation about types that the server did not work
// out: of a generic function rust-analyzer 1.97 says that it implements Future<Output = <fn
// f<{unknown}>() as Future>::Output>.
func withoutUnknown(text string) string {
	note, rest, ok := strings.Cut(text, "\n---\n")
	if !ok {
		note, rest = text, ""
	}
	if strings.HasPrefix(note, "Implements notable traits:") && strings.Contains(note, "{unknown}") {
		return rest
	}
	return text
}

// hoverAtEnd splits clangd's form: a heading that repeats kind and name, prose, and behind the last
// rule the declaration with a comment that names its scope.
func hoverAtEnd(text string) hoverParts {
	head, last, ok := cutLast(text, "\n---\n")
	code, rest, block := answer.CutBlock(strings.TrimSpace(last))
	// In any other form nothing may be lost, so all of it is documentation.
	if !ok || !block || rest != "" {
		return hoverParts{documentation: text}
	}
	var p hoverParts
	// The scope is a comment in the code block, and belongs into a field of its own.
	if scope, decl, ok := strings.Cut(code, "\n"); ok && strings.HasPrefix(scope, "// In ") {
		p.container, code = strings.TrimPrefix(strings.TrimPrefix(scope, "// In "), "namespace "), decl
	}
	p.signature = code
	if heading, prose, _ := strings.Cut(head, "\n"); strings.HasPrefix(heading, "### ") {
		head = prose
	}
	p.documentation = trimRules(head)
	return p
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// trimRules drops empty lines and rules at both ends, which only separated the declaration from the rest.
func trimRules(text string) string {
	lines := strings.Split(text, "\n")
	idle := func(line string) bool { line = strings.TrimSpace(line); return line == "" || line == "---" }
	for len(lines) > 0 && idle(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && idle(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

// MarshalJSON writes null for what is not known.
func (o hoverOut) MarshalJSON() ([]byte, error) {
	known := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	if d := o.Definition; d != nil && d.Symbol == o.Symbol && d.Kind == o.Kind { // said above already
		plain := *d
		plain.Symbol, plain.Kind = "", ""
		o.Definition = &plain
	}
	return contract.Marshal(struct {
		Symbol        *string `json:"symbol"`
		Kind          *string `json:"kind"`
		Container     *string `json:"container,omitempty"`
		Signature     *string `json:"signature"`
		Documentation *string `json:"documentation"`
		plainRest
	}{known(o.Symbol), known(string(o.Kind)), known(o.Container), known(o.Signature), known(o.Documentation),
		plainRest{o.Definition, o.TypeDefinition}})
}

// plainRest are the fields of a hover that are written without methods of its own.
type plainRest struct {
	Definition     *definition `json:"definition"`
	TypeDefinition *definition `json:"type_definition,omitempty"`
}

// Summary is the declaration, else the beginning of the documentation, since one line has to say the
// most.
func (o *hoverOut) Summary() string {
	switch {
	case o.Signature != "":
		return answer.CutText(o.Signature, 200)
	case o.Documentation != "":
		return answer.CutText(o.Documentation, 200)
	case o.Definition != nil:
		return fmt.Sprintf("%s is defined at %s:%d; the server says nothing about it.", o.Symbol,
			o.Definition.FilePath, o.Definition.Line)
	}
	return "The server has nothing to say about this position."
}

// ShedSnippets replaces the definition and does not change it: copies of the answer share it.
func (o *hoverOut) ShedSnippets() bool {
	if o.Definition == nil || o.Definition.Snippet == "" {
		return false
	}
	d := *o.Definition
	d.Snippet = ""
	o.Definition = &d
	return true
}

// Size counts lines: those of the declaration first, then those of the documentation.
func (o *hoverOut) Size() int { return lineCount(o.Signature) + lineCount(o.Documentation) }

// Cut keeps n lines, of the declaration first.
func (o *hoverOut) Cut(n int) any {
	less := *o
	code := lineCount(o.Signature)
	less.Signature = firstLines(o.Signature, n)
	less.Documentation = firstLines(o.Documentation, max(n-code, 0))
	return &less
}

// Headline names kind and symbol; the lines below have the declaration.
func (o *hoverOut) Headline() string {
	text := strings.TrimSpace(string(o.Kind) + " " + o.Symbol)
	switch {
	case text == "" && o.Signature == "" && o.Documentation == "":
		return "the server has nothing to say about this position."
	case text == "":
		text = "what stands at this position"
	}
	if o.Container != "" {
		text += " in " + o.Container
	}
	return text
}

func (o *hoverOut) Tell(s *answer.Sheet) {
	s.Block(o.Signature)
	s.Block(o.Documentation)
	for _, place := range []struct {
		what string
		at   *definition
	}{{"Defined at", o.Definition}, {"Its type is defined at", o.TypeDefinition}} {
		if place.at != nil {
			place.at.tellPlace(s, place.what+" ")
		}
	}
}

// lineCount returns the number of lines of a text; 0 for "".
func lineCount(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(s, "\n") + 1
}

// firstLines returns the first n lines of a text.
func firstLines(s string, n int) string {
	lines := strings.Split(s, "\n")
	if n >= len(lines) {
		return s
	}
	return strings.Join(lines[:n], "\n")
}
