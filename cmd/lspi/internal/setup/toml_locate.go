package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlSpot says where the entry of lspi stands in a file, as offsets in bytes.
type tomlSpot struct {
	holder int             // after the bracket that opens the holder of the entries, if that is inline; else 0
	empty  bool            // the inline holder has no elements
	parts  []splice        // edits that remove the entry and nothing else
	fields map[string]span // the key-value pairs of the entry, by key
}

// span is text[from:to].
type span struct{ from, to int }

// locate finds the entry with the parser, in every form that TOML has for it: tables, arrays of tables, dotted keys,
// inline tables and arrays.
func (f tomlTable) locate(text []byte, path []string) (*tomlSpot, error) {
	l := tomlLocator{tomlTable: f, text: text, path: path, own: append(slices.Clone(path), name),
		spot: &tomlSpot{fields: map[string]span{}}}
	parser := unstable.Parser{}
	parser.Reset(text)
	for parser.NextExpression() {
		switch x := parser.Expression(); x.Kind {
		case unstable.Table, unstable.ArrayTable:
			l.header(x)
		case unstable.KeyValue:
			if err := l.keyValue(x); err != nil {
				return nil, err
			}
		}
	}
	l.end()
	return l.spot, parser.Error()
}

// tomlLocator goes through the expressions of a file.
type tomlLocator struct {
	tomlTable
	text      []byte
	path, own []string // keys of the holder of the entries; keys of the entry in a table
	spot      *tomlSpot
	table     []string   // keys of the last table header
	open      *tomlGroup // the group of the last expression; nil for none
}

// tomlGroup is a table header with the lines that belong to it: the entry, or an element of an array of tables, which
// may be the entry.
type tomlGroup struct {
	span
	ours   bool
	fields map[string]span
}

// end ends the open group; if it is the entry, it records where it stands.
func (l *tomlLocator) end() {
	if l.open != nil && l.open.ours {
		l.spot.parts = append(l.spot.parts, l.lines(l.open.span))
		for key, at := range l.open.fields {
			l.spot.fields[key] = at
		}
	}
	l.open = nil
}

// header begins a group at a table header if the table is the entry or an element of the array, and ends the one
// before. A sub-table of an array's element belongs to that element.
func (l *tomlLocator) header(x *unstable.Node) {
	keys, raw := keysOf(x)
	if l.array && l.open != nil && x.Kind == unstable.Table && len(keys) > len(l.path) &&
		slices.Equal(keys[:len(l.path)], l.path) {
		l.table, l.open.to = keys, raw.to // a table in the table of the array
		return
	}
	l.end()
	l.table = keys
	if l.array && x.Kind == unstable.ArrayTable && slices.Equal(keys, l.path) || !l.array && within(keys, l.own) {
		l.open = &tomlGroup{span: raw, ours: !l.array, fields: map[string]span{}}
	}
}

// keyValue looks at one key-value pair: it may belong to the open group, be the entry or a part of it in dotted
// keys, or be the inline holder of the entries.
func (l *tomlLocator) keyValue(x *unstable.Node) error {
	keys, _ := keysOf(x)
	raw := spanOf(x)
	full := append(slices.Clone(l.table), keys...)
	switch {
	case l.open != nil:
		l.open.to = raw.to
		if l.array && slices.Equal(l.table, l.path) || !l.array && slices.Equal(l.table, l.own) {
			l.open.ours = l.open.ours || isName(keys, x)
			l.open.fields[strings.Join(keys, ".")] = raw
		}
	case !l.array && within(full, l.own):
		l.spot.parts = append(l.spot.parts, l.lines(raw))
		l.spot.fields[strings.Join(full[len(l.own):], ".")] = raw
		if x.Value().Kind == unstable.InlineTable {
			l.inlineFields(x.Value())
		}
	case slices.Equal(full, l.path):
		return l.inline(x)
	}
	return nil
}

// inline looks for the entry in a holder that is written as one value.
func (l *tomlLocator) inline(x *unstable.Node) error {
	want := unstable.InlineTable
	if l.array {
		want = unstable.Array
	}
	if x.Value().Kind != want {
		return fmt.Errorf("line %d: %q is %s; mend the file, then run lspi setup again",
			1+bytes.Count(l.text[:spanOf(x).from], []byte("\n")), strings.Join(l.path, "."), typesOfTOML[l.array])
	}
	_, raw := keysOf(x)
	l.spot.holder = 1 + l.skip(raw.to, " \t=")
	l.spot.empty = true
	before := l.spot.holder // where the previous element ends
	for it := x.Value().Children(); it.Next(); {
		element := it.Node()
		l.spot.empty = false
		from := l.skip(before, " \t\r\n,#")
		to := l.endOf(element, from)
		if table := l.ours(element); table != nil {
			l.spot.parts = append(l.spot.parts, l.element(before, from, to)...)
			l.inlineFields(table)
		}
		before = to
	}
	return nil
}

// typesOfTOML says what an inline holder of the wrong type should have been; the key is tomlTable.array.
var typesOfTOML = map[bool]string{true: "no array of tables", false: "no table"}

// ours returns the inline table of the entry when an element of an inline holder is the entry; else nil.
func (l *tomlLocator) ours(element *unstable.Node) *unstable.Node {
	switch {
	case l.array && element.Kind == unstable.InlineTable:
		for it := element.Children(); it.Next(); {
			if keys, _ := keysOf(it.Node()); isName(keys, it.Node()) {
				return element
			}
		}
	case element.Kind == unstable.KeyValue:
		if keys, _ := keysOf(element); slices.Equal(keys, []string{name}) &&
			element.Value().Kind == unstable.InlineTable {
			return element.Value()
		}
	}
	return nil
}

func (l *tomlLocator) inlineFields(table *unstable.Node) {
	for it := table.Children(); it.Next(); {
		keys, _ := keysOf(it.Node())
		l.spot.fields[strings.Join(keys, ".")] = spanOf(it.Node())
	}
}

// endOf returns where an element of an inline holder ends. The parser knows that only for key-value pairs; of an inline
// table it knows where it begins.
func (l *tomlLocator) endOf(element *unstable.Node, from int) int {
	if element.Kind != unstable.InlineTable {
		return max(from, spanOf(element).to)
	}
	last := from + 1
	for it := element.Children(); it.Next(); {
		last = spanOf(it.Node()).to
	}
	return 1 + l.skip(last, " \t\r\n,#")
}

// skip returns the first offset from at on whose character is not in passed. With # in passed it skips comments.
func (l *tomlLocator) skip(at int, passed string) int {
	for at < len(l.text) && strings.IndexByte(passed, l.text[at]) >= 0 {
		if l.text[at] == '#' {
			at += bytes.IndexByte(append(l.text[at:len(l.text):len(l.text)], '\n'), '\n')
			continue
		}
		at++
	}
	return at
}

// element returns the edits that remove an element of an inline holder with one comma, and with its line if it stands
// there alone.
func (l *tomlLocator) element(before, from, to int) []splice {
	out := splice{from: from, to: to}
	comma := l.skip(to, " \t\r\n")
	behind := comma < len(l.text) && l.text[comma] == ','
	if behind {
		out.to = comma + 1
	}
	line := bytes.LastIndexByte(l.text[:from], '\n') + 1
	rest, _, whole := bytes.Cut(l.text[out.to:], []byte("\n"))
	switch {
	case line >= before && blank(l.text[line:from]) && blank(rest) && whole:
		out.from, out.to = line, out.to+len(rest)+1
	case behind:
		out.to = l.skip(out.to, " \t")
	}
	if comma = l.skip(before, " \t\r\n"); !behind && comma < from && l.text[comma] == ',' {
		if out.from > comma+1 && line < before {
			out.from = comma + 1
		}
		return []splice{{from: comma, to: comma + 1}, out}
	}
	return []splice{out}
}

// lines returns the edit that removes whole lines, and the empty line before them where it would be left over.
func (l *tomlLocator) lines(s span) splice {
	from := bytes.LastIndexByte(l.text[:s.from], '\n') + 1
	to := len(l.text)
	if n := bytes.IndexByte(l.text[s.to:], '\n'); n >= 0 {
		to = s.to + n + 1
	}
	rest := l.text[to:]
	for _, end := range []string{"\r\n", "\n"} {
		if bytes.HasSuffix(l.text[:from], []byte(end+end)) && (blank(rest) || bytes.HasPrefix(rest, []byte(end))) {
			from -= len(end)
			break
		}
	}
	return splice{from: from, to: to}
}

// inFront returns the edit that makes the entry the first element of an inline holder.
func (f tomlTable) inFront(text []byte, spot *tomlSpot, e entryFields) splice {
	var fields []string
	for _, field := range e {
		fields = append(fields, field.key+" = "+tomlValue(field.value))
	}
	item := "{ " + strings.Join(fields, ", ") + " }"
	if !f.array {
		item = name + " = " + item
	}
	rest, next, more := bytes.Cut(text[spot.holder:], []byte("\n"))
	switch {
	case f.array && more && (blank(rest) || bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("#"))):
		indent := next[:len(next)-len(bytes.TrimLeft(next, " \t"))]
		if spot.empty || len(indent) == 0 {
			indent = []byte("    ")
		}
		at := spot.holder + len(bytes.TrimRight(rest, "\r"))
		return splice{at, at, "\n" + string(indent) + item + ","}
	case spot.empty && f.array:
	case spot.empty:
		item = " " + item + " "
	case rest[0] == ' ':
		item = " " + item + ","
	default:
		item += ", "
	}
	return splice{spot.holder, spot.holder, item}
}

// keysOf returns the parts of an expression's key, and where the key stands.
func keysOf(x *unstable.Node) (keys []string, raw span) {
	for it := x.Key(); it.Next(); {
		k := spanOf(it.Node())
		if keys == nil {
			raw.from = k.from
		}
		raw.to = k.to
		keys = append(keys, string(it.Node().Data))
	}
	return keys, raw
}

func spanOf(x *unstable.Node) span {
	return span{int(x.Raw.Offset), int(x.Raw.Offset) + int(x.Raw.Length)}
}

// isName reports whether a key-value pair is name = "lspi", by which a table in an array is the entry.
func isName(keys []string, x *unstable.Node) bool {
	return slices.Equal(keys, []string{"name"}) && x.Value().Kind == unstable.String && string(x.Value().Data) == name
}

// within reports whether keys lead to a table or into it.
func within(keys, table []string) bool {
	return len(keys) >= len(table) && slices.Equal(keys[:len(table)], table)
}
