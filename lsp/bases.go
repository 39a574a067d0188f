package lsp

import (
	"strings"

	"lspi/source"
)

// PythonBases are the offsets of the names of the classes from which the class whose name ends at an offset derives: the last
// word of each positional argument of its head, without type arguments (The Python Language Reference, Class definitions).
func PythonBases(text string, end int) (out []int) {
	depth, last, keyword := 0, -1, false
	take := func() {
		if last >= 0 && !keyword {
			out = append(out, last)
		}
		last, keyword = -1, false
	}
	squares, params := 0, false // brackets of type parameters and arguments, and the parentheses of the head
	for i := end; i < len(text); i++ {
		switch c := text[i]; {
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '[':
			squares++
		case c == ']':
			squares--
		case squares > 0:
		case c == '(':
			if depth++; depth == 1 {
				params = true
			}
		case c == ')':
			if depth--; depth == 0 {
				take()
				return out
			}
		case depth == 0 && (c == ':' || !params && !strings.ContainsRune(" \t\\\r\n", rune(c))):
			return nil
		case depth == 1 && c == ',':
			take()
		case depth == 1 && c == '=':
			keyword = true
		case depth == 1 && !keyword:
			if from, to, ok := source.WordAround(text, i); ok && from == i {
				last, i = from, to-1
			}
		}
	}
	return nil
}
