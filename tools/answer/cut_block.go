package answer

import "strings"

// CutBlock takes a fenced code block (CommonMark 4.5) off the head of a text. code is without its fences. Without a
// whole block at the head, ok is false and rest is the text as it was.
func CutBlock(text string) (code, rest string, ok bool) {
	fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if len(fence) < 3 {
		return "", text, false
	}
	_, body, ok := strings.Cut(text, "\n")
	if !ok {
		return "", text, false
	}
	if code, rest, ok = strings.Cut("\n"+body, "\n"+fence); !ok {
		return "", text, false
	}
	// The closing fence has to be alone in its line.
	line, rest, _ := strings.Cut(rest, "\n")
	if strings.TrimSpace(line) != "" {
		return "", text, false
	}
	return strings.Trim(code, "\n"), rest, true
}
