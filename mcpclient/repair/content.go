package repair

//lint:file-ignore SA1019 roots, sampling and log messages are deprecated since 2026-07-28, and what the hosts and servers of today have.

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// blockTypes are the content blocks that a tool and a prompt may answer with (MCP 2025-11-25, ContentBlock).
var blockTypes = []string{"text", "image", "audio", "resource", "resource_link"}

// textBlock is a text block.
func textBlock(text string) json.RawMessage {
	return object{{"type", quote("text")}, {"text", quote(text)}}.encode()
}

// blocks mends a list of content blocks, or what stands in its place: one block, or a string.
func blocks(raw json.RawMessage) []json.RawMessage {
	list, ok := elements(raw)
	if !ok {
		list = []json.RawMessage{raw}
	}
	out := make([]json.RawMessage, len(list))
	for i, b := range list {
		out[i] = block(b)
	}
	return out
}

// block is a content block that decodes: the one that was sent, with a type when it has none, without optional members that do not
// decode, or else the JSON of it as text.
func block(raw json.RawMessage) json.RawMessage {
	if decodes(raw) {
		return raw
	}
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return textBlock(s)
	}
	o, err := parseObject(raw)
	if err != nil {
		return textBlock(string(raw))
	}
	typed := withType(o)
	for _, try := range []object{typed, typed.without("annotations", "_meta", "icons", "size", "title", "description")} {
		if typed != nil && decodes(try.encode()) {
			return try.encode()
		}
	}
	return textBlock(string(raw))
}

// decodes says whether the SDK takes a content block.
func decodes(raw json.RawMessage) bool {
	var r mcp.CallToolResult
	if json.Unmarshal(object{{"content", array([]json.RawMessage{raw})}}.encode(), &r) != nil {
		return false
	}
	switch b := r.Content[0].(type) {
	case *mcp.ToolUseContent, *mcp.ToolResultContent: // of sampling only
		return false
	case *mcp.EmbeddedResource:
		return b.Resource != nil
	}
	return true
}

// withType gives a block the type that its members speak for; nil when they speak for none. A type that is known stays.
func withType(o object) object {
	if t, ok := o.text("type"); ok {
		for _, known := range blockTypes {
			if t == known {
				return o
			}
		}
		return nil // a type of a later protocol, which no host of today decodes
	}
	kind := ""
	_, hasText := o.text("text")
	_, hasBlob := o.text("blob")
	_, hasData := o.text("data")
	_, hasURI := o.text("uri")
	media, _ := o.text("mimeType")
	switch {
	case isObject(o.get("resource")):
		kind = "resource"
	case hasURI && (hasText || hasBlob): // the contents of a resource without the block around it
		return object{{"type", quote("resource")}, {"resource", o.without("type").encode()}}
	case hasText:
		kind = "text"
	case hasData && strings.HasPrefix(media, "image/"):
		kind = "image"
	case hasData && strings.HasPrefix(media, "audio/"):
		kind = "audio"
	case hasURI:
		kind = "resource_link"
	default:
		return nil
	}
	return append(object{{"type", quote(kind)}}, o.without("type")...)
}
