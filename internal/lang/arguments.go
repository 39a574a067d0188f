package lang

import (
	"strings"

	"lspi/internal/source"
)

var keywordArgument = source.LazyRegexp(`^[\pL_][\pL\d_]*\s*=(?:[^=]|$)`)

// PythonArguments returns where the positional arguments of the call begin whose callee ends at an offset of a Python
// source, up to the first one of unknown number (*rest), where spread is true. It reads patterns of a class as well,
// which are written as calls. There are none where no call follows.
func PythonArguments(text string, end int) (begin []int, spread bool) {
	code := ByID("python").codeOnly(text[end:])
	i := len(code) - len(strings.TrimLeft(code, " \t"))
	if strings.HasPrefix(code[i:], "[") {
		i = BlockEnd(code, i)
	}
	if !strings.HasPrefix(code[i:], "(") {
		return nil, false
	}
	for last := BlockEnd(code, i) - 1; i < last; {
		from, stop := pastBlanks(text, end+i+1)-end, argumentEnd(code, i+1, last)
		switch arg := strings.TrimSpace(code[i+1 : stop]); {
		case strings.HasPrefix(arg, "*"):
			return begin, !strings.HasPrefix(arg, "**")
		// A string is blank in code, and an argument all the same.
		case from < stop && !keywordArgument.MatchString(arg):
			begin = append(begin, end+from)
		}
		i = stop
	}
	return begin, false
}

// Arguments returns the pieces between the commas of the list that opens at i.
func Arguments(code string, i int) (out [][2]int) {
	end := BlockEnd(code, i) - 1
	for i++; i <= end; i++ {
		from := i
		i = argumentEnd(code, from, end)
		out = append(out, [2]int{from, i})
	}
	return out
}

// argumentEnd returns the offset of the comma, or of the end of the arguments, behind an argument.
func argumentEnd(code string, i, last int) int {
	for ; i < last && code[i] != ','; i++ {
		if strings.IndexByte("([{", code[i]) >= 0 {
			i = BlockEnd(code, i) - 1
		}
	}
	return min(i, last)
}

// pastBlanks returns the offset of what follows blanks and comments of Python.
func pastBlanks(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n#", text[i]) >= 0 {
		if text[i] == '#' {
			i = lineEnd(text, i)
		} else {
			i++
		}
	}
	return i
}
