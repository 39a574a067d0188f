package edit

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspi/internal/source"
)

// counted is a text in which positions are counted as the edit counts them. Offsets count a byte order mark in.
type counted struct {
	text *source.Text
	enc  source.Encoding
	mark int // bytes of a byte order mark that positions do not count
}

// counted is for the text at the time of an edit, which is not that on disk when an earlier operation changed it.
func (o *Options) counted(path, content string) counted {
	text := source.New(path, content)
	if !o.IgnoresMark {
		return counted{text: text, enc: o.Encoding}
	}
	bare := text.WithoutMark()
	return counted{text: bare, enc: o.Encoding, mark: len(content) - len(bare.Content())}
}

// decode is the byte offset of a position; one behind the end of its line is the end of the line, one behind the
// last line the end of the text, and one inside a character stands before it.
func (c counted) decode(p protocol.Position) int { return c.text.Decode(c.enc, p) + c.mark }

// encode is the position of a byte offset.
func (c counted) encode(offset int) protocol.Position {
	return c.text.Encode(c.enc, max(offset-c.mark, 0))
}

// Replacement is one edit of a text as it was when the edit applied: Old, which begins at the byte offset Start,
// becomes New.
type Replacement struct {
	Start      int
	Line       int // of Start, counted from 1
	Old, New   string
	Annotation string // the ID of an [Annotation], "" when there is none
}

func (r Replacement) end() int { return r.Start + len(r.Old) }

const mark = "\ufeff" // byte order mark

// resolve turns a server's edits of one text into replacements, sorted, those at one position in the server's order.
// Edits that overlap are refused, as LSP has it; so an insertion at the start of a replaced range must come before
// it. A replacement that is there twice is one (the rename of neocmakelsp 0.11.2), while two equal insertions are
// two.
func resolve(path, content string, lines counted, edits []textEdit) ([]Replacement, error) {
	out := make([]Replacement, 0, len(edits))
	last := lines.encode(len(content)).Line
	newline := lineEnd(content)
	for _, e := range edits {
		r, err := replacement(path, content, lines, last, e)
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
	out = slices.DeleteFunc(out, func(r Replacement) bool { return r.Old == r.New })
	return wholeWords(content, out), nil
}

func replacement(path, content string, lines counted, last uint32, e textEdit) (Replacement, error) {
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
	if end < start || before(e.end, e.start) {
		return Replacement{},
			rejected(ReasonBadRange, path, "the server's edit of %s in line %d ends before it begins", path,
				e.start.Line+1)
	}
	text := e.text
	if strings.HasPrefix(content, mark) && start <= len(mark) { // the mark is no text: it stays, and stays one
		start, end = len(mark), max(end, len(mark))
		text = strings.TrimPrefix(text, mark)
	}
	return Replacement{Start: start, Line: int(e.start.Line) + 1, Old: content[start:end], New: text,
		Annotation: e.annotation}, nil
}

func before(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// offset is the byte offset of a position, and whether it is one: a position that encode gives back, or one behind the
// end of its line or of the text, which LSP lets count as that end.
func offset(content string, lines counted, p protocol.Position) (int, bool) {
	at := lines.decode(p)
	if at < 0 || at > len(content) {
		return 0, false
	}
	back := lines.encode(at)
	if back == p || at == len(content) {
		return at, true
	}
	if strings.HasPrefix(content, mark) && p.Line == 0 && at <= len(mark) {
		return at, true // a server that was not told of the mark
	}
	rest := content[at:]
	// a \r that ends the text is a character for some servers
	atEnd := rest[0] == '\n' || strings.HasPrefix(rest, "\r\n")
	return at, atEnd && before(back, p)
}

// applied is content with the replacements, which resolve made of it.
func applied(content string, edits []Replacement) string {
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

// WithLineEndOf gives the lines of a text that comes into a file the line end of that, when it has a single one.
func WithLineEndOf(content, text string) string { return withLineEnd(text, lineEnd(content)) }

// lineEnd is the one line end that a text uses, "" when it has none or several.
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

// withLineEnd gives the lines of a new text the line end of the file that it comes into, as editors do: gopls and
// others write \n into files with \r\n. Where the file has no single one, the server's stays.
func withLineEnd(text, newline string) string {
	if newline == "" || !strings.Contains(text, "\n") {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.ReplaceAll(text, "\n", newline)
}
