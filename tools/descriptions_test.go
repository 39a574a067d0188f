package tools

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

// shownFirst is how much of a description every host shows, in code points: qwen-code 0.24 lists tools by their
// name and so much, and most hosts never show the instructions.
const shownFirst = 160

// The beginning of a description says what the tool is for and how its symbol, file or server is given; all of it
// is short.
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
		if given[0] == "file_path" && len(tool.Input.Required) > 0 && tool.Input.Required[0] == "file_path" &&
			tool.Class == answer.Navigation {
			continue
		}
		testkit.Holds(t, first, given[0], tool.Name, "does not say at its beginning how")
	}
}

// The text of a whole file among the arguments does not come back with each step, which would leave no room for the
// answer: what changes is said, and leads on.
func TestStepsDoNotRepeatLongArguments(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "gopls")
	session := toolstest.Real(t,
		project(t, map[string]string{"go.mod": "module x\n\ngo 1.24\n", "a.go": "package x\n"}), "gopls")
	const wrong = 250
	var text strings.Builder
	text.WriteString("package x\n")
	for i := range wrong {
		fmt.Fprintf(&text, "\n// %s\nfunc f%d() int { return \"x\" }\n", strings.Repeat("padding ", 14), i)
	}
	arguments := map[string]any{"edits": []any{map[string]any{"file_path": "a.go", "new_text": text.String()}},
		"max_results": 100}
	seen := map[float64]bool{}
	for offset := 0; len(seen) < wrong; {
		arguments["offset"] = offset
		a := run(t, session, "check_edit", arguments)
		if a["ok"] != true || a["total"] != any(float64(wrong)) {
			t.Fatalf("%.3000v", a)
		}
		shown := len(seen)
		for _, file := range a["appears"].([]any) {
			for _, d := range file.(map[string]any)["diagnostics"].([]any) {
				seen[d.(map[string]any)["line"].(float64)] = true
			}
		}
		returned := int(a["returned"].(float64))
		if len(seen) != shown+returned || returned == 0 {
			t.Fatalf("page from %d: %d new of %d", offset, len(seen)-shown, returned)
		}
		offset += returned
		if steps := fmt.Sprint(a["next_steps"]); len(seen) < wrong && !strings.Contains(steps, fmt.Sprintf(
			"For that repeat the call with offset %d; its other arguments stay.", offset)) {
			t.Errorf("%.3000s", steps)
		}
	}
	arguments["edits"].([]any)[0].(map[string]any)["new_text"] = "package x\n\n// " + strings.Repeat("padding ", 40) +
		"\n"
	clean := run(t, session, "check_edit", arguments)
	if steps := fmt.Sprint(clean["next_steps"]); !strings.Contains(steps, "apply_if_clean true and preview_id \"") ||
		!strings.Contains(steps, "without offset;") {
		t.Errorf("%.3000v", clean)
	}
}
