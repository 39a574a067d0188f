package edit

import (
	"io/fs"
	"strings"
)

// readOnly reports whether nobody may write the file. Root may write any file; that somebody took the right away is
// still a wish.
func readOnly(path string, info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (info.Mode().Perm()&0o222 == 0 || !writable(path))
}

// oddLineEnds reports whether a text holds what only some servers count as the end of a line, before its last edit: a
// \r alone, or one of Unicode's separators. Positions behind it may mean another line than the server meant.
func oddLineEnds(text string, edits []Replacement) bool {
	if len(edits) == 0 {
		return false
	}
	head := text[:edits[len(edits)-1].end()]
	return strings.Count(head, "\r") != strings.Count(head, "\r\n") || strings.ContainsAny(head, "\u2028\u2029\u0085")
}
