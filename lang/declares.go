package lang

import (
	"path/filepath"
	"strings"

	"lspi/source"
)

// MaxScanned is the longest line whose texts are told from its code: what a tool has put on one line may hold anything.
const MaxScanned = 1000

// DeclaresAny reports whether a line may declare one of the names that a search would find: an identifier in its code that
// is no keyword, and behind a dot only where it is assigned to.
func DeclaresAny(path, line string, may func(name string) bool) bool {
	code := []bool(nil)
	if len(line) <= MaxScanned {
		code = Code(path, line)
	}
	language := languageOf[strings.ToLower(filepath.Ext(path))]
	for i := 0; i < len(line); {
		from, to, ok := source.WordAround(line, i)
		if !ok || from < i {
			i++
			continue
		}
		i = to
		word := line[from:to]
		if code != nil && !code[from] || source.IsNumber(word) || Reserved(language, word) {
			continue
		}
		if language != "" && BehindDot(line[:from]) && !strings.HasPrefix(strings.TrimLeft(line[to:], " \t"), "=") {
			continue
		}
		if may(word) {
			return true
		}
	}
	return false
}

// languageOf are the languages in which nothing is declared behind a dot but by an assignment, by extension.
var languageOf = map[string]string{".c": "c", ".h": "cpp", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp",
	".py": "python", ".pyi": "python", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
	".ts": "typescript", ".tsx": "typescript", ".mts": "typescript", ".cts": "typescript"}

// BehindDot reports whether what follows a text is a member of what stands in it.
func BehindDot(before string) bool {
	before = strings.TrimRight(before, " \t")
	return strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "...") || strings.HasSuffix(before, "->")
}
