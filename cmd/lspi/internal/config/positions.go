package config

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"lspi/internal/source"
)

// positions tells where the keys of a TOML text stand. The decoder knows it but does not tell (BurntSushi/toml
// 1.6.0 has positions for syntax errors only), so they are found by the keys' text at the beginning of lines. What
// stands inside of an array or an inline table has the position of the key that the whole belongs to.
type positions map[string]position // by the key's path as findings write it, such as servers[0].env.PATH

// position is a line and a column, both from 1, the column in code points. The zero value stands for the whole file.
type position struct{ line, column int }

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// of is the position of a key, or of the nearest key around it that has one.
func (p positions) of(path string) position {
	for path != "" {
		if at, ok := p[path]; ok {
			return at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return position{}
}

// alias makes a key, and all below it, known by another path as well.
func (p positions) alias(path, as string) {
	for key, at := range maps.Clone(p) {
		if rest, ok := strings.CutPrefix(key, path); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			p[as+rest] = at
		}
	}
}

var (
	keyPart    = `(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')`
	keyParts   = source.LazyRegexp(keyPart)
	headerLine = source.LazyRegexp(`^\s*(\[\[?)\s*(` + keyPart + `(?:\s*\.\s*` + keyPart + `)*)`)
	entryLine  = source.LazyRegexp(`^\s*(` + keyPart + `(?:\s*\.\s*` + keyPart + `)*)\s*=`)
)

// locate finds the keys of a text. It skips strings of several lines, which may hold lines that look like keys.
func locate(text string) positions {
	l := locator{positions: positions{}, arrays: map[string]int{}}
	table, quote := "", ""
	for i, line := range strings.Split(text, "\n") {
		if quote != "" {
			if strings.Contains(line, quote) {
				quote = ""
			}
			continue
		}
		if m := headerLine.FindStringSubmatchIndex(line); m != nil {
			table = l.keys(i+1, line, m[4], m[5], "", line[m[2]:m[3]] == "[[")
		} else if m := entryLine.FindStringSubmatchIndex(line); m != nil {
			l.keys(i+1, line, m[2], m[3], table, false)
		}
		quote = opened(line)
	}
	return l.positions
}

// opened is the quote of a string that begins on a line and goes on behind it; "" when none does.
func opened(line string) string {
	for _, quote := range []string{`"""`, `'''`} {
		if strings.Count(line, quote)%2 == 1 && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			return quote
		}
	}
	return ""
}

type locator struct {
	positions
	arrays map[string]int // elements so far of each array of tables
}

// keys notes the a.b of a key in a table, or of a header [a.b] or, with array, [[a.b]], which stands in
// line[from:to]. It returns the path of the table that a header begins.
func (l *locator) keys(n int, line string, from, to int, table string, array bool) string {
	path := table
	parts := keyParts.FindAllStringIndex(line[from:to], -1)
	for i, part := range parts {
		path = join(path, unquoted(line[from+part[0]:from+part[1]]))
		l.note(path, n, line, from+part[0])
		if array && i == len(parts)-1 {
			l.arrays[path]++
		}
		if elements := l.arrays[path]; elements > 0 {
			path = index(path, elements-1)
			l.note(path, n, line, from+part[0])
		}
	}
	return path
}

// note keeps the first position of a key.
func (l *locator) note(path string, n int, line string, offset int) {
	if _, known := l.positions[path]; !known {
		l.positions[path] = position{n, utf8.RuneCountInString(line[:offset]) + 1}
	}
}

func unquoted(key string) string {
	if strings.HasPrefix(key, "'") {
		return strings.Trim(key, "'")
	}
	if plain, err := strconv.Unquote(key); err == nil {
		return plain
	}
	return key
}

// positionAt is the position of a byte offset, which may be one behind the text.
func positionAt(text string, offset int) position {
	text = text[:min(max(offset, 0), len(text))]
	return position{strings.Count(text, "\n") + 1, utf8.RuneCountInString(text[strings.LastIndexByte(text, '\n')+1:]) +
		1}
}

// join is the path of a key in a table. Keys that are not bare are quoted, which makes paths unique.
func join(table, key string) string {
	if !bare(key) {
		key = strconv.Quote(key)
	}
	if table == "" {
		return key
	}
	return table + "." + key
}

// index is the path of an element of an array.
func index(array string, i int) string { return array + "[" + strconv.Itoa(i) + "]" }

// bare reports whether a key needs no quotes in TOML.
func bare(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
}
