package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lang/signature"
	"lspi/source"
)

// What other files can notice of an edit is what the files of the trial declare, and of which type: their shape. Where an
// edit leaves that as it is, as most changes of a function's body do, it breaks no other file.

// maxShaped bounds the symbols of one file whose types are compared.
const maxShaped = 12

// shape is what a file declares, with the types of what the trial changes.
type shape []shaped

// shaped is one declaration in a line. free is its name when it is a function or a value that is a member of no type; else "".
type shaped struct{ line, free string }

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
		if len(within) == 0 && !l.inserted && !isBlankOrComment(text.Line(l.line)) {
			return nil, false
		}
		for _, sym := range within {
			touched[sym.NameAt.Start] = true
		}
	}
	if len(touched) > maxShaped {
		return nil, false
	}
	var walk func(all []Symbol, prefix string, member bool) bool
	walk = func(all []Symbol, prefix string, member bool) bool {
		for _, sym := range all {
			line := fmt.Sprintf("%s%s %s %s", prefix, sym.Kind, sym.Name, sym.Detail)
			if touched[sym.NameAt.Start] {
				said, known := s.typeAt(ctx, path, sym.NameAt.Start)
				if !known {
					return false
				}
				line += " " + said
			}
			d := shaped{line: line}
			if !member && isIdentifier(sym.Name) && !strings.HasPrefix(sym.Name, "__") && slices.Contains(freeKinds, sym.Kind) {
				d.free = sym.Name
			}
			out = append(out, d)
			if (isScope(sym.Kind) || isContainer(sym.Kind)) && !walk(sym.Children, prefix+sym.Name+".", member || isContainer(sym.Kind)) {
				return false
			}
		}
		return true
	}
	return out, walk(symbols, "", false)
}

var freeKinds = []SymbolKind{"function", "variable", "constant"}

// isBlankOrComment reports whether a line outside of all declarations declares nothing. Three slashes may be a directive of TypeScript.
func isBlankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "//") {
		return !strings.HasPrefix(line, "///")
	}
	inside, code, _ := strings.Cut(line, "*/")
	return inside == "" && code == "" || code == "" && (strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "*"))
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

// keepShapes reports whether files declare in a trial what they declared before. With added they may also declare functions and values
// whose names they did not hold: nothing there is another thing by that, and who asks looks at what the others hold.
func keepShapes(before, now map[string]shape, texts trial, added bool) bool {
	for path, was := range before {
		for _, d := range now[path] {
			switch {
			case len(was) > 0 && was[0].line == d.line:
				was = was[1:]
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

// Where a language is dynamic, sources use a declaration by its name alone, and a trial brings no error there. What such uses notice
// of an edit is that a declaration goes, or that its head changes: the name with its parameters, without the body.

// ChangedHead is a declaration on disk that a trial takes away, or of which it changes the head.
type ChangedHead struct {
	Path string
	At   contract.Position // of the name by which it is used, in the text on disk
	Name string
	Gone bool // nothing of this name is declared in this scope any more
}

// declaredHead is one declaration that is no local one of a function.
type declaredHead struct {
	scope, name string // scope: the names of what it is declared in
	text        string // the head; "" where only the name counts, as of a value
	at          contract.Position
	of          *declaredHead // the type that it is a member of; nil when of none
}

// heads are the declarations of files as the server has them now, by path; nil when it does not tell.
func heads(ctx context.Context, s *Server, texts trial) map[string][]*declaredHead {
	out := map[string][]*declaredHead{}
	if s.spec.Dynamic == nil {
		return out
	}
	for path := range texts {
		symbols, text, err := s.DocumentSymbols(ctx, path)
		if err != nil {
			return nil
		}
		h := headsOf{text: text, body: s.spec.Dynamic.Body}
		h.walk(symbols, "", nil, false)
		out[path] = h.all
	}
	return out
}

// changedHeads compares the declarations of files on disk with those of a trial; known is false when the server did not tell of both.
func changedHeads(rules *Dynamic, before, after map[string][]*declaredHead) (out []ChangedHead, known bool) {
	if before == nil || after == nil {
		return nil, false
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		was, now := byScope(before[path]), byScope(after[path])
		for _, d := range before[path] {
			key := d.scope + d.name
			is, there := now[key]
			switch {
			case !there && d.of != nil && now[d.of.scope+d.of.name] == nil && slices.ContainsFunc(after[path], func(a *declaredHead) bool {
				return a.name == d.name && a.text == d.text && was[a.scope+a.name] == nil
			}):
				continue // its type has another name, and the member is there
			case there && sameHeads(was[key], is):
				continue
			}
			used := d
			if slices.Contains(rules.Constructors, d.name) && d.of != nil { // whoever calls the type uses it
				used, there = d.of, true
			}
			one := ChangedHead{Path: path, At: used.at, Name: used.name, Gone: !there}
			if !slices.ContainsFunc(out, func(have ChangedHead) bool { return have.Path == path && have.At == one.At }) {
				out = append(out, one)
			}
		}
	}
	return out, true
}

func byScope(all []*declaredHead) map[string][]*declaredHead {
	out := map[string][]*declaredHead{}
	for _, d := range all {
		out[d.scope+d.name] = append(out[d.scope+d.name], d)
	}
	return out
}

// sameHeads reports whether who uses declarations of one name can go on doing so; several of them are overloads.
func sameHeads(was, now []*declaredHead) bool {
	if len(was) == 1 && len(now) == 1 {
		return was[0].text == now[0].text || signature.OnlyAddsOptional(was[0].text, now[0].text)
	}
	return slices.EqualFunc(was, now, func(a, b *declaredHead) bool { return a.text == b.text })
}

// headsOf collects the declarations of one text.
type headsOf struct {
	text *source.Text
	body string // what the body of a function or type begins with
	all  []*declaredHead
}

func (h *headsOf) walk(symbols []Symbol, scope string, of *declaredHead, local bool) {
	for _, sym := range symbols {
		var d *declaredHead
		if word := h.text.WordAt(sym.NameAt.Start); !local && word != "" && word == sym.Name {
			d = &declaredHead{scope: scope, name: word, text: h.head(sym), at: sym.NameAt.Start, of: of}
			h.all = append(h.all, d)
		}
		switch {
		case isContainer(sym.Kind):
			h.walk(sym.Children, scope+sym.Name+".", d, false)
		case isFunctionKind(sym.Kind):
			h.walk(sym.Children, scope+sym.Name+".", nil, true)
		default:
			h.walk(sym.Children, scope+sym.Name+".", nil, local)
		}
	}
}

func (h *headsOf) head(sym Symbol) string {
	kind := signature.Value
	switch {
	case isFunctionKind(sym.Kind):
		kind = signature.Function
	case isContainer(sym.Kind):
		kind = signature.Type
	}
	at, err := h.text.Offset(sym.NameAt.Start)
	if err != nil {
		return ""
	}
	return signature.Of(h.text, at, kind, h.body)
}

// DifferingLines are the lines of two texts that the other does not have.
func DifferingLines(before, after *source.Text) (old, now []int) {
	was, is := changedLines(before, after)
	for _, of := range []struct {
		lines []changedLine
		out   *[]int
	}{{was, &old}, {is, &now}} {
		for _, l := range of.lines {
			if !l.inserted {
				*of.out = append(*of.out, l.line)
			}
		}
	}
	return old, now
}
