package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// scanScript is the scanner of TypeScript and JavaScript (ECMAScript, Lexical Grammar). It tells regular expressions,
// and text of JSX, by the words and signs before them alone. A template that is never closed ends with the line: a
// parser reads on behind it.
func scanScript(text string) scanner {
	s := scriptScan{text: text}
	return func(i int) piece {
		if isApostrophe(text, i) {
			return piece{i + 1, literalPiece, -1}
		}
		inTemplate := text[i] == '`' || text[i] == '}' && s.endsSubstitution()
		end, closed := s.token(i)
		if !closed {
			s.templates = nil
			return piece{lineEnd(text, i), literalPiece, end}
		}
		p := piece{end, codePiece, -1}
		switch {
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"),
			i == 0 && strings.HasPrefix(text, "#!"):
			p.kind = commentPiece
		case inTemplate, text[i] == '/' && end > i+1, text[i] == '"', text[i] == '\'':
			p.kind = literalPiece
		}
		if end == len(text) && len(s.templates) > 0 {
			p.open = s.templates[0].at
		}
		return p
	}
}

// isApostrophe reports whether a quote is a sign in the text of JSX (<p>Don't</p>): no string begins right behind a
// word, unless that is a keyword.
func isApostrophe(text string, i int) bool {
	if text[i] != '\'' && text[i] != '"' || i == 0 || !wordByte(text[i-1]) {
		return false
	}
	from, to, _ := source.WordAround(text, i-1)
	return to == i && !Reserved("javascript", text[from:to]) && text[from:to] != "from" && text[from:to] != "of"
}

// unsureScript reports whether words and signs cannot tell the brackets of a piece of TypeScript or JavaScript: in JSX,
// whose text may hold any bracket, and where a slash may divide or begin a regular expression.
func unsureScript(text string) bool {
	s := scriptScan{text: text}
	unsure := strings.Contains(text, "</") || strings.Contains(text, "/>")
	for i := 0; i < len(text) && !unsure; {
		comment := strings.HasPrefix(text[i:], "//") || strings.HasPrefix(text[i:], "/*")
		unsure = text[i] == '/' && !comment && s.before != "" && strings.Contains(")]}+-!>", s.before)
		end, closed := s.token(i)
		if !closed {
			return true
		}
		i = end
	}
	return unsure
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

// endsSubstitution reports whether a brace at the present place ends the substitution around it.
func (s *scriptScan) endsSubstitution() bool {
	return len(s.templates) > 0 && s.templates[len(s.templates)-1].depth == 0
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
	case b == '}' && s.endsSubstitution():
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
