package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// severalLines are the fields whose strings may have several lines, in envelopes and in what lsp_request passes on.
// All others are one line: a path, a name, an item of a list. Line ends in these are escaped, so that no name begins
// a line of its own wherever it is printed.
var severalLines = map[string]bool{"snippet": true, "body": true, "documentation": true, "signature": true,
	"preview": true, "message": true, "diff": true, "changes": true,
	"value": true, "contents": true, "detail": true, "label": true, "text": true, "newText": true, "full": true,
	"request": true}

// exact are the fields with what the host has given and has to send back unchanged: arguments of a next step.
var exact = map[string]bool{"old_text": true, "new_text": true, "new_name": true}

// EscapeJSON escapes every string of a JSON value that lspi wrote, as [EscapeLine] or [EscapeText] by its field, and
// returns how many characters it escaped. It returns JSON without such characters as it is.
func EscapeJSON(raw []byte) (out []byte, n int) {
	if needsNoEscape(raw, false) {
		return raw, 0
	}
	var b bytes.Buffer
	b.Grow(len(raw) + 64)
	field := ""
	for {
		start := bytes.IndexByte(raw, '"')
		if start < 0 {
			b.Write(raw)
			return b.Bytes(), n
		}
		b.Write(raw[:start])
		raw = raw[start:]
		end := stringEnd(raw)
		quoted, after := raw[:end], bytes.TrimLeft(raw[end:], " \t\r\n")
		isName := len(after) > 0 && after[0] == ':'
		if isName {
			field = string(quoted[1 : end-1])
		}
		shown, more := escapeQuoted(quoted, field, isName)
		b.Write(shown)
		n += more
		raw = raw[end:]
	}
}

// needsNoEscape reports whether all strings of a JSON value consist of tabs and printable ASCII, with lines also of
// line feeds.
func needsNoEscape(raw []byte, lines bool) bool {
	for i, c := range raw {
		if c >= 0x7f {
			return false
		}
		if c == '\\' && i+1 < len(raw) {
			switch raw[i+1] {
			case 'u', 'r', 'b', 'f':
				return false
			case 'n':
				if !lines {
					return false
				}
			}
		}
	}
	return true
}

// stringEnd returns the length of the JSON string at the start of raw.
func stringEnd(raw []byte) int {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(raw)
}

// escapeQuoted escapes the characters of a JSON string; isName says that it is the name of a member.
func escapeQuoted(quoted []byte, field string, isName bool) (shown []byte, n int) {
	var text string
	lines := (severalLines[field] || exact[field]) && !isName
	if needsNoEscape(quoted, lines) || json.Unmarshal(quoted, &text) != nil {
		return quoted, 0
	}
	if exact[field] && !isName {
		return PlainJSON(quoted), 0
	}
	escaped, n := escape(text, severalLines[field] && !isName)
	if n == 0 {
		return quoted, 0
	}
	shown, _ = Marshal(escaped)
	return shown, n
}

// PlainJSON returns JSON of the same value in which the characters that [EscapeText] escapes are written as \u
// escapes of JSON: a reader sees them, a terminal does not obey them, and a decoder gets the original text.
func PlainJSON(raw []byte) []byte {
	if !bytes.ContainsFunc(raw, func(r rune) bool { return r >= 0x7f }) {
		return raw
	}
	var b bytes.Buffer
	b.Grow(len(raw) + 64)
	text, before := string(raw), rune(-1)
	for i, r := range text {
		if size := utf8.RuneLen(r); r < 0x7f || r == utf8.RuneError || !hidden(r, before, text[i+size:], true) {
			b.WriteRune(r)
		} else if r <= 0xffff {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
		before = r
	}
	return b.Bytes()
}
