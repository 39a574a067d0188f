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

// What other files can notice of an edit is what the edited files declare, and with which types: their shape. An edit
// that leaves the shape as it is, as most changes of a function's body do, breaks no other file, so none has to be
// opened for it. That is what makes check_edit cheap for the common edit.

// maxShaped bounds the symbols of one file whose types are compared: each costs a hover with either
// text.
const maxShaped = 12

// shape is the declarations of a file as lines, with the types of those that the edit touches.
type shape []shaped

// shaped is one declaration. free is its name when it is a function or a value that is a member of no
// type; else "".
type shaped struct{ line, free string }

// shapes returns the shapes of the edited files; ok is false where one cannot be told. now says that
// the server has the new texts, of which they are then.
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

// shape returns the shape of one file. lines are those that change in its text. ok is false as soon as
// anything in it cannot be told: a part of a shape proves nothing.
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

// head returns a line up to the brace that opens a body on it.
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

// freeName returns the name of a function or a value that is a member of no type; "" for anything else.
func freeName(sym lsp.Symbol, member bool) string {
	if member || !lang.IsIdentifier(sym.Name) || strings.HasPrefix(sym.Name, "__") ||
		!slices.Contains(freeKinds, sym.Kind) {
		return ""
	}
	return sym.Name
}

// whollyIn reports whether all lines of the innermost symbol are among lines.
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

// inFunction reports whether a line stands in the body of one of symbols. Without braces, a line that
// ends with a colon begins the body.
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

// freeKinds are the kinds of declarations that may be added without changing what others mean by a
// name.
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

// keepShapes reports whether files declare the same with the edit. With added, further functions and
// values are allowed whose names the file did not hold: they make nothing in the file mean something
// else, and the caller checks whether other files hold these names.
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
