package lang

import (
	"strings"

	"lspi/internal/source"
)

// MaxScanned is the longest line, in bytes, in which string literals are told from code: a generated line may hold
// anything.
const MaxScanned = 1000

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

// BehindDot reports whether a name that follows before is a member: a dot or an arrow precedes it.
func BehindDot(before string) bool {
	before = strings.TrimRight(before, " \t")
	return strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "...") || strings.HasSuffix(before, "->")
}
