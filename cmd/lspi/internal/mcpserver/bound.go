package mcpserver

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway"
	"lspi/cmd/lspi/internal/mcpserver/shorten"
	"lspi/contract"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// bound shortens the result of another server to what the host shows. In structuredContent, lists lose their last
// items and strings their ends, as far as the tool's output schema allows; texts are cut at the end of a line. A note
// says what was cut, and how to ask for the rest where the tool has an argument for that. Images and other blocks
// stay whole. A result that fits is returned as it is.
func bound(s *session.Settings, host session.Host, t gateway.Tool, result *mcp.CallToolResult) *mcp.CallToolResult {
	b := bounding{host: host, tool: t, limit: tools.Limit(s, host), out: *result, texts: map[int]int{}}
	if b.over() <= 0 && b.linesOver() <= 0 {
		return result
	}
	b.limit -= noteRoom
	b.out.Content = slices.Clone(result.Content)
	b.cut()
	b.tell()
	return &b.out
}

// maxTold is how many cuts of structuredContent the note describes; it counts the others.
const maxTold = 2

// noteRoom is the room kept for the note, and the least that is left of a cut text, in characters.
const noteRoom = 300

// bounding is the work of bound on one result.
type bounding struct {
	host  session.Host
	tool  gateway.Tool
	limit int
	out   mcp.CallToolResult // its Content is a copy
	twin  int                // the text block that repeats structuredContent as JSON, and is kept equal; -1 for none
	cuts  []shorten.Cut      // of structuredContent
	texts map[int]int        // by index of the block, the size of each cut text before the cut, in characters
}

// shown returns the size of what the host shows of the result, in characters.
func (b *bounding) shown() int {
	return answer.ShownSize(b.host, b.out.IsError, structured(&b.out), textOf(&b.out))
}

// over returns by how many characters the result is too large; 0 or less when it fits.
func (b *bounding) over() int { return b.shown() - b.limit }

// share converts an excess, as the host counts it, into what has to be taken from a part of size part, in that part's
// own units: the host may show the part twice, or escaped.
func (b *bounding) share(over, part int) int { return max(over*part/max(over+b.limit, 1), 50) }

// channel returns which parts of the result the host shows.
func (b *bounding) channel() session.Channel {
	if b.out.IsError {
		return b.host.Row().Failure
	}
	return b.host.Row().Success
}

// linesOver returns by how many lines the text exceeds what the host shows; 0 for hosts that do not count lines.
func (b *bounding) linesOver() int {
	row := b.host.Row()
	if row.Lines == 0 || b.channel() != session.TextChannel {
		return 0
	}
	return strings.Count(textOf(&b.out), "\n") + 1 - row.Lines
}

// cut shortens the larger of the parts that the host shows until the result fits, or nothing more can be taken.
func (b *bounding) cut() {
	b.twin = b.twinOf()
	body := shorten.New(structured(&b.out), schemaOf(b.tool))
	inBody, inText := len(body.Raw) > 0, len(structured(&b.out)) == 0 || b.channel() != session.StructuredChannel
	for over := b.over(); over > 0 && (inBody || inText); over = b.over() {
		if inBody && (!inText || b.twin >= 0 || len(body.Raw) >= len(textOf(&b.out))) {
			inBody = b.cutBody(body, over)
		} else {
			inText = b.cutText(over)
		}
	}
	for over := b.linesOver(); over > 0; over = b.linesOver() {
		if !b.cutLines(over + 2) {
			return
		}
	}
}

// cutBody takes about over characters from structuredContent; false when nothing can be taken.
func (b *bounding) cutBody(body *shorten.Value, over int) bool {
	if !body.Take(b.share(over, len(body.Raw))) {
		b.twin = -1 // from now on it may be cut like any other text
		return false
	}
	b.out.StructuredContent = json.RawMessage(body.Raw)
	if b.twin >= 0 {
		b.setText(b.twin, string(body.Raw))
	}
	b.cuts = body.Cuts()
	return true
}

// twinOf returns the index of the text block with the same JSON as structuredContent, -1 when there is none. Servers
// send one for hosts that show only text (MCP 2025-06-18, Structured Content).
func (b *bounding) twinOf() int {
	raw := structured(&b.out)
	var value any
	if len(raw) == 0 || json.Unmarshal(raw, &value) != nil {
		return -1
	}
	return slices.IndexFunc(b.out.Content, func(c mcp.Content) bool {
		text, ok := c.(*mcp.TextContent)
		var other any
		return ok && strings.HasPrefix(strings.TrimSpace(text.Text), "{") &&
			json.Unmarshal([]byte(text.Text), &other) == nil && reflect.DeepEqual(value, other)
	})
}

// tell adds the note about the cuts: as a text block, and also as a member of structuredContent where the host shows
// that and the tool's schema allows another member.
func (b *bounding) tell() {
	var said []string
	for _, c := range b.cuts[:min(len(b.cuts), maxTold)] {
		what := "characters"
		more := ""
		if c.Items {
			what, more = "items", continuation(b.tool, c.Left)
		}
		said = append(said, fmt.Sprintf("%s: %d of %d %s are shown%s", shortText(c.Place, 40), c.Left, c.Total, what,
			more))
	}
	if more := len(b.cuts) - maxTold; more > 0 {
		said = append(said, fmt.Sprintf("%d more places are cut", more))
	}
	left, total := 0, 0
	for i, size := range b.texts {
		text, _ := textIn(b.out.Content[i])
		left, total = left+utf8.RuneCountInString(text), total+size
	}
	if total > 0 {
		said = append(said, fmt.Sprintf("text: %d of %d characters are shown", left, total))
	}
	if said == nil {
		return
	}
	note := "[lspi: this answer of " + b.tool.Server() + " was longer than what is shown here, and was cut. " +
		strings.Join(said, "; ") + ". Ask for less, or for a part.]"
	b.out.Content = append(b.out.Content, &mcp.TextContent{Text: note})
	if shows := b.channel(); b.cuts != nil && (shows == session.StructuredChannel || shows == session.EitherChannel) {
		if raw, ok := shorten.New(structured(&b.out), schemaOf(b.tool)).With("lspi_note", note); ok {
			b.out.StructuredContent = json.RawMessage(raw)
		}
	}
}

// schemaOf returns the output schema of a tool; nil when it declares none.
func schemaOf(t gateway.Tool) json.RawMessage {
	if t.Shown.OutputSchema == nil {
		return nil
	}
	if raw, ok := t.Shown.OutputSchema.(json.RawMessage); ok {
		return raw
	}
	raw, _ := contract.Marshal(t.Shown.OutputSchema) // of JSON
	return raw
}

// structured returns the structuredContent of a result as JSON; nil when there is none.
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

// textIn returns the text of a block; false for a block without text.
func textIn(c mcp.Content) (string, bool) {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Text, true
	case *mcp.EmbeddedResource:
		if c.Resource != nil && c.Resource.Text != "" {
			return c.Resource.Text, true
		}
	}
	return "", false
}

// textOf returns the texts of a result, one below the other.
func textOf(r *mcp.CallToolResult) string {
	var texts []string
	for _, c := range r.Content {
		if text, ok := textIn(c); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// setText replaces the text of a block by a copy with another text; the server's own block is shared and stays.
func (b *bounding) setText(i int, text string) {
	switch c := b.out.Content[i].(type) {
	case *mcp.TextContent:
		shown := *c
		shown.Text = text
		b.out.Content[i] = &shown
	case *mcp.EmbeddedResource:
		shown, resource := *c, *c.Resource
		resource.Text = text
		shown.Resource = &resource
		b.out.Content[i] = &shown
	}
}

// longestFirst returns the indexes of the blocks with a text, the longest text first.
func (b *bounding) longestFirst() (all []int) {
	sizes := map[int]int{}
	for i, c := range b.out.Content {
		if text, ok := textIn(c); ok {
			all, sizes[i] = append(all, i), len(text)
		}
	}
	slices.SortStableFunc(all, func(x, y int) int { return sizes[y] - sizes[x] })
	return all
}

// cutText takes about over characters from the longest text, and cuts further texts to the same length while that is
// not enough: a result may have thousands of texts, so one pass has to cut many. It returns false when all texts have
// their least length already.
func (b *bounding) cutText(over int) bool {
	taken, most := 0, 0
	for _, i := range b.longestFirst() {
		text, _ := textIn(b.out.Content[i])
		size := utf8.RuneCountInString(text)
		if most == 0 {
			most = max(size-b.share(over, size), noteRoom)
		}
		if size <= most || taken >= over {
			continue
		}
		short := shortText(text, most)
		b.leave(i, size, short)
		taken += size - utf8.RuneCountInString(short)
	}
	return taken > 0
}

// cutLines takes over lines from the texts, the longest text first; false when each has one line only.
func (b *bounding) cutLines(over int) bool {
	taken := 0
	for _, i := range b.longestFirst() {
		text, _ := textIn(b.out.Content[i])
		lines := strings.Split(text, "\n")
		if left := max(1, len(lines)-(over-taken)); left < len(lines) {
			b.leave(i, utf8.RuneCountInString(text), strings.Join(lines[:left], "\n"))
			taken += len(lines) - left
		}
	}
	return taken > 0
}

// leave replaces text block i, of size characters, by short.
func (b *bounding) leave(i, size int, short string) {
	if b.texts[i] == 0 {
		b.texts[i] = size
	}
	b.setText(i, short)
}

// continuation says how a call returns the items after the first kept ones; "" when the tool has no argument for that.
func continuation(t gateway.Tool, kept int) string {
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

// shortText returns the first most characters of a text, and only whole lines of them where that keeps more than half.
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

// logOther writes the line about a call of another server's tool to the log, at info.
func logOther(log *slog.Logger, r answer.Request, id string, result *mcp.CallToolResult, err error,
	took time.Duration) {
	outcome := "ok"
	switch {
	case err != nil:
		outcome = string(answer.AsError(err).Kind)
	case result.IsError:
		outcome = "error"
	}
	log.Info("call", "tool", r.Tool, "mcp_server", id, "ms", millis(took), "bytes", len(structured(result))+
		len(textOf(result)), "result", outcome, "host", r.Host.Name)
}
