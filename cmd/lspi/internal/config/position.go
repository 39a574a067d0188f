package config

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// places knows where in a text each key stands. The decoder knows it too but does not tell (BurntSushi/toml 1.6.0 has
// positions for syntax errors only). Keys are written as in findings: servers[0].env.PATH.
type places struct {
	keys     map[string]int // byte offset of the key, or of the element in an array
	lines    []int          // byte offset of each line's start
	text     string
	complete bool // the whole text was understood
	tooLong  int  // byte offset of the first key that is longer than maxPath; -1 when none is
}

// maxPath bounds a key with all that it lies in, in bytes. The decoder keeps one copy of the whole path per key, so a
// small hostile file with a long table name would cost gigabytes; the bound holds nesting too.
const maxPath = 512

// of is line and column, both from 1, the column in code points; 0, 0 when the key is not in the text.
func (p *places) of(key string) (line, column int) {
	offset, ok := p.keys[key]
	if !ok {
		return 0, 0
	}
	return p.at(offset)
}

// at is line and column of a byte offset, which may be one behind the text.
func (p *places) at(offset int) (line, column int) {
	offset = min(max(offset, 0), len(p.text))
	line = sort.Search(len(p.lines), func(i int) bool { return p.lines[i] > offset })
	return line, utf8.RuneCountInString(p.text[p.lines[line-1]:offset]) + 1
}

// join is the path of a key in a table; quoting makes it unique.
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

func bare(key string) bool {
	for i := range len(key) {
		if !bareByte(key[i]) {
			return false
		}
	}
	return key != ""
}

func bareByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// locate reads the text for its keys alone. It takes the syntax for granted, since the decoder judges it; on text that
// it does not understand it stops.
func locate(text string) *places {
	p := &places{keys: map[string]int{}, lines: []int{0}, text: text, tooLong: -1}
	for i := range len(text) {
		if text[i] == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	s := scanner{places: p, arrays: map[string]int{}}
	p.complete = s.document()
	return p
}

// scanner walks over a TOML text. Every method that returns a bool returns false to stop.
type scanner struct {
	*places
	pos    int
	arrays map[string]int // elements so far of each array of tables
}

type part struct {
	name   string
	offset int
}

func (s *scanner) document() bool {
	table := ""
	for {
		s.blank(true)
		switch {
		case s.pos >= len(s.text):
			return true
		case s.text[s.pos] == '[':
			var ok bool
			if table, ok = s.header(); !ok {
				return false
			}
		case !s.entry(table):
			return false
		}
	}
}

// header reads [a.b] or [[a.b]] and returns the path of the table that it opens.
func (s *scanner) header() (string, bool) {
	opening := "["
	if s.sees("[[") {
		opening = "[["
	}
	s.pos += len(opening)
	parts, ok := s.key()
	if !ok {
		return "", false
	}
	path := ""
	for i, part := range parts {
		path = join(path, part.name)
		if !s.record(path, part.offset) {
			return "", false
		}
		last := i == len(parts)-1
		if last && opening == "[[" {
			s.arrays[path]++
		}
		if n := s.arrays[path]; n > 0 {
			path = index(path, n-1)
			if !s.record(path, part.offset) {
				return "", false
			}
		}
	}
	return path, s.take(strings.Repeat("]", len(opening)))
}

// entry reads key = value.
func (s *scanner) entry(table string) bool {
	parts, ok := s.key()
	if !ok {
		return false
	}
	path := table
	for _, part := range parts {
		path = join(path, part.name)
		if !s.record(path, part.offset) {
			return false
		}
	}
	if !s.take("=") {
		return false
	}
	s.blank(false)
	return s.value(path)
}

// key reads a key with its dots.
func (s *scanner) key() ([]part, bool) {
	var parts []part
	for {
		s.blank(false)
		start := s.pos
		name, ok := s.simpleKey()
		if !ok {
			return nil, false
		}
		parts = append(parts, part{name, start})
		s.blank(false)
		if !s.sees(".") {
			return parts, true
		}
		s.pos++
	}
}

func (s *scanner) simpleKey() (string, bool) {
	start := s.pos
	switch {
	case s.sees(`"`):
		if !s.basic(`"`) {
			return "", false
		}
		return unquote(s.text[start:s.pos])
	case s.sees("'"):
		if !s.literal("'") {
			return "", false
		}
		return s.text[start+1 : s.pos-1], true
	}
	for s.pos < len(s.text) && bareByte(s.text[s.pos]) {
		s.pos++
	}
	return s.text[start:s.pos], s.pos > start
}

// unquote leaves the escapes of a quoted key to the decoder.
func unquote(quoted string) (string, bool) {
	if !strings.Contains(quoted, `\`) {
		return quoted[1 : len(quoted)-1], true
	}
	var v struct{ K string }
	_, err := toml.Decode("K = "+quoted, &v)
	return v.K, err == nil
}

func (s *scanner) value(path string) bool {
	switch {
	case s.sees(`"""`):
		return s.basic(`"""`)
	case s.sees("'''"):
		return s.literal("'''")
	case s.sees(`"`):
		return s.basic(`"`)
	case s.sees("'"):
		return s.literal("'")
	case s.sees("["):
		return s.array(path)
	case s.sees("{"):
		return s.inlineTable(path)
	}
	start := s.pos
	for s.pos < len(s.text) && !strings.ContainsRune(",]}#\r\n", rune(s.text[s.pos])) {
		s.pos++
	}
	return s.pos > start
}

func (s *scanner) array(path string) bool {
	s.pos++
	for i := 0; ; i++ {
		s.blank(true)
		if s.take("]") {
			return true
		}
		element := index(path, i)
		if !s.record(element, s.pos) || !s.value(element) {
			return false
		}
		s.blank(true)
		s.take(",")
	}
}

// inlineTable allows line ends and comments, as TOML 1.1 does.
func (s *scanner) inlineTable(path string) bool {
	s.pos++
	for {
		s.blank(true)
		if s.take("}") {
			return true
		}
		if !s.entry(path) {
			return false
		}
		s.blank(true)
		s.take(",")
	}
}

// basic reads a string with escapes.
func (s *scanner) basic(quote string) bool {
	for s.pos += len(quote); s.pos < len(s.text); s.pos++ {
		if s.text[s.pos] == '\\' {
			s.pos++
			continue
		}
		if s.sees(quote) {
			s.close(quote)
			return true
		}
	}
	return false
}

// literal reads a string without escapes.
func (s *scanner) literal(quote string) bool {
	s.pos += len(quote)
	end := strings.Index(s.text[s.pos:], quote)
	if end < 0 {
		return false
	}
	s.pos += end
	s.close(quote)
	return true
}

// close steps over the closing quotes; a long string may end with one or two quotes of its own before them.
func (s *scanner) close(quote string) {
	s.pos += len(quote)
	for i := 0; i < 2 && len(quote) == 3 && s.sees(quote[:1]); i++ {
		s.pos++
	}
}

// blank steps over spaces and, when lines is set, over line ends and comments.
func (s *scanner) blank(lines bool) {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == ' ' || c == '\t':
			s.pos++
		case lines && (c == '\n' || c == '\r'):
			s.pos++
		case lines && c == '#':
			end := strings.IndexByte(s.text[s.pos:], '\n')
			if end < 0 {
				end = len(s.text) - s.pos
			}
			s.pos += end
		default:
			return
		}
	}
}

func (s *scanner) sees(token string) bool { return strings.HasPrefix(s.text[s.pos:], token) }

func (s *scanner) take(token string) bool {
	if !s.sees(token) {
		return false
	}
	s.pos += len(token)
	return true
}

// record notes the first place of a path.
func (s *scanner) record(path string, offset int) bool {
	if len(path) > maxPath {
		s.tooLong = offset
		return false
	}
	if _, ok := s.keys[path]; !ok {
		s.keys[path] = offset
	}
	return true
}
