package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/answer"
	"lspi/ask"
	"lspi/contract"
	"lspi/lsp"
	"lspi/outlines"
	"lspi/qname"
)

type getDocumentSymbolsIn struct {
	FilePath string `json:"file_path" required:"true"`
	MaxDepth int    `json:"max_depth" default:"2" min:"1" max:"20"`
	Detail   bool   `json:"detail" default:"false"`
	Offset   int    `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// getDocumentSymbolsOut is the outline of a file.
type getDocumentSymbolsOut struct {
	Total    int      `json:"total"`
	Returned int      `json:"returned"`
	Deeper   int      `json:"deeper,omitempty"`
	Symbols  []string `json:"symbols" pattern:"^ *\\d+(-\\d+)? [a-z_]+ .+$"`

	items  []*outlines.Item
	offset int
	terse  bool // without details
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
			// Made anew in each attempt: symbols of a former one would stand twice.
			o := outlines.Of(symbols, outlines.Options{Language: s.Spec().LanguageID(qname.Base(path)), MaxDepth: in.MaxDepth, Detail: in.Detail})
			out.items, out.Deeper = o.Items, o.Deeper
			return nil
		})
		if err != nil {
			return nil, err
		}
		out.Total = len(out.items)
		out.items = out.items[min(in.Offset, len(out.items)):]
		return out, nil
	}, lsp.MethodDocumentSymbol)

// MarshalJSON writes the symbols that are left.
func (o getDocumentSymbolsOut) MarshalJSON() ([]byte, error) {
	type plain getDocumentSymbolsOut
	o.Symbols, o.Returned = append([]string{}, outlines.Lines(o.items, o.terse)...), len(o.items)
	return contract.Marshal(plain(o))
}

func (o *getDocumentSymbolsOut) Tell(s *answer.Sheet) {
	for _, line := range outlines.Lines(o.items, o.terse) {
		s.Line(0, "%s", line)
	}
}

func (o getDocumentSymbolsOut) Summary() string {
	text := answer.Counted(o.Total, "symbol")
	if len(o.items) < o.Total {
		text += fmt.Sprintf(", %d shown", len(o.items))
	}
	text += "."
	if o.Deeper > 0 {
		text += fmt.Sprintf(" %d more are nested deeper than max_depth.", o.Deeper)
	}
	return text
}

func (o *getDocumentSymbolsOut) ShedSnippets() bool {
	had := !o.terse && slices.ContainsFunc(o.items, (*outlines.Item).HasDetail)
	o.terse = true
	return had
}

func (o *getDocumentSymbolsOut) Size() int { return len(o.items) }

func (o *getDocumentSymbolsOut) Cut(n int) any {
	less := *o
	less.items = o.items[:n]
	return &less
}

func (o *getDocumentSymbolsOut) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.offset + n}
}
