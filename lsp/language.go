package lsp

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// ShortVersion is the version in what a server or its --version says of itself, without a leading v: gopls 0.23.0 puts
// 9 kB of build information there as JSON, others their name, build and platform. Where no word looks like a version it
// is the first line.
func ShortVersion(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		var build struct{ Main struct{ Version string } } // as runtime/debug.BuildInfo
		if json.Unmarshal([]byte(text), &build) == nil && build.Main.Version != "" {
			text = build.Main.Version
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	for _, word := range strings.Fields(line) {
		plain := strings.TrimPrefix(word, "v")
		if plain != "" && plain[0] >= '0' && plain[0] <= '9' && strings.Contains(plain, ".") {
			return Cut(strings.TrimRight(plain, ",;"), maxVersion)
		}
	}
	return Cut(strings.TrimSpace(line), maxVersion)
}

// maxVersion bounds a version that is shown.
const maxVersion = 60

// Cut shortens s to at most n bytes at a rune boundary.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	// Half a code point at the end would be shown as a replacement character.
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// baseName decides about the language of a file, and about whether the server serves it.
func baseName(path string) string { return filepath.Base(path) }

// given is nil for what is not there or null.
func given(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

// firstLine is the beginning of a text that is shown as a part of a sentence.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return Cut(line, 300)
}
