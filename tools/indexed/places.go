package indexed

import (
	"context"
	"slices"
	"strings"

	"github.com/scip-code/scip/bindings/go/scip"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/index"
	"lspi/tools/symbol"
)

// onDisk returns the range of an occurrence in the text on disk. Nothing is shifted: false where the text has no such
// range, or it would cut a word or a character.
func onDisk(text *source.Text, enc source.Encoding, o *scip.Occurrence) (contract.Range, bool) {
	r, ok := o.SourceRange()
	if !ok {
		return contract.Range{}, false
	}
	return rangeOnDisk(text, enc, r)
}

func rangeOnDisk(text *source.Text, enc source.Encoding, r scip.Range) (contract.Range, bool) {
	if r.Validate() != nil {
		return contract.Range{}, false
	}
	start, begins := text.Exactly(enc, int(r.Start.Line), int(r.Start.Character))
	end, ends := text.Exactly(enc, int(r.End.Line), int(r.End.Character))
	if !begins || !ends {
		return contract.Range{}, false
	}
	out := contract.Range{Start: start, End: end}
	return out, !text.CutsWord(out)
}

// believed reports whether the text on disk still has the symbol of an occurrence at its range: its name stands there,
// or the file is known to be that of the commit, where an index may have another name for it (an alias, the path of an
// import). A range without a name is no place of a symbol: rust-analyzer 1.97 gives a module its whole file, and an
// operator the white space around it.
func (q *Question) believed(ctx context.Context, t *index.Table, d *index.Document, text *source.Text,
	o *scip.Occurrence, r contract.Range) bool {
	name := index.NameOf(o.Symbol, informationIn(d, o.Symbol).GetDisplayName()).Bare
	there := text.Within(r)
	return name != "" && there == name || r.Start.Line == r.End.Line && strings.TrimSpace(there) != "" &&
		q.unchanged(ctx, t, d.Path)
}

// isFile reports whether an occurrence is the definition of what a whole file is: it has no name in the text.
func isFile(o *scip.Occurrence, r contract.Range) bool {
	return isDefinition(o) && (r.Start == r.End || r.Start.Line != r.End.Line)
}

// placesIn adds the occurrences of a symbol in a file that wanted accepts. What the disk does not have is dropped, and
// its file is among the stale ones. whole says that definitions of whole files are wanted, too.
func (q *Question) placesIn(ctx context.Context, t *index.Table, d *index.Document, sym string,
	wanted func(*scip.Occurrence) bool, whole bool, out []lsp.Place) []lsp.Place {
	for _, o := range d.Occurrences {
		if o.Symbol != sym || !wanted(o) {
			continue
		}
		text := q.diskText(t, d.Path)
		r, ok := contract.Range{}, false
		if text != nil {
			r, ok = onDisk(text, d.Encoding, o)
		}
		if ok && isFile(o, r) {
			if whole && q.unchanged(ctx, t, d.Path) {
				q.use(t)
				out = append(out, lsp.Place{Path: d.Path, Range: contract.Range{Start: r.Start, End: r.Start}, Full: r,
					Line: text.Line(r.Start.Line), Generated: text.Generated()})
			}
			continue
		}
		if ok && r.Start.Line != r.End.Line || ok && strings.TrimSpace(text.Within(r)) == "" {
			continue // no place of a name
		}
		if !ok || !q.believed(ctx, t, d, text, o, r) {
			if !slices.Contains(q.stale, d.Path) {
				q.stale = append(q.stale, d.Path)
			}
			continue
		}
		place := lsp.Place{Path: d.Path, Range: r, Full: r, Line: text.Line(r.Start.Line), Generated: text.Generated()}
		if around, ok := o.EnclosingSourceRange(); ok && isDefinition(o) {
			if full, ok := rangeOnDisk(text, d.Encoding, around); ok {
				place.Full = full
			}
		}
		q.use(t)
		out = append(out, place)
	}
	return out
}

func isDefinition(o *scip.Occurrence) bool { return scip.SymbolRole_Definition.Matches(o) }

// occurrences returns the places of symbols in all indexes.
func (q *Question) occurrences(ctx context.Context, s *Symbol, symbols []string, wanted func(*scip.Occurrence) bool,
	whole bool) (out []lsp.Place, err error) {
	for _, sym := range symbols {
		if scip.IsLocalSymbol(sym) {
			if s.local != nil {
				out = q.placesIn(ctx, s.table, s.local, sym, wanted, whole, out)
			}
			continue
		}
		for _, t := range q.tables {
			holding, err := t.Holding(ctx, sym)
			if err != nil {
				return nil, err
			}
			for _, d := range holding {
				out = q.placesIn(ctx, t, d, sym, wanted, whole, out)
			}
		}
	}
	return slices.DeleteFunc(out, func(p lsp.Place) bool { return !q.answers(p.Path) }), nil
}

// Definitions returns where a symbol is defined.
func (q *Question) Definitions(ctx context.Context, s *Symbol) ([]lsp.Place, error) {
	return q.occurrences(ctx, s, s.symbols, isDefinition, true)
}

// References returns the uses of a symbol, and of those symbols whose uses count as its own: the member that it
// overrides, and those that override it.
func (q *Question) References(ctx context.Context, s *Symbol, declaration bool) ([]lsp.Place, error) {
	symbols, err := q.related(ctx, s, (*scip.Relationship).GetIsReference, true)
	if err != nil {
		return nil, err
	}
	return q.occurrences(ctx, s, append(slices.Clone(s.symbols), symbols...), func(o *scip.Occurrence) bool {
		return declaration || !isDefinition(o)
	}, false)
}

// Implementations returns where the implementations of a symbol are defined, on all levels.
func (q *Question) Implementations(ctx context.Context, s *Symbol) ([]lsp.Place, error) {
	if !slices.ContainsFunc(q.tables, func(t *index.Table) bool { return t.Relates }) {
		return nil, notFound("implementations of "+s.Name.Bare, "") // rust-analyzer 1.97 tells none
	}
	all, next := []string{}, s
	for len(next.symbols) > 0 {
		below, err := q.related(ctx, next, (*scip.Relationship).GetIsImplementation, false)
		if err != nil {
			return nil, err
		}
		below = slices.DeleteFunc(below, func(sym string) bool { return slices.Contains(all, sym) })
		all, next = append(all, below...), &Symbol{symbols: below, table: s.table, local: s.local}
	}
	return q.occurrences(ctx, s, all, isDefinition, false)
}

// related returns the symbols that name those of s in a relationship, and with both those that s names.
func (q *Question) related(ctx context.Context, s *Symbol, is func(*scip.Relationship) bool, both bool) (out []string,
	err error) {
	add := func(sym string) {
		if !slices.Contains(s.symbols, sym) && !slices.Contains(out, sym) {
			out = append(out, sym)
		}
	}
	for _, sym := range s.symbols {
		if scip.IsLocalSymbol(sym) {
			continue
		}
		for _, t := range q.tables {
			holding, err := t.Holding(ctx, sym)
			if err != nil {
				return nil, err
			}
			for _, d := range holding {
				for _, info := range d.Symbols {
					for _, r := range info.Relationships {
						switch {
						case !is(r):
						case r.Symbol == sym:
							add(info.Symbol)
						case both && info.Symbol == sym:
							add(r.Symbol)
						}
					}
				}
			}
		}
	}
	return out, nil
}

// NameWord is the word that uses of a symbol have in their text; "" where it has none.
func (s *Symbol) NameWord() string { return symbol.LastComponent(s.Name.Bare) }
