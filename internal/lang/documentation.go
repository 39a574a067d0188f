package lang

import (
	"strings"
	"unicode"
)

// comment is a comment of C, or several that clang takes for one.
type comment struct {
	from, end int
	lines     []string // without the signs
	behind    bool     // it is about what stands before it
}

// CommentsOn returns the texts of the comments that document what is declared at an offset of a source of C or C++, as
// clang attaches comments to declarations (ASTContext::getRawCommentForDeclNoCache): for a value (a variable, a field,
// an enumerator) the one behind it, which begins on its line, and the one in front of it, with neither the end of
// another declaration nor a directive in between. The offset is that of the name, but for templates and typedefs, which
// clang looks for at their beginning. A text without a letter or a digit is none.
func CommentsOn(path, text string, at int, value bool) (out []string) {
	line := at + lineEnd(text[at:], 0)
	before := -1 // of the comments
	comments := commentsUpTo(path, text, line)
	for i, c := range comments {
		if c.from < at {
			before = i
		}
	}
	take := func(c comment) {
		words := strings.Trim(strings.Join(c.lines, "\n"), "\n")
		if strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			out = append(out, words)
		}
	}
	if next := before + 1; value && next < len(comments) && comments[next].behind && comments[next].from < line {
		take(comments[next])
	}
	if before >= 0 && !comments[before].behind && comments[before].end <= at &&
		!strings.ContainsAny(text[comments[before].end:at], ";{}#@") {
		take(comments[before])
	}
	return out
}

// commentsUpTo are the comments of a text up to an offset, with what belongs to the last of them behind it. One joins
// the one before with nothing but a line end in between, where both are about the same (RawCommentList::addComment).
func commentsUpTo(path, text string, end int) (out []comment) {
	column := func(i int) int { return i - strings.LastIndexByte(text[:i], '\n') }
	OfText(path, text).each(text, func(from int, p piece) bool {
		own := text[from:p.end]
		if p.kind != commentPiece {
			return from < end || strings.TrimSpace(own) == ""
		}
		ordinary := !strings.HasPrefix(own, "///") && !strings.HasPrefix(own, "//!") && !strings.HasPrefix(own, "/**") &&
			!strings.HasPrefix(own, "/*!")
		c := comment{from: from, end: p.end, lines: commentLines(own),
			behind: ordinary && strings.TrimSpace(text[from-column(from)+1:from]) != "" ||
				!ordinary && len(own) > 3 && own[3] == '<'}
		if n := len(out); n > 0 {
			last, gap := &out[n-1], text[out[n-1].end:from]
			if strings.TrimSpace(gap) == "" && strings.Count(gap, "\n") < 2 && (last.behind == c.behind ||
				last.behind && ordinary && column(last.from) == column(from)) {
				last.end, last.lines = c.end, append(last.lines, c.lines...)
				return true
			}
		}
		if from >= end {
			return false
		}
		out = append(out, c)
		return true
	})
	return out
}

// commentLines are the lines of a comment of C without its signs.
func commentLines(comment string) []string {
	comment, block := strings.CutPrefix(comment, "/*")
	comment = strings.TrimSuffix(comment, "*/")
	lines := strings.Split(comment, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if i == 0 || !block {
			line = strings.TrimLeft(line, "/!*<")
		} else if rest, ok := strings.CutPrefix(line, "*"); ok {
			line = rest
		}
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}
