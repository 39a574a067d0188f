package edit

import (
	"io/fs"
	"regexp"
	"strings"
)

// generatedLine is the line by which Go and what follows its example mark generated files (go.dev/s/generatedcode), in
// the comment of any language.
var generatedLine = regexp.MustCompile(`(?m)^\s*(//|#|--|;+|/\*+|<!--|%)?\s*Code generated .* DO NOT EDIT\b`)

// headBytes is how far into a file its marks are looked for.
const headBytes = 4096

// Generated reports whether a text says of itself that a program wrote it.
func Generated(text string) bool {
	head := text[:min(len(text), headBytes)]
	// The words first: few files hold them, and the pattern is tried at every line.
	return strings.Contains(head, "Code generated ") && generatedLine.MatchString(head) || strings.Contains(head, "@generated")
}

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
