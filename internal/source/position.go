package source

import (
	"iter"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"lspi/contract"
)

// Encoding is the unit in which a server counts characters on a line (LSP 3.17, PositionEncodingKind).
type Encoding uint8

// The encodings. UTF16 is that of a server that does not name one.
const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// ParseEncoding reads positionEncoding of a server's capabilities; anything unknown is UTF16, LSP's default.
func ParseEncoding(kind string) Encoding {
	switch kind {
	case "utf-8":
		return UTF8
	case "utf-32":
		return UTF32
	default:
		return UTF16
	}
}

func (e Encoding) String() string {
	return [...]string{"utf-16", "utf-8", "utf-32"}[e]
}

// width returns how many units of e the rune r has, which takes size bytes of the text.
func (e Encoding) width(r rune, size int) int {
	switch {
	case e == UTF8:
		return size
	case e == UTF16 && r > 0xFFFF:
		return 2
	default:
		return 1
	}
}

// Outward converts a server's position into the host's. A position behind the end of its line becomes that end, as
// LSP says; one behind the last line becomes the end of the text.
func (t *Text) Outward(enc Encoding, p protocol.Position) contract.Position {
	n := int(p.Line)
	if n >= t.Lines() {
		n = t.Lines() - 1
		return t.position(n, len(t.lineText(n)))
	}
	return t.position(n, advance(t.lineText(n), enc, int(p.Character)))
}

// position returns the host's position of a byte offset in a line, 0-based. An offset before or in a byte order mark
// counts as behind it.
func (t *Text) position(line, at int) contract.Position {
	before := utf8.RuneCountInString(t.content[t.starts[line]:int(t.starts[line])+at]) - t.bom(line)
	return contract.Position{Line: line + 1, Character: max(before, 0) + 1}
}

// OutwardRange converts both ends of a range by [Text.Outward].
func (t *Text) OutwardRange(enc Encoding, r protocol.Range) contract.Range {
	return contract.Range{Start: t.Outward(enc, r.Start), End: t.Outward(enc, r.End)}
}

// Exactly converts a position of something other than a server, both numbers from 0. Nothing is clamped: false where
// the text has no such position.
func (t *Text) Exactly(enc Encoding, line, character int) (contract.Position, bool) {
	if line < 0 || line >= t.Lines() || character < 0 {
		return contract.Position{}, false
	}
	at := advance(t.lineText(line), enc, character)
	exact := int(t.Encode(enc, int(t.starts[line])+at).Character) == character
	return t.position(line, at), exact
}

// Inward converts a host's position into the server's. A line or character that the text does not have is a
// position_out_of_range error; the position behind the last character of a line exists.
func (t *Text) Inward(enc Encoding, p contract.Position) (protocol.Position, error) {
	at, err := t.Offset(p)
	if err != nil {
		return protocol.Position{}, err
	}
	return t.Encode(enc, at), nil
}

// Encode returns the server's position of a byte offset, which must be at the start of a rune.
func (t *Text) Encode(enc Encoding, offset int) protocol.Position {
	n := t.LineOf(offset)
	units := 0
	for r, size := range runes(t.content[t.starts[n]:offset]) {
		units += enc.width(r, size)
	}
	return protocol.Position{Line: uint32(n), Character: uint32(units)}
}

// Decode returns the byte offset of a server's position, which it clamps as [Text.Outward] does.
func (t *Text) Decode(enc Encoding, p protocol.Position) int {
	n := int(p.Line)
	if n >= t.Lines() {
		return len(t.content)
	}
	return int(t.starts[n]) + advance(t.lineText(n), enc, int(p.Character))
}

// Offset returns the byte offset of a host's position. Its error is position_out_of_range.
func (t *Text) Offset(p contract.Position) (int, error) {
	if p.Line < 1 || p.Line > t.Lines() {
		return 0, contract.Errorf(contract.KindPositionOutOfRange,
			contract.Facts{"file_path": t.Path, "line": p.Line, "lines": t.Lines()},
			"line %d is outside of %s, which has %d lines", p.Line, t.Path, t.Lines())
	}
	line := t.lineText(p.Line - 1)
	at, left := 0, p.Character-1+t.bom(p.Line-1)
	for left > 0 && at < len(line) {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
		left--
	}
	if left != 0 || p.Character < 1 {
		count := utf8.RuneCountInString(line) - t.bom(p.Line-1)
		return 0, contract.Errorf(contract.KindPositionOutOfRange,
			contract.Facts{"file_path": t.Path, "line": p.Line, "character": p.Character, "characters": count},
			"character %d is outside of line %d of %s, which has %d characters", p.Character, p.Line, t.Path, count)
	}
	return int(t.starts[p.Line-1]) + at, nil
}

// PositionAt returns the host's position of a byte offset.
func (t *Text) PositionAt(offset int) contract.Position {
	n := t.LineOf(offset)
	return t.position(n, offset-int(t.starts[n]))
}

// advance returns the byte offset in line that is units of enc from its start. In the middle of a rune it is the
// start of the rune; behind the end it is the end.
func advance(line string, enc Encoding, units int) int {
	at := 0
	for r, size := range runes(line) {
		w := enc.width(r, size)
		if units < w {
			return at
		}
		units -= w
		at += size
	}
	return at
}

// runes yields every rune of s with its size in bytes; an invalid byte is a rune of size one.
func runes(s string) iter.Seq2[rune, int] {
	return func(yield func(rune, int) bool) {
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			if !yield(r, size) {
				return
			}
			i += size
		}
	}
}

// bom returns 1 for a first line with a byte order mark, which hosts neither see nor count; else 0.
func (t *Text) bom(line int) int {
	if line == 0 && strings.HasPrefix(t.content, "\ufeff") {
		return 1
	}
	return 0
}
