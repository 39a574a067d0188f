package contract

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names, source lines, documentation, diagnostics and the words of servers are written by whoever wrote the repository.
// Some characters make such a text read otherwise than it is, or speak to a terminal instead of its reader: controls of
// the direction of writing (CVE-2021-42574), characters without a shape, escape sequences, and tags or variation
// selectors in which whole sentences hide from people and not from a model. Answers, logs and terminals show them as
// \u{202E}, the form of ECMAScript, Rust and Swift. What stays out of it: tabs, line ends where a text may have several
// lines, and what scripts and emoji need to be read at all. Files are never changed by this, nor are positions: it is
// the last that is done to a text.

// EscapeLine is a text that has to stay one line: a name, a path, a line of code. Line ends are escaped, too.
func EscapeLine(text string) string { out, _ := escape(text, false); return out }

// EscapeText is a text of several lines.
func EscapeText(text string) string { out, _ := escape(text, true); return out }

// escape also tells how many characters it escaped.
func escape(text string, lines bool) (out string, n int) {
	if plain(text) && (lines || strings.IndexByte(text, '\n') < 0) {
		return text, 0
	}
	var b strings.Builder
	kept, before := 0, rune(-1)
	for i, r := range text {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError { // which one byte that is no UTF-8 is, too
			_, size = utf8.DecodeRuneInString(text[i:])
		}
		if hidden(r, before, text[i+size:], lines) {
			b.WriteString(text[kept:i])
			b.WriteString(`\u{`)
			b.WriteString(strings.ToUpper(strconv.FormatInt(int64(r), 16)))
			b.WriteByte('}')
			kept, n = i+size, n+1
		}
		before = r
	}
	if n == 0 {
		return text, 0
	}
	b.WriteString(text[kept:])
	return b.String(), n
}

// plain reports whether a text has ASCII characters only, and of those that are no letters only tabs and line feeds.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\t' && c != '\n' {
			return false
		}
	}
	return true
}

// hidden reports whether a character is shown by its number: between the character before it, -1 at the start, and the
// text after it.
func hidden(r, before rune, after string, lines bool) bool {
	switch {
	case r < ' ':
		return r != '\t' && !(lines && (r == '\n' || r == '\r' && strings.HasPrefix(after, "\n")))
	case r < 0x7f:
		return false
	case r < 0xa0:
		return true // DEL and C1, of which U+009B begins an escape sequence
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
		next, _ := utf8.DecodeRuneInString(after)
		return !joins(before, next)
	case unicode.Is(unicode.Variation_Selector, r):
		return !selects(before, r)
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// joining are the scripts in which a joiner between two letters changes their shape and belongs to the spelling.
var joining = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari,
	unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar}

// joins reports whether a joiner between two characters can be seen: in letters of such a script, or within an emoji.
func joins(before, after rune) bool {
	if pictures(before) && unicode.Is(unicode.So, after) {
		return true
	}
	return unicode.In(before, joining...) && unicode.In(after, joining...)
}

// pictures reports whether an emoji may end with a character: a symbol, a tone of skin, or the selector of its colours.
func pictures(r rune) bool { return unicode.In(r, unicode.So, unicode.Sk) || r == '\ufe0f' }

// selects reports whether a variation selector may stand behind a character: one, behind what has a shape; behind ASCII
// that of keycaps only.
func selects(before, r rune) bool {
	if before <= 0x7f {
		return r == '\ufe0f' && strings.ContainsRune("0123456789#*", before)
	}
	return unicode.IsGraphic(before) && !unicode.Is(unicode.Variation_Selector, before)
}

// Unescape is the text that [EscapeLine] and [EscapeText] show as text: what an answer showed may be given back. A text
// that nobody escaped may look the same, so that callers try it as it is first.
func Unescape(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, `\u{`)
		digits, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			b.WriteString(text)
			return b.String()
		}
		n, err := strconv.ParseUint(digits, 16, 21)
		if err != nil || !utf8.ValidRune(rune(n)) {
			b.WriteString(before + `\u{`)
			text = rest
			continue
		}
		b.WriteString(before)
		b.WriteRune(rune(n))
		text = after
	}
}

// OneLine is [EscapeLine] of a sentence: line ends in it, with the white space around them, become one space.
func OneLine(text string) string {
	if strings.ContainsAny(text, "\r\n") {
		lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' })
		for i, line := range lines {
			lines[i] = strings.TrimSpace(line)
		}
		text = strings.Join(lines, " ")
	}
	return EscapeLine(text)
}
