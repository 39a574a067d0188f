package lang

import (
	"slices"
	"strings"
)

// CommentSign is how a line comment begins in a file; what no line begins with where the language has none.
func CommentSign(path string) string { return Of(path).comment() }

// Code tells which bytes of a line of a file are code: not those of comments and texts, but the names that stand in texts. What
// begins on another line it cannot tell.
func Code(path, line string) []bool { return Of(path).code(line) }

func (l *Language) code(line string) []bool {
	if l.Texts.signs == "" {
		return cTexts.scan(line, l.comment())
	}
	return l.Texts.scan(line, l.comment())
}

// InCode keeps the occurrences on a line that stand neither in a comment nor in a text, as far as the line alone tells:
// behind the sign of a line comment, on a line of a block comment as people write them, or in quotes. A name there is no
// symbol, and a server answers nothing or an error for it.
func InCode(path, line string, found []int) []int {
	l := Of(path)
	if l.blocks() {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "/*") && !strings.Contains(t, "*/") || strings.HasPrefix(t, "* ") || t == "*" {
			return nil
		}
	}
	if len(found) == 0 {
		return nil
	}
	code := l.code(line)
	return slices.DeleteFunc(slices.Clone(found), func(at int) bool { return !code[at] })
}

// InBlock reports whether a line stands in a block comment, as people write those of several lines, and whether the next one
// does; open says what the line before it told.
func InBlock(path, line string, open bool) (inside, next bool) {
	if !Of(path).blocks() {
		return false, false
	}
	ends := strings.Contains(line, "*/")
	inside = open || !ends && strings.HasPrefix(strings.TrimSpace(line), "/*")
	return inside, inside && !ends
}
