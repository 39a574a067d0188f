package lang

import "strings"

// scanPython is the scanner of Python (The Python Language Reference, Lexical analysis; 3.14).
func scanPython(text string) scanner {
	return func(i int) piece {
		prefix, quote := "", i
		switch b := text[i]; {
		case b == '#':
			return piece{lineEnd(text, i), commentPiece, -1}
		case wordByte(b):
			quote = wordEnd(text, i)
			if prefix = text[i:quote]; strings.Trim(prefix, "rRuUbBfFtT") != "" {
				return piece{quote, codePiece, -1}
			}
		}
		if quote == len(text) || text[quote] != '"' && text[quote] != '\'' {
			return piece{max(quote, i+1), codePiece, -1}
		}
		end, closed := pythonString(text, quote, prefix)
		return piece{end, literalPiece, openAt(closed, i)}
	}
}

// pythonStatements are keywords that no expression has.
const pythonStatements = `assert break class continue def del elif except finally global import nonlocal pass raise
	return try while with`

func wordByte(b byte) bool {
	return b == '_' || b >= 0x80 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func wordEnd(text string, i int) int {
	for i < len(text) && wordByte(text[i]) {
		i++
	}
	return i
}

func lineEnd(text string, i int) int {
	if n := strings.IndexAny(text[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(text)
}

// pythonString returns the end of the string whose quote is at i, behind a prefix; closed is false when the text does
// not end it. A string of one line ends with the line at the latest.
func pythonString(text string, i int, prefix string) (end int, closed bool) {
	quote := text[i : i+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(text[i:], triple) {
		quote = triple
	}
	fields, raw := strings.ContainsAny(prefix, "fFtT"), strings.ContainsAny(prefix, "rR")
	for i += len(quote); i < len(text); {
		switch b := text[i]; {
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote), true
		case b == '\\':
			i = pythonEscape(text, i, fields, raw)
		case (b == '\n' || b == '\r') && len(quote) == 1:
			return i, true
		case b == '{' && fields && strings.HasPrefix(text[i:], "{{"):
			i += 2
		case b == '{' && fields:
			if i, closed = pythonField(text, i+1, quote); !closed {
				return i, false
			}
		default:
			i++
		}
	}
	return i, len(quote) == 1
}

// pythonEscape returns the end of what a backslash at i escapes.
func pythonEscape(text string, i int, fields, raw bool) int {
	rest := text[i+1:]
	switch {
	case fields && !raw && strings.HasPrefix(rest, "N{"):
		return i + 3
	case fields && (strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "}")):
		return i + 1 // it escapes no brace
	case strings.HasPrefix(rest, "\r\n"):
		return i + 3
	}
	return min(i+2, len(text))
}

// pythonField returns the end of a replacement field of a string, from behind its brace on.
func pythonField(text string, i int, quote string) (end int, closed bool) {
	for depth := 0; i < len(text); {
		switch b := text[i]; {
		case b == '}' && depth == 0:
			return i + 1, true
		case b == ':' && depth == 0:
			return pythonFormat(text, i+1, quote)
		case b == '#':
			i = lineEnd(text, i)
		case b == '"' || b == '\'':
			from := i
			for from > 0 && wordByte(text[from-1]) {
				from--
			}
			if i, closed = pythonString(text, i, text[from:i]); !closed {
				return i, false
			}
		default:
			if strings.IndexByte("([{", b) >= 0 {
				depth++
			} else if strings.IndexByte(")]}", b) >= 0 {
				depth = max(depth-1, 0)
			}
			i++
		}
	}
	return i, false
}

// pythonFormat returns the end of a replacement field, from its format on.
func pythonFormat(text string, i int, quote string) (end int, closed bool) {
	for i < len(text) {
		switch b := text[i]; {
		case b == '}':
			return i + 1, true
		case strings.HasPrefix(text[i:], quote), (b == '\n' || b == '\r') && len(quote) == 1:
			return i, true // the string ends without the field
		case b == '{':
			if i, closed = pythonField(text, i+1, quote); !closed {
				return i, false
			}
		default:
			i++
		}
	}
	return i, false
}
