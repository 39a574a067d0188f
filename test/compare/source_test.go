package compare

import (
	"net/url"
	"os"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"lspi/internal/testkit"
)

// file is a source file as a person sees it: lines without their ends, and without a byte order mark.
type file struct {
	path  string
	lines []string
}

// sources reads each file once.
type sources map[string]*file

func (s sources) get(t testing.TB, path string) *file {
	t.Helper()
	if have := s[path]; have != nil {
		return have
	}
	raw, err := os.ReadFile(path)
	testkit.Must(t, err)
	s[path] = newSource(path, string(raw))
	return s[path]
}

func newSource(path, text string) *file {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return &file{path, lines}
}

// line is a line counted from 0; "" behind the end.
func (s *file) line(n int) string {
	if n < len(s.lines) {
		return s.lines[n]
	}
	return ""
}

// column is the code point, counted from 1, of a server's character on a line counted from 0.
func (s *file) column(encoding string, line, character int) int {
	text := s.line(line)
	if encoding == "utf-8" {
		return utf8.RuneCountInString(text[:min(character, len(text))]) + 1
	}
	units := utf16.Encode([]rune(text))
	return len(utf16.Decode(units[:min(character, len(units))])) + 1
}

// character is the server's character of a code point counted from 1.
func (s *file) character(encoding string, line, column int) int {
	before := string([]rune(s.line(line))[:column-1])
	if encoding == "utf-8" {
		return len(before)
	}
	return len(utf16.Encode([]rune(before)))
}

// The protocol's own shapes, as far as the comparison reads them.
type (
	rawPosition struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	rawRange struct {
		Start rawPosition `json:"start"`
		End   rawPosition `json:"end"`
	}
)

func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func pathOf(t testing.TB, uri string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		t.Fatalf("not the URI of a file: %q (%v)", uri, err)
	}
	return u.Path
}
