package answer

import (
	"strings"

	"lspi/lsp"
)

// MaxShown bounds the files that a warning names.
const MaxShown = 5

// maxErrorShown is how much of an error a warning quotes, in code points.
const maxErrorShown = 160

// Quoted returns the first line of a diagnostic's message, bounded.
func Quoted(f lsp.Finding) string {
	first, _, _ := strings.Cut(f.Message, "\n")
	return CutText(first, maxErrorShown)
}
