package lang

import (
	"strings"

	"lspi/internal/source"
)

// takesNoValue are words before a parenthesis of Python in which the name of a class or function is only compared,
// derived from, or told about, so that nobody calls it through another name.
var takesNoValue = map[string]bool{"isinstance": true, "issubclass": true, "cast": true, "TypeVar": true,
	"super": true, "except": true, "raises": true, "import": true}

// PythonValue reports whether Python code gives away the function or class whose name stands at an offset, so that it
// may be called by another name: make(Leaf), [Leaf], f = self.run, Leaf.run.delay().
func PythonValue(text string, from, to int) bool {
	line := text[strings.LastIndexByte(text[:from], '\n')+1 : from]
	if first := strings.Fields(line); len(first) > 0 && (first[0] == "import" || first[0] == "from" ||
		first[0] == "class" || first[0] == "def") && !strings.Contains(line, "=") {
		return false
	}
	for from > 0 && (text[from-1] == '.' || source.IsWord(rune(text[from-1]))) {
		from--
	}
	before, behind := strings.TrimRight(text[:from], " \t\r\n\\"), strings.TrimLeft(text[to:], " \t")
	returned := strings.HasSuffix(before, "return") || strings.HasSuffix(before, "yield")
	if before == "" || !returned && strings.IndexByte("(,=[{:", before[len(before)-1]) < 0 {
		return false
	}
	if behind != "" && strings.IndexByte(",)]}\r\n#", behind[0]) < 0 {
		return false
	}
	open := openBracket(text, from)
	if open < 0 {
		return returned || strings.HasSuffix(before, "=") && !strings.HasSuffix(before, "==")
	}
	start, end, word := source.WordAround(text, open)
	word = word && end == open
	switch text[open] {
	case '[':
		return !word // else an annotation: list[Leaf]
	case '(':
		derives := word && strings.HasSuffix(strings.TrimRight(text[:start], " \t"), "class")
		spaced, _, _ := strings.Cut(text[strings.LastIndexByte(text[:open], '\n')+1:open], "(")
		fields := strings.Fields(spaced)
		apart := len(fields) > 0 && takesNoValue[fields[len(fields)-1]] // except (A, B)
		return !strings.HasSuffix(before, ":") && !derives && !apart && !(word && takesNoValue[text[start:end]])
	}
	return true
}

// PythonCallee returns where the name of what is called ends, in a call around an offset of Python code, and where the
// arguments of the call begin and end; ok is false where no call is around it.
func PythonCallee(text string, offset int) (callee, begin, end int, ok bool) {
	open := openBracket(text, offset)
	if open <= 0 || text[open] != '(' {
		return 0, 0, 0, false
	}
	depth := 0
	for i := open; i < min(len(text), open+MaxScanned); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return open, open + 1, i, true
			}
		}
	}
	return 0, 0, 0, false
}

// openBracket is the offset of the bracket around another offset that is not closed before it; -1 where there is none
// nearby.
func openBracket(text string, offset int) int {
	depth := 0
	for i := offset - 1; i >= max(0, offset-MaxScanned); i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}
