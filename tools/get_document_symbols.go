package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/answer"
	"lspi/ask"
	"lspi/contract"
	"lspi/lsp"
	"lspi/qname"
	"lspi/resolve"
)

type getDocumentSymbolsIn struct {
	FilePath string `json:"file_path" required:"true"`
	MaxDepth int    `json:"max_depth" default:"2" min:"1" max:"20"`
	Offset   int    `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// getDocumentSymbolsOut is the outline of a file.
type getDocumentSymbolsOut struct {
	Total    int      `json:"total"`
	Returned int      `json:"returned"`
	Deeper   int      `json:"deeper,omitempty"`
	Symbols  []string `json:"symbols" pattern:"^\\d+(-\\d+)? [a-z_]+ .+$"`

	lines  []outlineLine
	offset int
	terse  bool // without details
}

// outlineLine is one symbol as it is shown.
type outlineLine struct {
	text, detail string
	sym          lsp.Symbol
}

var getDocumentSymbols = define("get_document_symbols", answer.Navigation,
	func(ctx context.Context, c *answer.Call, in getDocumentSymbolsIn) (*getDocumentSymbolsOut, error) {
		path, err := c.Path(in.FilePath)
		if err != nil {
			return nil, err
		}
		out := &getDocumentSymbolsOut{offset: in.Offset}
		err = ask.File(ctx, c, path, lsp.MethodDocumentSymbol, func(ctx context.Context, s *lsp.Snapshot) error {
			symbols, _, err := s.DocumentSymbols(ctx, path)
			if err != nil {
				return err
			}
			// Made anew in each attempt: lines of a former one would stand twice.
			o := outliner{language: s.Spec().LanguageID(qname.Base(path)), max: in.MaxDepth}
			o.walk(symbols, nil, 1, false)
			out.lines, out.Deeper = o.lines, o.deeper
			return nil
		})
		if err != nil {
			return nil, err
		}
		out.Total = len(out.lines)
		out.lines = out.lines[min(in.Offset, len(out.lines)):]
		return out, nil
	}, lsp.MethodDocumentSymbol)

// outliner writes a tree of symbols down to a depth and counts what lies deeper.
type outliner struct {
	language string
	max      int
	lines    []outlineLine
	deeper   int
}

// walk visits symbols of one parent. Namespaces and modules are no level: most files of their languages are one. The
// variables of a function are a level of their own, which only few ask for.
func (o *outliner) walk(symbols []lsp.Symbol, scope []string, depth int, inFunction bool) {
	// The tree is shared by all calls (the cache of symbols), so that it is sorted in a copy.
	symbols = slices.Clone(symbols)
	slices.SortStableFunc(symbols, func(a, b lsp.Symbol) int { // tsserver 6.0 sorts by name
		return comparePositions(a.Range.Start, b.Range.Start)
	})
	for _, sym := range symbols {
		at, inside := depth, scope
		// The level is added to the symbol, so that a local variable never stands beside the declarations of its file.
		if inFunction && isValue(sym.Kind) {
			at++
		}
		if at > o.max {
			o.deeper++
		} else {
			o.lines = append(o.lines, o.line(sym, scope))
		}
		// The scope goes into the names, because the namespace itself takes no level.
		if qname.IsNamespace(sym) {
			inside = append(slices.Clone(scope), qname.Components(sym.Name)...)
		}
		if !isScope(sym.Kind) {
			at++
		}
		o.walk(sym.Children, inside, at, qname.IsCode(sym.Kind))
	}
}

func isScope(kind lsp.SymbolKind) bool {
	return kind == "namespace" || kind == "module" || kind == "package"
}

func isValue(kind lsp.SymbolKind) bool {
	return kind == "variable" || kind == "constant" || kind == "property" || kind == "field"
}

// line writes one symbol. It begins at the line of its name, so that line and name address it; some servers count
// comments and attributes before it in.
func (o *outliner) line(sym lsp.Symbol, scope []string) outlineLine {
	first, last := sym.NameAt.Start.Line, sym.Range.End.Line
	if !sym.Range.Contains(sym.NameAt.Start) { // the name comes from a macro
		first = sym.Range.Start.Line
	}
	at := fmt.Sprint(first)
	if last > first {
		at = fmt.Sprintf("%d-%d", first, last)
	}
	name := resolve.OneLine(sym.Name)
	if len(scope) > 0 && !resolve.IsImpl(sym) && !qname.Nameless(sym.Name) {
		name = qname.JoinParts(o.language, append(slices.Clone(scope), name))
	}
	return outlineLine{fmt.Sprintf("%s %s %s", at, sym.Kind, name), detailOf(sym), sym}
}

// maxDetail is the longest detail that is shown, in code points.
const maxDetail = 120

// detailOf is what the server adds to the name, where it is short and says more than the kind does.
func detailOf(sym lsp.Symbol) string {
	detail := strings.TrimSpace(sym.Detail)
	bare := strings.TrimSpace(strings.TrimSuffix(detail, "{...}")) // gopls 0.23: "struct{...}"
	// One line for each symbol is what makes an outline readable.
	if strings.Contains(detail, "\n") || utf8.RuneCountInString(detail) > maxDetail || bare == string(sym.Kind) {
		return ""
	}
	return detail
}

func comparePositions(a, b contract.Position) int {
	switch {
	case a.Before(b):
		return -1
	case b.Before(a):
		return 1
	}
	return 0
}

// MarshalJSON writes the symbols that are left.
func (o getDocumentSymbolsOut) MarshalJSON() ([]byte, error) {
	type plain getDocumentSymbolsOut
	o.Symbols, o.Returned = []string{}, len(o.lines)
	for _, l := range o.lines {
		o.Symbols = append(o.Symbols, l.shown(o.terse))
	}
	return contract.Marshal(plain(o))
}

func (l *outlineLine) shown(terse bool) string {
	if l.detail == "" || terse {
		return l.text
	}
	return l.text + ": " + l.detail
}

func (o *getDocumentSymbolsOut) Tell(s *answer.Sheet) {
	for _, l := range o.lines {
		s.Line(0, "%s", l.shown(o.terse))
	}
}

func (o getDocumentSymbolsOut) Summary() string {
	text := answer.Counted(o.Total, "symbol")
	if len(o.lines) < o.Total {
		text += fmt.Sprintf(", %d shown", len(o.lines))
	}
	text += "."
	if o.Deeper > 0 {
		text += fmt.Sprintf(" %d more are nested deeper than max_depth.", o.Deeper)
	}
	return text
}

func (o *getDocumentSymbolsOut) ShedSnippets() bool {
	had := !o.terse && slices.ContainsFunc(o.lines, func(l outlineLine) bool { return l.detail != "" })
	o.terse = true
	return had
}

func (o *getDocumentSymbolsOut) Size() int { return len(o.lines) }

func (o *getDocumentSymbolsOut) Cut(n int) any {
	less := *o
	less.lines = o.lines[:n]
	return &less
}

func (o *getDocumentSymbolsOut) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.offset + n}
}
