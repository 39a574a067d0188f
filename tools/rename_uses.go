package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/edit"
)

// usesLeft warns of uses that the server itself finds and that its edit leaves as they are: clangd 22 does not rename what a
// using declaration brought in. It asks for the references; what these say of sources that the server does not read holds for
// the edit too.
func (c *Call) usesLeft(ctx context.Context, s *lsp.Server, at spot, p *lsp.Planned) {
	if !s.Offers(lsp.MethodReferences) {
		return
	}
	places, err := s.References(ctx, at.path, at.at, true)
	if err != nil {
		return // the edit itself is there
	}
	c.leftOutUses(ctx, s, at, append(slices.Clone(places), editedFiles(p)...))
	taken := takenBy(p)
	left := map[string]int{}
	var files []string
	total := 0
	for _, place := range sortPlaces(places, at.path) {
		if _, inside := lsp.Below(c.env.Settings.Workspace, place.Path); !inside || place.Err != nil || taken[usePlace{place.Path, place.Range.Start}] {
			continue
		}
		from := byteOffset(place.Line, place.Range.Start.Character)
		if start, end, ok := wordAt(place.Line, from); !ok || start != from || place.Line[start:end] != at.name {
			continue // it has another name there
		}
		if left[place.Path] == 0 {
			files = append(files, place.Path)
		}
		left[place.Path]++
		total++
	}
	if total == 0 {
		return
	}
	c.warn(contract.WarnUsesLeft, contract.Facts{"total": total, "files": c.showSome(files)}, fmt.Sprintf(
		"%s finds %d uses of %s that its edit does not change, in %d files, the first in %s; they would have to be changed by hand",
		s.ID(), total, at.name, len(files), c.show(files[0])))
	c.step(contract.NextStep{Kind: contract.StepTool, Tool: "find_references", Message: "See all uses of " + at.name + ".",
		Arguments: c.targetArguments()})
}

// editedFiles are the files of a plan as places.
func editedFiles(p *lsp.Planned) []lsp.Place {
	var out []lsp.Place
	for _, path := range pathsBefore(p.Plan) {
		out = append(out, lsp.Place{Path: path})
	}
	return out
}

// takenBy are the places in the present texts where a plan replaces something.
func takenBy(p *lsp.Planned) map[usePlace]bool {
	out := map[usePlace]bool{}
	for i := range p.Files {
		f := &p.Files[i]
		if f.Kind == edit.Create || len(f.Edits) == 0 {
			continue
		}
		path, text := f.Path, lsp.NewText(f.Path, f.Old)
		if f.From != "" {
			path = f.From
		}
		for _, r := range f.Edits {
			for i := r.Start; i <= r.Start+len(r.Old); i++ { // a replacement may begin before the name, at a quote or a path
				out[usePlace{path, text.PositionAt(i)}] = true
			}
		}
	}
	return out
}
