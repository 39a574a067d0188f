package edit

import (
	"io/fs"
	"strings"
)

// isReadOnly reports whether nobody may write the file, or this user may not. Root may write any file, but a mode
// without the right to write is still a wish of somebody.
func isReadOnly(path string, info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (info.Mode().Perm()&0o222 == 0 || !writable(path))
}

// hasOddLineEnds reports whether a text has, before its last edit, what only some servers count as the end of a line:
// a lone \r or a separator of Unicode. Positions behind it may mean another line than the server meant.
func hasOddLineEnds(text string, edits []Replacement) bool {
	if len(edits) == 0 {
		return false
	}
	head := text[:edits[len(edits)-1].end()]
	return strings.Count(head, "\r") != strings.Count(head, "\r\n") || strings.ContainsAny(head, "\u2028\u2029\u0085")
}
