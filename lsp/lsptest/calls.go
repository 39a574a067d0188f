package lsptest

// symbol is a definition in an outline or in a call hierarchy.
type symbol struct {
	Name           string `json:"name"`
	Kind           int    `json:"kind"`
	URI            string `json:"uri,omitempty"` // in a call hierarchy
	Range          span   `json:"range"`
	SelectionRange span   `json:"selectionRange"`
}

func (d *documents) item(w word, texts map[string]string) symbol {
	return symbol{w.name, kindFunction, uriOf(w.path), d.extent(w, texts[w.path]), d.span(w)}
}

func (d *documents) prepareCalls(p asked) any {
	w, ok := d.wordAt(p.TextDocument.URI, p.Position)
	if !ok {
		return nil
	}
	def, ok := definitionOf(d.words(), w.name)
	if !ok {
		return nil
	}
	_, texts := d.snapshot()
	return []symbol{d.item(def, texts)}
}

// call is the uses of one definition in the body of another.
type call struct {
	from, to word // definitions
	ranges   []span
}

// calls returns which definition uses which: each word in the body of a definition that names a definition, in the
// order of the text.
func (d *documents) calls() []*call {
	_, texts := d.snapshot()
	words := d.words()
	defs := make(map[string]word)
	for _, w := range words {
		if _, known := defs[w.name]; w.role == definition && !known {
			defs[w.name] = w
		}
	}
	var all []*call
	found := make(map[[2]string]*call)
	var in word // the definition whose body the words are in
	until := -1
	for _, w := range words {
		if w.path != in.path {
			until = -1
		}
		if w.role == definition {
			in, until = w, d.extent(w, texts[w.path]).End.Line
			continue
		}
		to, ok := defs[w.name]
		if !ok || w.line > until {
			continue
		}
		key := [2]string{in.path + "\x00" + in.name, w.name}
		if found[key] == nil {
			found[key] = &call{from: in, to: to}
			all = append(all, found[key])
		}
		found[key].ranges = append(found[key].ranges, d.span(w))
	}
	return all
}

func (d *documents) incoming(p asked) any {
	return d.calling("from", func(c *call) (asked, other word) { return c.to, c.from }, p)
}

func (d *documents) outgoing(p asked) any {
	return d.calling("to", func(c *call) (asked, other word) { return c.from, c.to }, p)
}

// calling returns the calls with the item on one side, under the name of the member for the other side.
func (d *documents) calling(member string, sides func(c *call) (asked, other word), p asked) any {
	_, texts := d.snapshot()
	out := []map[string]any{}
	for _, c := range d.calls() {
		if asked, other := sides(c); asked.name == p.Item.Name {
			out = append(out, map[string]any{member: d.item(other, texts), "fromRanges": c.ranges})
		}
	}
	return out
}
