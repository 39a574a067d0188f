package lang

import (
	"strings"

	"lspi/internal/source"
)

var (
	pythonDeclares = source.LazyRegexp(`^[ \t]*(async[ \t]+)?(def|class)[ \t]`)
	pythonNothing  = source.LazyRegexp(`^[ \t]*(#.*)?$`)
)

// maxBlock bounds the lines of a declaration that are looked at: the scan for open brackets begins anew for each
// line.
const maxBlock = 400

// PythonBlock returns the last line of the def or class that begins in line, with all that is indented below it; both
// are 0-based. It returns false where no such statement begins, or its end is not found. Decorators before it are not
// looked at.
func PythonBlock(lines []string, line int) (int, bool) {
	if !pythonDeclares.MatchString(lines[line]) {
		return 0, false
	}
	indent := pythonIndent(lines[line])
	last := line
	for n := line + 1; n <= len(lines) && n-line < maxBlock; n++ {
		if strings.HasSuffix(lines[n-1], "\\") && strings.Contains(lines[n-1], "#") {
			return 0, false // the backslash may be in a comment, which does not go on
		}
		// A bracket, a string or a line that goes on takes the next line whatever its indentation.
		goes := last == n-1 && (ByID("python").Unclosed(strings.Join(lines[line:n], "\n")+"\n") >= 0 ||
			strings.HasSuffix(lines[n-1], "\\"))
		switch {
		case n == len(lines):
			return last, !goes
		case goes || !pythonNothing.MatchString(lines[n]) && pythonIndent(lines[n]) > indent:
			last = n
		case !pythonNothing.MatchString(lines[n]):
			return last, true
		}
	}
	return 0, false
}

// pythonIndent returns the column of a line's first character that is not white space; a tab leads to the next
// multiple of 8, as in Python.
func pythonIndent(line string) (n int) {
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}
