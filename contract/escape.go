package contract

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The authors of a repository write its names, source lines and documentation, and so much of what servers say. Some
// characters make a text look other than it is, or command a terminal: controls of the direction of writing
// (CVE-2021-42574), characters without a shape, escape sequences, and tags or variation selectors, in which whole
// sentences hide from people and not from a model. Answers, logs and terminals show these as \u{202E}, the form of
// ECMAScript, Rust and Swift. Not escaped are tabs, line ends where a text may have several lines, and what scripts and
// emoji need to be readable. Escaping is the last thing that is done to a text; it changes neither files nor
// positions.

// EscapeLine escapes a text that has to stay on one line, such as a name, a path or a line of code, line ends
// included.
func EscapeLine(text string) string { out, _ := escape(text, false); return out }

// EscapeText escapes a text of several lines.
func EscapeText(text string) string { out, _ := escape(text, true); return out }

// escape returns the escaped text, and how many characters were escaped.
func escape(text string, lines bool) (out string, n int) {
	if plain(text) && (lines || strings.IndexByte(text, '\n') < 0) {
		return text, 0
	}
	var b strings.Builder
	kept, before := 0, rune(-1)
	for i, r := range text {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError { // the size is 1 for a byte that is not UTF-8, 3 for U+FFFD itself
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

// plain reports whether a text has only ASCII characters, and no control but tabs and line feeds.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\t' && c != '\n' {
			return false
		}
	}
	return true
}

// hidden reports whether a character is escaped. before is the character before it, -1 at the start; after is the
// text behind it.
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

// joins reports whether a joiner between two characters is visible: between letters of such a script, or in an emoji.
func joins(before, after rune) bool {
	if pictures(before) && unicode.Is(unicode.So, after) {
		return true
	}
	return unicode.In(before, joining...) && unicode.In(after, joining...)
}

// pictures reports whether an emoji may end with r: a symbol, a skin tone, or the selector of its colours.
func pictures(r rune) bool { return unicode.In(r, unicode.So, unicode.Sk) || r == '\ufe0f' }

// selects reports whether a variation selector is allowed behind a character: one behind a visible character; behind
// ASCII only that of keycaps.
func selects(before, r rune) bool {
	if before <= 0x7f {
		return r == '\ufe0f' && strings.ContainsRune("0123456789#*", before)
	}
	return unicode.IsGraphic(before) && !unicode.Is(unicode.Variation_Selector, before)
}

// Unescape returns the text that [EscapeLine] and [EscapeText] have escaped, so that a caller may send back what an
// answer showed. A text that was never escaped may look the same, so callers try it as it is first.
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

// OneLine is [EscapeLine] for a sentence: each line end, with the white space around it, becomes one space.
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
