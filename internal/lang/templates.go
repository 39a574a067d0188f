package lang

import (
	"strings"

	"lspi/internal/source"
)

var (
	templateHead = source.LazyRegexp(`\btemplate\s*<`)
	// autoHead matches a function or lambda that is a template because of a parameter of type auto.
	autoHead  = source.LazyRegexp(`\([^(){};]*\bauto\b[^(){};]*\)[^(){};]*\{`)
	classHead = source.LazyRegexp(`\b(class|struct|union)\b`)
)

// TemplateBodies returns where the bodies of function templates, and of the functions in class templates, are in a
// C++ source, as offsets of their braces. A compiler checks most of such a body only where something uses it. Full
// specializations are not among them. Braces that come from macros are not seen.
func TemplateBodies(path, text string) (out [][2]int) {
	code := Of(path).codeOnly(text)
	for _, m := range templateHead.FindAllStringIndex(code, -1) {
		end := anglesEnd(code, m[1]-1)
		if strings.TrimSpace(code[m[1]:max(m[1], end-1)]) == "" { // template <>
			continue
		}
		open := bodyOpens(code, end)
		if open < 0 {
			continue
		}
		body := [2]int{open, blockEnd(code, open)}
		if !classHead.MatchString(code[end:open]) {
			out = append(out, body)
			continue
		}
		// What a class template declares is looked at where the class is used; the blocks inside are not.
		for i := open + 1; i < body[1]; i++ {
			if code[i] == '{' {
				inner := [2]int{i, blockEnd(code, i)}
				out = append(out, inner)
				i = inner[1] - 1
			}
		}
	}
	for _, m := range autoHead.FindAllStringIndex(code, -1) {
		out = append(out, [2]int{m[1] - 1, blockEnd(code, m[1]-1)})
	}
	return out
}

// anglesEnd returns the offset behind the angle bracket that closes the one at i; those in parentheses do not count.
func anglesEnd(code string, i int) int {
	depth := 0
	for ; i < len(code); i++ {
		switch code[i] {
		case '(', '[', '{':
			i = blockEnd(code, i) - 1
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(code)
}

// bodyOpens returns the brace that opens the body of the declaration behind i; -1 when it has none.
func bodyOpens(code string, i int) int {
	for ; i < len(code); i++ {
		switch code[i] {
		case '(', '[':
			i = blockEnd(code, i) - 1
		case ';':
			return -1
		case '{':
			return i
		}
	}
	return -1
}
