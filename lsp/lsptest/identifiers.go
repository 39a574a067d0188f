package lsptest

import (
	"strings"

	"lspi/internal/source"
)

// word is one occurrence of an identifier.
type word struct {
	path string
	name string
	line int
	text string // of the line
	at   int    // its byte in the line
	role role
}

// role says what an occurrence is.
type role uint8

const (
	use role = iota
	definition
	implementation
)

var (
	identifier = source.LazyRegexp(`[\p{L}_][\p{L}\p{N}_]*`)
	defining   = source.LazyRegexp(`^(def|impl)[ \t]+([\p{L}_][\p{L}\p{N}_]*)`)
)

// wordsIn returns every identifier of a text, in order, without def and impl where they define.
func wordsIn(path, text string) []word {
	var words []word
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		from, named, as := 0, -1, use
		if m := defining.FindStringSubmatchIndex(line); m != nil {
			from, named, as = m[4], m[4], definition
			if line[m[2]:m[3]] == "impl" {
				as = implementation
			}
		}
		for _, at := range identifier.FindAllStringIndex(line[from:], -1) {
			w := word{path: path, name: line[from+at[0] : from+at[1]], line: n, text: line, at: from + at[0]}
			if w.at == named {
				w.role = as
			}
			words = append(words, w)
		}
	}
	return words
}

// words returns every identifier of every known file, sorted by path.
func (d *documents) words() []word {
	paths, texts := d.snapshot()
	var words []word
	for _, path := range paths {
		words = append(words, wordsIn(path, texts[path])...)
	}
	return words
}

// occurrencesOf returns the occurrences of a name for which keep is true; nil keeps all.
func occurrencesOf(words []word, name string, keep func(word) bool) []word {
	var out []word
	for _, w := range words {
		if w.name == name && (keep == nil || keep(w)) {
			out = append(out, w)
		}
	}
	return out
}

// definitionOf returns the first definition of a name.
func definitionOf(words []word, name string) (word, bool) {
	if found := occurrencesOf(words, name, func(w word) bool { return w.role == definition }); len(found) > 0 {
		return found[0], true
	}
	return word{}, false
}

// wordAt returns the identifier at a position, or the one that ends there.
func (d *documents) wordAt(u string, p position) (word, bool) {
	path := pathOf(u)
	_, texts := d.snapshot()
	line := lineOf(texts[path], p.Line)
	at := byteAt(line, p.Character, d.encoding)
	for _, w := range wordsIn(path, texts[path]) {
		if w.line == p.Line && w.at <= at && at <= w.at+len(w.name) {
			return w, true
		}
	}
	return word{}, false
}

// bodyEnd returns the last line of the body of a definition: the last indented one behind it, before any other line
// that is not empty.
func bodyEnd(lines []string, def int) int {
	end := def
	for n := def + 1; n < len(lines); n++ {
		line := strings.TrimSuffix(lines[n], "\r")
		if line == "" {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			break
		}
		end = n
	}
	return end
}

func (d *documents) span(w word) span {
	return span{
		position{w.line, column(w.text, w.at, d.encoding)},
		position{w.line, column(w.text, w.at+len(w.name), d.encoding)},
	}
}

func (d *documents) location(w word) location {
	return location{uriOf(w.path), d.span(w)}
}

func (d *documents) locations(words []word) []location {
	out := make([]location, 0, len(words))
	for _, w := range words {
		out = append(out, d.location(w))
	}
	return out
}

// extent returns the range of a definition with its body.
func (d *documents) extent(w word, text string) span {
	lines := strings.Split(text, "\n")
	end := bodyEnd(lines, w.line)
	last := strings.TrimSuffix(lines[end], "\r")
	return span{position{w.line, 0}, position{end, column(last, len(last), d.encoding)}}
}
