package lang

import (
	"slices"
	"strings"
)

// Conditional returns the offsets at which the code of a C source holds one of names (nil: any word) between #if and
// #endif. The include guard of a header does not count as a condition.
func Conditional(content string, names []string) (out []int) {
	if !strings.Contains(content, "endif") {
		return nil
	}
	scan := conditionScan{text: content, names: names}
	scan.run()
	for _, u := range scan.found {
		if u.depth > 1 || !u.first || !scan.guarded() {
			out = append(out, u.at)
		}
	}
	return out
}

// conditionScan goes through a source of C and finds macros, and words in conditions.
type conditionScan struct {
	text   string
	names  []string
	found  []conditionalWord
	macros []Macro

	count  int    // directives so far
	depth  int    // of #if
	opened int    // the number of the directive that opened the outermost #if
	closes int    // the number of the one that closes the first #if
	dead   int    // the depth of an #if 0, which people write instead of a comment; 0 outside
	guard  string // the name that the first directive tests for an include guard; "" when it is not one
	bare   bool   // the second directive defines a macro as nothing
	never  bool   // the #if that opens is an #if 0
	// opens is the end of the line of an #if, whose own words are not in the condition yet; -1 when there is none.
	opens int
}

// conditionalWord is a word in a condition.
type conditionalWord struct {
	at, depth int
	first     bool // the first directive of the text is the outermost of the conditions
}

func (c *conditionScan) run() {
	c.opens = -1
	for i, fresh := 0, true; i < len(c.text); {
		if c.opens >= 0 && i >= c.opens {
			if c.opens = -1; c.depth == 0 {
				c.opened = c.count
			}
			c.depth++
			if c.dead == 0 && c.never {
				c.dead = c.depth
			}
		}
		next := skipEnd(c.text, i)
		switch b := c.text[i]; {
		case next > i:
			i = next
		case fresh && (b == '#' || strings.HasPrefix(c.text[i:], "%:")):
			i, fresh = c.directive(i), false
		case b == '\n':
			i, fresh = i+1, true
		case nameByte(b):
			i, fresh = c.word(i), false
		default:
			fresh = fresh && strings.IndexByte(" \t\r\f\v", b) >= 0
			i++
		}
	}
}

// directive reads the directive at i and returns where the scan goes on: behind the line, when no word on it is code.
func (c *conditionScan) directive(i int) int {
	m := directive.FindStringSubmatch(c.text[i:])
	if m == nil {
		return i + 1
	}
	c.count++
	switch m[1] {
	case "if", "ifdef", "ifndef":
		if name := unless.FindStringSubmatch(c.text[i:]); c.count == 1 && name != nil {
			c.guard = name[1]
		}
		c.opens = directiveEnd(c.text, i)
		c.never = m[1] == "if" && strings.TrimSpace(c.text[i+len(m[0]):c.opens]) == "0"
	case "else", "elif", "elifdef", "elifndef":
		c.revive()
	case "endif":
		c.revive()
		if c.depth = max(c.depth-1, 0); c.depth == 0 && c.closes == 0 {
			c.closes = c.count
		}
		return directiveEnd(c.text, i)
	case "define":
		c.define(i)
	case "include", "include_next", "import", "embed", "error", "warning", "pragma", "line":
		return directiveEnd(c.text, i)
	}
	if c.count == 2 && m[1] != "define" {
		c.guard = ""
	}
	return i + len(m[0])
}

// define reads the definition of a macro at i.
func (c *conditionScan) define(i int) {
	rest, name, body := c.text[i:], "", ""
	if at := defining.FindStringSubmatchIndex(rest); at != nil {
		name, body = rest[at[2]:at[3]], strings.TrimSpace(rest[at[4]:at[5]])
		c.macros = append(c.macros, Macro{Name: name, At: i + at[2]})
	}
	if c.count != 2 {
		return
	}
	if name != c.guard {
		c.guard = ""
	}
	c.bare = body == "" || strings.HasPrefix(body, "/")
}

// revive ends an #if 0 at its #else, #elif or #endif.
func (c *conditionScan) revive() {
	if c.dead == c.depth {
		c.dead = 0
	}
}

func (c *conditionScan) word(i int) int {
	end := i
	for end < len(c.text) && nameByte(c.text[end]) {
		end++
	}
	if c.depth > 0 && c.dead == 0 && (c.names == nil || slices.Contains(c.names, c.text[i:end])) {
		c.found = append(c.found, conditionalWord{i, c.depth, c.opened == 1})
	}
	return end
}

// guarded reports whether the first condition is an include guard: all of the text is in it.
func (c *conditionScan) guarded() bool { return c.guard != "" && c.closes == c.count && c.count > 1 }

// nameByte reports whether a byte may be part of a name in a language where $ may be, too.
func nameByte(b byte) bool { return b == '$' || wordByte(b) }
