package lang

import "strings"

// Strings is how a language writes string literals on one line; the zero value is that of C.
type Strings struct {
	signs  string // the characters that begin and end a string
	chars  bool   // ' is for single characters, and for other things too (lifetimes, digit separators)
	inside func(prefix string, quote byte) insides
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
	pythonStrings = Strings{signs: `"'`, inside: func(prefix string, _ byte) insides {
		if strings.ContainsAny(prefix, "fFtT") {
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
