package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
)

// What other files can notice of an edit is what the files of the trial declare, and of which type: their shape. Where an
// edit leaves that as it is, as most changes of a function's body do, it breaks no other file.

// maxShaped bounds the symbols of one file whose types are compared.
const maxShaped = 12

// shape is what a file declares, one line each, with the types of what the trial changes.
type shape []string

// shapes are those of the files of a trial; ok is false where that cannot be told. now: of the texts of the trial, which the
// server must have then, else of those before.
func (s *Server) shapes(ctx context.Context, texts, before trial, now bool) (out map[string]shape, ok bool) {
	if !s.Offers(MethodDocumentSymbol) || !s.Offers(MethodHover) {
		return nil, false
	}
	out = map[string]shape{}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		if before[path] == nil || s.bodiesShow(path) { // a new file, a header
			return nil, false
		}
		lines, after := changedLines(before[path], texts[path])
		if now {
			lines = after
		}
		if out[path], ok = s.shape(ctx, path, lines); !ok {
			return nil, false
		}
	}
	return out, true
}

func (s *Server) shape(ctx context.Context, path string, lines []changedLine) (out shape, ok bool) {
	symbols, text, err := s.DocumentSymbols(ctx, path)
	if err != nil {
		return nil, false
	}
	touched := map[contract.Position]bool{}
	for _, l := range lines {
		within := slices.DeleteFunc(l.symbols(symbols), func(sym Symbol) bool { return isScope(sym.Kind) || isContainer(sym.Kind) })
		if len(within) == 0 && (l.inserted || strings.TrimSpace(text.Line(l.line)) != "") {
			return nil, false
		}
		for _, sym := range within {
			touched[sym.NameAt.Start] = true
		}
	}
	if len(touched) > maxShaped {
		return nil, false
	}
	var walk func(all []Symbol, prefix string) bool
	walk = func(all []Symbol, prefix string) bool {
		for _, sym := range all {
			line := fmt.Sprintf("%s%s %s %s", prefix, sym.Kind, sym.Name, sym.Detail)
			if touched[sym.NameAt.Start] {
				said, known := s.typeAt(ctx, path, sym.NameAt.Start)
				if !known {
					return false
				}
				line += " " + said
			}
			out = append(out, line)
			if (isScope(sym.Kind) || isContainer(sym.Kind)) && !walk(sym.Children, prefix+sym.Name+".") {
				return false
			}
		}
		return true
	}
	return out, walk(symbols, "")
}

// typeAt is the type of a symbol as the server's hover writes it; known is false when it writes not all of it.
func (s *Server) typeAt(ctx context.Context, path string, at contract.Position) (text string, known bool) {
	h, err := s.Hover(ctx, path, at)
	if err != nil || h == nil {
		return "", false
	}
	text = h.Text
	if _, code, ok := strings.Cut(text, "```"); ok {
		text, _, _ = strings.Cut(code, "```")
	}
	return text, !strings.Contains(text, "...") && !strings.Contains(text, "…")
}

// sameShapes reports whether files declare the same.
func sameShapes(a, b map[string]shape) bool {
	return maps.EqualFunc(a, b, func(x, y shape) bool { return slices.Equal(x, y) })
}

// textsBefore are the texts on disk of the files of a trial that are there.
func (s *Server) textsBefore(texts trial) trial {
	out := trial{}
	for path := range texts {
		if text, err := s.load(path); err == nil {
			out[path] = text
		}
	}
	return out
}
