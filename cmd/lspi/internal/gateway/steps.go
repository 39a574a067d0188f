package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/source"
)

// Behind lspi may stand another lspi, whose answers name its tools in next_steps: find_references, which in this
// session is the tool of another lspi. So they are given the names that this session lists.

// step is one of next_steps.
type step struct {
	index         int
	kind          string
	tool, message jsonString
}

// jsonString is a string in the JSON of an answer.
type jsonString struct {
	text       string
	start, end int
}

// edit is another text for a string of the answer.
type edit struct {
	of   jsonString
	text string
}

// exposeSteps is a result whose next steps name the tools as hosts see them; exposed is that name, and false for
// what is no tool of the server. Any other result, and all else in this one, stays as it is.
func exposeSteps(r *mcp.CallToolResult, exposed func(tool string) (string, bool)) *mcp.CallToolResult {
	raw, _ := r.StructuredContent.(json.RawMessage)
	if !bytes.Contains(raw, []byte(`"next_steps"`)) || !bytes.Contains(raw, []byte(`"schema_version"`)) {
		return r
	}
	steps, edits := stepsOf(raw), []edit(nil)
	for _, s := range steps {
		name, ok := exposed(s.tool.text)
		if s.kind == "tool" && ok && s.tool.text != "" {
			edits = append(edits, edit{s.tool, name})
		} else if text := exposeWords(s.message.text, exposed); s.kind != "tool" && text != s.message.text {
			edits = append(edits, edit{s.message, text})
		}
	}
	if edits == nil {
		return r
	}
	out := *r
	raw = slices.Clone(raw)
	// there is one in a step at most, so that they are in the order of the text
	for _, e := range slices.Backward(edits) {
		quoted, _ := jsontext.AppendQuote(nil, e.text) // the error tells of invalid UTF-8, which is replaced
		raw = slices.Replace(raw, e.of.start, e.of.end, quoted...)
	}
	out.StructuredContent = raw
	out.Content = slices.Clone(r.Content)
	for i, c := range out.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			shown := *text
			shown.Text = exposeText(text.Text, steps, exposed)
			out.Content[i] = &shown
		}
	}
	return &out
}

// word is what may be the name of a tool and no word of English: of a sentence only such are taken for one.
var word = source.LazyRegexp(`[\pL\pN-]+(_[\pL\pN-]+)+`)

// exposeWords renames the tools in a sentence.
func exposeWords(text string, exposed func(tool string) (string, bool)) string {
	return word.ReplaceAllStringFunc(text, func(tool string) string {
		if name, ok := exposed(tool); ok {
			return name
		}
		return tool
	})
}

// stepsOf are the next steps of an envelope of lspi; nil for what is no such envelope.
func stepsOf(raw []byte) (out []step) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	versioned := false
	members(d, func(name string) {
		switch {
		case name == "schema_version":
			versioned = d.PeekKind() == '0'
		case name == "next_steps" && d.PeekKind() == '[' && out == nil:
			_, _ = d.ReadToken() // it was looked at
			for d.PeekKind() != ']' && d.PeekKind() != 0 {
				out = append(out, stepOf(d, len(out)))
			}
			_, _ = d.ReadToken()
			return
		}
		_ = d.SkipValue() // an error comes back with the next token
	})
	if !versioned {
		return nil
	}
	return out
}

// stepOf reads one step. What it does not say as a string is empty.
func stepOf(d *jsontext.Decoder, i int) step {
	s, kind := step{index: i}, jsonString{}
	members(d, func(name string) {
		switch name {
		case "kind":
			kind = stringOf(d)
		case "tool":
			s.tool = stringOf(d)
		case "message":
			s.message = stringOf(d)
		default:
			_ = d.SkipValue()
		}
	})
	s.kind = kind.text
	return s
}

// stringOf reads a value; it is empty when it is no string.
func stringOf(d *jsontext.Decoder) (s jsonString) {
	value, err := d.ReadValue()
	if err != nil || json.Unmarshal(value, &s.text) != nil {
		return jsonString{}
	}
	s.end = int(d.InputOffset())
	s.start = s.end - len(value)
	return s
}

// members reads an object, of which each reads the value of a member; what is no object is passed over.
func members(d *jsontext.Decoder, each func(name string)) {
	if d.PeekKind() != '{' {
		_ = d.SkipValue()
		return
	}
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return
		}
		each(name.String())
	}
	_, _ = d.ReadToken()
}

// stepsHead is the line before the steps of an answer as text; each is "1. What to do. → TOOL {…}".
const stepsHead = "Next steps:\n"

// exposeText renames the tools in the steps at the end of a text.
func exposeText(text string, steps []step, exposed func(tool string) (string, bool)) string {
	i := strings.LastIndex("\n"+text, "\n"+stepsHead)
	if i < 0 {
		return text
	}
	i += len(stepsHead)
	lines := strings.Split(text[i:], "\n")
	for l, line := range lines {
		for _, s := range steps {
			if !strings.HasPrefix(line, fmt.Sprintf("%d. ", s.index+1)) {
				continue
			}
			if s.kind != "tool" {
				lines[l] = exposeWords(line, exposed)
			} else if name, ok := exposed(s.tool.text); ok {
				lines[l] = strings.Replace(line, " → "+s.tool.text+" {", " → "+name+" {", 1)
			}
		}
	}
	return text[:i] + strings.Join(lines, "\n")
}
