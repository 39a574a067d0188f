package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/source"
)

type findDefinitionIn struct {
	Target
	To                  string `json:"target" default:"definition" enum:"definition,declaration,type_definition"`
	IncludeSnippet      bool   `json:"include_snippet" default:"true"`
	SnippetContextLines int    `json:"snippet_context_lines" default:"1" min:"0" max:"10"`
	caps
}

type findDefinitionOut struct {
	Definitions []definition `json:"definitions"`

	unshown int // how many were cut off
}

// definition is one place where a symbol is defined.
type definition struct {
	FilePath  string         `json:"file_path"`
	Line      int            `json:"line"`
	Character int            `json:"character"`
	EndLine   int            `json:"end_line"`
	Symbol    string         `json:"symbol,omitempty"`
	Kind      lsp.SymbolKind `json:"kind,omitempty"`
	Snippet   string         `json:"snippet,omitempty"`
}

var definitionMethods = map[string]string{
	"definition":      lsp.MethodDefinition,
	"declaration":     lsp.MethodDeclaration,
	"type_definition": lsp.MethodTypeDefinition,
}

var findDefinition = define("find_definition", Navigation,
	func(ctx context.Context, c *Call, in findDefinitionIn) (*findDefinitionOut, error) {
		out := &findDefinitionOut{}
		method := definitionMethods[in.To]
		err := c.at(ctx, in.Target, method, func(ctx context.Context, s *lsp.Server, at spot) error {
			places, err := s.Locate(ctx, method, at.path, at.at)
			if err == nil && len(places) > 0 && method == lsp.MethodDefinition && !slices.ContainsFunc(places, isThere) {
				places, err = c.stillDeclared(ctx, s, at, places)
			}
			if err != nil {
				return err
			}
			places = notImports(places)
			out.Definitions = []definition{}
			for i, p := range sortPlaces(c.stale(places), at.path) {
				a := snippetArguments{include: in.IncludeSnippet, context: in.SnippetContextLines}
				a.plain = i >= maxShaped && !s.Spec().Freshness.QueryClosed
				out.Definitions = append(out.Definitions, c.definition(ctx, s, p, a))
			}
			out.Definitions = c.withField(ctx, s, at, in, out.Definitions)
			c.guessed(s, at, places)
			c.aboutAt(s, at, places)
			if len(places) == 0 { // else the server has resolved it, to what is gone
				c.unresolved(ctx, s, at)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if out.Definitions == nil {
			out.Definitions = []definition{}
		}
		return out, nil
	})

func isThere(p lsp.Place) bool { return !p.Gone }

// stillDeclared are the declarations of what was defined in a file that is gone: its header has it as before. Whether the
// definition went with the file or moved to another nobody tells: clangd 22.1.8 goes on with the old one.
func (c *Call) stillDeclared(ctx context.Context, s *lsp.Server, at spot, gone []lsp.Place) ([]lsp.Place, error) {
	if !s.Offers(lsp.MethodDeclaration) {
		return gone, nil
	}
	declared, err := s.Locate(ctx, lsp.MethodDeclaration, at.path, at.at)
	if err != nil && !final(err) {
		return gone, nil
	}
	if err == nil && slices.ContainsFunc(declared, isThere) {
		c.warn(contract.WarnStaleDropped, contract.Facts{"server_id": s.ID(), "name": at.name}, fmt.Sprintf(
			"%s places the definition of %s in a file that is gone; this is the declaration", s.ID(), at.name))
	}
	return append(gone, declared...), err
}

// withField puts an embedded field before its type, which is all that the server gives, where the field's name was asked
// for.
func (c *Call) withField(ctx context.Context, s *lsp.Server, at spot, in findDefinitionIn, found []definition) []definition {
	if at.sym == nil || !isValue(at.sym.sym.Kind) || in.To == "type_definition" || len(found) != 1 {
		return found
	}
	own, ok := c.embedded(ctx, s, at, found[0].Kind)
	if !ok {
		return found
	}
	field := c.definition(ctx, s, lsp.Place{Path: at.path, Range: own.sym.NameAt, Full: own.sym.Range},
		snippetArguments{include: in.IncludeSnippet, context: in.SnippetContextLines})
	return []definition{field, found[0]}
}

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

func (o *findDefinitionOut) shedSnippets() bool {
	had := false
	for i := range o.Definitions {
		had = had || o.Definitions[i].Snippet != ""
		o.Definitions[i].Snippet = ""
	}
	return had
}

func (o *findDefinitionOut) size() int { return len(o.Definitions) }

func (o *findDefinitionOut) cut(n int) any {
	return &findDefinitionOut{Definitions: o.Definitions[:n], unshown: len(o.Definitions) - n}
}

func (o *findDefinitionOut) tell(s *sheet) {
	for _, d := range o.Definitions {
		d.tell(s, "")
	}
}

// tell writes the place, what is there, and its code.
func (d *definition) tell(s *sheet, before string) {
	text := before + fmt.Sprintf("%s:%d:%d", d.FilePath, d.Line, d.Character)
	for _, more := range []string{string(d.Kind), d.Symbol} {
		if more != "" {
			text += " " + more
		}
	}
	if d.EndLine > d.Line {
		text += fmt.Sprintf(", to line %d", d.EndLine)
	}
	s.line(0, "%s", text)
	s.block(d.Snippet)
}

type snippetArguments struct {
	include bool
	context int
	plain   bool // without name, kind and extent
}

// maxShaped is how many definitions get their name, kind and extent from the symbols of their files where each of these
// has to be opened and parsed for it. For a name with ten overloads clangd 22.1.8 took 27 s on a busy machine.
const maxShaped = 4

// definition describes the declaration at a place: its extent, name and kind come from the server's own range or from
// the symbols of the file.
func (c *Call) definition(ctx context.Context, s *lsp.Server, p lsp.Place, a snippetArguments) definition {
	c.pointAt(s, p)
	d := definition{FilePath: c.show(p.Path), Line: p.Range.Start.Line, Character: p.Range.Start.Character,
		EndLine: p.Full.End.Line}
	full := p.Full
	text, err := s.Text(p.Path)
	if err != nil {
		return d
	}
	if !a.plain {
		if sym, ok := c.symbolAt(ctx, s, p); ok {
			d.Symbol, d.Kind = joinParts(s.Spec().LanguageID(base(p.Path)), sym.parts), sym.sym.Kind
			if p.Full == p.Range {
				full = sym.sym.Range
			}
		}
	}
	d.EndLine = full.End.Line
	if a.include {
		d.Snippet = snippet(text, full, p.Range.Start.Line, a.context)
	}
	return d
}

// The bounds of a snippet.
const (
	maxSnippetLines = 24
	maxSnippetChars = 1600
)

// snippet is the code of a range with context lines around it, bounded; it always holds the line of the name. What was
// cut off at its end is marked with an ellipsis.
func snippet(text *source.Text, full contract.Range, nameLine, around int) string {
	first, last := full.Start.Line, full.End.Line
	if nameLine-first > maxSnippetLines/2 {
		first = nameLine // a long comment before it
	}
	end := min(last, first+maxSnippetLines-1)
	cut := end < last
	if !cut {
		end = min(end+around, text.Lines())
	}
	out := text.Slice(first-around, end)
	if short := cutText(out, maxSnippetChars); short != out {
		return short
	}
	if cut {
		out += "\n…"
	}
	return out
}
