package lang

import "strings"

// TakenFrom reports whether the name at an offset of a script takes a member out of a value, in a pattern of
// destructuring: const { name } = value, ({ name: other }: Type) => other. An object that is passed to a function looks
// like a pattern of parameters where it has the name alone; it counts, too.
func TakenFrom(text string, from, to int) bool {
	before := strings.TrimRight(text[max(0, from-MaxScanned):from], " \t\r\n")
	if !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, ",") {
		return false
	}
	behind := strings.TrimLeft(text[to:min(to+MaxScanned, len(text))], " \t\r\n")
	if behind == "" || strings.IndexByte(",}:=", behind[0]) < 0 {
		return false
	}
	alone := behind[0] != ':'
	depth := 1
	for i := range len(behind) {
		switch behind[i] {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
		case ';':
			if depth == 1 { // a type, or a block
				return false
			}
		}
		if depth > 0 {
			continue
		}
		rest := strings.TrimLeft(behind[i+1:], " \t\r\n")
		switch {
		case behind[i] != '}' || rest == "":
			return false
		case rest[0] == '=':
			return !strings.HasPrefix(rest, "==") && !strings.HasPrefix(rest, "=>")
		}
		return rest[0] == ':' || alone && (rest[0] == ')' || rest[0] == ',' || strings.HasPrefix(rest, "of "))
	}
	return false
}
