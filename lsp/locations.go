package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"lspi/contract"
	"lspi/internal/source"
)

// span is LSP's Range as servers write it: one sends -1 for what it does not know, another a float, and neither may
// cost the whole answer.
type span = numericSpan[float64]

// numericSpan is LSP's Range with numbers of type N: uint32 for answers as they should be, float64 for all others.
type numericSpan[N uint32 | float64] struct {
	Start spanEnd[N] `json:"start"`
	End   spanEnd[N] `json:"end"`
}

// spanEnd is LSP's Position.
type spanEnd[N uint32 | float64] struct {
	Line      N `json:"line"`
	Character N `json:"character"`
}

// rng is the range with both ends made possible positions.
func (s numericSpan[N]) rng() protocol.Range {
	return protocol.Range{Start: s.Start.position(), End: s.End.position()}
}

// SpanOf is a range as servers write it.
func SpanOf(r protocol.Range) span {
	return span{spanEnd[float64]{float64(r.Start.Line), float64(r.Start.Character)},
		spanEnd[float64]{float64(r.End.Line), float64(r.End.Character)}}
}

func (e spanEnd[N]) position() protocol.Position {
	return protocol.Position{Line: natural(e.Line), Character: natural(e.Character)}
}

// natural is the nearest number that a position can have.
func natural[N uint32 | float64](n N) uint32 {
	// -1 is what servers send for an unknown position, and the whole file is often [0, huge number]: both become
	// the nearest position instead of costing the answer.
	return uint32(min(max(n, 0), math.MaxInt32))
}

// location is LSP's Location or LocationLink, whichever came: both are answers to the same requests.
type location = locationOf[float64]

// locationOf has the fields of both forms; pointers tell a range that is missing from one at the beginning of the file.
type locationOf[N uint32 | float64] struct {
	URI                  string          `json:"uri"`
	Range                *numericSpan[N] `json:"range"`
	TargetURI            string          `json:"targetUri"`
	TargetRange          *numericSpan[N] `json:"targetRange"`
	TargetSelectionRange *numericSpan[N] `json:"targetSelectionRange"`
}

// target is where a location leads: the name and what belongs to it, equal where the server does not tell them apart.
type target struct {
	uri        string
	name, full protocol.Range
}

// target has the parts that both forms have; ok is false for something that is neither.
func (l locationOf[N]) target() (t target, ok bool) {
	switch {
	// LocationLink before Location: an object with both forms has more in the first.
	case l.TargetURI != "" && l.TargetSelectionRange != nil && l.TargetRange != nil:
		return target{l.TargetURI, l.TargetSelectionRange.rng(), l.TargetRange.rng()}, true
	case l.TargetURI != "" && l.TargetRange != nil:
		// targetSelectionRange is required by LSP 3.17; without it the whole declaration is better than no place.
		return target{l.TargetURI, l.TargetRange.rng(), l.TargetRange.rng()}, true
	case l.URI != "" && l.Range != nil:
		return target{l.URI, l.Range.rng(), l.Range.rng()}, true
	}
	return target{}, false
}

// errNoRange is a location of neither form.
var errNoRange = errors.New("a location without range")

// eachLocation reads null, one Location or LocationLink, or an array of them, and hands on each in its order.
// Numbers are first taken for what they should be, which takes half the time; where one is not, again is called and
// all are handed on anew. On an error some may have been handed on.
func eachLocation(raw json.RawMessage, each func(target), again func()) error {
	if len(raw) == 0 {
		return nil
	}
	// An error of the first reading is not told: the second finds it again when the answer really cannot be read.
	if err := locations[uint32](raw, each); err == nil {
		return nil
	}
	again()
	return locations[float64](raw, each)
}

const (
	// usualLocation is about what one location takes in an answer, in bytes.
	usualLocation = 160
	// decodedApart is from which size on, in bytes, an answer is decoded beside what is done with its places: each is
	// half of what lspi adds to the server's time.
	decodedApart = 4096
	// decodedAtOnce are the locations that are handed on together.
	decodedAtOnce = 16
	// leastLocation is what the shortest location takes, in bytes: {"uri":"a","range":{…}}.
	leastLocation = 40
)

// locations hands on every location of an answer. A large answer is decoded in a goroutine of its own while the
// caller reads the files of what was decoded already: both take about the same time.
func locations[N uint32 | float64](raw json.RawMessage, each func(target)) error {
	if len(raw) < decodedApart {
		return decodeTargets[N](raw, each)
	}
	// It has room for all, so the sender never waits and ends also when each panics.
	handed := make(chan []target, len(raw)/(leastLocation*decodedAtOnce)+1)
	var err error // of the sender until handed is closed
	go func() {
		defer close(handed)
		group := make([]target, 0, decodedAtOnce)
		err = decodeTargets[N](raw, func(t target) {
			if group = append(group, t); len(group) == decodedAtOnce {
				handed <- group
				group = make([]target, 0, decodedAtOnce)
			}
		})
		// Also when decoding has failed: the receiver ends with the channel and takes what there was.
		handed <- group
	}()
	for group := range handed {
		for _, t := range group {
			each(t)
		}
	}
	return err
}

// decodeTargets decodes one location after the other from the raw answer, and hands each on before it reads the next.
func decodeTargets[N uint32 | float64](raw json.RawMessage, each func(target)) error {
	in := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient)
	one := func() error {
		var l locationOf[N]
		if err := jsonv2.UnmarshalDecode(in, &l); err != nil {
			return err
		}
		t, ok := l.target()
		if !ok {
			return errNoRange
		}
		each(t)
		return nil
	}
	switch in.PeekKind() {
	case jsontext.KindNull:
		return nil
	// Each element is decoded and handed on by itself, so that an answer of megabytes is never held a second time
	// as a slice.
	case jsontext.KindBeginArray:
	default:
		// One object, as definition may be answered (LSP 3.17); what is no object is an error of one.
		return one()
	}
	if _, err := in.ReadToken(); err != nil {
		return err
	}
	for in.PeekKind() != jsontext.KindEndArray {
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}

// lenient takes what servers write that is no perfect JSON. The library is that of go.lsp.dev/protocol, and takes a
// quarter of encoding/json's time.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// HierarchyItem is LSP's CallHierarchyItem or TypeHierarchyItem, which have the same fields. It belongs to the server
// that gave it.
type HierarchyItem struct {
	Name   string
	Detail string
	Kind   SymbolKind
	// what the server itself tells symbols by: data, where that is one string (clangd 22: the symbol's ID); else ""
	Key   string
	Place Place // Range is the name, Full the whole declaration

	raw json.RawMessage // sent back as it came: servers keep their own data in it
}

// Place is a range of a text, in the host's terms.
type Place struct {
	Path   string         // absolute; a URI as it came when it names no file
	Range  contract.Range // the name itself where the server tells it
	Full   contract.Range // what belongs to it, a whole declaration; equal to Range when the server does not tell
	Line   string         // the text of Range's first line; "" when it could not be read
	Err    error          // why the text could not be read, so that Range counts the server's units; nil when it was
	Gone   bool           // the file is gone, and the server is known to go on naming such files
	Import bool           // it is an import that the server could not follow
	Guess  bool           // the server sees no symbol where it was asked, and looked for the name

	Generated bool // the file says that a program wrote it
}

// Outside reports whether the place is in a file that is not read: see [spec.Sources]. Its path and line are the
// server's.
func (p Place) Outside() bool { return errors.Is(p.Err, source.ErrOutsideSources) }

// SymbolKind is LSP's SymbolKind by name, in lower case: "function", "enum_member".
type SymbolKind string

var kindNames = [...]SymbolKind{
	"", "file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum",
	"interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key", "null",
	"enum_member", "struct", "event", "operator", "type_parameter",
}

// SymbolKinds lists every kind, in LSP's order.
func SymbolKinds() []SymbolKind { return kindNames[1:] }

// kindName never fails: an unknown number costs the word, and not the symbol.
func kindName(n int) SymbolKind {
	if n > 0 && n < len(kindNames) {
		return kindNames[n]
	}
	// Newer servers may send kinds that LSP 3.17 does not have.
	return "symbol"
}

// IsContainer reports whether a symbol of the kind holds members, each with a type of its own.
func (k SymbolKind) IsContainer() bool {
	return slices.Contains([]SymbolKind{"class", "interface", "struct", "enum", "object"}, k)
}

// IsScope reports whether a symbol of the kind only groups others.
func (k SymbolKind) IsScope() bool {
	return slices.Contains([]SymbolKind{"file", "module", "namespace", "package"}, k)
}

// IsValue reports whether a symbol of the kind has a value and no body: variables, constants, fields.
func (k SymbolKind) IsValue() bool {
	return k == "variable" || k == "constant" || k == "property" || k == "field"
}

// IsFunction reports whether a symbol of the kind has a body that is executed.
func (k SymbolKind) IsFunction() bool { return k == "function" || k == "method" || k == "constructor" }
