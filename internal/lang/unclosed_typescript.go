package lang

import (
	"slices"
	"strings"
)

// TypeScriptUnclosed returns the offset at which a comment or template of a source of TypeScript or JavaScript begins
// that is never closed; -1 when all are closed (ECMAScript, Lexical Grammar). It tells regular expressions, and text
// of JSX, by the words and signs before them alone.
func TypeScriptUnclosed(text string) int {
	s := scriptScan{text: text}
	for i := 0; i < len(text); {
		end, closed := s.token(i)
		if !closed {
			s.templates = append(s.templates, scriptTemplate{at: end})
			break
		}
		i = end
	}
	if len(s.templates) > 0 {
		return s.templates[0].at
	}
	return -1
}

// TypeScriptUnpaired returns the offset of a bracket without its pair in a piece of TypeScript or JavaScript; -1 when
// all have one, and where words and signs cannot tell: in JSX, whose text may hold any bracket, and where a slash may
// divide or begin a regular expression.
func TypeScriptUnpaired(text string) int {
	if strings.Contains(text, "</") || strings.Contains(text, "/>") {
		return -1
	}
	s := scriptScan{text: text}
	var open []int
	stray := -1
	for i := 0; i < len(text); {
		before := s.before
		end, closed := s.token(i)
		comment := strings.HasPrefix(text[i:], "//") || strings.HasPrefix(text[i:], "/*")
		switch {
		case !closed, text[i] == '/' && !comment && before != "" && strings.Contains(")]}+-!>", before):
			return -1
		case end != i+1: // more than a sign
		case strings.IndexByte("([{", text[i]) >= 0:
			open = append(open, i)
		case strings.IndexByte(")]}", text[i]) >= 0 && len(open) > 0:
			open = open[:len(open)-1]
		case strings.IndexByte(")]}", text[i]) >= 0 && stray < 0:
			stray = i
		}
		i = end
	}
	if len(s.templates) > 0 {
		return -1
	}
	if stray < 0 && len(open) > 0 {
		return open[0]
	}
	return stray
}

// scriptScan goes through a source of TypeScript or JavaScript.
type scriptScan struct {
	text      string
	templates []scriptTemplate // the open ones, from the outermost
	before    string           // the last word, or the last character that is not a blank
}

// scriptTemplate is a template literal; the scan is in one of its substitutions.
type scriptTemplate struct {
	at    int // where it begins
	depth int // of braces in the substitution
}

// token returns the end of what begins at i; for what is never closed, where that begins.
func (s *scriptScan) token(i int) (end int, closed bool) {
	rest := s.text[i:]
	switch b := rest[0]; {
	case strings.HasPrefix(rest, "//"), i == 0 && strings.HasPrefix(rest, "#!"):
		return lineEnd(s.text, i), true
	case strings.HasPrefix(rest, "/*"):
		if end, closed = commentEnd(s.text, i, false); !closed {
			return i, false
		}
		return end, true
	case strings.IndexByte(" \t\r\n", b) >= 0:
		return i + 1, true
	case b == '"' || b == '\'':
		s.before = "text"
		return quotedEnd(s.text, i, false)
	case b == '`':
		s.templates = append(s.templates, scriptTemplate{at: i})
		return s.template(i + 1)
	case b == '}' && len(s.templates) > 0 && s.templates[len(s.templates)-1].depth == 0:
		return s.template(i + 1)
	case wordByte(b) || b == '$':
		end = i
		for end < len(s.text) && (wordByte(s.text[end]) || s.text[end] == '$') {
			end++
		}
		s.before = s.text[i:end]
		return end, true
	case b == '/' && s.expects():
		if end := regexpEnd(s.text, i); end > 0 {
			s.before = "text"
			return end, true
		}
	}
	if n := len(s.templates); n > 0 {
		switch rest[0] {
		case '{':
			s.templates[n-1].depth++
		case '}':
			s.templates[n-1].depth--
		}
	}
	s.before = rest[:1]
	return i + 1, true
}

// template returns the end of a stretch of text of the innermost template, from i on: behind its closing quote, or
// behind the beginning of a substitution.
func (s *scriptScan) template(i int) (end int, closed bool) {
	last := len(s.templates) - 1
	for ; i < len(s.text); i++ {
		switch {
		case s.text[i] == '\\':
			i++
		case s.text[i] == '`':
			s.templates, s.before = s.templates[:last], "text"
			return i + 1, true
		case strings.HasPrefix(s.text[i:], "${"):
			s.before = "{"
			return i + 2, true
		}
	}
	return s.templates[0].at, false
}

// expects reports whether an expression may begin here, so that a slash begins a regular expression.
func (s *scriptScan) expects() bool {
	switch s.before {
	case "":
		return true
	case ")", "]", "}", "<": // </a> of JSX
		return false
	}
	return !wordByte(s.before[0]) && s.before[0] != '$' || slices.Contains(scriptBefore, s.before)
}

// scriptBefore are the keywords behind which an expression begins.
var scriptBefore = []string{"await", "case", "delete", "do", "else", "in", "instanceof", "new", "of", "return",
	"throw", "typeof", "void", "yield"}

// regexpEnd returns the end of a regular expression whose slash is at i; 0 when it does not end in its line.
func regexpEnd(text string, i int) int {
	class := false
	for i++; i < len(text) && text[i] != '\n' && text[i] != '\r'; i++ {
		switch b := text[i]; {
		case b == '\\':
			i++
		case b == '[':
			class = true
		case b == ']':
			class = false
		case b == '/' && !class:
			return i + 1
		}
	}
	return 0
}
