package pyright

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// maxRecords bounds the classes whose calls are looked at for one field: its own, and those derived from it.
const maxRecords = 20

// record is a class whose calls take its fields by their places.
type record struct {
	at     contract.Position // of its name
	path   string
	fields []string // in their order; those that only a keyword sets are left out
	// inherits: fields of a base, whose number is not known here, may come first.
	inherits bool
}

// unnamed is [lsp.CoverageHooks].Unnamed: the values by which a call of a dataclass or a NamedTuple, or a pattern of
// match, sets or takes a field by its place. Calls of derived classes, and those with *rest, are doubtful.
func (a *Process) unnamed(ctx context.Context, s *lsp.Snapshot, name string, declared lsp.Place) (sure,
	doubtful []lsp.Place) {
	own := recordAround(ctx, s, declared)
	if own == nil {
		return nil, nil
	}
	field := slices.Index(own.fields, name)
	if field < 0 {
		return nil, nil
	}
	all := []*record{own}
	for i := 0; i < len(all) && i < maxRecords; i++ { // it grows
		places, err := s.References(ctx, all[i].path, all[i].at, false)
		if err != nil {
			return sure, append(doubtful, declared)
		}
		for _, p := range places {
			text, err := s.Documents().Text(p.Path)
			if err != nil {
				continue
			}
			end, err := text.Offset(p.Range.End)
			if err != nil {
				continue
			}
			if derived, ok := derivedAt(text, p); ok {
				all = append(all, derived)
				continue
			}
			begin, spread := lang.PythonArguments(text.Content(), end)
			switch {
			case i == 0 && !own.inherits && field < len(begin):
				at := text.PositionAt(begin[field])
				sure = append(sure, lsp.Place{Path: p.Path, Range: contract.Range{Start: at, End: at},
					Full: contract.Range{Start: at, End: at}, Line: text.Line(at.Line)})
			case spread, (i > 0 || own.inherits) && len(begin) > 0:
				doubtful = append(doubtful, p)
			}
		}
	}
	return sure, doubtful
}

// derivedClass matches the text of a line in front of a base of a class.
var derivedClass = source.LazyRegexp(`^\s*class\s+([\pL_][\pL\d_]*)\s*[\[(]`)

// derivedAt is the class in whose head a base stands at a place.
func derivedAt(text *source.Text, p lsp.Place) (*record, bool) {
	m := derivedClass.FindStringSubmatchIndex(text.Line(p.Range.Start.Line))
	from := text.LineStart(p.Range.Start.Line)
	if offset, err := text.Offset(p.Range.Start); m == nil || err != nil || offset < from+m[1] {
		return nil, false
	}
	return &record{path: p.Path, at: text.PositionAt(from + m[2])}, true
}

// recordAround is the class around a place, where it takes fields by their places; nil where it does not.
func recordAround(ctx context.Context, s *lsp.Snapshot, p lsp.Place) *record {
	symbols, text, err := s.DocumentSymbols(ctx, p.Path)
	if err != nil || text == nil {
		return nil
	}
	class := classWith(symbols, p.Range.Start)
	if class == nil {
		return nil
	}
	r := &record{path: p.Path, at: class.NameAt.Start}
	end, err := text.Offset(class.NameAt.End)
	if err != nil {
		return nil
	}
	tuple := false
	for _, at := range bases(text.Content(), end) {
		from, to, _ := source.WordAround(text.Content(), at)
		switch text.Content()[from:to] {
		case "NamedTuple":
			tuple = true
		case "Generic", "Protocol", "object", "ABC":
		default:
			r.inherits = true
		}
	}
	if !tuple && !decorated(text, class.NameAt.Start.Line) {
		return nil
	}
	r.fields = fieldsOf(text, class)
	return r
}

// namedByStrings is [lsp.CoverageHooks].NamedByStrings.
func namedByStrings(ctx context.Context, s *lsp.Snapshot, declared lsp.Place) bool {
	symbols, text, err := s.DocumentSymbols(ctx, declared.Path)
	if err != nil || text == nil {
		return false
	}
	class := classWith(symbols, declared.Range.Start)
	if class == nil {
		return false
	}
	end, err := text.Offset(class.NameAt.End)
	return err == nil && slices.ContainsFunc(bases(text.Content(), end), func(at int) bool {
		from, to, _ := source.WordAround(text.Content(), at)
		return text.Content()[from:to] == "TypedDict"
	})
}

// classWith is the class that has a member whose name is at a position; nil where none does.
func classWith(symbols []lsp.Symbol, at contract.Position) *lsp.Symbol {
	for i := range symbols {
		sym := &symbols[i]
		if !sym.Range.Contains(at) {
			continue
		}
		if sym.Kind == "class" && slices.ContainsFunc(sym.Children, func(m lsp.Symbol) bool {
			return m.NameAt.Contains(at)
		}) {
			return sym
		}
		return classWith(sym.Children, at)
	}
	return nil
}

// makesRecord matches a decorator that makes a class take its fields by their places: dataclass, and those of attrs.
var makesRecord = source.LazyRegexp(`^@.*\b(?:dataclass|define|frozen|mutable|attrs|attr\.s)\b`)

// decorated reports whether such a decorator stands above the class in a line, without kw_only.
func decorated(text *source.Text, line int) bool {
	for line--; line > 0; line-- {
		above := strings.TrimSpace(text.Line(line))
		switch {
		case makesRecord.MatchString(above):
			return !strings.Contains(above, "kw_only=True")
		case above == "", strings.HasSuffix(above, ":"):
			return false
		}
	}
	return false
}

// annotated matches the beginning of a field's declaration.
var annotated = source.LazyRegexp(`^\s+([\pL_][\pL\d_]*)\s*:\s*(.*)`)

// fieldsOf are the fields of a class that a call can set by their places, in their order.
func fieldsOf(text *source.Text, class *lsp.Symbol) (out []string) {
	for _, m := range class.Children {
		line := text.Line(m.NameAt.Start.Line)
		at := annotated.FindStringSubmatch(line)
		switch {
		case at == nil || at[1] != m.Name, strings.Contains(at[2], "ClassVar"), strings.Contains(at[2], "init=False"),
			strings.Contains(at[2], "kw_only=True"):
		case strings.Contains(at[2], "KW_ONLY"):
			return out
		case !slices.Contains(out, m.Name):
			out = append(out, m.Name)
		}
	}
	return out
}
