package lang

import (
	"regexp"
	"strings"

	"lspi/internal/source"
)

var (
	// exportedAs matches what stands in front of a name that a module of CommonJS exports under another one.
	exportedAs = source.LazyRegexp(`\bexports\s*\.\s*([\w$]+)\s*=\s*$`)
	// keyBefore matches the key in front of a value.
	keyBefore = source.LazyRegexp(`[{,]\s*([\w$]+)\s*:\s*$`)
	// defaultBefore and wholeBefore match what makes a declaration, or a name, the default of its module.
	defaultBefore = source.LazyRegexp(`\bexport\s+default\s+(?:(?:async|abstract)\s+)?(?:function\s*\*?\s*|class\s+)?$`)
	wholeBefore   = source.LazyRegexp(`\bmodule\s*\.\s*exports\s*=\s*(?:(?:async\s+)?function\s*\*?\s*|class\s+)?$`)
)

// ScriptExport returns the offset of the other name under which a module of JavaScript exports the name at an offset:
// exports.other = name, module.exports = { other: name }; -1 where it does not.
func ScriptExport(text string, from, to int) int {
	behind := strings.TrimLeft(text[to:min(to+MaxScanned, len(text))], " \t")
	if behind != "" && strings.IndexByte(";,}\r\n", behind[0]) < 0 {
		return -1
	}
	start := max(0, from-MaxScanned)
	if m := exportedAs.FindStringSubmatchIndex(text[start:from]); m != nil {
		return start + m[2]
	}
	m := keyBefore.FindStringSubmatchIndex(text[start:from])
	if m == nil {
		return -1
	}
	h := ReadScriptHeads(text)
	n, ok := h.first(from)
	if !ok || h.around[n] < 0 {
		return -1
	}
	open := h.around[n]
	if word := h.word(open - 1); word != "default" && (word != "=" || h.word(open-2) != "exports") {
		return -1
	}
	return start + m[2]
}

// IsScriptDefault reports whether the name at an offset is what its module exports as a whole, or as its default.
func IsScriptDefault(text string, from, to int) bool {
	before := text[max(0, from-MaxScanned):from]
	if defaultBefore.MatchString(before) || wholeBefore.MatchString(before) {
		return true
	}
	behind := text[to:min(to+MaxScanned, len(text))]
	return regexp.MustCompile(`^\s+as\s+default\b`).MatchString(behind)
}

// given matches an assignment by which a module of CommonJS exports a name.
var given = source.LazyRegexp(`(?m)^[ \t]*(?:module\s*\.\s*)?exports\s*\.\s*([\w$]+)\s*=[^=]`)

// scriptGiven is [Language].Given.
func scriptGiven(text string) (out [][2]int) {
	for _, m := range given.FindAllStringSubmatchIndex(text, -1) {
		out = append(out, [2]int{m[2], m[3]})
	}
	return out
}
