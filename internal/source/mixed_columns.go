package source

import (
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// CountedIn returns the encoding in which a server counted the range of a name. It is for a server whose index on
// disk has columns in the encoding of the session that wrote it, and does not say which that was. It returns own,
// unless only another encoding makes the range hold exactly one word; when both do, name, the word that was asked
// about, decides.
func (t *Text) CountedIn(own Encoding, r protocol.Range, name string) Encoding {
	if r.Start.Line != r.End.Line || int(r.Start.Line) >= t.Lines() || isASCII(t.lineText(int(r.Start.Line))) {
		return own
	}
	best, word := own, t.wholeWord(own, r)
	for _, other := range []Encoding{UTF16, UTF8} {
		if found := t.wholeWord(other, r); found != "" && word != name && (word == "" || found == name) {
			best, word = other, found
		}
	}
	return best
}

// wholeWord returns the word that a range on one line holds; "" when it holds anything else, or an end lies in a
// rune.
func (t *Text) wholeWord(enc Encoding, r protocol.Range) string {
	line := t.lineText(int(r.Start.Line))
	from, to := advance(line, enc, int(r.Start.Character)), advance(line, enc, int(r.End.Character))
	start := int(t.starts[r.Start.Line])
	if t.Encode(enc, start+from) != r.Start || t.Encode(enc, start+to) != r.End || from >= to {
		return ""
	}
	for _, c := range line[from:to] {
		if !IsWord(c) {
			return ""
		}
	}
	before, _ := utf8.DecodeLastRuneInString(line[:from])
	after, _ := utf8.DecodeRuneInString(line[to:])
	if IsWord(before) || IsWord(after) {
		return ""
	}
	return line[from:to]
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
