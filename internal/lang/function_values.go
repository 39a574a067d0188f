package lang

import (
	"strings"

	"lspi/internal/source"
)

// Servers outline a name with a function as its value (const f = () => 1) as they do any other name with a value.

// scriptFunctionBegin matches how the value of a name begins as a function: a keyword, one parameter, or the bracket
// before several, with type parameters.
var scriptFunctionBegin = source.LazyRegexp(
	`^(?:async\b\s*)?(?:(function\b|[\p{L}\p{N}_$]+\s*=>)|(?:<[^()=]*>\s*)?(\())`)

// scriptFunctionValue reports whether a declaration gives its name a function; rest is the text behind the name.
func scriptFunctionValue(rest string) bool {
	value, ok := scriptValue(rest)
	m := scriptFunctionBegin.FindStringSubmatchIndex(value)
	switch {
	case !ok || m == nil:
		return false
	case m[2] >= 0:
		return true
	}
	behind := value[m[5]:]
	behind = behind[outerSign(behind, func(s string) bool { return s[0] == ')' }):]
	behind = strings.TrimLeft(strings.TrimPrefix(behind, ")"), " \t\r\n")
	if strings.HasPrefix(behind, ":") { // the type of what it returns
		behind = behind[outerSign(behind, func(s string) bool { return s[0] == '=' || s[0] == ';' }):]
	}
	return strings.HasPrefix(behind, "=>")
}

// scriptValue returns the text from the value that a declaration gives a name, behind its type; false without one.
func scriptValue(rest string) (string, bool) {
	rest = strings.TrimLeft(rest, " \t\r\n?!")
	if strings.HasPrefix(rest, ":") {
		rest = rest[outerSign(rest, func(s string) bool {
			return s[0] == '=' && !strings.HasPrefix(s, "=>") || s[0] == ';' || s[0] == ','
		}):]
	}
	if !strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "==") {
		return "", false
	}
	return strings.TrimLeft(rest[1:], " \t\r\n"), true
}

// maxSigns bounds how far a type is read.
const maxSigns = 2000

// outerSign returns where a text has what is looked for outside of brackets; its length for nowhere.
func outerSign(text string, is func(rest string) bool) int {
	depth := 0
	for i := 0; i < min(len(text), maxSigns); i++ {
		switch {
		case depth == 0 && is(text[i:]):
			return i
		case strings.HasPrefix(text[i:], "=>"):
			i++
		case strings.IndexByte("([{<", text[i]) >= 0:
			depth++
		case strings.IndexByte(")]}>", text[i]) >= 0:
			depth--
		}
		if depth < 0 {
			break
		}
	}
	return len(text)
}

var pythonLambda = source.LazyRegexp(`^[ \t]*(?::[^=\n]*)?=[ \t]*lambda\b`)

// pythonFunctionValue is scriptFunctionValue for Python.
func pythonFunctionValue(rest string) bool { return pythonLambda.MatchString(rest) }
