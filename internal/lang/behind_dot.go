package lang

import (
	"strings"

	"lspi/internal/source"
)

// MaxScanned is the longest line, in bytes, in which string literals are told from code: a generated line may hold
// anything.
const MaxScanned = 1000

// BehindDot reports whether a name that follows before is a member: a dot or an arrow precedes it.
func BehindDot(before string) bool {
	before = strings.TrimRight(before, " \t")
	return strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "...") || strings.HasSuffix(before, "->")
}

// ImportedName returns the word by which a source may have imported the name at an offset: the name, or the value right
// before its dot; "" where that is a member of something itself.
func ImportedName(content string, offset int) string {
	from, to, ok := source.WordAround(content, offset)
	if ok && BehindDot(content[:from]) {
		before := strings.TrimRight(content[:from], " \t.?")
		from, to, ok = source.WordAround(before, len(before))
		ok = ok && to == len(before) && !BehindDot(content[:from])
	}
	if !ok {
		return ""
	}
	return content[from:to]
}
