package lang

import "strings"

// MaxScanned is the longest line, in bytes, in which string literals are told from code: a generated line may hold
// anything.
const MaxScanned = 1000

// BehindDot reports whether a name that follows before is a member: a dot or an arrow precedes it.
func BehindDot(before string) bool {
	before = strings.TrimRight(before, " \t")
	return strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "...") || strings.HasSuffix(before, "->")
}
