package mcpclient

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A result that the SDK decodes is passed on byte by byte. The decoder of the SDK (go-sdk 1.8.0) is the measure
// because hosts are at least as strict: one content block without a type, or of an unknown one, fails the whole
// result. Of what does not decode, only the result of a tool has a fallback, which shows the model all that the
// server said; everything else becomes an error.

// decodeTool decodes the result of tools/call. Where it is not well formed, blocks without a type get theirs and a
// structured content that is no object is wrapped; where that does not help, the result is its JSON as text. why is
// then what was wrong, and raw the result in its place. by is what the SDK has decoded, nil for nothing.
func decodeTool(sent json.RawMessage, by *mcp.CallToolResult) (raw json.RawMessage, decoded *mcp.CallToolResult,
	why error) {
	decoded, why = wellFormedTool(sent, by)
	if why == nil {
		return sent, decoded, nil
	}
	raw = withTypes(sent)
	decoded, err := wellFormedTool(raw, nil)
	if err != nil {
		raw = asText(sent)
		decoded, _ = wellFormedTool(raw, nil)
	}
	return raw, decoded, why
}

// wellFormedTool decodes a result of tools/call, unless r is that already, keeps its structured content as it was
// sent, and returns an error where hosts could not take it.
func wellFormedTool(raw json.RawMessage, r *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	var sent struct {
		Content    *[]json.RawMessage `json:"content"`
		Structured json.RawMessage    `json:"structuredContent"`
	}
	if !isObject(raw) {
		return nil, errors.New("the result is no object")
	}
	if r == nil {
		r = &mcp.CallToolResult{}
		if err := json.Unmarshal(raw, r); err != nil {
			return nil, fmt.Errorf("the result does not decode: %w", err)
		}
	}
	if err := json.Unmarshal(raw, &sent); err != nil {
		return nil, fmt.Errorf("the result does not decode: %w", err)
	}
	switch {
	case sent.Content == nil:
		return nil, errors.New("the result has no content")
	case slices.ContainsFunc(r.Content, isStray):
		return nil, errors.New("the result has content that is none of a tool")
	case sent.Structured != nil && !isObject(sent.Structured):
		return nil, errors.New("structuredContent is no object")
	}
	if sent.Structured != nil {
		r.StructuredContent = sent.Structured
	}
	return r, nil
}

// isStray reports whether a content block is one of sampling, or a resource without contents, which the SDK decodes
// and hosts refuse.
func isStray(block mcp.Content) bool {
	switch b := block.(type) {
	case *mcp.ToolUseContent, *mcp.ToolResultContent:
		return true
	case *mcp.EmbeddedResource:
		return b.Resource == nil
	}
	return false
}

// withTypes returns the result of a tool with a type in each content block whose members say which, and with
// structured content that is an object.
func withTypes(sent json.RawMessage) json.RawMessage {
	var o map[string]json.RawMessage
	var blocks []json.RawMessage
	if json.Unmarshal(sent, &o) != nil || json.Unmarshal(o["content"], &blocks) != nil {
		return sent
	}
	for i := range blocks {
		blocks[i] = withType(blocks[i])
	}
	o["content"] = encoded(blocks)
	switch structured := o["structuredContent"]; {
	case string(structured) == "null":
		delete(o, "structuredContent")
	case structured != nil && !isObject(structured):
		o["structuredContent"] = encoded(map[string]json.RawMessage{"result": structured})
	}
	return encoded(o)
}

// withType gives a content block without a type the one that its members belong to.
func withType(block json.RawMessage) json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal(block, &o) != nil || o == nil || o["type"] != nil {
		return block
	}
	media := string(o["mimeType"])
	switch {
	case o["text"] != nil:
		o["type"] = encoded("text")
	case o["resource"] != nil:
		o["type"] = encoded("resource")
	case o["data"] != nil && strings.HasPrefix(media, `"image/`):
		o["type"] = encoded("image")
	case o["data"] != nil && strings.HasPrefix(media, `"audio/`):
		o["type"] = encoded("audio")
	case o["uri"] != nil:
		o["type"] = encoded("resource_link")
	default:
		return block
	}
	return encoded(o)
}

// asText returns a result that every host can read: the JSON of the one that was sent, as text and as structured
// content. isError stays set.
func asText(sent json.RawMessage) json.RawMessage {
	if len(sent) == 0 {
		sent = json.RawMessage("null")
	}
	structured := sent
	if !isObject(sent) {
		structured = encoded(map[string]json.RawMessage{"result": sent})
	}
	var is struct {
		Error any `json:"isError"`
	}
	_ = json.Unmarshal(sent, &is)
	var out struct {
		Content    [1]textBlock    `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError,omitempty"`
	}
	out.Content[0], out.Structured = textBlock{"text", string(sent)}, structured
	out.IsError = is.Error == true || is.Error == "true"
	return encoded(out)
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// checkPrompt returns why hosts cannot take a decoded result of prompts/get.
func checkPrompt(r *mcp.GetPromptResult) error {
	if r.Messages == nil || slices.ContainsFunc(r.Messages, func(m *mcp.PromptMessage) bool {
		return m == nil || m.Content == nil || m.Role == "" || isStray(m.Content)
	}) {
		return errors.New("the result has no messages, or one without a role or content")
	}
	return nil
}

// checkResource returns why hosts cannot take a decoded result of resources/read.
func checkResource(r *mcp.ReadResourceResult) error {
	if r.Contents == nil || slices.ContainsFunc(r.Contents, func(c *mcp.ResourceContents) bool {
		return c == nil || c.URI == ""
	}) {
		return errors.New("the result has no contents, or some without a uri")
	}
	return nil
}

// checkCompletion returns why hosts cannot take a decoded result of completion/complete.
func checkCompletion(r *mcp.CompleteResult) error {
	if r.Completion.Values == nil {
		return errors.New("the result has no values")
	}
	return nil
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// encoded returns a value as JSON, with <, > and & as they are.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // of texts, and of JSON that was decoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
