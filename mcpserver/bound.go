package mcpserver

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/answer"
	"lspi/contract"
	"lspi/mcpserver/facade"
	"lspi/tools"
	"lspi/workspace"
)

// bound makes the result of another server fit what the host shows, as answers of lspi do: first lists in structuredContent lose items at their end, then texts are
// cut at the end of a line. What was cut is said, with a way to go on where the tool has one. A result that fits stays as it is; images and other
// blocks stay whole.
func bound(s *workspace.Settings, host workspace.Host, t facade.Tool, result *mcp.CallToolResult) *mcp.CallToolResult {
	limit := tools.Limit(s, host)
	size := func(r *mcp.CallToolResult) int { return answer.ShownSize(host, r.IsError, structured(r), textOf(r)) }
	if size(result) <= limit {
		return result
	}
	out := *result
	out.Content = slices.Clone(result.Content)
	var said []string
	if values, ok := objectOf(out.StructuredContent); ok {
		for size(&out) > limit {
			name, kept, total := shortenLongest(values)
			if name == "" {
				break
			}
			out.StructuredContent = json.RawMessage(mustRaw(values))
			said = slices.DeleteFunc(said, func(line string) bool { return strings.HasPrefix(line, name+": ") })
			said = append(said, fmt.Sprintf("%s: %d of %d items are left%s", name, kept, total, goOn(t, kept)))
		}
	}
	if over := size(&out) - limit; over > 0 {
		if cut, total := cutTexts(&out, over+noteRoom); total > 0 {
			said = append(said, fmt.Sprintf("text: %d of %d characters are left", cut, total))
		}
	}
	if said != nil {
		note := "[lspi: this answer of " + t.Server() + " was longer than what is shown here, and was cut. " + strings.Join(said, "; ") + ". Ask for less, or for a part.]"
		out.Content = append(out.Content, &mcp.TextContent{Text: note})
	}
	return &out
}

// noteRoom is what the note about a cut takes.
const noteRoom = 300

// structured is the structured content of a result as JSON; nil when there is none.
func structured(r *mcp.CallToolResult) []byte {
	if r.StructuredContent == nil {
		return nil
	}
	if known, ok := r.StructuredContent.(json.RawMessage); ok {
		return known
	}
	out, _ := contract.Marshal(r.StructuredContent) // of JSON
	return out
}

func textOf(r *mcp.CallToolResult) string {
	var texts []string
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func objectOf(v any) (map[string]json.RawMessage, bool) {
	known, ok := v.(json.RawMessage)
	if !ok {
		return nil, false
	}
	var out map[string]json.RawMessage
	return out, json.Unmarshal(known, &out) == nil && out != nil
}

// shortenLongest takes the last half of the items from the longest list of an object; name is "" when no list has more than one.
func shortenLongest(values map[string]json.RawMessage) (name string, kept, total int) {
	var items []json.RawMessage
	longest := 0
	for _, key := range slices.Sorted(maps.Keys(values)) {
		var list []json.RawMessage
		if len(values[key]) > longest && json.Unmarshal(values[key], &list) == nil && len(list) > 1 {
			name, items, longest = key, list, len(values[key])
		}
	}
	if name == "" {
		return "", 0, 0
	}
	kept = len(items) / 2
	values[name] = mustRaw(items[:kept])
	return name, kept, len(items)
}

// goOn is how a tool continues behind the items that are left; "" when it has no argument for that.
func goOn(t facade.Tool, kept int) string {
	var schema struct {
		Properties map[string]json.RawMessage
	}
	known, _ := t.Shown.InputSchema.(json.RawMessage)
	if json.Unmarshal(known, &schema) != nil {
		return ""
	}
	for _, argument := range []string{"offset", "skip", "start"} {
		if schema.Properties[argument] != nil {
			return fmt.Sprintf(" (call it again with %s = %d more than now)", argument, kept)
		}
	}
	return ""
}

// cutTexts takes so many characters from the longest texts of a result, at the ends of lines where there are some. It says how many of how many
// characters are left.
func cutTexts(r *mcp.CallToolResult, over int) (left, total int) {
	for over > 0 {
		longest, size := -1, 0
		for i, c := range r.Content {
			if text, ok := c.(*mcp.TextContent); ok && utf8.RuneCountInString(text.Text) > size {
				longest, size = i, utf8.RuneCountInString(text.Text)
			}
		}
		if longest < 0 || size <= noteRoom {
			break
		}
		shown := *r.Content[longest].(*mcp.TextContent)
		short := shortText(shown.Text, max(size-over, noteRoom))
		over -= size - utf8.RuneCountInString(short)
		total += size
		left += utf8.RuneCountInString(short)
		shown.Text = short
		r.Content[longest] = &shown
	}
	return left, total
}

// shortText is the beginning of a text, at most so many characters, up to the end of a line where that loses little.
func shortText(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	short := string(runes[:most])
	if i := strings.LastIndexByte(short, '\n'); i > len(short)/2 {
		short = short[:i+1]
	}
	return short
}

// logOther writes the one line that a call of another server's tool leaves in the log, at info.
func logOther(log *slog.Logger, r answer.Request, id string, result *mcp.CallToolResult, err error, took time.Duration) {
	outcome := "ok"
	switch {
	case err != nil:
		outcome = string(answer.AsError(err).Kind)
	case result.IsError:
		outcome = "error"
	}
	log.Info("call", "tool", r.Tool, "mcp_server", id, "ms", millis(took), "bytes", len(structured(result))+len(textOf(result)), "result", outcome, "host", r.Host.Name)
}
