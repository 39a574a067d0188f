package edit

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspi/internal/source"
)

// encodedText is a text with the unit in which the edit counts characters. Offsets count bytes, a byte order mark
// included.
type encodedText struct {
	text *source.Text
	enc  source.Encoding
	mark int // length of a byte order mark that positions do not count; else 0
}

// encoded returns the text to which an edit applies. It differs from the one on disk when an earlier operation of the
// edit has changed the file.
func (o *Options) encoded(path, content string) encodedText {
	text := source.New(path, content)
	if !o.IgnoresMark {
		return encodedText{text: text, enc: o.Encoding}
	}
	bare := text.WithoutMark()
	return encodedText{text: bare, enc: o.Encoding, mark: len(content) - len(bare.Content())}
}

// offsetOf returns the byte offset of a position (LSP 3.18, Position). A position behind the end of its line means
// the end of the line, one behind the last line the end of the text, and one inside a character the start of the
// character.
func (c encodedText) offsetOf(p protocol.Position) int { return c.text.Decode(c.enc, p) + c.mark }

// positionOf returns the position of a byte offset.
func (c encodedText) positionOf(offset int) protocol.Position {
	return c.text.Encode(c.enc, max(offset-c.mark, 0))
}

// Replacement replaces Old, which begins at the byte offset Start, by New. It refers to the text to which the edit
// applied.
type Replacement struct {
	Start      int
	Line       int // of Start, 1-based
	Old, New   string
	Annotation string // the ID of an [Annotation], "" when there is none
}

func (r Replacement) end() int { return r.Start + len(r.Old) }

const mark = "\ufeff" // byte order mark

// resolve turns a server's edits of one text into sorted replacements; those at one position keep the server's order.
// It refuses edits that overlap (LSP 3.18, TextEdit[]); so an insertion at the start of a replaced range must come
// before it. A replacement that is there twice counts once (the rename of neocmakelsp 0.11.2); two equal insertions
// are two.
func resolve(path, content string, lines encodedText, edits []textEdit) ([]Replacement, error) {
	out := make([]Replacement, 0, len(edits))
	last := lines.positionOf(len(content)).Line
	newline := lineEnd(content)
	for _, e := range edits {
		r, err := toReplacement(path, content, lines, last, e)
		if err != nil {
			return nil, err
		}
		r.New = withLineEnd(r.New, newline)
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Replacement) int { return a.Start - b.Start })
	out = slices.CompactFunc(out, func(a, b Replacement) bool { return a == b && a.Old != "" })
	for i := 1; i < len(out); i++ {
		if out[i].Start < out[i-1].end() {
			return nil, rejected(ReasonOverlap, path,
				"two of the server's edits of %s change the same text in line %d", path, out[i].Line)
		}
	}
	// After the check for overlaps: what replaces a text by itself still claims it.
	out = slices.DeleteFunc(out, func(r Replacement) bool { return r.Old == r.New })
	return wholeWords(content, out), nil
}

// toReplacement turns one edit into a replacement, and refuses positions that are not in the text. last is the number
// of its last line, 0-based.
func toReplacement(path, content string, lines encodedText, last uint32, e textEdit) (Replacement, error) {
	if e.start.Line > last {
		return Replacement{}, rejected(ReasonBadRange, path,
			"the server's edit of %s begins in line %d, and the file has %d", path, e.start.Line+1, last+1)
	}
	start, startOK := offset(content, lines, e.start)
	end, endOK := offset(content, lines, e.end)
	if !startOK || !endOK {
		return Replacement{}, rejected(ReasonBadRange, path,
			"the server's edit of %s in line %d begins or ends inside a character", path, e.start.Line+1)
	}
	// By positions too: two that lie behind the end of a line have the same offset.
	if end < start || positionBefore(e.end, e.start) {
		return Replacement{},
			rejected(ReasonBadRange, path, "the server's edit of %s in line %d ends before it begins", path,
				e.start.Line+1)
	}
	text := e.text
	if strings.HasPrefix(content, mark) && start <= len(mark) { // the mark is not text: it stays, once
		start, end = len(mark), max(end, len(mark))
		text = strings.TrimPrefix(text, mark)
	}
	return Replacement{Start: start, Line: int(e.start.Line) + 1, Old: content[start:end], New: text,
		Annotation: e.annotation}, nil
}

func positionBefore(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// offset returns the byte offset of a position, and whether it is a position of the text: one that positionOf returns
// for that offset, or one behind the end of its line or of the text, which LSP lets mean that end.
func offset(content string, lines encodedText, p protocol.Position) (int, bool) {
	at := lines.offsetOf(p)
	if at < 0 || at > len(content) {
		return 0, false
	}
	back := lines.positionOf(at)
	if back == p || at == len(content) {
		return at, true
	}
	if strings.HasPrefix(content, mark) && p.Line == 0 && at <= len(mark) {
		return at, true // the server was not sent the mark
	}
	rest := content[at:]
	// A \r at the end of the text is not an end of line for all servers.
	atEnd := rest[0] == '\n' || strings.HasPrefix(rest, "\r\n")
	return at, atEnd && positionBefore(back, p)
}

// applyReplacements returns content with the replacements, which resolve has made of it.
func applyReplacements(content string, edits []Replacement) string {
	var b strings.Builder
	at := 0
	for _, r := range edits {
		b.WriteString(content[at:r.Start])
		b.WriteString(r.New)
		at = r.end()
	}
	b.WriteString(content[at:])
	return b.String()
}

// WithLineEndOf returns text with the line end of content, when that uses a single one.
func WithLineEndOf(content, text string) string { return withLineEnd(text, lineEnd(content)) }

// lineEnd returns the one line end that a text uses; "" when it has none or several.
func lineEnd(content string) string {
	all, crlf, cr := strings.Count(content, "\n"), strings.Count(content, "\r\n"), strings.Count(content, "\r")
	switch {
	case all > 0 && cr == 0:
		return "\n"
	case all > 0 && all == crlf && cr == crlf:
		return "\r\n"
	default:
		return ""
	}
}

// withLineEnd gives the lines of a new text the line end of its file, as editors do: gopls and others write \n into
// files with \r\n. In a file with several line ends the server's own stay.
func withLineEnd(text, newline string) string {
	if newline == "" || !strings.Contains(text, "\n") {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.ReplaceAll(text, "\n", newline)
}
