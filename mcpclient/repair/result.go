package repair

//lint:file-ignore SA1019 roots, sampling and log messages are deprecated since 2026-07-28, and what the hosts and servers of today have.

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool mends the result of tools/call. What was mended is "" when the result is passed on as it was sent.
//
//   - What is no object becomes {"content": [text of it], "structuredContent": {"result": it}}.
//   - An object without content becomes a text block of it and structuredContent of it; one that has structuredContent keeps that
//     and gets its text.
//   - Content that is one block, or a string, becomes a list.
//   - structuredContent that is no object is wrapped as {"result": it}: protocols up to 2025-11-25 have objects only, and hosts of these reject others.
//   - A block: see block.
//
// The decoded result is what the SDK makes of it, with structuredContent as the JSON that was sent.
func Tool(raw json.RawMessage) (mended json.RawMessage, decoded *mcp.CallToolResult, what string) {
	if r, ok := decodeTool(raw); ok {
		return raw, r, ""
	}
	mended, what = mendTool(raw)
	r, ok := decodeTool(mended)
	if !ok { // such as JSON nested deeper than the SDK decodes
		mended, what = object{{"content", array([]json.RawMessage{textBlock(string(raw))})}}.encode(), "the result does not decode"
		r, _ = decodeTool(mended)
	}
	return mended, r, what
}

// decodeTool says whether a result needs no repair.
func decodeTool(raw json.RawMessage) (*mcp.CallToolResult, bool) {
	var r mcp.CallToolResult
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &r) != nil {
		return nil, false
	}
	if len(r.Content) == 0 { // which does not tell an empty list from none
		if sent := memberOf(raw, "content"); sent == nil || sent[0] != '[' {
			return nil, false
		}
	}
	for _, b := range r.Content {
		switch b := b.(type) {
		case *mcp.ToolUseContent, *mcp.ToolResultContent:
			return nil, false
		case *mcp.EmbeddedResource:
			if b.Resource == nil {
				return nil, false
			}
		}
	}
	if r.StructuredContent == nil {
		// null is not told from no member at all by decoding; a host that reads JSON sees a difference.
		return &r, !bytes.Contains(raw, []byte(`"structuredContent"`)) || memberOf(raw, "structuredContent") == nil
	}
	if _, ok := r.StructuredContent.(map[string]any); !ok {
		return nil, false
	}
	r.StructuredContent = memberOf(raw, "structuredContent")
	return &r, true
}

// memberOf is a member of an object as it was sent; nil when there is none at all.
func memberOf(raw json.RawMessage, name string) json.RawMessage {
	o, _ := parseObject(raw)
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func mendTool(raw json.RawMessage) (json.RawMessage, string) {
	o, err := parseObject(raw)
	if err != nil {
		if len(raw) == 0 {
			raw = json.RawMessage("null")
		}
		wrapped := object{{"result", raw}}.encode()
		return object{{"content", array([]json.RawMessage{textBlock(plain(raw))})}, {"structuredContent", wrapped}}.encode(), "the result is no object"
	}
	what := "content does not decode"
	content, structuredContent := o.get("content"), o.get("structuredContent")
	switch {
	case content != nil:
		o = o.with("content", array(blocks(content)))
	case structuredContent != nil:
		o, what = o.with("content", array([]json.RawMessage{textBlock(plain(structuredContent))})), "the result has no content"
	default:
		bare := object{{"content", array([]json.RawMessage{textBlock(string(raw))})}, {"structuredContent", raw}}
		for _, keep := range []string{"isError", "_meta"} {
			if v := o.get(keep); v != nil {
				bare = bare.with(keep, v)
			}
		}
		o, what = bare, "the result has no content"
	}
	return mendMembers(o).encode(), what
}

// mendMembers mends the members beside content.
func mendMembers(o object) object {
	switch s := o.get("structuredContent"); {
	case s == nil:
		o = o.without("structuredContent")
	case !isObject(s):
		o = o.with("structuredContent", object{{"result", s}}.encode())
	}
	switch e := o.get("isError"); string(e) {
	case "true", "false":
	case `"true"`, "1":
		o = o.with("isError", json.RawMessage("true"))
	default:
		o = o.without("isError")
	}
	if m := o.get("_meta"); !isObject(m) {
		o = o.without("_meta")
	}
	return o.without("inputRequests", "requestState", "resultType")
}

// plain is a JSON value as text: a string without its quotes.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// Prompt mends the result of prompts/get: a message without role is the user's, its content is mended as that of a tool is, and what has no
// messages becomes one of the user with the JSON as text.
func Prompt(raw json.RawMessage) (mended json.RawMessage, decoded *mcp.GetPromptResult, what string) {
	decode := func(raw json.RawMessage) (*mcp.GetPromptResult, bool) {
		var r mcp.GetPromptResult
		if !isObject(raw) || json.Unmarshal(raw, &r) != nil || r.Messages == nil {
			return nil, false
		}
		ok := !slices.ContainsFunc(r.Messages, func(m *mcp.PromptMessage) bool { return m == nil || m.Content == nil || m.Role == "" })
		return &r, ok
	}
	if r, ok := decode(raw); ok {
		return raw, r, ""
	}
	o, err := parseObject(raw)
	list, ok := elements(o.get("messages"))
	what = "messages do not decode"
	if err != nil || !ok {
		o, what = object{}, "the result has no messages"
		list = []json.RawMessage{object{{"content", textBlock(plain(raw))}}.encode()}
	}
	for i, m := range list {
		list[i] = message(m)
	}
	o = o.with("messages", array(list))
	for _, try := range []object{o, o.without("_meta", "description"), {{"messages", array(list)}}} {
		if r, ok := decode(try.encode()); ok {
			return try.encode(), r, what
		}
	}
	mended = object{{"messages", array([]json.RawMessage{message(textBlock(string(raw)))})}}.encode()
	r, _ := decode(mended)
	return mended, r, what
}

// message is a message of a prompt that decodes.
func message(raw json.RawMessage) json.RawMessage {
	o, err := parseObject(raw)
	content := o.get("content")
	if err != nil || content == nil {
		o, content = object{}, raw // the block without the message around it
	}
	role, _ := o.text("role")
	if role != "assistant" {
		role = "user"
	}
	o = object{{"role", quote(role)}}
	if list, ok := elements(content); ok && len(list) == 1 {
		content = list[0]
	}
	return o.with("content", block(content)).encode()
}

// Resource mends the result of resources/read: contents that are one item become a list, an item without uri gets the one that was asked
// for, and what has no contents becomes one with the JSON as text.
func Resource(raw json.RawMessage, uri string) (mended json.RawMessage, decoded *mcp.ReadResourceResult, what string) {
	decode := func(raw json.RawMessage) (*mcp.ReadResourceResult, bool) {
		var r mcp.ReadResourceResult
		if !isObject(raw) || json.Unmarshal(raw, &r) != nil || r.Contents == nil {
			return nil, false
		}
		return &r, !slices.ContainsFunc(r.Contents, func(c *mcp.ResourceContents) bool { return c == nil || c.URI == "" })
	}
	if r, ok := decode(raw); ok {
		return raw, r, ""
	}
	o, err := parseObject(raw)
	contents := o.get("contents")
	list, ok := elements(contents)
	what = "contents do not decode"
	switch {
	case err != nil || contents == nil:
		list, what = []json.RawMessage{quote(plain(raw))}, "the result has no contents"
	case !ok:
		list = []json.RawMessage{contents}
	}
	for i, c := range list {
		list[i] = contentsOf(c, uri)
	}
	mended = object{{"contents", array(list)}}.encode()
	r, _ := decode(mended)
	return mended, r, what
}

// contentsOf is one item of contents that decodes.
func contentsOf(raw json.RawMessage, uri string) json.RawMessage {
	o, err := parseObject(raw)
	if err == nil {
		if u, ok := o.text("uri"); !ok || u == "" {
			o = o.with("uri", quote(uri))
		}
		_, text := o.text("text")
		_, blob := o.text("blob")
		for _, try := range []object{o, o.without("_meta", "mimeType")} {
			var c mcp.ResourceContents
			if (text || blob) && json.Unmarshal(try.encode(), &c) == nil {
				return try.encode()
			}
		}
	}
	return object{{"uri", quote(uri)}, {"text", quote(plain(raw))}}.encode()
}

// Completion mends the result of completion/complete: what does not decode is no completion.
func Completion(raw json.RawMessage) (mended json.RawMessage, decoded *mcp.CompleteResult, what string) {
	var r mcp.CompleteResult
	if isObject(raw) && json.Unmarshal(raw, &r) == nil && r.Completion.Values != nil {
		return raw, &r, ""
	}
	r = mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	return json.RawMessage(`{"completion":{"values":[]}}`), &r, "the completion does not decode"
}
