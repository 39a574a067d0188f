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

// Value is a JSON value that is made shorter step by step.
type Value struct {
	Raw    []byte
	schema *jsonschema.Resolved // nil for none
	kept   map[string]bool      // the places that the schema does not let be cut
	cuts   map[string]Cut       // by place
	read   int                  // bytes that were read so far
}

// Cut is what was taken at a place.
type Cut struct {
	Place       string // such as matches or result.files.0.text
	Items       bool   // a list; else a string
	Left, Total int    // items, or characters
}

// minText is at least what is left of a string.
const minText = 200

// maxRead bounds the work on one value, in bytes that are read: each try reads all of it, and a schema may refuse
// whatever is tried.
const maxRead = 32 << 20

// New is a value with the schema that it has to satisfy; nil for none. A schema that cannot be read, or that the
// value does not satisfy from the beginning, counts for nothing.
func New(raw []byte, schema json.RawMessage) *Value {
	v := &Value{Raw: raw, kept: map[string]bool{}, cuts: map[string]Cut{}}
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

// Take takes about so many bytes where most of the value is, at as many places as that needs; false when nothing
// can be taken.
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

// note keeps what was cut. Of a place that was cut before what was there at first counts.
func (v *Value) note(pieces []piece) {
	for _, p := range pieces {
		if before, again := v.cuts[p.Place]; again {
			p.Total = before.Total
		}
		v.cuts[p.Place] = p.Cut
	}
}

// Cuts are all cuts so far, those that took most first, where items count for more than characters.
func (v *Value) Cuts() []Cut {
	return slices.SortedFunc(maps.Values(v.cuts), func(a, b Cut) int {
		if a.Items != b.Items {
			return map[bool]int{true: -1, false: 1}[a.Items]
		}
		return cmp.Or((b.Total-b.Left)-(a.Total-a.Left), strings.Compare(a.Place, b.Place))
	})
}

// With is the value with one more member at its end; false when it is no object, has the member, or the schema does
// not allow it.
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

// mark is at the end of a string that was cut.
const mark = "… [lspi: cut]"

// piece is a part of the text of all of it, and what takes its place.
type piece struct {
	Cut
	from, to int
	with     []byte
}

// without is the text with other pieces in the place of some, which do not overlap.
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

// picking looks for what is best cut, until that is enough.
type picking struct {
	kept   map[string]bool
	wanted int // bytes that are still to be taken
	pieces []piece
}

// pick goes where most of a value is: to the value of its largest member, and so on down; a list of which no item
// is most is cut itself. found tells that something within it was picked.
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
