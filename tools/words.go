package tools

import (
	"embed"
	"strings"
)

//go:embed *.md
var texts embed.FS

// words are the texts of a tool: what the model reads before it calls. They live in name.md: a title, the description,
// and a section for each argument that needs words of its own.
type words struct {
	title       string
	description string
	arguments   map[string]string
}

// mustWords panics when the texts of a tool are missing; a test runs it for all.
func mustWords(name string) words {
	raw, err := texts.ReadFile(name + ".md")
	mustf(err == nil, "the texts of %s are missing: %v", name, err)
	return parseWords(string(raw))
}

func parseWords(text string) words {
	w := words{arguments: map[string]string{}}
	head, rest, _ := strings.Cut(text, "\n## ")
	title, description, _ := strings.Cut(strings.TrimPrefix(head, "# "), "\n")
	w.title, w.description = strings.TrimSpace(title), unwrap(description)
	for _, part := range strings.Split(rest, "\n## ") {
		name, body, _ := strings.Cut(part, "\n")
		if name = strings.TrimSpace(name); name != "" {
			w.arguments[name] = unwrap(body)
		}
	}
	return w
}

// unwrap joins the lines of a paragraph; the line breaks in the source are for people.
func unwrap(s string) string { return strings.Join(strings.Fields(s), " ") }
