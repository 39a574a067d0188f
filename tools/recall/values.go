package recall

import (
	"strings"

	"lspi/tools/recall/jsonl"
)

// Readers of what the lines of both clients have in common, and their bounds, in bytes: a line is of a program that
// may write anything.
const (
	maxPath  = 32 << 10
	maxShort = 256
)

// short reads a string that is an id, a type, a time or the like; it is cut at maxShort.
func short(r *jsonl.Reader) string {
	s, _ := r.String(maxShort)
	return s
}

// readText reads a text that the user may have written; it is cut at [MaxText].
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

// joined returns the parts as one text, of which the first [MaxText] bytes count.
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

// PreviewRunes bounds [Session.Preview].
const PreviewRunes = 80

// MaxText bounds [Request].Text, in bytes.
const MaxText = 4 << 20

// imageOnly is the text of a request that has nothing but images.
const imageOnly = "[Image]"
