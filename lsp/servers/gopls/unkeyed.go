package gopls

import (
	"context"
	"strings"

	"lspi/contract"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// maxStructTypes bounds the types whose references are asked for to find the literals of one struct type.
const maxStructTypes = 20

// unnamed is [lsp.CoverageHooks].Unnamed: the values of composite literals without keys, Pair{3, 9}, each of which sets
// the field at its place (The Go Programming Language Specification, Composite literals). The literals are found by
// the references of the types that lead to the struct type: its name, aliases, types that are declared by it, slices
// and maps of it. In sources that gopls has not loaded the names decide, and the values are doubtful.
func (a *Process) unnamed(ctx context.Context, s *lsp.Snapshot, name string, declared lsp.Place) (sure,
	doubtful []lsp.Place) {
	text, err := source.Read(declared.Path)
	if err != nil || !golang.MayDeclareField(text.Line(declared.Range.Start.Line)) {
		return nil, nil
	}
	at, err := text.Offset(declared.Range.Start)
	if err != nil {
		return nil, nil
	}
	field := golang.FieldAt(declared.Path, at, name)
	if field == nil {
		return nil, nil
	}
	for known := 0; known < len(field.Types); known++ {
		t := field.Types[known]
		if known == maxStructTypes {
			doubtful = append(doubtful, declared)
			break
		}
		places, err := s.Recalling().References(ctx, t.In.Path, t.In.Text.PositionAt(t.At), true)
		if err != nil {
			return nil, []lsp.Place{declared}
		}
		for _, p := range places {
			if in := field.Text(p.Path); in != nil {
				if offset, err := in.Offset(p.Range.Start); err == nil {
					field.Refer(t, p.Path, offset)
				}
			}
		}
	}
	sure = placesOf(field.Values())
	for _, path := range a.notLoadedUsers(ctx, field, declared) {
		doubtful = append(doubtful, placesOf(field.ValuesByName(path))...)
	}
	return sure, doubtful
}

// notLoadedUsers are the sources that name one of the types of a field, and that gopls has not loaded: of another
// build, and of modules that use the declaring one.
func (a *Process) notLoadedUsers(ctx context.Context, field *golang.StructField, declared lsp.Place) (out []string) {
	l := a.tree
	release, ok := l.current(ctx)
	if !ok {
		return nil
	}
	defer release()
	holds := func(path string) bool {
		text, err := source.Read(path)
		if err != nil {
			return false
		}
		for _, t := range field.Types {
			if strings.Contains(text.Content(), t.Name) {
				return true
			}
		}
		return false
	}
	for path := range l.unread {
		if holds(path) {
			out = append(out, path)
		}
	}
	v := a.vouching(lsp.VouchQuestion{Asked: declared.Path, Declared: declared})
	if len(l.projects) < 2 {
		return out
	}
	for path := range a.Server.Journal().Files() {
		project := l.projectOf(path)
		if !v.loaded[project] && l.unread[path] == nil && isSource(path) && v.uses(project) &&
			holds(path) {
			out = append(out, path)
		}
	}
	return out
}

// placesOf are values as places.
func placesOf(values []golang.Value) (out []lsp.Place) {
	for _, v := range values {
		text := v.In.Text
		r := contract.Range{Start: text.PositionAt(v.From), End: text.PositionAt(v.To)}
		out = append(out, lsp.Place{Path: v.In.Path, Range: r, Full: r, Line: text.Line(r.Start.Line)})
	}
	return out
}
