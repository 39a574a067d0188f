package shorten

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// leastNode is the size, in bytes, below which a value is not considered: there may be a million of them, and cutting
// one gains nothing.
const leastNode = 40

// node is a value within the whole text. Offsets are in bytes.
type node struct {
	parent   *node
	name     string // the name of the member, or the index of the item, in the parent
	kind     jsontext.Kind
	from, to int
	children []*node // without those below leastNode
	largest  int     // the size of the largest item or member, small ones included
	ends     []int32 // where each item of a list ends
	text     string  // the text of a string that is long enough to be cut
}

func (n *node) size() int { return n.to - n.from }

// place returns the path of the value, such as matches or result.files.0.text.
func (n *node) place() string {
	var names []string
	for ; n.parent != nil; n = n.parent {
		names = append(names, n.name)
	}
	slices.Reverse(names)
	return strings.Join(names, ".")
}

// cuttable reports whether the value is a list of two items or more, or a string longer than a cut one would be.
func (n *node) cuttable() bool {
	return len(n.ends) > 1 || n.kind == '"' && utf8.RuneCountInString(n.text) > minText+len(mark)
}

// parse returns the tree of the values in a JSON text.
func parse(raw []byte) (*node, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	n := &node{}
	return n, n.read(dec, raw)
}

// read reads the next value of dec into the node.
func (n *node) read(dec *jsontext.Decoder, raw []byte) error {
	before := int(dec.InputOffset())
	t, err := dec.ReadToken()
	if err != nil {
		return err
	}
	n.kind, n.to = t.Kind(), int(dec.InputOffset())
	n.from = n.to - len(bytes.TrimLeft(raw[before:n.to], " \t\r\n,:"))
	switch n.kind {
	case '{', '[':
		err = n.readAll(dec, raw)
		n.to = int(dec.InputOffset())
	case '"':
		if n.size() > minText {
			n.text = t.String()
		}
	}
	return err
}

// readAll reads the members of an object or the items of a list, up to its end.
func (n *node) readAll(dec *jsontext.Decoder, raw []byte) error {
	child := &node{} // used again until a child is large enough to be kept
	for i := 0; dec.PeekKind() != '}' && dec.PeekKind() != ']'; i++ {
		*child = node{parent: n}
		if n.kind == '{' {
			t, err := dec.ReadToken()
			if err != nil {
				return err
			}
			child.name = t.String()
		}
		if err := child.read(dec, raw); err != nil {
			return err
		}
		n.largest = max(n.largest, child.size())
		if n.kind == '[' {
			n.ends = append(n.ends, int32(child.to)) // a message has 16 MB at most
		}
		if child.size() < leastNode || len(child.children) == 0 && !child.cuttable() {
			continue
		}
		if n.kind == '[' {
			child.name = strconv.Itoa(i)
		}
		n.children = append(n.children, child)
		child = &node{}
	}
	_, err := dec.ReadToken()
	return err
}

// shorten returns the piece that takes about over bytes from the end of a list or a string.
func (n *node) shorten(over int) piece {
	if n.kind == '[' {
		left, end := len(n.ends), int(n.ends[len(n.ends)-1])
		for left > 1 && end-int(n.ends[left-1]) < over {
			left--
		}
		// The cut begins behind the last item that stays, so that its comma goes too.
		return piece{Cut: Cut{Place: n.place(), Items: true, Left: left, Total: len(n.ends)},
			from: int(n.ends[left-1]), to: end}
	}
	text := []rune(strings.TrimSuffix(n.text, mark))
	total := len(text)
	text = text[:max(minText, min(total-1, total-over))]
	quoted, _ := jsontext.AppendQuote(nil, string(text)+mark) // fails only for invalid UTF-8, which runes never are
	return piece{Cut: Cut{Place: n.place(), Left: len(text), Total: total}, from: n.from, to: n.to, with: quoted}
}
