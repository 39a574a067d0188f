package gopls

import (
	"context"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// maxEmbedding bounds the fields whose references are asked for besides those of their type.
const maxEmbedding = 100

// referencesAndFields is [lsp.CoverageHooks].ReferencesAndFields. Asked for the references of a type gopls gives
// the places that embed it, and not the uses of the fields that these declare, though its rename of the type
// changes both; asked at such a place it gives those of the field (0.23.0).
func (a *Process) referencesAndFields(ctx context.Context, s *lsp.Snapshot, path string, at contract.Position,
	declaration bool) ([]lsp.Place, error) {
	places, err := s.References(ctx, path, at, declaration)
	if err != nil {
		return places, err
	}
	type point struct {
		path string
		at   contract.Position
	}
	// A place may be found by the type and by the field; each is told once.
	known := map[point]bool{}
	for _, p := range places {
		known[point{p.Path, p.Range.Start}] = true
	}
	fields := embedding(s.Server, places)
	for n, field := range fields {
		// Each field is a request of its own. The error makes the answer partial instead of silently short.
		if n == maxEmbedding {
			return places, lsp.ErrManyEmbed
		}
		if field.Path == path && field.Range.Contains(at) {
			continue // asked there the server gives those of the field
		}
		// Without the declarations: these are the places that the type's references have already.
		uses, err := s.References(ctx, field.Path, field.Range.Start, false)
		if err != nil {
			return places, err
		}
		for _, p := range uses {
			if at := (point{p.Path, p.Range.Start}); !known[at] {
				known[at] = true
				places = append(places, p)
			}
		}
	}
	return places, nil
}

// embedding are the places at which a field is declared by its type alone.
func embedding(s *lsp.Server, places []lsp.Place) (out []lsp.Place) {
	type file struct {
		text   *source.Text
		fields []int // offsets of the names of its embedded fields; nil until they are needed
	}
	files := map[string]*file{}
	for _, p := range places {
		// Places outside of the folders are of dependencies, which are not searched for embedded fields.
		if p.Err != nil || p.Gone || p.Path == "" || !s.Folders().Inside(p.Path) {
			continue
		}
		f := files[p.Path]
		if f == nil {
			f = &file{}
			f.text, _ = s.Documents().Text(p.Path)
			files[p.Path] = f
		}
		if f.text == nil {
			continue
		}
		offset, err := f.text.Offset(p.Range.Start)
		if err != nil {
			continue
		}
		// The text around the place decides cheaply, so that most files are never parsed.
		line, before := f.text.Line(p.Range.Start.Line), offset-f.text.LineStart(p.Range.Start.Line)
		if name := line[before:]; !golang.MayEmbed(line[:before], strings.TrimLeftFunc(name, source.IsWord)) {
			continue
		}
		if f.fields == nil {
			f.fields = append([]int{}, golang.EmbeddedFields(p.Path, f.text.Content())...)
		}
		if slices.Contains(f.fields, offset) {
			out = append(out, p)
		}
	}
	return out
}
