package lang

import (
	"slices"
	"strings"
)

// A comment or a string that is never closed swallows the rest of its file: a server knows no use there, and its
// answers do not say so (clangd 22.1.8, gopls 0.23.0, rust-analyzer 1.97.1, typescript-language-server 6.0.2).

// CUnclosed returns the offset at which a comment or raw string of a source of C or C++ begins that is never closed;
// -1 when all are closed. Other strings end with their line at the latest (C++23, [lex]).
func CUnclosed(text string) int { return firstUnclosed(text, false, cToken) }

// GoUnclosed is [CUnclosed] for Go (The Go Programming Language Specification, Lexical elements).
func GoUnclosed(text string) int { return firstUnclosed(text, false, goToken) }

// RustUnclosed is [CUnclosed] for Rust, where comments nest and every string may run over lines (The Rust
// Reference, Lexical structure).
func RustUnclosed(text string) int { return firstUnclosed(text, true, rustToken) }

// firstUnclosed returns where the first token begins that a text never closes; -1 when all are closed.
func firstUnclosed(text string, nested bool, token tokenEnd) int {
	open := -1
	eachToken(text, nested, token, func(i, _ int, closed bool) {
		if !closed {
			open = i
		}
	})
	return open
}

// tokenEnd returns the end of the token at i, which is not a comment; closed is false when the text never closes it.
type tokenEnd func(text string, i int) (end int, closed bool)

// eachToken visits the tokens of a text, up to the first that is never closed. nested says that comments nest.
func eachToken(text string, nested bool, token tokenEnd, visit func(i, end int, closed bool)) {
	for i, closed := 0, true; closed && i < len(text); {
		end := i
		if comment := text[i] == '/' && i+1 < len(text); comment && text[i+1] == '/' {
			end = lineEnd(text, i)
		} else if comment && text[i+1] == '*' {
			end, closed = commentEnd(text, i, nested)
		} else {
			end, closed = token(text, i)
		}
		visit(i, end, closed)
		i = end
	}
}

// CUnpaired returns the offset of the first bracket of a piece of C or C++ that the piece closes and does not open,
// else of the first that it opens and does not close; -1 when all have their pair. It returns -1 for a piece with #if
// too, whose branches may open the same bracket twice.
func CUnpaired(text string) int {
	if strings.Contains(text, "#if") || strings.Contains(text, "#el") || strings.Contains(text, "#define") {
		return -1
	}
	return firstUnpaired(text, false, cToken)
}

// GoUnpaired is [CUnpaired] for Go.
func GoUnpaired(text string) int { return firstUnpaired(text, false, goToken) }

// RustUnpaired is [CUnpaired] for Rust.
func RustUnpaired(text string) int { return firstUnpaired(text, true, rustToken) }

func firstUnpaired(text string, nested bool, token tokenEnd) int {
	var open []int
	stray := -1
	eachToken(text, nested, token, func(i, end int, _ bool) {
		switch {
		case end != i+1 || stray >= 0:
		case strings.IndexByte("([{", text[i]) >= 0:
			open = append(open, i)
		case strings.IndexByte(")]}", text[i]) >= 0 && len(open) == 0:
			stray = i
		case strings.IndexByte(")]}", text[i]) >= 0:
			open = open[:len(open)-1]
		}
	})
	if stray < 0 && len(open) > 0 {
		return open[0]
	}
	return stray
}

// commentEnd returns the end of the comment that begins at i.
func commentEnd(text string, i int, nested bool) (end int, closed bool) {
	if !nested {
		return endBehind(text, i+2, "*/")
	}
	depth := 0
	for i+1 < len(text) {
		switch text[i : i+2] {
		case "/*":
			depth++
			i += 2
		case "*/":
			if i, depth = i+2, depth-1; depth == 0 {
				return i, true
			}
		default:
			i++
		}
	}
	return len(text), false
}

// endBehind returns the end of the first occurrence of closing from i on.
func endBehind(text string, i int, closing string) (end int, closed bool) {
	i = min(i, len(text))
	if n := strings.Index(text[i:], closing); n >= 0 {
		return i + n + len(closing), true
	}
	return len(text), false
}

// quotedEnd returns the end of the string literal whose quote is at i. With lines it may contain line breaks;
// without, it ends with its line at the latest.
func quotedEnd(text string, i int, lines bool) (end int, closed bool) {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch b := text[i]; {
		case b == '\\' && strings.HasPrefix(text[i+1:], "\r\n"):
			i += 2
		case b == '\\':
			i++
		case b == quote:
			return i + 1, true
		case !lines && (b == '\n' || b == '\r'):
			return i, true
		}
	}
	return len(text), !lines
}

func cToken(text string, i int) (end int, closed bool) {
	switch b := text[i]; {
	case b == '"' || b == '\'':
		return quotedEnd(text, i, false)
	case b >= '0' && b <= '9':
		for i < len(text) && (wordByte(text[i]) || text[i] == '\'' && i+1 < len(text) && wordByte(text[i+1])) { // 1'000
			i++
		}
		return i, true
	case wordByte(b):
		end = wordEnd(text, i)
		if slices.Contains(cRaw, text[i:end]) && end < len(text) && text[end] == '"' {
			return cRawEnd(text, end)
		}
		return end, true
	case b == '#':
		return headerEnd(text, i), true
	}
	return i + 1, true
}

// cRaw are the prefixes of raw strings.
var cRaw = []string{"R", "LR", "uR", "UR", "u8R"}

// cRawEnd returns the end of a raw string whose quote is at i.
func cRawEnd(text string, i int) (end int, closed bool) {
	n := strings.IndexAny(text[i+1:min(i+18, len(text))], "( )\\\t\v\f\r\n\"")
	if n < 0 || text[i+1+n] != '(' {
		return quotedEnd(text, i, false) // none
	}
	return endBehind(text, i+2+n, ")"+text[i+1:i+1+n]+`"`)
}

// headerEnd returns the end of the directive at i, with the header in angle brackets that it names: a path may hold
// the signs of a comment.
func headerEnd(text string, i int) int {
	line := text[i:lineEnd(text, i)]
	rest := strings.TrimLeft(line[1:], " \t")
	name := rest[:wordEnd(rest, 0)]
	if !strings.HasPrefix(name, "include") && name != "import" && name != "embed" {
		return i + 1
	}
	rest = strings.TrimLeft(rest[len(name):], " \t")
	if n := strings.IndexByte(rest, '>'); n >= 0 && rest[0] == '<' {
		return i + len(line) - len(rest) + n + 1
	}
	return i + 1
}

func goToken(text string, i int) (end int, closed bool) {
	switch b := text[i]; {
	case b == '"' || b == '\'':
		return quotedEnd(text, i, false)
	case b == '`':
		return endBehind(text, i+1, "`")
	}
	return i + 1, true
}

func rustToken(text string, i int) (end int, closed bool) {
	switch b := text[i]; {
	case b == '"':
		return quotedEnd(text, i, true)
	case b == '\'':
		return rustCharEnd(text, i), true
	case b == '#' && i == 0 && strings.HasPrefix(text, "#!") &&
		!strings.HasPrefix(strings.TrimLeft(text[2:], " \t\r\n"), "["):
		return lineEnd(text, i), true
	case !wordByte(b):
		return i + 1, true
	}
	end = wordEnd(text, i)
	if word := text[i:end]; word == "r" || word == "br" || word == "cr" {
		hashes := len(text[end:]) - len(strings.TrimLeft(text[end:], "#"))
		if strings.HasPrefix(text[end+hashes:], `"`) {
			return endBehind(text, end+hashes+1, `"`+strings.Repeat("#", hashes))
		}
	}
	return end, true
}

// rustCharEnd returns the end of a character literal or a lifetime whose quote is at i.
func rustCharEnd(text string, i int) int {
	if i+1 < len(text) && wordByte(text[i+1]) {
		end := wordEnd(text, i+1)
		if end < len(text) && text[end] == '\'' {
			end++
		}
		return end
	}
	for n := i + 1; n < len(text) && text[n] != '\n'; n++ { // '"', '\'', '\u{1F600}'
		switch text[n] {
		case '\\':
			n++
		case '\'':
			return n + 1
		}
	}
	return i + 1
}
