package facade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Behind lspi may stand another lspi, whose answers name its tools in next_steps: find_references, which in this session is the tool of another lspi. So
// they are given the names that this session lists.

// stepTool is the name of a tool in a step of an answer.
type stepTool struct {
	step       int // its index in next_steps
	name       string
	start, end int // of the JSON string, in the JSON of the answer
	exposed    string
}

// exposeSteps is a result whose next steps name the tools as hosts see them; exposed is that name, and false for what is no tool of the server. Any
// other result, and all else in this one, stays as it is.
func exposeSteps(r *mcp.CallToolResult, exposed func(tool string) (string, bool)) *mcp.CallToolResult {
	raw, _ := r.StructuredContent.(json.RawMessage)
	if !bytes.Contains(raw, []byte(`"next_steps"`)) || !bytes.Contains(raw, []byte(`"schema_version"`)) {
		return r
	}
	var steps []stepTool
	for _, t := range stepTools(raw) {
		if name, ok := exposed(t.name); ok && t.name != "" {
			t.exposed = name
			steps = append(steps, t)
		}
	}
	if len(steps) == 0 {
		return r
	}
	out := *r
	raw = slices.Clone(raw)
	for _, t := range slices.Backward(steps) {
		quoted, _ := jsontext.AppendQuote(nil, t.exposed) // of letters, digits, _ and -
		raw = slices.Replace(raw, t.start, t.end, quoted...)
	}
	out.StructuredContent = raw
	out.Content = slices.Clone(r.Content)
	for i, c := range out.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			shown := *text
			shown.Text = exposeText(text.Text, steps)
			out.Content[i] = &shown
		}
	}
	return &out
}

// stepTools are the tools that next_steps of an envelope of lspi name; nil for what is no such envelope.
func stepTools(raw []byte) (out []stepTool) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	versioned := false
	members(d, func(name string) {
		switch {
		case name == "schema_version":
			versioned = d.PeekKind() == '0'
		case name == "next_steps" && d.PeekKind() == '[':
			_, _ = d.ReadToken() // it was looked at
			for i := 0; d.PeekKind() != ']' && d.PeekKind() != 0; i++ {
				out = append(out, stepToolOf(d, i))
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

// stepToolOf reads one step. Its name is "" where it names no tool.
func stepToolOf(d *jsontext.Decoder, i int) stepTool {
	t, kind := stepTool{step: i}, ""
	members(d, func(name string) {
		var into *string
		switch name {
		case "kind":
			into = &kind
		case "tool":
			into = &t.name
		default:
			_ = d.SkipValue()
			return
		}
		value, err := d.ReadValue()
		if err != nil || json.Unmarshal(value, into) != nil {
			return
		}
		if into == &t.name {
			t.end = int(d.InputOffset())
			t.start = t.end - len(value)
		}
	})
	if kind != "tool" {
		t.name = ""
	}
	return t
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
func exposeText(text string, steps []stepTool) string {
	i := strings.LastIndex("\n"+text, "\n"+stepsHead)
	if i < 0 {
		return text
	}
	i += len(stepsHead)
	lines := strings.Split(text[i:], "\n")
	for l, line := range lines {
		for _, t := range steps {
			if strings.HasPrefix(line, fmt.Sprintf("%d. ", t.step+1)) {
				lines[l] = strings.Replace(line, " → "+t.name+" {", " → "+t.exposed+" {", 1)
			}
		}
	}
	return text[:i] + strings.Join(lines, "\n")
}
