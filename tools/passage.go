package tools

import (
	"fmt"
	"time"
	"unicode/utf8"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/recall"
)

// passage says which part of the text of a request an answer shows: from a character (code point) on,
// to the end or as far as there is room. The text itself is a field of the answer, which has its own
// name in each tool.
type passage struct {
	Offset     int `json:"offset,omitempty"`
	TotalChars int `json:"total_chars"`

	session string // whose request it is
}

// passageOf returns the part of a request from a character on. Of a text that is longer than the cap it
// returns as much as the cap, which has to be cut again for certain: a transcript may hold megabytes,
// and finding out how much fits writes the answer several times.
func passageOf(c *answer.Call, session string, r recall.Request, offset int) (passage, string) {
	total := utf8.RuneCountInString(r.Text)
	offset = min(offset, total)
	if r.Cut {
		c.Warn(contract.WarnTruncated, contract.Facts{"total": total},
			"the request is longer than lspi reads: its end is missing")
		c.Truncate()
	}
	return passage{offset, total, session}, firstRunes(afterRunes(r.Text, offset), c.Limit())
}

// Next returns the arguments for what follows the first n characters, in the same session whichever
// session calls then.
func (p passage) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": p.Offset + n, "session_id": p.session}
}

// shown returns in words which part of the text an answer has; "" when it has all of it.
func (p passage) shown(text string) string {
	n := utf8.RuneCountInString(text)
	if n == p.TotalChars {
		return ""
	}
	if n == 0 {
		return " The text ends before this offset."
	}
	return fmt.Sprintf(" Shown are the characters from %d to %d of %d.", p.Offset+1, p.Offset+n, p.TotalChars)
}

// firstRunes returns the first n characters of a text, or fewer.
func firstRunes(text string, n int) string { return text[:len(text)-len(afterRunes(text, n))] }

// afterRunes returns a text without its first n characters.
func afterRunes(text string, n int) string {
	if n >= len(text) { // no character is shorter than a byte
		return ""
	}
	for i := range text {
		if n == 0 {
			return text[i:]
		}
		n--
	}
	return ""
}

// tellTime writes when a request was asked, if that is known.
func tellTime(s *answer.Sheet, ms *int64) {
	if ms != nil {
		s.Line(0, "timestamp_ms %d (%s)", *ms, time.UnixMilli(*ms).UTC().Format(time.DateTime))
	}
}
