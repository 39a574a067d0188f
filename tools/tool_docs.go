package tools

import (
	"embed"
	"strings"

	"lspi/tools/answer"
)

//go:embed *.md
var texts embed.FS

// toolDocs are the texts of a tool, which the model reads before it calls it. They live in name.md: a
// title, the description, and a section for each argument that needs words of its own.
type toolDocs struct {
	title       string
	description string
	arguments   map[string]string
}

// mustToolDocs reads the texts of a tool. It panics when they are missing; a test runs it for all
// tools.
func mustToolDocs(name string) toolDocs {
	raw, err := texts.ReadFile(name + ".md")
	answer.Mustf(err == nil, "the texts of %s are missing: %v", name, err)
	return parseWords(string(raw))
}

// parseWords reads the texts of one tool.
func parseWords(text string) toolDocs {
	w := toolDocs{arguments: map[string]string{}}
	// "# Title", the description, then "## argument" sections.
	head, rest, _ := strings.Cut(text, "\n## ")
	title, description, _ := strings.Cut(strings.TrimPrefix(head, "# "), "\n")
	w.title, w.description = strings.TrimSpace(title), Unwrap(description)
	for _, part := range strings.Split(rest, "\n## ") {
		name, body, _ := strings.Cut(part, "\n")
		if name = strings.TrimSpace(name); name != "" {
			w.arguments[name] = Unwrap(body)
		}
	}
	return w
}

// Unwrap joins the lines of a paragraph: line breaks in the source are for people.
func Unwrap(s string) string { return strings.Join(strings.Fields(s), " ") }
