package compare

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	linkToFile = regexp.MustCompile(`\[([^][]*)\]\(file:[^)\s]*\)`)
	modulePath = regexp.MustCompile("^```rust\n(\\S+)\n```\n+```rust\n") // rust-analyzer puts it before the declaration
	heading    = regexp.MustCompile("^### (\\S+ )*`.*`")                 // clangd's: kind and name
)

// hover returns all lines of the server's answer, sorted, because lspi separates declaration and documentation. It
// leaves out what is only form: rules, fences, clangd's heading, and the scope, which lspi gives as container or as
// part of the name.
func (k *asker) hover(s spot) ([]string, error) {
	var answer *struct {
		Contents struct{ Kind, Value string }
	}
	if err := k.r.call("textDocument/hover", k.position(s), &answer); err != nil {
		return nil, err
	}
	var lines []string
	if answer != nil {
		text := strings.TrimSpace(linkToFile.ReplaceAllString(answer.Contents.Value, "$1"))
		scope := modulePath.FindStringSubmatch(text)
		for i, line := range strings.Split(text, "\n") {
			if traitsOfUnknown.MatchString(line) {
				// rust-analyzer says of what it does not know that it implements everything; lspi leaves that out
				continue
			}
			if !strings.HasPrefix(line, "// In ") && !(i == 1 && scope != nil && line == scope[1]) {
				lines = append(lines, line)
			}
		}
	}
	defined, err := k.inOrder("textDocument/definition", s)
	if err == nil {
		defined, err = k.itself("textDocument/definition", s, defined)
	}
	if err != nil {
		return append(told(lines), missing+"definition"), nil
	}
	if len(defined) > 0 {
		inside := slices.IndexFunc(defined, func(p place) bool { return strings.HasPrefix(p.path, k.root+"/") })
		p := defined[max(inside, 0)]
		lines = append(lines, fmt.Sprintf("defined at %s %d:%d", k.show(p.path), p.line, p.column))
	}
	return told(lines), nil
}

var traitsOfUnknown = regexp.MustCompile(`^Implements notable traits:.*\{unknown\}`)

// escape is a backslash before punctuation. lspi leaves out what only a renderer of Markdown needs, outside of
// code; here both sides are without, code as well.
var escape = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")

// told are the lines that say something, sorted.
func told(lines []string) []string {
	var out []string
	for _, l := range lines {
		l = strings.ReplaceAll(html.UnescapeString(escape.ReplaceAllString(l, "$1")), "\u00a0", " ")
		if l = strings.TrimSpace(l); l != "" && l != "---" && !strings.HasPrefix(l, "```") && !heading.MatchString(l) {
			out = append(out, l)
		}
	}
	slices.Sort(out)
	return out
}

// hover is the answer of the tool hover in the same form.
func hover(t testing.TB, e envelope) []string {
	var body struct {
		Signature, Documentation *string
		Definition               *struct {
			FilePath        string `json:"file_path"`
			Line, Character int
		}
	}
	e.decode(t, &body)
	var lines []string
	for _, part := range []*string{body.Signature, body.Documentation} {
		if part != nil {
			lines = append(lines, strings.Split(*part, "\n")...)
		}
	}
	if d := body.Definition; d != nil {
		lines = append(lines, fmt.Sprintf("defined at %s %d:%d", d.FilePath, d.Line, d.Character))
	}
	if slices.ContainsFunc(e.Warnings, func(w warning) bool { return w.Kind == "part_failed" }) {
		return append(told(lines), missing+"definition")
	}
	return told(lines)
}

// missing marks a part that the server refused, so that the answer has to be partial.
const missing = "refused: "

// inOrder are places as the server lists them.
func (k *asker) inOrder(method string, s spot) ([]place, error) {
	var raw json.RawMessage
	if err := k.r.call(method, k.position(s), &raw); err != nil {
		return nil, err
	}
	return k.locations(raw), nil
}
