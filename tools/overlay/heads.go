package overlay

import (
	"context"
	"maps"
	"slices"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/symbol"
)

// Sources may use a declaration where the server does not see it, and it reports no error when an edit breaks such a
// use. What uses can notice of an edit is that a declaration goes, or that its head changes: the name with its
// parameters, without the body.

// ChangedHead is a declaration on disk that an edit removes, or whose head it changes.
type ChangedHead struct {
	Path string
	At   contract.Position // of the name by which it is used, in the text on disk
	Name string
	Gone bool // nothing of this name is declared in its scope any more
	Less bool // one of the declarations of this name in its scope goes, or all, or only a value of the name stays
}

// declaredHead is one declaration that is not local to a function.
type declaredHead struct {
	scope, name string // scope: the names of what it is declared in
	text        string // the head; "" where only the name counts, as of a value
	at          contract.Position
	of          *declaredHead // the type that it is a member of; nil when of none
}

// heads returns the declarations of the edited files, as the server has the texts now, by path; nil
// when it does not tell.
func (c *check) heads(ctx context.Context) map[string][]*declaredHead {
	out, body := map[string][]*declaredHead{}, "{"
	if rules := c.s.Spec().Dynamic; rules != nil {
		body = rules.Body
	}
	for path := range c.before {
		symbols, text, err := c.s.DocumentSymbols(ctx, path)
		if err != nil {
			return nil
		}
		h := headsOf{text: text, body: body}
		h.walk(symbols, "", nil, false)
		h.give(path)
		out[path] = h.all
	}
	return out
}

// changedHeads compares the declarations on disk with those of the edit; known is false when the server
// did not tell both.
func changedHeads(rules *spec.Dynamic, before, after map[string][]*declaredHead) (out []ChangedHead, known bool) {
	if before == nil || after == nil {
		return nil, false
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		was, now := byScope(before[path]), byScope(after[path])
		for _, d := range before[path] {
			key := d.scope + d.name
			is, there := now[key]
			switch {
			// A renamed type takes its members along; told as gone, every use of each member would be a warning.
			case !there && d.of != nil && now[d.of.scope+d.of.name] == nil &&
				slices.ContainsFunc(after[path], func(a *declaredHead) bool {
					return a.name == d.name && a.text == d.text && was[a.scope+a.name] == nil
				}):
				continue // its type has another name, and the member is there
			case there && sameHeads(was[key], is):
				continue
			}
			used := d
			// Nobody writes __init__: the name to look for is that of the class.
			if rules != nil && slices.Contains(rules.Constructors, d.name) && d.of != nil { // whoever calls the type uses it
				used, there = d.of, true
			}
			one := ChangedHead{Path: path, At: used.at, Name: used.name, Gone: !there, Less: len(is) < len(was[key]) ||
				was[key][0].text != "" && is[0].text == ""}
			// A type and its constructor may both have changed; the name is searched for once.
			if !slices.ContainsFunc(out, func(have ChangedHead) bool {
				return have.Path == path && have.At == one.At
			}) {
				out = append(out, one)
			}
		}
	}
	return out, true
}

// byScope groups declarations of one name in one scope, which are overloads.
func byScope(all []*declaredHead) map[string][]*declaredHead {
	out := map[string][]*declaredHead{}
	for _, d := range all {
		out[d.scope+d.name] = append(out[d.scope+d.name], d)
	}
	return out
}

// sameHeads reports whether users of the declarations of one name can go on as before.
func sameHeads(was, now []*declaredHead) bool {
	if len(was) == 1 && len(now) == 1 {
		// A further optional parameter breaks no call.
		return was[0].text == now[0].text || OnlyAddsOptional(was[0].text, now[0].text)
	}
	return slices.EqualFunc(was, now, func(a, b *declaredHead) bool { return a.text == b.text })
}

// headsOf collects the declarations of one text.
type headsOf struct {
	text *source.Text
	body string // what the body of a function or type begins with
	all  []*declaredHead
}

// give collects the names that assignments give to other files (exports.name = …), which the server may take for those
// of what is assigned.
func (h *headsOf) give(path string) {
	given := lang.Of(path).Given
	if given == nil {
		return
	}
	for _, name := range given(h.text.Content()) {
		h.all = append(h.all, &declaredHead{scope: "exports.", name: h.text.Content()[name[0]:name[1]],
			at: h.text.PositionAt(name[0])})
	}
}

// walk collects declarations with their scope. What is declared in a function is local, unless it is a
// member of a type there.
func (h *headsOf) walk(symbols []lsp.Symbol, scope string, of *declaredHead, local bool) {
	for _, sym := range symbols {
		var d *declaredHead
		// Local names cannot be used from outside, and a symbol without a plain name (a lambda) by nobody.
		if word := h.text.WordAt(sym.NameAt.Start); !local && word != "" && word == symbol.LastComponent(sym.Name) {
			d = &declaredHead{scope: scope, name: word, text: h.head(sym), at: sym.NameAt.Start, of: of}
			h.all = append(h.all, d)
		}
		switch {
		case sym.Kind.IsContainer():
			h.walk(sym.Children, scope+sym.Name+".", d, false)
		case sym.Kind.IsFunction():
			h.walk(sym.Children, scope+sym.Name+".", nil, true)
		default:
			h.walk(sym.Children, scope+sym.Name+".", nil, local)
		}
	}
}

// head returns what callers depend on; "" for a value, whose users depend on its name alone.
func (h *headsOf) head(sym lsp.Symbol) string {
	kind := Value
	switch {
	case sym.Kind.IsFunction():
		kind = Function
	case sym.Kind.IsContainer():
		kind = Type
	}
	at, err := h.text.Offset(sym.NameAt.Start)
	if err != nil {
		return ""
	}
	return HeadOf(h.text, at, kind, h.body)
}
