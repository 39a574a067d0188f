package tools

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lspi/contract"
	"lspi/lsp"
)

// conditional is a source with words in code that a condition of the preprocessor of C may leave out.
type conditional struct {
	path string
	uses []contract.Position
}

// conditionalIn are the offsets in a text where its code holds one of names (nil: any word) between #if and #endif, those of a header's
// guard aside; nil when there are none.
func conditionalIn(content string, names []string) (out []int) {
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

// conditionsOf is how places that a condition may leave out are found in the sources of a server that tells which of these it builds; nil
// where it does not.
func conditionsOf(spec *lsp.Spec) func(content string, names []string) []int {
	if spec.Diagnostics.Regions != "" {
		return conditionalIn
	}
	if i := spec.Diagnostics.Inactive; i != nil {
		return i.Conditional
	}
	return nil
}

// conditionScan goes over a source of C and finds words between conditions.
type conditionScan struct {
	text  string
	names []string
	found []conditionalWord

	count  int    // directives so far
	depth  int    // of #if
	opened int    // which directive opened the outermost #if
	closes int    // which one closes the first of all
	dead   int    // the depth in an #if 0 that people write instead of a comment; 0 outside
	guard  string // the name that the first directive leaves out what follows for; "" when it is no guard
	never  bool   // that #if is 0
	opens  int    // the end of the line of an #if, whose own words are not between conditions yet; -1 when there is none
}

// conditionalWord is a word between conditions.
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
		next := skipped(c.text, i)
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

// directive takes the one at i and returns where to go on: behind the line where no word on it is code.
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
		c.opens = lineEnd(c.text, i)
		c.never = m[1] == "if" && strings.TrimSpace(c.text[i+len(m[0]):c.opens]) == "0"
	case "else", "elif", "elifdef", "elifndef":
		c.revive()
	case "endif":
		c.revive()
		if c.depth = max(c.depth-1, 0); c.depth == 0 && c.closes == 0 {
			c.closes = c.count
		}
		return lineEnd(c.text, i)
	case "define":
		if at := defining.FindStringSubmatch(c.text[i:]); c.count == 2 && (at == nil || at[1] != c.guard) {
			c.guard = ""
		}
	case "include", "include_next", "import", "embed", "error", "warning", "pragma", "line":
		return lineEnd(c.text, i)
	}
	if c.count == 2 && m[1] != "define" {
		c.guard = ""
	}
	return i + len(m[0])
}

// revive ends the #if 0 that one of its own directives ends.
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

// guarded reports whether the first condition only keeps a header from being read twice: all of the text stands in it.
func (c *conditionScan) guarded() bool { return c.guard != "" && c.closes == c.count && c.count > 1 }

func nameByte(b byte) bool {
	return b == '_' || b == '$' || b >= utf8.RuneSelf || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// keepUses leaves out the places that an answer covers.
func keepUses(all []conditional, covered func(string, contract.Position) bool) (out []conditional) {
	for _, f := range all {
		f.uses = slices.DeleteFunc(slices.Clone(f.uses), func(at contract.Position) bool { return covered(f.path, at) })
		if len(f.uses) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// The bounds of what is asked about code between conditions for one answer: files that are opened, with the time for that, and places that
// the server builds. Files that are open already cost little.
const (
	maxOpenedForUnbuilt = 12
	openForUnbuiltLimit = 10 * time.Second
	maxActiveSeen       = 20
)

// notBuilt are those of the places that lie in code that the server leaves out of its build, and those of which it did not tell. Of a file
// that was not open its index may be of a time when a header did not define yet what the condition is about.
func notBuilt(ctx context.Context, s *lsp.Server, all []conditional, same func(string, contract.Position) bool) (left, unknown []conditional) {
	limit := openForUnbuiltLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var ask []string
	opened := map[string]bool{}
	for _, f := range all {
		if !lsp.KnowsLeftOut(s, f.path) {
			if len(opened) == maxOpenedForUnbuilt {
				continue
			}
			opened[f.path] = true
		}
		ask = append(ask, f.path)
	}
	told := lsp.LeftOutOf(ctx, s, ask)
	asked := 0
	for _, f := range all {
		ranges, known := told[f.path]
		if !known {
			unknown = append(unknown, f)
			continue
		}
		left = append(left, keepUses([]conditional{f}, func(path string, at contract.Position) bool {
			if slices.ContainsFunc(ranges, func(r contract.Range) bool { return r.Start.Line <= at.Line && at.Line <= r.End.Line }) {
				return false
			}
			if same == nil || !opened[path] {
				return true
			}
			asked++
			return asked <= maxActiveSeen && !same(path, at)
		})...)
	}
	return left, unknown
}
