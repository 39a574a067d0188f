//go:build linux

package hosts

import (
	"encoding/json"
	"net/http"
	"strings"
)

// done is what the model says in the end.
const done = "Done."

// chat is POST /chat/completions of OpenAI.
func (m *model) chat(w http.ResponseWriter, body []byte) {
	var in struct {
		Stream   bool
		Messages []struct {
			Role       string
			Content    json.RawMessage
			ToolCallID string `json:"tool_call_id"`
		}
		Tools []struct {
			Function struct{ Name, Description string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t := turn{body: body, tools: map[string]string{}, results: map[string]string{}}
	for _, tool := range in.Tools {
		t.tools[tool.Function.Name] = tool.Function.Description
	}
	for _, message := range in.Messages {
		if message.Role == "tool" {
			t.results[message.ToolCallID] = plainText(message.Content)
		} else if message.Role != "assistant" {
			t.system += plainText(message.Content) + "\n"
		}
	}
	r := m.answer(t)
	message, finish := map[string]any{"role": "assistant", "content": done}, "stop"
	if r.tool != "" {
		message["content"], finish = "", "tool_calls"
		message["tool_calls"] = []any{map[string]any{"index": 0, "id": r.id, "type": "function",
			"function": map[string]any{"name": r.tool, "arguments": asJSON(r.arguments)}}}
	}
	whole := func(object string, choices []any) map[string]any {
		return map[string]any{"id": "chat", "object": object, "created": 1, "model": "stand-in", "choices": choices}
	}
	choice := func(key string, value, finish any) []any {
		return []any{map[string]any{"index": 0, key: value, "finish_reason": finish}}
	}
	usage := map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	if !in.Stream {
		all := whole("chat.completion", choice("message", message, finish))
		all["usage"] = usage
		writeJSON(w, all)
		return
	}
	// As OpenAI does, the last chunk has the usage and no choice: Continue 1.5 keeps the last chunk with usage only.
	const chunk = "chat.completion.chunk"
	last := whole(chunk, []any{})
	last["usage"] = usage
	events(w, "", whole(chunk, choice("delta", message, nil)), "",
		whole(chunk, choice("delta", map[string]any{}, finish)), "", last, "", "[DONE]")
}

// gemini is generateContent and streamGenerateContent of Google. Its calls have no ids that come back reliably, so
// that the answers are counted.
func (m *model) gemini(w http.ResponseWriter, body []byte, stream bool) {
	type part struct {
		Text             string
		FunctionCall     *struct{ ID, Name string }
		FunctionResponse *struct {
			ID, Name string
			Response json.RawMessage
		}
	}
	var in struct {
		SystemInstruction struct{ Parts []part }
		Contents          []struct {
			Role  string
			Parts []part
		}
		Tools []struct {
			FunctionDeclarations []struct{ Name, Description string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t := turn{body: body, tools: map[string]string{}, results: map[string]string{}}
	for _, p := range in.SystemInstruction.Parts {
		t.system += p.Text + "\n"
	}
	for _, tools := range in.Tools {
		for _, f := range tools.FunctionDeclarations {
			t.tools[f.Name] = f.Description
		}
	}
	for _, content := range in.Contents {
		for _, p := range content.Parts {
			if p.FunctionResponse == nil {
				t.system += p.Text + "\n"
				continue
			}
			var output struct{ Output, Error json.RawMessage }
			text := string(p.FunctionResponse.Response)
			if json.Unmarshal(p.FunctionResponse.Response, &output) == nil && len(output.Output)+len(output.Error) > 0 {
				text = plainText(append(output.Output, output.Error...))
			}
			t.results[p.FunctionResponse.ID] = text
		}
	}
	r := m.answer(t)
	parts := []any{map[string]any{"text": done}}
	if r.tool != "" {
		parts = []any{map[string]any{"functionCall": map[string]any{"id": r.id, "name": r.tool, "args": r.arguments}}}
	}
	out := map[string]any{"candidates": []any{map[string]any{"index": 0, "finishReason": "STOP",
		"content": map[string]any{"role": "model", "parts": parts}}},
		"usageMetadata": map[string]any{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
	if stream {
		events(w, "", out)
	} else {
		writeJSON(w, out)
	}
}

// responses is POST /responses of OpenAI, always streamed.
func (m *model) responses(w http.ResponseWriter, body []byte) {
	var in struct {
		Instructions string
		Input        []struct {
			Type    string
			CallID  string `json:"call_id"`
			Content json.RawMessage
			Output  json.RawMessage
		}
		Tools []struct {
			Type, Name, Description string
			Tools                   []struct{ Type, Name, Description string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t := turn{body: body, system: in.Instructions, tools: map[string]string{}, results: map[string]string{}}
	namespace, custom := map[string]string{}, map[string]bool{}
	for _, tool := range in.Tools {
		if tool.Type == "namespace" { // Codex puts the instructions of a server there
			t.system += tool.Description + "\n"
			for _, inner := range tool.Tools {
				t.tools[inner.Name], namespace[inner.Name] = inner.Description, tool.Name
			}
			continue
		}
		t.tools[tool.Name], custom[tool.Name] = tool.Description, tool.Type == "custom"
	}
	for _, item := range in.Input {
		switch item.Type {
		case "function_call_output", "custom_tool_call_output":
			t.results[item.CallID] = plainText(item.Output)
		case "message":
			t.system += plainText(item.Content) + "\n"
		}
	}
	r := m.answer(t)
	item := map[string]any{"type": "message", "id": "m", "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": done, "annotations": []any{}}}}
	if r.tool != "" {
		item = map[string]any{"type": "function_call", "id": "f_" + r.id, "call_id": r.id, "name": r.tool,
			"arguments": asJSON(r.arguments), "status": "completed"}
		if namespace[r.tool] != "" {
			item["namespace"] = namespace[r.tool]
		}
		if custom[r.tool] { // its input is a text
			item["type"], item["input"] = "custom_tool_call", r.arguments["input"]
			delete(item, "arguments")
		}
	}
	response := map[string]any{"id": "r", "object": "response", "status": "completed", "model": "stand-in",
		"output": []any{item},
		"usage":  map[string]any{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
	events(w, "response.created", map[string]any{"type": "response.created", "response": map[string]any{"id": "r"}},
		"response.output_item.done", map[string]any{"type": "response.output_item.done", "output_index": 0,
			"item": item},
		"response.completed", map[string]any{"type": "response.completed", "response": response})
}

// messages is POST /v1/messages of Anthropic.
func (m *model) messages(w http.ResponseWriter, body []byte) {
	var in struct {
		Stream   bool
		System   json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Name, Description string }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t := turn{body: body, system: plainText(in.System), tools: map[string]string{}, results: map[string]string{}}
	for _, tool := range in.Tools {
		t.tools[tool.Name] = tool.Description
	}
	for _, message := range in.Messages {
		var blocks []struct {
			Type, Text string
			ToolUseID  string `json:"tool_use_id"`
			Content    json.RawMessage
		}
		if json.Unmarshal(message.Content, &blocks) != nil && message.Role != "assistant" {
			t.system += plainText(message.Content) + "\n"
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				t.results[strings.TrimPrefix(b.ToolUseID, "toolu_")] = plainText(b.Content)
			} else if message.Role != "assistant" {
				t.system += b.Text + "\n"
			}
		}
	}
	r := m.answer(t)
	block, start, delta, stop := map[string]any{"type": "text", "text": done},
		map[string]any{"type": "text", "text": ""},
		map[string]any{"type": "text_delta", "text": done}, "end_turn"
	if r.tool != "" {
		block = map[string]any{"type": "tool_use", "id": "toolu_" + r.id, "name": r.tool, "input": r.arguments}
		start = map[string]any{"type": "tool_use", "id": "toolu_" + r.id, "name": r.tool, "input": map[string]any{}}
		delta, stop = map[string]any{"type": "input_json_delta", "partial_json": asJSON(r.arguments)}, "tool_use"
	}
	message := map[string]any{"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": "stand-in",
		"content":     []any{block},
		"stop_reason": stop, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}
	if !in.Stream {
		writeJSON(w, message)
		return
	}
	empty := map[string]any{"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": "stand-in",
		"content": []any{},
		"usage":   map[string]any{"input_tokens": 1, "output_tokens": 1}}
	events(w, "message_start", map[string]any{"type": "message_start", "message": empty},
		"content_block_start", map[string]any{"type": "content_block_start", "index": 0, "content_block": start},
		"content_block_delta", map[string]any{"type": "content_block_delta", "index": 0, "delta": delta},
		"content_block_stop", map[string]any{"type": "content_block_stop", "index": 0},
		"message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop},
			"usage": map[string]any{"output_tokens": 1}},
		"message_stop", map[string]any{"type": "message_stop"})
}
