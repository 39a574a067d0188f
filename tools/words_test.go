package tools

import (
	"strings"
	"testing"
	"unicode/utf8"

	"lspi/answer"
)

// shownFirst is how much of a description every host shows, in code points: qwen-code 0.24 lists tools by their name and
// so much, and most hosts never show the instructions.
const shownFirst = 160

// The beginning of a description says what the tool is for and how its symbol, file or server is given; all of it is short.
func TestDescriptions(t *testing.T) {
	for _, tool := range All() {
		text := tool.Description
		if n := utf8.RuneCountInString(text); n > 600 {
			t.Errorf("%s: %d characters", tool.Name, n)
		}
		if !strings.HasPrefix(text, "Use ") {
			t.Errorf("%s does not begin with when to use it: %s", tool.Name, text)
		}
		first := answer.CutText(text, shownFirst+1)
		if sentence, _, _ := strings.Cut(text, ". "); utf8.RuneCountInString(sentence) > shownFirst+60 {
			t.Errorf("%s: the first sentence is long: %s", tool.Name, sentence)
		}
		var given []string
		for _, name := range []string{"symbol_name", "edits", "query", "file_path", "server_id"} {
			if tool.Input.Properties[name] != nil {
				given = append(given, name)
			}
		}
		if len(given) == 0 || tool.Class == answer.Status {
			continue
		}
		// One file that has to be given needs no words.
		if given[0] == "file_path" && len(tool.Input.Required) > 0 && tool.Input.Required[0] == "file_path" && tool.Class == answer.Navigation {
			continue
		}
		if !strings.Contains(first, given[0]) {
			t.Errorf("%s does not say at its beginning how %s is given: %s", tool.Name, given[0], first)
		}
	}
}
