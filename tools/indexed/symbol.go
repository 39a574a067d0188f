package indexed

import (
	"context"
	"slices"

	"github.com/scip-code/scip/bindings/go/scip"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/index"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
)

// Symbol is what a question is about: the symbols of the index that stand at one place, or have one name.
type Symbol struct {
	Path string // of the place that was asked about; else of the declaration
	Name index.SymbolName
	Kind lsp.SymbolKind
	// Information is what the index says of it; nil when it says nothing.
	Information *scip.SymbolInformation

	symbols []string
	table   *index.Table    // that has the place or the name
	local   *index.Document // the file of a local symbol; nil for any other
	// declared: a document defines it.
	declared bool
}

// IsLocal reports whether only one file can use the symbol.
func (s *Symbol) IsLocal() bool { return s.local != nil }

// At finds the symbol that a target means.
func (q *Question) At(ctx context.Context, t resolve.Target) (*Symbol, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.FilePath == "" {
		return q.named(ctx, t)
	}
	path, err := q.c.Path(t.FilePath)
	if err != nil {
		if path = q.c.AbsolutePath(t.FilePath); q.c.Workspace.Table.RootOf(path) != "" &&
			answer.AsError(err).Kind != contract.KindNoServerForExtension {
			return nil, err
		}
	}
	table, d, err := q.document(ctx, path)
	if err != nil {
		return nil, err
	}
	text := (*source.Text)(nil)
	if d != nil {
		text = q.diskText(table, path)
	}
	if text == nil {
		return nil, notFound(t.SymbolName, path)
	}
	q.use(table)
	if t.Line == 0 {
		return q.declared(ctx, table, d, t)
	}
	at, err := resolve.InText(q.c, text, path, t)
	if err != nil {
		return nil, err
	}
	if at.Adjusted != nil {
		q.c.AddWarning(*at.Adjusted)
	}
	return q.standing(ctx, table, d, text, at)
}

// standing returns the symbol whose name stands at a place.
func (q *Question) standing(ctx context.Context, t *index.Table, d *index.Document, text *source.Text,
	at symbol.Located) (*Symbol, error) {
	var found []*scip.Occurrence
	var around contract.Range
	for _, o := range d.Occurrences {
		r, ok := onDisk(text, d.Encoding, o)
		if !ok || o.Symbol == "" || ofFile(o) || !r.Contains(at.At) {
			continue
		}
		switch {
		case len(found) == 0 || within(r, around) && r != around:
			found, around = []*scip.Occurrence{o}, r
		case r == around:
			found = append(found, o)
		}
	}
	// An older text had another name there.
	found = slices.DeleteFunc(found, func(o *scip.Occurrence) bool { return !q.believed(ctx, t, d, text, o, around) })
	if len(found) == 0 {
		return nil, notFound(at.Name, d.Path)
	}
	var symbols []string
	for _, o := range found {
		symbols = append(symbols, o.Symbol)
	}
	symbols, err := merged(ctx, t, symbols)
	if err != nil {
		return nil, err
	}
	s, err := q.about(ctx, t, d, symbols)
	if err == nil && s.IsLocal() && s.Name.Bare == "" { // the tool names no local symbols
		s.Name = index.NameOf(symbols[0], text.Within(around))
	}
	return s, err
}

// ofFile reports whether a definition is that of a module whose file it is in: scip-python 0.6.6 defines it in an empty
// range, rust-analyzer 1.97 in all lines of the file.
func ofFile(o *scip.Occurrence) bool {
	r, ok := o.SourceRange()
	return ok && (r.Start == r.End || r.Start.Line != r.End.Line)
}

// merged adds to global symbols those that are one with the first of them.
func merged(ctx context.Context, t *index.Table, symbols []string) ([]string, error) {
	n := index.NameOf(symbols[0], "")
	if !index.Merges(t.Tool) || scip.IsLocalSymbol(symbols[0]) || n.Bare == "" || n.IsScope() {
		return symbols, nil
	}
	found, err := t.Named(ctx, n.Bare)
	for _, f := range found {
		other := index.NameOf(f.Symbol, "")
		if other.Parent == n.Parent && !other.IsScope() && !slices.Contains(symbols, f.Symbol) {
			symbols = append(symbols, f.Symbol)
		}
	}
	return symbols, err
}

// within reports whether a range lies in another one.
func within(r, in contract.Range) bool { return !r.Start.Before(in.Start) && !in.End.Before(r.End) }

// declared finds a name among what a file defines, else among what it uses.
func (q *Question) declared(ctx context.Context, t *index.Table, d *index.Document, target resolve.Target) (*Symbol,
	error) {
	want := symbol.Components(target.SymbolName)
	infos := d.SymbolTable()
	var defined, used, itself []string
	for _, o := range d.Occurrences {
		n := index.NameOf(o.Symbol, infos[o.Symbol].GetDisplayName())
		if !symbol.EndsWith(n.Parts, want) || target.SymbolKind != "" &&
			string(n.Kind(infos[o.Symbol])) != target.SymbolKind {
			continue
		}
		to := &used
		switch {
		case scip.SymbolRole_Definition.Matches(o) && ofFile(o):
			to = &itself
		case scip.SymbolRole_Definition.Matches(o):
			to = &defined
		}
		if !slices.Contains(*to, o.Symbol) {
			*to = append(*to, o.Symbol)
		}
	}
	// The module that a file is has no declaration in it, as servers see it.
	if len(defined) == 0 {
		defined = itself
	}
	if len(defined) == 0 {
		defined = used
	}
	// What functions declare is meant only where nothing else has the name.
	if global := slices.DeleteFunc(slices.Clone(defined), scip.IsLocalSymbol); len(global) > 0 {
		defined = global
	}
	return q.onlyOne(ctx, t, d, target, defined)
}

// onlyOne returns the symbol of a name, which has to be one: an answer about the wrong symbol looks right.
func (q *Question) onlyOne(ctx context.Context, t *index.Table, d *index.Document, target resolve.Target,
	symbols []string) (*Symbol, error) {
	var all []answer.Candidate
	var only *Symbol
	var taken []string
	for _, sym := range symbols {
		if slices.Contains(taken, sym) {
			continue
		}
		one, err := merged(ctx, t, []string{sym})
		if err != nil {
			return nil, err
		}
		taken = append(taken, one...)
		s, err := q.about(ctx, t, d, one)
		if err != nil {
			return nil, err
		}
		places, err := q.Definitions(ctx, s)
		if err != nil {
			return nil, err
		}
		if len(places) == 0 && len(symbols) > 1 || len(places) > 0 && !q.answers(places[0].Path) {
			continue // it is nowhere on disk, or not for the index to say
		}
		only = s
		candidate := answer.Candidate{SymbolName: q.Shown(s), Kind: s.Kind}
		if len(places) > 0 {
			candidate.FilePath, candidate.Line = q.c.Show(places[0].Path), places[0].Range.Start.Line
			candidate.Character = places[0].Range.Start.Character
		}
		all = append(all, candidate)
	}
	switch len(all) {
	case 0:
		return nil, notFound(target.SymbolName, target.FilePath)
	case 1:
		return only, nil
	}
	return nil, resolve.AmbiguousAmong(target.SymbolName, all)
}

// named finds a name in all indexes.
func (q *Question) named(ctx context.Context, target resolve.Target) (*Symbol, error) {
	want := symbol.Components(target.SymbolName)
	var symbols []string
	var first *index.Table
	for _, t := range q.tables {
		found, err := t.Named(ctx, want[len(want)-1])
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			n := index.NameOf(f.Symbol, f.Name)
			if !symbol.EndsWith(n.Parts, want) || slices.Contains(symbols, f.Symbol) {
				continue
			}
			if target.SymbolKind != "" {
				s, err := q.about(ctx, t, nil, []string{f.Symbol})
				if err != nil {
					return nil, err
				}
				if string(s.Kind) != target.SymbolKind {
					continue
				}
			}
			if first == nil {
				first = t
			}
			symbols = append(symbols, f.Symbol)
		}
	}
	if len(symbols) == 0 {
		return nil, notFound(target.SymbolName, "")
	}
	q.use(first)
	return q.onlyOne(ctx, first, nil, target, symbols)
}

// about makes the symbol of what stands at one place. d is the file that holds it; nil for a global symbol that was
// found by its name.
func (q *Question) about(ctx context.Context, t *index.Table, d *index.Document, symbols []string) (*Symbol, error) {
	s := &Symbol{symbols: symbols, table: t}
	if d != nil {
		s.Path = d.Path
		s.Information, s.declared = informationIn(d, symbols[0]), defines(d, symbols[0])
	}
	if scip.IsLocalSymbol(symbols[0]) {
		s.local = d
	} else if s.Information == nil || !s.declared {
		var err error
		if s.Information, s.declared, err = q.information(ctx, symbols[0]); err != nil {
			return nil, err
		}
	}
	s.Name = index.NameOf(symbols[0], s.Information.GetDisplayName())
	s.Kind = s.Name.Kind(s.Information)
	return s, nil
}

// information returns what any index says of a global symbol, nil for nothing, and whether a document defines it.
func (q *Question) information(ctx context.Context, sym string) (found *scip.SymbolInformation, declared bool,
	err error) {
	for _, t := range q.tables {
		holding, err := t.Holding(ctx, sym)
		if err != nil {
			return nil, false, err
		}
		for _, d := range holding {
			declared = declared || defines(d, sym)
			if found == nil {
				found = informationIn(d, sym)
			}
		}
		if found == nil {
			if found, err = t.External(ctx, sym); err != nil {
				return nil, false, err
			}
		}
	}
	return found, declared, nil
}

func defines(d *index.Document, sym string) bool {
	return slices.ContainsFunc(d.Occurrences, func(o *scip.Occurrence) bool {
		return o.Symbol == sym && isDefinition(o)
	})
}

// informationIn returns what a document says of a symbol; nil for nothing.
func informationIn(d *index.Document, sym string) *scip.SymbolInformation {
	i := slices.IndexFunc(d.Symbols, func(s *scip.SymbolInformation) bool { return s.Symbol == sym })
	if i < 0 {
		return nil
	}
	return d.Symbols[i]
}

// Scope says what an answer about a symbol rests on; uses says that it lists all places of it.
func (s *Symbol) Scope(uses bool) Scope {
	of := Scope{Word: s.NameWord(), Uses: uses, Outside: !s.declared}
	if s.IsLocal() {
		of.File = s.Path
	}
	return of
}

// Text returns the text of the file of a place that the question gave; nil when it cannot be read any more.
func (q *Question) Text(p lsp.Place) *source.Text { return q.texts[p.Path] }

// Shown is the qualified name of a symbol, as the language of its file writes it.
func (q *Question) Shown(s *Symbol) string {
	parts := s.Name.Parts
	if len(parts) > 2 { // packages and modules around it are told by the path
		parts = parts[len(parts)-2:]
	}
	return symbol.JoinParts("", parts)
}
