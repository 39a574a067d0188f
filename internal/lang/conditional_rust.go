package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// cfgAttribute matches the beginning of a #[cfg] attribute; an inner one, #![cfg], applies to all that encloses it.
var cfgAttribute = source.LazyRegexp(`^#\s*(!?)\s*\[\s*cfg\s*\(`)

// testsOnly matches the condition of tests, which rust-analyzer takes for true ("cfg.setTest" in its configuration).
var testsOnly = source.LazyRegexp(`^#\s*!?\s*\[\s*cfg\s*\(\s*test\s*\)\s*\]`)

// rustItems are the keywords of items and statements that end with a block or a semicolon, so that a comma does not
// end them.
var rustItems = []string{"async", "auto", "const", "crate", "default", "enum", "extern", "fn", "impl", "let",
	"macro_rules", "mod", "static",
	"struct", "trait", "type", "union", "unsafe", "use"}

// RustConditional returns the offsets at which the code of a Rust source holds one of names (nil: any word) in an
// item, statement or expression with a #[cfg]. The end of such a region is found without a parser: never too early,
// sometimes too late, so that a use in it is never missed.
func RustConditional(text string, names []string) []int {
	if !strings.Contains(text, "cfg") {
		return nil
	}
	s := cfgScan{text: text, names: names}
	attribute := 0 // where the one ends that was seen last
	ByID("rust").each(text, func(i int, p piece) bool {
		rest := text[i:]
		switch {
		case p.kind == commentPiece || i < attribute:
		case rest[0] == '#' && strings.HasPrefix(strings.TrimLeft(rest[1:], " \t\r\n!"), "["):
			// what the pattern costs grows with the rest of the text, even where it cannot match
			m := cfgAttribute.FindStringSubmatch(rest)
			if m != nil && !testsOnly.MatchString(rest) {
				s.open = append(s.open, cfgRegion{depth: s.depth, whole: m[1] != ""})
			}
			attribute = attributeEnd(text, i)
		case p.kind == codePiece && wordByte(rest[0]):
			s.word(i, p.end)
		case p.kind == codePiece:
			s.sign(rest[0], p.end)
		}
		return true
	})
	return s.found
}

// cfgScan goes through a Rust source.
type cfgScan struct {
	text  string
	names []string
	found []int

	depth int         // of brackets
	open  []cfgRegion // the regions around the present token
}

// cfgRegion is an item, statement or expression with a #[cfg].
type cfgRegion struct {
	depth  int
	whole  bool   // the attribute is an inner one: the region is all that the brackets of depth hold
	first  string // the first word, pub left out; "" before it
	angles int    // open < of generic arguments
}

func (s *cfgScan) word(from, to int) {
	if strings.HasPrefix(s.text[to:], "'") || strings.HasPrefix(s.text[to:], `"`) {
		return // the prefix of a literal
	}
	word := s.text[from:to]
	if len(s.open) > 0 && (s.names == nil || slices.Contains(s.names, word)) {
		s.found = append(s.found, from)
	}
	for n := range s.open {
		if r := &s.open[n]; r.first == "" && word != "pub" && r.depth == s.depth {
			r.first = word
		}
	}
}

// sign reads a punctuation character, which ends at the offset end.
func (s *cfgScan) sign(b byte, end int) {
	switch b {
	case '(', '[', '{':
		s.depth++
		return
	case ')', ']', '}':
		s.depth = max(s.depth-1, 0)
	}
	s.open = slices.DeleteFunc(s.open, func(r cfgRegion) bool { return s.ends(r, b, end) })
	for n := range s.open {
		switch {
		case b == '<':
			s.open[n].angles++
		case b == '>' && end > 1 && strings.IndexByte("-=", s.text[end-2]) < 0:
			s.open[n].angles--
		}
	}
}

// ends reports whether a punctuation character that ends at an offset ends a region.
func (s *cfgScan) ends(r cfgRegion, b byte, end int) bool {
	switch {
	case s.depth < r.depth:
		return true
	case r.whole || s.depth > r.depth:
		return false
	case b == ';':
		return true
	case b == ',':
		return r.angles <= 0 && !slices.Contains(rustItems, r.first)
	case b == '}' && r.first != "let":
		next := strings.TrimLeft(s.text[end:], " \t\r\n")
		return next == "" || strings.IndexByte(";.?,)]=+-*&|<", next[0]) < 0 && !strings.HasPrefix(next, "else")
	}
	return false
}

// attributeEnd returns the end of the attribute at i.
func attributeEnd(text string, i int) int {
	for depth := 0; i < len(text); {
		switch text[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
		i, _ = rustToken(text, i)
	}
	return i
}
