package lang

import (
	"strings"

	"lspi/source"
)

// Texts are the ways in which a language writes strings on one line; the zero value is that of C.
type Texts struct {
	signs  string // the characters that begin and end a string
	chars  bool   // ' is for single characters, and for other things besides (lifetimes, digit separators)
	inside func(before string, quote byte) insides
}

// insides is what is code within a string.
type insides uint8

const (
	nothingInside insides = iota
	bracesInside          // {name}
	dollarInside          // ${name}, $name
)

// The strings that have names in them: by a letter before them, by their quotes, or always.
var (
	cTexts      = Texts{signs: `"`, chars: true, inside: all(nothingInside)}
	goTexts     = Texts{signs: "\"`", chars: true, inside: all(nothingInside)}
	rustTexts   = Texts{signs: `"`, chars: true, inside: all(bracesInside)}
	pythonTexts = Texts{signs: `"'`, inside: func(before string, _ byte) insides {
		if strings.ContainsAny(lettersAtEnd(before), "fFtT") {
			return bracesInside
		}
		return nothingInside
	}}
	scriptTexts = Texts{signs: "\"'`", inside: func(_ string, quote byte) insides {
		if quote == '`' {
			return dollarInside
		}
		return nothingInside
	}}
	bracedTexts = Texts{signs: `"'`, inside: all(bracesInside)}
	dollarTexts = Texts{signs: `"'`, inside: all(dollarInside)}
	plainTexts  = Texts{signs: `"'`, inside: all(nothingInside)}
)

func all(i insides) func(string, byte) insides { return func(string, byte) insides { return i } }

func lettersAtEnd(text string) string {
	return text[len(strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")):]
}

// scan goes over a line outside of comments and tells which bytes are code: not those of strings, but the names that stand
// in them. A string of several lines it cannot tell.
func (q Texts) scan(line, comment string) (code []bool) {
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

// charLength is the length of a character in quotes; 0 for a quote that begins none.
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

// text goes over the string that begins at i, marks what is code in it, and returns where it ends.
func (q Texts) text(line string, i int, code []bool) int {
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
