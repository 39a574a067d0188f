package shorten

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Value is a JSON value that [Value.Take] makes shorter step by step.
type Value struct {
	Raw    []byte
	schema *jsonschema.Resolved // nil for none
	kept   map[string]bool      // places that the schema forbids to cut
	cuts   map[string]Cut       // by place
	read   int                  // bytes read so far; see maxRead
}

// Cut says how much of one list or string is left.
type Cut struct {
	Place       string // such as matches or result.files.0.text
	Items       bool   // a list; else a string
	Left, Total int    // items, or characters
}

// minText is the least that is left of a string, in characters.
const minText = 200

// maxRead bounds the work on one value, in bytes read: each attempt reads the whole value, and a schema may refuse
// every one.
const maxRead = 32 << 20

// New returns a value and the JSON schema that it has to go on satisfying; nil for none. A schema that cannot be read,
// or that the value does not satisfy to begin with, is ignored.
func New(raw []byte, schema json.RawMessage) *Value {
	v := &Value{Raw: raw, kept: map[string]bool{}, cuts: map[string]Cut{}}
	if len(schema) == 0 {
		return v
	}
	var s jsonschema.Schema
	if json.Unmarshal(schema, &s) != nil {
		return v
	}
	s.Schema = "" // the library refuses dialects that it does not know; without a name it uses the newest
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

// valid reports whether raw satisfies the schema, if there is one.
func (v *Value) valid(raw []byte) bool {
	if v.schema == nil {
		return true
	}
	var value any
	return json.Unmarshal(raw, &value) == nil && v.schema.Validate(value) == nil
}

// Take removes about so many bytes where most of the value is, in as many places as that needs. It returns false when
// nothing can be removed. When the schema refuses the result, half of the places are tried, then a quarter, and so on;
// a place that is refused alone is not cut again.
func (v *Value) Take(bytes int) bool {
	root, err := parse(v.Raw)
	if err != nil {
		return false
	}
	var pieces []piece
	for {
		if len(pieces) == 0 {
			p := picking{kept: v.kept, wanted: bytes}
			p.pick(root)
			pieces = p.pieces
		}
		if v.read += len(v.Raw); len(pieces) == 0 || v.read > maxRead {
			return false
		}
		if raw := without(v.Raw, pieces); v.valid(raw) {
			v.Raw = raw
			v.note(pieces)
			return true
		}
		if len(pieces) == 1 {
			v.kept[pieces[0].Place] = true
		}
		pieces = pieces[:len(pieces)/2]
	}
}

// note records the cuts of pieces. Total stays that of the first cut at a place.
func (v *Value) note(pieces []piece) {
	for _, p := range pieces {
		if before, again := v.cuts[p.Place]; again {
			p.Total = before.Total
		}
		v.cuts[p.Place] = p.Cut
	}
}

// Cuts returns all cuts so far: lists before strings, and those that lost most first.
func (v *Value) Cuts() []Cut {
	return slices.SortedFunc(maps.Values(v.cuts), func(a, b Cut) int {
		if a.Items != b.Items {
			return map[bool]int{true: -1, false: 1}[a.Items]
		}
		return cmp.Or((b.Total-b.Left)-(a.Total-a.Left), strings.Compare(a.Place, b.Place))
	})
}

// With returns the value with one more member at its end; false when it is no object, has such a member, or the schema
// does not allow it.
func (v *Value) With(name, text string) ([]byte, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(v.Raw, &members) != nil || members == nil || members[name] != nil {
		return nil, false
	}
	end := bytes.LastIndexByte(v.Raw, '}')
	var b bytes.Buffer
	b.Write(v.Raw[:end])
	if len(members) > 0 {
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

// mark ends a string that was cut.
const mark = "… [lspi: cut]"

// piece is a part of the whole text, from and to in bytes, and its replacement.
type piece struct {
	Cut
	from, to int
	with     []byte
}

// without returns the text with the pieces, which do not overlap, replaced.
func without(raw []byte, pieces []piece) []byte {
	inOrder := slices.SortedFunc(slices.Values(pieces), func(a, b piece) int { return a.from - b.from })
	var out bytes.Buffer
	last := 0
	for _, p := range inOrder {
		out.Write(raw[last:p.from])
		out.Write(p.with)
		last = p.to
	}
	out.Write(raw[last:])
	return out.Bytes()
}

// picking collects the pieces to cut until they have the wanted size.
type picking struct {
	kept   map[string]bool
	wanted int // bytes still to be cut
	pieces []piece
}

// pick descends into the largest children first and picks the deepest that can be cut. A list without an item that
// makes up half of it is cut itself. found reports whether something in n was picked.
func (p *picking) pick(n *node) (found bool) {
	cuttable := n.cuttable() && !p.kept[n.place()]
	if n.kind == '[' && cuttable && 2*n.largest < n.size() {
		return p.take(n.shorten(p.wanted))
	}
	for _, child := range slices.SortedStableFunc(slices.Values(n.children), func(a, b *node) int {
		return b.size() - a.size()
	}) {
		found = p.pick(child) || found
		if p.wanted <= 0 {
			return found
		}
	}
	if !found && cuttable {
		return p.take(n.shorten(p.wanted))
	}
	return found
}

func (p *picking) take(one piece) bool {
	p.pieces = append(p.pieces, one)
	p.wanted -= one.to - one.from - len(one.with)
	return true
}
