package lang

import (
	"slices"
	"strings"
	"unicode"
)

// CommentsOn returns the texts of the comments that document a declaration of C or C++, as clang attaches comments to
// declarations: with beside one behind it on the line of its name, and the one in front, with no end of another
// declaration and no directive in between. The declaration begins at the offset start, and its name at name. A text is
// without the signs of comments; one without a letter or a digit is none.
func CommentsOn(path, text string, start, name int, beside bool) (out []string) {
	type span struct{ from, end int }
	var comments []span
	line := name + lineEnd(text[name:], 0)
	OfText(path, text).each(text, func(from int, p piece) bool {
		if p.kind == commentPiece {
			comments = append(comments, span{from, p.end})
		}
		return from < line || strings.TrimSpace(text[from:p.end]) == "" || p.kind == commentPiece
	})
	column := func(i int) int { return comments[i].from - strings.LastIndexByte(text[:comments[i].from], '\n') }
	alone := func(i int) bool { return strings.TrimSpace(text[comments[i].from-column(i)+1:comments[i].from]) == "" }
	joined := func(i int) bool { // with the one before it
		gap := text[comments[i-1].end:comments[i].from]
		return strings.TrimSpace(gap) == "" && strings.Count(gap, "\n") < 2
	}
	take := func(from, to int) {
		var lines []string
		for _, c := range comments[from:to] {
			lines = append(lines, commentLines(text[c.from:c.end])...)
		}
		words := strings.Trim(strings.Join(lines, "\n"), "\n")
		if strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			out = append(out, words)
		}
	}
	behind := slices.IndexFunc(comments, func(c span) bool { return c.from > name })
	if beside && behind >= 0 && comments[behind].from < line {
		to := behind + 1
		for to < len(comments) && joined(to) && column(to) == column(behind) {
			to++
		}
		take(behind, to)
	}
	to := slices.IndexFunc(comments, func(c span) bool { return c.end > start })
	if to < 0 {
		to = len(comments)
	}
	if to == 0 || !alone(to-1) || strings.ContainsAny(text[comments[to-1].end:start], ";{}#@") {
		return out
	}
	from := to - 1
	for from > 0 && joined(from) && alone(from-1) {
		from--
	}
	take(from, to)
	return out
}

// commentLines are the lines of a comment of C without the signs around them.
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
