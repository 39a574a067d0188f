package recall

import (
	"strings"

	"lspi/tools/recall/jsonl"
)

// What is taken from the lines of both clients.

const (
	maxPath  = 32 << 10
	maxShort = 256
)

// short takes a string that is an id, a type, a time or the like.
func short(r *jsonl.Reader) string {
	s, _ := r.String(maxShort)
	return s
}

// readText takes a text that the user may have written.
func readText(r *jsonl.Reader) (t text) {
	t.text, t.cut = r.String(MaxText)
	return t
}

// block is one part of a message.
type block struct {
	kind, id string
	text     text
}

func readBlock(r *jsonl.Reader) (b block) {
	r.Object(func(name []byte) {
		switch string(name) {
		case "type":
			b.kind = short(r)
		case "id":
			b.id = short(r)
		case "text":
			b.text = readText(r)
		}
	})
	return b
}

// joined is one text of several, of which the first [MaxText] bytes count.
func joined(parts []text, between string) (out text) {
	if len(parts) == 1 {
		return parts[0]
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(p.text)
		out.cut = out.cut || p.cut
	}
	if out.text = b.String(); len(out.text) > MaxText {
		out.text, out.cut = strings.ToValidUTF8(out.text[:MaxText], ""), true // without half a character at the end
	}
	return out
}
