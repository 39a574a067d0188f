package lang

import (
	"path/filepath"
	"strings"

	"lspi/source"
)

// quotes are the ways in which a language writes text on one line.
type quotes struct {
	signs  string // the characters that begin and end a text
	chars  bool   // ' is for single characters, and for other things besides (lifetimes, digit separators)
	inside func(before string, quote byte) insides
}

// insides is what is code within a text.
type insides uint8

const (
	nothingInside insides = iota
	bracesInside          // {name}
	dollarInside          // ${name}, $name
)

// quoting is how languages write text, by extension; others are like C.
var quoting = map[string]quotes{}

// The text that has names in it: by a letter before it, by its quote, or always.
func init() {
	never := func(string, byte) insides { return nothingInside }
	always := func(i insides) func(string, byte) insides { return func(string, byte) insides { return i } }
	for extensions, q := range map[string]quotes{
		"py pyi pyw": {signs: `"'`, inside: func(before string, _ byte) insides {
			if strings.ContainsAny(lettersAtEnd(before), "fFtT") {
				return bracesInside
			}
			return nothingInside
		}},
		"js jsx mjs cjs ts tsx mts cts vue svelte astro": {signs: "\"'`", inside: func(_ string, quote byte) insides {
			if quote == '`' {
				return dollarInside
			}
			return nothingInside
		}},
		"rs":                         {signs: `"`, chars: true, inside: always(bracesInside)},
		"go":                         {signs: "\"`", chars: true, inside: never},
		"rb cs swift jl ex exs nim":  {signs: `"'`, inside: always(bracesInside)},
		"sh bash zsh pl pm php r":    {signs: `"'`, inside: always(dollarInside)},
		"kt kts dart scala groovy":   {signs: `"'`, inside: always(dollarInside)},
		"lua sql vhd vhdl ada adb m": {signs: `"'`, inside: never},
	} {
		for _, e := range strings.Fields(extensions) {
			quoting["."+e] = q
		}
	}
}

func lettersAtEnd(text string) string {
	return text[len(strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")):]
}

func quotesOf(path string) quotes {
	if q, ok := quoting[strings.ToLower(filepath.Ext(path))]; ok {
		return q
	}
	return quotes{signs: `"`, chars: true, inside: func(string, byte) insides { return nothingInside }}
}

// scan goes over a line outside of comments and tells which bytes are code: not those of texts, but the names that stand
// in them. A text of several lines it cannot tell.
func (q quotes) scan(line, comment string) (code []bool) {
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

// text goes over the text that begins at i, marks what is code in it, and returns where it ends.
func (q quotes) text(line string, i int, code []bool) int {
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
