package lang

import (
	"slices"
	"strings"
)

// PythonUnclosed returns the offset at which the first bracket or string begins that a Python source never closes; -1
// when all are closed (The Python Language Reference, Lexical analysis; 3.14). A bracket in which a statement begins
// is not closed, either.
func PythonUnclosed(text string) int {
	open, _ := pythonBrackets(text)
	return open
}

// PythonUnpaired returns the offset of a bracket without its pair in a piece of Python; -1 when all have one.
func PythonUnpaired(text string) int {
	open, stray := pythonBrackets(text)
	if open >= 0 && strings.IndexByte("([{", text[open]) < 0 { // a string, of which brackets cannot be told
		return -1
	}
	if stray >= 0 {
		return stray
	}
	return open
}

// pythonBrackets returns where the first bracket or string begins that is never closed, and where the first bracket
// is that closes none; -1 where there is no such.
func pythonBrackets(text string) (unclosed, stray int) {
	var open []int
	stray = -1
	at := func(other int) int { return append(open, other)[0] }
	for i := 0; i < len(text); {
		switch b := text[i]; {
		case b == '#':
			i = lineEnd(text, i)
		case b == '"' || b == '\'':
			end, closed := pythonString(text, i, "")
			if !closed {
				return at(i), stray
			}
			i = end
		case strings.IndexByte("([{", b) >= 0:
			open = append(open, i)
			i++
		case strings.IndexByte(")]}", b) >= 0:
			if len(open) == 0 && stray < 0 {
				stray = i
			}
			open = open[:max(len(open)-1, 0)] // of whatever kind, as pyright counts them (1.1.414)
			i++
		case wordByte(b):
			end := wordEnd(text, i)
			word := text[i:end]
			if len(open) > 0 && slices.Contains(pythonStatements, word) && !strings.HasSuffix(text[:i], ".") {
				return open[0], stray
			}
			if end < len(text) && (text[end] == '"' || text[end] == '\'') && strings.Trim(word, "rRuUbBfFtT") == "" {
				from := end
				closed := false
				if end, closed = pythonString(text, from, word); !closed {
					return at(i), stray
				}
			}
			i = end
		default:
			i++
		}
	}
	return append(open, -1)[0], stray
}

// pythonStatements are keywords that no expression has.
var pythonStatements = []string{"assert", "break", "class", "continue", "def", "del", "elif", "except", "finally",
	"global", "import",
	"nonlocal", "pass", "raise", "return", "try", "while", "with"}

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
