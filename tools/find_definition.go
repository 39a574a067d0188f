package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/edits"
	"lspi/tools/indexed"
	"lspi/tools/loaded"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// findDefinitionIn says whose definition is wanted. To is the argument target; SnippetContextLines
// counts lines on either side.
type findDefinitionIn struct {
	resolve.Target
	severalIn
	To                  string `json:"target" default:"definition" enum:"definition,declaration,type_definition"`
	IncludeSnippet      bool   `json:"include_snippet" default:"true"`
	SnippetContextLines int    `json:"snippet_context_lines" default:"1" min:"0" max:"10"`
	IncludeBody         bool   `json:"include_body" default:"false"`
	answer.Caps
}

// findDefinitionOut has the places where a symbol is defined; Definitions is never null in JSON.
type findDefinitionOut struct {
	Definitions []definition   `json:"definitions"`
	Results     []symbolResult `json:"results,omitempty" schema:"-"` // of several symbols, by [severalOut]

	unshown int // how many were cut off
}

// definition is one place where a symbol is defined.
type definition struct {
	FilePath  string         `json:"file_path"`
	Line      int            `json:"line"`
	Character int            `json:"character"`
	EndLine   int            `json:"end_line"`
	Generated bool           `json:"generated,omitempty" schema:"-"`
	Symbol    string         `json:"symbol,omitempty"`
	Kind      lsp.SymbolKind `json:"kind,omitempty"`
	Snippet   string         `json:"snippet,omitempty"`
	Body      string         `json:"body,omitempty"`
	BodyLine  int            `json:"body_line,omitempty"`
	RestLines string         `json:"rest_lines,omitempty"`
}

// definitionMethods are the LSP requests by the values of target.
var definitionMethods = map[string]string{
	"definition":      lsp.MethodDefinition,
	"declaration":     lsp.MethodDeclaration,
	"type_definition": lsp.MethodTypeDefinition,
}

// findDefinition finds where a symbol is defined, declared, or where its type is:
// textDocument/definition, declaration or typeDefinition.
var findDefinition = alwaysLoaded(addressing(lsp.MethodDefinition, define("find_definition", answer.Navigation,
	orIndex(func(ctx context.Context, c *answer.Call, in findDefinitionIn) (*findDefinitionOut, error) {
		out := &findDefinitionOut{}
		method := definitionMethods[in.To]
		err := resolve.At(ctx, c, in.Target, method, func(ctx context.Context, s *lsp.Snapshot,
			at symbol.Located) error {
			places, err := s.Locate(ctx, method, at.Path, at.At)
			// Only when every place is gone: one that is there is the definition.
			if err == nil && len(places) > 0 && method == lsp.MethodDefinition &&
				!slices.ContainsFunc(places, isThere) {
				places, err = stillDeclared(ctx, c, s, at, places)
			}
			if err == nil && method == lsp.MethodDefinition {
				places, err = audit.DefinitionsSeen(ctx, c, s, at, places)
			}
			if err != nil {
				return err
			}
			// The import of what the server could not resolve is no definition of it.
			places = loaded.NotImports(places)
			out.Definitions = []definition{}
			for i, p := range answer.SortPlaces(c.DropStale(places), at.Path) {
				a := snippetArguments{include: in.IncludeSnippet, context: in.SnippetContextLines, body: in.IncludeBody}
				// The first ones are described in full; a server that reads closed files describes all of them at
				// little cost.
				a.plain = i >= maxShaped && !s.Spec().Freshness.QueryClosed
				out.Definitions = append(out.Definitions, describeDefinition(ctx, c, s, p, a))
			}
			// After the places are described, because it goes by the kind of the first one.
			out.Definitions = withField(ctx, c, s, at, in, out.Definitions)
			loaded.Guessed(c, s, at, places)
			loaded.AboutAt(c, s, at, places)
			if len(places) == 0 { // else the server has resolved it, to what is gone
				loaded.Unresolved(ctx, c, s, at)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		// nil when the server still loads and did not answer: an empty list with a warning, and never null.
		if out.Definitions == nil {
			out.Definitions = []definition{}
		}
		return out, nil
	}, definitionByIndex), lsp.MethodDefinition)))

// definitionByIndex finds where a symbol is defined where no server does. An index tells neither declarations nor
// types.
func definitionByIndex(ctx context.Context, c *answer.Call, q *indexed.Question, in findDefinitionIn) (
	*findDefinitionOut, error) {
	if in.To != "definition" {
		return nil, answer.Invalid("target", "cannot be %s: an index tells definitions alone", in.To)
	}
	sym, err := q.At(ctx, in.Target)
	if err != nil {
		return nil, err
	}
	places, err := q.Definitions(ctx, sym)
	if err != nil {
		return nil, err
	}
	out := &findDefinitionOut{Definitions: []definition{}}
	for _, p := range answer.SortPlaces(places, sym.Path) {
		out.Definitions = append(out.Definitions, indexedDefinition(c, q, sym, p, snippetArguments{
			include: in.IncludeSnippet, context: in.SnippetContextLines, body: in.IncludeBody}))
	}
	q.Conclude(ctx, sym.Scope(false))
	return out, nil
}

// indexedDefinition describes one place of a definition by an index.
func indexedDefinition(c *answer.Call, q *indexed.Question, sym *indexed.Symbol, p lsp.Place,
	a snippetArguments) definition {
	d := definition{FilePath: c.Show(p.Path), Line: p.Range.Start.Line, Character: p.Range.Start.Character,
		EndLine: p.Full.End.Line, Generated: answer.IsGenerated(c, p.Path, p.Generated), Symbol: q.Shown(sym),
		Kind: sym.Kind}
	text := q.Text(p)
	switch {
	case text == nil:
	case a.body && p.Full != p.Range:
		d.Body, d.BodyLine = text.Slice(p.Full.Start.Line, p.Full.End.Line), p.Full.Start.Line
	case a.body:
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "body"}, fmt.Sprintf(
			"the index does not tell where the declaration at %s:%d ends; its snippet may not be all of it", d.FilePath,
			d.Line))
		d.Snippet = snippet(text, p.Full, p.Range.Start.Line, a.context)
	case a.include:
		d.Snippet = snippet(text, p.Full, p.Range.Start.Line, a.context)
	}
	return d
}

// none makes it the answer about no symbol, for the fields of [severalOut].
func (o *findDefinitionOut) none() { o.Definitions = []definition{} }

// isThere reports whether a place exists.
func isThere(p lsp.Place) bool { return !p.Gone }

// stillDeclared adds the declarations of a symbol whose definition is gone, mostly with its file: its
// header has it as before. Whether the definition moved elsewhere nobody tells; clangd 22.1.8 goes on
// with the old place.
func stillDeclared(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	gone []lsp.Place) ([]lsp.Place, error) {
	if !s.Offers(lsp.MethodDeclaration) {
		return gone, nil
	}
	declared, err := s.Locate(ctx, lsp.MethodDeclaration, at.Path, at.At)
	// The declaration is only a help here; a server that ended is not.
	if err != nil && !ask.Final(err) {
		return gone, nil
	}
	if err == nil && slices.ContainsFunc(declared, isThere) {
		c.Warn(contract.WarnStaleDropped, contract.Facts{"server_id": s.ID(), "name": at.Name}, fmt.Sprintf(
			"%s reports the definition of %s at a place that no longer exists; this is the declaration", s.ID(),
			at.Name))
	}
	return append(gone, declared...), err
}

// withField puts an embedded field of Go before its type where the field's name was asked for: the
// server gives only the type.
func withField(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, in findDefinitionIn,
	found []definition) []definition {
	if at.Sym == nil || !at.Sym.Sym.Kind.IsValue() || in.To == "type_definition" || len(found) != 1 {
		return found
	}
	own, ok := embedded(ctx, c, s, at, found[0].Kind)
	if !ok {
		return found
	}
	field := describeDefinition(ctx, c, s, lsp.Place{Path: at.Path, Range: own.Sym.NameAt, Full: own.Sym.Range},
		snippetArguments{include: in.IncludeSnippet, context: in.SnippetContextLines, body: in.IncludeBody})
	return []definition{field, found[0]}
}

// Summary names the first place, which is mostly the only one.
func (o *findDefinitionOut) Summary() string {
	if len(o.Definitions) == 0 {
		return "There is no definition for this position."
	}
	d, total := o.Definitions[0], len(o.Definitions)+o.unshown
	if total == 1 {
		return fmt.Sprintf("Defined at %s:%d.", d.FilePath, d.Line)
	}
	text := fmt.Sprintf("%d definitions, the first at %s:%d", total, d.FilePath, d.Line)
	if o.unshown > 0 {
		text += fmt.Sprintf("; %d shown", len(o.Definitions))
	}
	return text + "."
}

func (o *findDefinitionOut) ShedSnippets() bool {
	had := false
	for i := range o.Definitions {
		had = had || o.Definitions[i].Snippet != ""
		o.Definitions[i].Snippet = ""
	}
	return had
}

// Size counts the lines of bodies; a definition without one counts as a line.
func (o *findDefinitionOut) Size() (n int) {
	for _, d := range o.Definitions {
		n += max(1, lineCount(d.Body))
	}
	return n
}

// Cut keeps n lines of bodies in all. A body that is cut says which of its lines are missing, and ends
// the list: what follows it would look like its end.
func (o *findDefinitionOut) Cut(n int) any {
	less := &findDefinitionOut{unshown: len(o.Definitions)}
	for _, d := range o.Definitions {
		if n <= 0 {
			break
		}
		if lines := lineCount(d.Body); n < lines {
			d.Body, d.RestLines = firstLines(d.Body, n), fmt.Sprintf("%d-%d", d.BodyLine+n, d.BodyLine+lines-1)
		}
		n -= max(1, lineCount(d.Body))
		less.Definitions, less.unshown = append(less.Definitions, d), less.unshown-1
		if d.RestLines != "" {
			break
		}
	}
	return less
}

// Steps name the lines of a body that a cut leaves out, and the call that shows more.
func (o *findDefinitionOut) Steps(c *answer.Call, n int) (steps []contract.NextStep) {
	for _, d := range o.Cut(n).(*findDefinitionOut).Definitions {
		if d.RestLines != "" {
			steps = append(steps, contract.NextStep{Kind: contract.StepDoc,
				Message: fmt.Sprintf("Read lines %s of %s for the rest of the body.", d.RestLines, d.FilePath)})
		}
	}
	return append(steps, c.WithRoom("Ask again with more room.", 4*c.Limit()))
}

func (o *findDefinitionOut) Tell(s *answer.Sheet) {
	for _, d := range o.Definitions {
		d.tellPlace(s, "")
	}
}

// tellPlace writes the place, what is defined there, and its code.
func (d *definition) tellPlace(s *answer.Sheet, before string) {
	text := before + fmt.Sprintf("%s:%d:%d", d.FilePath, d.Line, d.Character)
	for _, more := range []string{string(d.Kind), d.Symbol} {
		if more != "" {
			text += " " + more
		}
	}
	if d.Generated {
		text += ", generated"
	}
	if d.EndLine > d.Line {
		text += fmt.Sprintf(", to line %d", d.EndLine)
	}
	s.Line(0, "%s", text)
	s.Block(d.Snippet)
	if d.Body != "" && d.BodyLine != d.Line {
		s.Line(0, "From line %d:", d.BodyLine)
	}
	s.Block(d.Body)
	if d.RestLines != "" {
		s.Line(0, "… lines %s follow", d.RestLines)
	}
}

// snippetArguments say what of a definition's code is shown.
type snippetArguments struct {
	include bool
	context int
	plain   bool // without name, kind and extent
	body    bool // the whole declaration in place of the snippet
}

// maxShaped is how many definitions get their name, kind and extent from the symbols of their files where each of these
// has to be opened and parsed for it. For a name with ten overloads clangd 22.1.8 took 27 s on a busy machine.
const maxShaped = 4

// describeDefinition describes the declaration at a place. Its extent comes from the server's own range
// (LocationLink.targetRange) or from the symbols of the file, which also give name and kind.
func describeDefinition(ctx context.Context, c *answer.Call, s *lsp.Snapshot, p lsp.Place,
	a snippetArguments) definition {
	c.RememberNamedBy(s, p)
	d := definition{FilePath: c.Show(p.Path), Line: p.Range.Start.Line, Character: p.Range.Start.Character,
		EndLine: p.Full.End.Line}
	full := p.Full
	// Without its text a place is still worth showing.
	text, err := s.Documents().Text(p.Path)
	if err != nil {
		return d
	}
	d.Generated = answer.IsGenerated(c, p.Path, text.Generated())
	if !a.plain {
		if sym, ok := resolve.SymbolAt(ctx, c, s, p); ok {
			d.Symbol, d.Kind = symbol.JoinParts(s.Spec().LanguageID(symbol.Base(p.Path)), sym.Parts), sym.Sym.Kind
			// The server gave the name alone; its symbols know where the declaration ends.
			if p.Full == p.Range {
				full = sym.Sym.Range
			}
		}
	}
	d.EndLine = full.End.Line
	if a.body && wholeBody(ctx, c, s, p, a.plain, &d) {
		return d
	}
	if a.include || a.body {
		d.Snippet = snippet(text, full, p.Range.Start.Line, a.context)
	}
	return d
}

// wholeBody fills in the code of a whole declaration. Where its extent is not certain it warns and
// returns false: half a function must not look like a whole one.
func wholeBody(ctx context.Context, c *answer.Call, s *lsp.Snapshot, p lsp.Place, plain bool, d *definition) bool {
	// The text of the symbols, to which their ranges belong.
	if _, text, err := s.DocumentSymbols(ctx, p.Path); err == nil && !plain {
		if sym, ok := resolve.SymbolAt(ctx, c, s, p); ok {
			if first, last, ok := edits.WholeLines(text, sym.Sym); ok {
				d.Body, d.BodyLine, d.EndLine = text.Slice(first, last), first, last
				return true
			}
		}
	}
	c.Warn(contract.WarnPartFailed, contract.Facts{"part": "body", "server_id": s.ID()}, fmt.Sprintf(
		"where the declaration at %s:%d ends is not known; its snippet may not be all of it", d.FilePath, d.Line))
	return false
}

// The bounds of a snippet, in lines and in code points.
const (
	maxSnippetLines = 24
	maxSnippetChars = 1600
)

// snippet returns the code of a range with around lines before and behind it, bounded. It always holds
// the line of the name. An ellipsis marks what was cut off at its end.
func snippet(text *source.Text, full contract.Range, nameLine, around int) string {
	first, last := full.Start.Line, full.End.Line
	// The name has to be in the snippet, and a long comment before it would fill all of it.
	if nameLine-first > maxSnippetLines/2 {
		first = nameLine // a long comment before it
	}
	end := min(last, first+maxSnippetLines-1)
	cut := end < last
	// Context lines belong to a whole declaration; behind one that was cut they would look like its end.
	if !cut {
		end = min(end+around, text.Lines())
	}
	out := text.Slice(first-around, end)
	if short := answer.CutText(out, maxSnippetChars); short != out {
		return short
	}
	if cut {
		out += "\n…"
	}
	return out
}
