package repair

import (
	"bytes"
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// plainResult is the form that almost all results of tools have.
type plainResult struct {
	Content    []plainText    `json:"content"`
	Structured jsontext.Value `json:"structuredContent"`
	IsError    *bool          `json:"isError"`
}

type plainText struct {
	Type string  `json:"type"`
	Text *string `json:"text"`
}

// maxDepth is how deep the SDK decodes JSON (go-sdk 1.8.0).
const maxDepth = 1000

// decodePlain decodes a result of texts without any other member, in a tenth of the time that the SDK takes. Of what is not
// that, or is perhaps not well formed, it says false.
func decodePlain(raw json.RawMessage) (*mcp.CallToolResult, bool) {
	var p plainResult
	if bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) >= maxDepth || jsonv2.Unmarshal(raw, &p, jsonv2.RejectUnknownMembers(true)) != nil ||
		p.Content == nil {
		return nil, false
	}
	r := &mcp.CallToolResult{Content: make([]mcp.Content, len(p.Content)), IsError: p.IsError != nil && *p.IsError}
	for i, b := range p.Content {
		if b.Type != "text" || b.Text == nil {
			return nil, false
		}
		r.Content[i] = &mcp.TextContent{Text: *b.Text}
	}
	if p.Structured != nil {
		if p.Structured[0] != '{' {
			return nil, false
		}
		r.StructuredContent = json.RawMessage(p.Structured)
	}
	return r, true
}
