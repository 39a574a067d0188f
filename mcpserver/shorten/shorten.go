package shorten

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Value is a JSON value that is made shorter step by step.
type Value struct {
	Raw    []byte
	schema *jsonschema.Resolved // nil for none
	kept   map[string]bool      // the places that the schema does not let be cut
	totals map[string]int       // what was there at a place before its first cut
}

// Cut is what was taken at a place.
type Cut struct {
	Place       string // such as matches or result.files.0.text
	Items       bool   // a list; else a string
	Left, Total int    // items, or characters
}

// minText is at least what is left of a string.
const minText = 200

// New is a value with the schema that it has to satisfy; nil for none. A schema that cannot be read, or that the value does not satisfy from the
// beginning, counts for nothing.
func New(raw []byte, schema json.RawMessage) *Value {
	v := &Value{Raw: raw, kept: map[string]bool{}, totals: map[string]int{}}
	if len(schema) == 0 {
		return v
	}
	var s jsonschema.Schema
	if json.Unmarshal(schema, &s) != nil {
		return v
	}
	s.Schema = "" // one of a dialect that the library does not know is read as the newest
	resolved, err := s.Resolve(nil)
	if err != nil {
		return v
	}
	v.schema = resolved
	if !v.valid(raw) {
		v.schema = nil
	}
	return v
}

func (v *Value) valid(raw []byte) bool {
	if v.schema == nil {
		return true
	}
	var value any
	return json.Unmarshal(raw, &value) == nil && v.schema.Validate(value) == nil
}

// Take takes about so many bytes where most of the value is; false when nothing can be taken.
func (v *Value) Take(bytes int) (Cut, bool) {
	for {
		root, err := parse(v.Raw)
		if err != nil {
			return Cut{}, false
		}
		n := root.heaviest(v.kept)
		if n == nil {
			return Cut{}, false
		}
		raw, cut := n.shorten(v.Raw, bytes)
		if !v.valid(raw) {
			v.kept[n.place] = true
			continue
		}
		if v.totals[n.place] == 0 {
			v.totals[n.place] = cut.Total
		}
		cut.Total = v.totals[n.place]
		v.Raw = raw
		return cut, true
	}
}

// With is the value with one more member at its end; false when it is no object, has the member, or the schema does not allow it.
func (v *Value) With(name, text string) ([]byte, bool) {
	root, err := parse(v.Raw)
	if err != nil || root.kind != '{' || slices.ContainsFunc(root.children, func(c *node) bool { return c.place == name }) {
		return nil, false
	}
	end := bytes.LastIndexByte(v.Raw, '}')
	var b bytes.Buffer
	b.Write(v.Raw[:end])
	if len(root.children) > 0 {
		b.WriteByte(',')
	}
	quoted, err := jsontext.AppendQuote(nil, name)
	if err != nil {
		return nil, false
	}
	b.Write(quoted)
	b.WriteByte(':')
	if quoted, err = jsontext.AppendQuote(nil, text); err != nil {
		return nil, false
	}
	b.Write(quoted)
	b.Write(v.Raw[end:])
	return b.Bytes(), v.valid(b.Bytes())
}

// node is a value in the text of all of it.
type node struct {
	place    string
	kind     jsontext.Kind
	from, to int // bytes
	children []*node
	text     string // of a string
}

func (n *node) size() int { return n.to - n.from }

// parse reads the places of all values.
func parse(raw []byte) (*node, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return read(dec, raw, "")
}

func read(dec *jsontext.Decoder, raw []byte, place string) (*node, error) {
	before := int(dec.InputOffset())
	t, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{place: place, kind: t.Kind(), to: int(dec.InputOffset())}
	n.from = before + len(raw[before:n.to]) - len(bytes.TrimLeft(raw[before:n.to], " \t\r\n,:"))
	switch n.kind {
	case '{', '[':
		n.children, err = readAll(dec, raw, n)
		n.to = int(dec.InputOffset())
	case '"':
		n.text = t.String()
	}
	return n, err
}

// readAll reads what is in an object or a list, up to its end.
func readAll(dec *jsontext.Decoder, raw []byte, in *node) (out []*node, err error) {
	for i := 0; dec.PeekKind() != '}' && dec.PeekKind() != ']'; i++ {
		name := strconv.Itoa(i)
		if in.kind == '{' {
			t, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			name = t.String()
		}
		child, err := read(dec, raw, strings.TrimPrefix(in.place+"."+name, "."))
		if err != nil {
			return nil, err
		}
		out = append(out, child)
	}
	_, err = dec.ReadToken()
	return out, err
}

// heaviest is what is best cut: where most of a value is. That is the value of its largest member, and so on down; a list of which no item is most
// is cut itself. nil when nothing can be cut.
func (n *node) heaviest(kept map[string]bool) *node {
	largest := slices.SortedStableFunc(slices.Values(n.children), func(a, b *node) int { return b.size() - a.size() })
	cuttable := !kept[n.place] && (n.kind == '[' && len(n.children) > 1 || n.kind == '"' && utf8.RuneCountInString(n.text) > minText+len(mark))
	if n.kind == '[' && cuttable && 2*largest[0].size() < n.size() {
		return n
	}
	for _, child := range largest {
		if found := child.heaviest(kept); found != nil {
			return found
		}
	}
	if cuttable {
		return n
	}
	return nil
}

// mark is at the end of a string that was cut.
const mark = "… [lspi: cut]"

// shorten is the text of all of it with less of the node.
func (n *node) shorten(raw []byte, over int) ([]byte, Cut) {
	if n.kind == '[' {
		left := len(n.children)
		end := n.children[left-1].to
		for left > 1 && end-n.children[left-1].to < over {
			left--
		}
		// The comma behind the last item that is left goes with those that are not.
		return slices.Concat(raw[:n.children[left-1].to], raw[end:]), Cut{Place: n.place, Items: true, Left: left, Total: len(n.children)}
	}
	text := []rune(strings.TrimSuffix(n.text, mark))
	total := len(text)
	text = text[:max(minText, min(total-1, total-over))]
	quoted, err := jsontext.AppendQuote(nil, string(text)+mark)
	if err != nil {
		return raw, Cut{Place: n.place, Left: total, Total: total}
	}
	return slices.Concat(raw[:n.from], quoted, raw[n.to:]), Cut{Place: n.place, Left: len(text), Total: total}
}
