package lang

import "lspi/internal/source"

var classHead = source.LazyRegexp(`\b(class|struct|union)\b`)

// TemplateBodies returns where the bodies of function templates, and of the functions in class templates, are in a
// C++ source, as offsets of their braces. A compiler checks most of such a body only where something uses it. Full
// specializations are not among them. Braces that come from macros are not seen.
func TemplateBodies(path, text string) (out [][2]int) {
	code := Of(path).codeOnly(text)
	for _, r := range templateRanges(code) {
		head := BlockEnd(code, r[0])
		if head >= r[1] || code[r[1]-1] != '}' { // a declaration
			continue
		}
		body := [2]int{BlockStart(code, r[1]-1), r[1]}
		if !classHead.MatchString(code[head:max(head, body[0])]) {
			out = append(out, body)
			continue
		}
		// What a class template declares is looked at where the class is used; the blocks inside are not.
		for i := body[0] + 1; i < body[1]; i++ {
			if code[i] == '{' {
				inner := [2]int{i, BlockEnd(code, i)}
				out = append(out, inner)
				i = inner[1] - 1
			}
		}
	}
	return out
}
