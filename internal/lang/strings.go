package lang

import (
	"strings"

	"lspi/internal/source"
)

// Strings is how a language writes string literals on one line; the zero value is that of C.
type Strings struct {
	signs  string // the characters that begin and end a string
	chars  bool   // ' is for single characters, and for other things too (lifetimes, digit separators)
	inside func(before string, quote byte) insides
}

// insides is what counts as code within a string literal.
type insides uint8

const (
	nothingInside insides = iota
	bracesInside          // {name}
	dollarInside          // ${name}, $name
)

// Which strings interpolate names: those with a letter before them, those with certain quotes, or all.
var (
	cStrings      = Strings{signs: `"`, chars: true, inside: fixedInside(nothingInside)}
	goStrings     = Strings{signs: "\"`", chars: true, inside: fixedInside(nothingInside)}
	rustStrings   = Strings{signs: `"`, chars: true, inside: fixedInside(bracesInside)}
	pythonStrings = Strings{signs: `"'`, inside: func(before string, _ byte) insides {
		if strings.ContainsAny(lettersAtEnd(before), "fFtT") {
			return bracesInside
		}
		return nothingInside
	}}
	scriptStrings = Strings{signs: "\"'`", inside: func(_ string, quote byte) insides {
		if quote == '`' {
			return dollarInside
		}
		return nothingInside
	}}
	bracedStrings = Strings{signs: `"'`, inside: fixedInside(bracesInside)}
	dollarStrings = Strings{signs: `"'`, inside: fixedInside(dollarInside)}
	plainStrings  = Strings{signs: `"'`, inside: fixedInside(nothingInside)}
)

func fixedInside(i insides) func(string, byte) insides {
	return func(string, byte) insides { return i }
}

func lettersAtEnd(text string) string {
	return text[len(strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")):]
}

// scan returns for each byte of a line whether it is code. String literals are not, except the names that they
// interpolate, nor is anything behind the sign of a comment. A string of several lines is not recognized.
func (q Strings) scan(line, comment string) (code []bool) {
	code = make([]bool, len(line))
	for i := 0; i < len(line); {
		switch b := line[i]; {
		case strings.HasPrefix(line[i:], comment):
			return code
		case b == '\'' && q.chars:
			if n := charLength(line[i:]); n > 0 {
				i += n
				continue
			}
		case strings.IndexByte(q.signs, b) >= 0:
			i = q.text(line, i, code)
			continue
		}
		code[i] = true
		i++
	}
	return code
}

// charLength returns the length of the character literal with which a text begins; 0 when the quote begins none.
func charLength(text string) int {
	if len(text) > 2 && text[1] == '\\' {
		if end := strings.IndexByte(text[3:], '\''); end >= 0 && end < 10 {
			return end + 4
		}
		return 0
	}
	if end := strings.IndexByte(text[1:], '\''); end > 0 && end <= 4 { // a code point of UTF-8
		return end + 2
	}
	return 0
}

// text reads the string literal at i, marks the code in it, and returns its end.
func (q Strings) text(line string, i int, code []bool) int {
	quote := line[i]
	inside := q.inside(line[:i], quote)
	if strings.HasPrefix(line[i:], strings.Repeat(string(quote), 3)) {
		i += 2 // """: the text may end on this line or not
	}
	for i++; i < len(line); i++ {
		switch b := line[i]; {
		case b == '\\' && quote != '`':
			i++
		case b == quote:
			for i+1 < len(line) && line[i+1] == quote {
				i++
			}
			return i + 1
		case b == '{' && inside == bracesInside, b == '{' && inside == dollarInside && line[i-1] == '$':
			for i++; i < len(line) && line[i] != '}' && line[i] != quote; i++ {
				code[i] = true
			}
			i--
		case b == '$' && inside == dollarInside:
			for ; i+1 < len(line) && source.IsWord(rune(line[i+1])); i++ {
				code[i+1] = true
			}
		}
	}
	return i
}
