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

// bound makes the result of another server fit what the host shows, as answers of lspi do. In structuredContent
// lists lose items at their end, and strings the end of their text, as far as the tool's output schema allows it;
// texts are cut at the end of a line. What was cut is said, with a way to go on where the tool has one. A result
// that fits stays as it is; images and other blocks stay whole.
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

// maxTold is how many cuts of structuredContent the note names.
const maxTold = 2

// noteRoom is what the note about a cut takes, and at least what is left of a text that is cut.
const noteRoom = 300

// bounding is the work of bound on one result.
type bounding struct {
	host  session.Host
	tool  gateway.Tool
	limit int
	out   mcp.CallToolResult // its Content is a copy
	twin  int                // the block that is the JSON of structuredContent, and stays that; -1 for none
	cuts  []shorten.Cut      // of structuredContent
	texts map[int]int        // the sizes, in characters, of the texts that were cut, by block
}

// shown is how much of the result the host shows.
func (b *bounding) shown() int {
	return answer.ShownSize(b.host, b.out.IsError, structured(&b.out), textOf(&b.out))
}

// over is by how much the result is too large.
func (b *bounding) over() int { return b.shown() - b.limit }

// share is how much has to be taken from a part, in its own units: the host may show it twice, or with escapes.
func (b *bounding) share(over, part int) int { return max(over*part/max(over+b.limit, 1), 50) }

// channel is what the host shows of the result.
func (b *bounding) channel() session.Channel {
	if b.out.IsError {
		return b.host.Row().Failure
	}
	return b.host.Row().Success
}

// linesOver is how many lines of text are more than the host shows.
func (b *bounding) linesOver() int {
	row := b.host.Row()
	if row.Lines == 0 || b.channel() != session.TextChannel {
		return 0
	}
	return strings.Count(textOf(&b.out), "\n") + 1 - row.Lines
}

// cut takes from the larger of the parts that the host shows until the result fits, or nothing can be taken any more.
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

// cutBody takes so much from structuredContent; false when nothing can be taken.
func (b *bounding) cutBody(body *shorten.Value, over int) bool {
	if !body.Take(b.share(over, len(body.Raw))) {
		b.twin = -1 // which may be cut as a text
		return false
	}
	b.out.StructuredContent = json.RawMessage(body.Raw)
	if b.twin >= 0 {
		b.setText(b.twin, string(body.Raw))
	}
	b.cuts = body.Cuts()
	return true
}

// twinOf is the text that has the same JSON as structuredContent, which servers send for hosts that show text alone.
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

// tell says what was cut: in a text, and where only structuredContent is shown and the tool's schema allows it,
// there, too.
func (b *bounding) tell() {
	var said []string
	for _, c := range b.cuts[:min(len(b.cuts), maxTold)] {
		what := "characters"
		more := ""
		if c.Items {
			what, more = "items", goOn(b.tool, c.Left)
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

// schemaOf is the schema of the structuredContent of a tool; nil when it declares none.
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

// textIn is the text of a block; false for a block without one.
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

func textOf(r *mcp.CallToolResult) string {
	var texts []string
	for _, c := range r.Content {
		if text, ok := textIn(c); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// setText gives a block that has a text another one; the block of the server stays as it was.
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

// longestFirst are the blocks with a text, the longest first.
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

// cutText takes so many characters from the longest text, at the end of a line where there is one, and from others
// as far as they are longer than it is then. It is false when all are short already. There may be thousands of
// texts, so that one pass cuts as many as are needed.
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

// cutLines takes so many lines from the texts, the longest first; false when each has one line only.
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

// leave leaves a part of a text of so many characters.
func (b *bounding) leave(i, size int, short string) {
	if b.texts[i] == 0 {
		b.texts[i] = size
	}
	b.setText(i, short)
}

// goOn is how a tool continues behind the items that are left; "" when it has no argument for that.
func goOn(t gateway.Tool, kept int) string {
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
