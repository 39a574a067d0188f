package lsp

import "strings"

// head is the part of a text that servers of C and C++ build ahead and keep while the rest is edited: blank lines, comments
// and directives before the first code. While it is built anew, answers come from a tree in which the old one is patched:
// positions were wrong, and inactive code was active, after a line was put before the first #include (clangd 22.1.8).
func head(text string) string {
	comment, directive := false, false // of several lines
	end := 0
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		switch {
		case comment:
			comment = !strings.Contains(t, "*/")
		case directive:
			directive = strings.HasSuffix(t, `\`)
		case t == "", strings.HasPrefix(t, "//"):
		case strings.HasPrefix(t, "/*"):
			comment = !strings.Contains(t, "*/")
		case strings.HasPrefix(t, "#"):
			directive = strings.HasSuffix(t, `\`)
		default:
			return text[:end]
		}
		end += len(line)
	}
	return text
}
