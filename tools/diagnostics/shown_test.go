package diagnostics

import (
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
)

// A preview has at most ten lines, each cut to 200 characters; without the text, or a line that the text lacks, there
// is none, and that is said.
func TestPreviews(t *testing.T) {
	long := strings.Repeat("ö", maxPreviewLine)
	text := source.New("a.w", "one\ntwo\n"+long+"ö\n"+strings.Repeat("more\n", 40))
	at := func(line, character, endLine, endCharacter int) contract.Range {
		return contract.Range{Start: contract.Position{Line: line, Character: character},
			End: contract.Position{Line: endLine, Character: endCharacter}}
	}
	for _, c := range []struct {
		name                   string
		text                   *source.Text
		at                     contract.Range
		preview                string
		truncated, unavailable bool
	}{
		{"a part of a line", text, at(1, 2, 1, 3), "one", false, false},
		{"up to the next line", text, at(1, 1, 2, 1), "one", false, false},
		{"two lines", text, at(1, 1, 2, 2), "one\ntwo", false, false},
		{"a long line", text, at(3, 1, 3, 2), strings.TrimSuffix(long, "ö") + "…", true, false},
		{"ten lines", text, at(4, 1, 13, 2), strings.TrimSuffix(strings.Repeat("more\n", 10), "\n"), false, false},
		{"more lines", text, at(4, 1, 14, 2), strings.TrimSuffix(strings.Repeat("more\n", 10), "\n"), true, false},
		{"no text", nil, at(1, 1, 1, 2), "", false, true},
		{"no such line", text, at(99, 1, 99, 2), "", false, true},
	} {
		shown := Shown([]lsp.Finding{{Path: "a.w", Text: c.text, Range: c.at}}, true, true)[0].Diagnostics[0]
		testkit.Equal(t, *shown.Preview, c.preview, c.name)
		testkit.Equal(t, *shown.PreviewTruncated, c.truncated, c.name, "truncated")
		testkit.Equal(t, *shown.PreviewUnavailable, c.unavailable, c.name, "unavailable")
	}
}
