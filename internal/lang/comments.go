package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// CommentSign returns the sign that begins a line comment in a file; for a language without line comments, a sign
// with which no line begins.
func CommentSign(path string) string { return Of(path).lineComment() }

// Code returns for each byte of a line whether it is code. Comments and string literals are not, except names that a
// string literal interpolates. It looks at this line alone: a comment or a string that began above is not recognized.
func Code(path, line string) []bool { return Of(path).codeBytes(line) }

func (l *Language) codeBytes(line string) []bool {
	m := marked{text: line, uses: make([]Use, len(line))}
	m.source(l, 0, len(line))
	code := make([]bool, len(line))
	for i, use := range m.uses {
		code[i] = use == CodeUse
	}
	return code
}

// CodeOf is a text with blanks for all that is not code, so that offsets stay.
func CodeOf(path, text string) string {
	code := []byte(text)
	for i, is := range Code(path, text) {
		if !is && code[i] != '\n' {
			code[i] = ' '
		}
	}
	return string(code)
}

// readComments matches comments that a compiler reads: directives of Go, references and types of TypeScript.
var readComments = source.LazyRegexp(`^//go:|^///[ \t]*<reference|^/\*\*(?s:.*)\bimport\(`)

// InComment reports whether a byte of a source is in a comment that no compiler reads.
func InComment(path, text string, offset int) bool {
	next := OfText(path, text).pieces(text)
	for i := 0; i <= offset; {
		p := next(i)
		end := max(p.end, i+1)
		if offset < end {
			return p.kind == commentPiece && !readComments.MatchString(text[i:end])
		}
		i = end
	}
	return false
}

// InCode returns those of the found offsets on a line that are neither in a comment nor in a string literal, as far
// as the line alone tells: behind the sign of a line comment, on a line of a block comment in the usual layout, or in
// quotes. A name there is not a symbol, and a server answers nothing or an error for it.
func InCode(path, line string, found []int) []int {
	l := Of(path)
	if l.blocks() {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "/*") && !strings.Contains(t, "*/") ||
			strings.HasPrefix(t, "* ") || t == "*" {
			return nil
		}
	}
	if len(found) == 0 {
		return nil
	}
	code := l.codeBytes(line)
	return slices.DeleteFunc(slices.Clone(found), func(at int) bool { return !code[at] })
}

// InBlock reports whether a line is in a block comment of several lines, and whether the next line is. open is what
// the call for the line above returned as next.
func InBlock(path, line string, open bool) (inside, next bool) {
	if !Of(path).blocks() {
		return false, false
	}
	ends := strings.Contains(line, "*/")
	inside = open || !ends && strings.HasPrefix(strings.TrimSpace(line), "/*")
	return inside, inside && !ends
}

// DeclaresAny reports whether a line may declare a name that may accepts: an identifier in its code that is not a
// keyword; one behind a dot only where it is assigned to.
func DeclaresAny(path, line string, may func(name string) bool) bool {
	l, code := Of(path), []bool(nil)
	if len(line) <= MaxScanned {
		code = l.codeBytes(line)
	}
	for i := 0; i < len(line); {
		from, to, ok := source.WordAround(line, i)
		if !ok || from < i {
			i++
			continue
		}
		i = to
		word := line[from:to]
		if code != nil && !code[from] || source.IsNumber(word) || l.Assigned && l.Keywords[word] {
			continue
		}
		if l.Assigned && BehindDot(line[:from]) && !strings.HasPrefix(strings.TrimLeft(line[to:], " \t"), "=") {
			continue
		}
		if may(word) {
			return true
		}
	}
	return false
}
