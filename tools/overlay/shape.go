package overlay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// What other files can notice of an edit is what the edited files declare, and of which type: their shape. Where an
// edit leaves that as it is, as most changes of a function's body do, it breaks no other file.

// maxShaped bounds the symbols of one file whose types are compared.
const maxShaped = 12

// shape is what a file declares, with the types of what the edit changes.
type shape []shaped

// shaped is one declaration in a line. free is its name when it is a function or a value that is a member of no
// type; else "".
type shaped struct{ line, free string }

// shapes are those of the edited files; ok is false where that cannot be told. now: of the new texts, which the
// server must have then, else of those before.
func (c *check) shapes(ctx context.Context, now bool) (out map[string]shape, ok bool) {
	s := c.s
	if !s.Offers(lsp.MethodDocumentSymbol) || !s.Offers(lsp.MethodHover) {
		return nil, false
	}
	out = map[string]shape{}
	for _, path := range slices.Sorted(maps.Keys(c.texts)) {
		// There a change of a body is a change for others, or there is nothing to compare with.
		if c.before[path] == nil || lsp.BodiesShow(s.Server, path) { // a new file, a header
			return nil, false
		}
		lines, after := changedLines(c.before[path], c.texts[path])
		if now {
			lines = after
		}
		if out[path], ok = c.shape(ctx, path, lines, now); !ok {
			return nil, false
		}
	}
	return out, true
}

// shape is that of one file; ok is false as soon as anything in it cannot be told, because a part of a shape proves
// nothing. lines are those that change in the text; now says that it is the text after.
func (c *check) shape(ctx context.Context, path string, lines []changedLine, now bool) (out shape, ok bool) {
	symbols, text, err := c.s.DocumentSymbols(ctx, path)
	if err != nil {
		return nil, false
	}
	touched, changed := map[contract.Position]bool{}, map[int]bool{}
	for _, l := range lines {
		changed[l.line] = changed[l.line] || !l.inserted
	}
	for _, l := range lines {
		all := l.symbols(symbols)
		// A modifier (private, abstract, default), a decorator, a value: what the type of a declaration does not show.
		if !l.inserted && !isBlankOrComment(text.Line(l.line)) && !l.inFunction(text, all) {
			d := shaped{line: "text " + l.head(text, all)}
			if now && whollyIn(changed, all) { // then it may be new, and keepShapes goes by its name
				d.free = freeName(all[0], false)
			}
			out = append(out, d)
		}
		within := slices.DeleteFunc(slices.Clone(all), func(sym lsp.Symbol) bool {
			return sym.Kind.IsScope() || sym.Kind.IsContainer()
		})
		// A line of code outside of every declaration may be anything: the shape cannot be told.
		if len(within) == 0 && !l.inserted && !isBlankOrComment(text.Line(l.line)) {
			return nil, false
		}
		for _, sym := range within {
			// What __all__ and the like hold says what others see, and their type does not show it.
			if strings.HasPrefix(sym.Name, "__") && !sym.Kind.IsFunction() {
				return nil, false
			}
			touched[sym.NameAt.Start] = true
		}
	}
	if len(touched) > maxShaped {
		return nil, false
	}
	var walk func(all []lsp.Symbol, prefix string, member bool) bool
	walk = func(all []lsp.Symbol, prefix string, member bool) bool {
		for _, sym := range all {
			line := fmt.Sprintf("%s%s %s %s", prefix, sym.Kind, sym.Name, sym.Detail)
			// Only these can have another type: types of the others were inferred from what stays the same, or from
			// these.
			if touched[sym.NameAt.Start] {
				said, known := lsp.TypeAt(ctx, c.s, path, sym.NameAt.Start)
				if !known {
					return false
				}
				// The hover has the inferred type, which the symbol itself does not.
				line += " " + said
			}
			out = append(out, shaped{line, freeName(sym, member)})
			if (sym.Kind.IsScope() || sym.Kind.IsContainer()) && !walk(sym.Children, prefix+sym.Name+".", member ||
				sym.Kind.IsContainer()) {
				return false
			}
		}
		return true
	}
	return out, walk(symbols, "", false)
}

// head is a line without the beginning of a body in it.
func (l changedLine) head(text *source.Text, symbols []lsp.Symbol) string {
	line, depth := text.Line(l.line), 0
	if n := len(symbols); n > 0 && symbols[n-1].Kind.IsFunction() && symbols[n-1].NameAt.Start.Line == l.line {
		for i, sign := range line {
			switch {
			case strings.ContainsRune("([", sign):
				depth++
			case strings.ContainsRune(")]", sign):
				depth--
			case sign == '{' && depth == 0:
				return strings.TrimSpace(line[:i])
			}
		}
	}
	return strings.TrimSpace(line)
}

// freeName is the name of a function or a value that is a member of no type; "" of anything else.
func freeName(sym lsp.Symbol, member bool) string {
	if member || !lang.IsIdentifier(sym.Name) || strings.HasPrefix(sym.Name, "__") ||
		!slices.Contains(freeKinds, sym.Kind) {
		return ""
	}
	return sym.Name
}

// whollyIn reports whether all lines of the innermost of symbols are among lines.
func whollyIn(lines map[int]bool, symbols []lsp.Symbol) bool {
	if len(symbols) == 0 {
		return false
	}
	of := symbols[len(symbols)-1].Range
	for n := of.Start.Line; n <= of.End.Line; n++ {
		if !lines[n] {
			return false
		}
	}
	return true
}

// inFunction reports whether a line stands in the body of one of symbols. Where there are no braces a colon at the
// end of a line begins it.
func (l changedLine) inFunction(text *source.Text, symbols []lsp.Symbol) bool {
	return slices.ContainsFunc(symbols, func(sym lsp.Symbol) bool {
		if !sym.Kind.IsFunction() || l.inBody(text, sym) {
			return sym.Kind.IsFunction()
		}
		for n := sym.NameAt.Start.Line; n < l.line; n++ {
			if line, _, _ := strings.Cut(text.Line(n), "#"); strings.HasSuffix(strings.TrimSpace(line), ":") {
				return true
			}
		}
		return false
	})
}

var freeKinds = []lsp.SymbolKind{"function", "variable", "constant"}

// isBlankOrComment reports whether a line outside of all declarations declares nothing. Three slashes may be a
// directive of TypeScript.
func isBlankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "//") {
		return !strings.HasPrefix(line, "///")
	}
	inside, code, _ := strings.Cut(line, "*/")
	return inside == "" && code == "" || code == "" && (strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "*"))
}

// keepShapes reports whether files declare with the edit what they declared before. With added they may also
// declare functions and values whose names they did not hold: nothing there is another thing by that, and who asks
// looks at what the others hold.
func keepShapes(before, now map[string]shape, texts lsp.Texts, added bool) bool {
	for path, was := range before {
		for _, d := range now[path] {
			switch {
			// In their order: a declaration that moves among others may change what shadows what.
			case len(was) > 0 && was[0].line == d.line:
				was = was[1:]
			// A name that the file held before may have meant another declaration until now.
			case !added || d.free == "" || source.HasWord(texts[path].Content(), d.free):
				return false
			}
		}
		if len(was) > 0 {
			return false
		}
	}
	return true
}
