package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway"
	"lspi/internal/testkit"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// boundHosts are one host of each kind: what it shows, how it counts, how much.
var boundHosts = []string{"claude-code", "codex", "opencode", "gemini-cli-mcp-client-lspi", "qwen-cli-mcp-client",
	"continue-cli-client", "copilot-cli", "@cline/core", "mcp", "unknown"}

func boundTool(output, input string) gateway.Tool {
	shown := &mcp.Tool{Name: "x__find", InputSchema: json.RawMessage(input)}
	if output != "" {
		shown.OutputSchema = json.RawMessage(output)
	}
	return gateway.Tool{Entry: &session.Entry{Name: "x__find", Provider: session.ServerProvider("x")}, Shown: shown}
}

func text(s string) mcp.Content { return &mcp.TextContent{Text: s} }

// What another server answers is cut to what the host shows, whatever the parts of it; it stays what the tool's
// schema says.
func TestBound(t *testing.T) {
	var items []string
	for i := range 3_000 {
		items = append(items, fmt.Sprintf(`{"file":"dir/öäü%d.go","line":%d}`, i, i))
	}
	matches := `{"total":3000,"matches":[` + strings.Join(items, ",") + `],"more":false}`
	const schema = `{"type":"object","additionalProperties":false,"required":["total","matches","more"],"properties":{"total":{"type":"integer"},` +
		`"matches":{"type":"array","items":{"type":"object","required":["file","line"]}},"more":{"type":"boolean"}}}`
	lines := strings.Repeat("a line of 20 letters\n", 5_000)
	content := `{"content":` + string(mustRaw(lines)) + `}`
	image := &mcp.ImageContent{Data: []byte(strings.Repeat("x", 100_000)), MIMEType: "image/png"}
	for name, c := range map[string]struct {
		structured, schema, input string
		content                   []mcp.Content
		isError                   bool
		says                      string
	}{
		"a list, declared, and its JSON as text": {matches, schema, `{"properties":{"offset":{}}}`,
			[]mcp.Content{text(matches)}, false,
			`matches: \d+ of 3000 items are shown \(call it again with offset = \d+`},
		"a list, and another text": {matches, "", `{}`, []mcp.Content{text(lines)}, false,
			`(matches|text): \d+ of`},
		"a list, and a text of the same size": {matches, "", `{}`,
			[]mcp.Content{text(strings.Repeat("x", len(matches)))}, false, `(matches|text): \d+ of`},
		"a text alone": {"", "", `{}`, []mcp.Content{text(lines)}, false,
			`text: \d+ of 105000 characters are shown`},
		"two texts and an image": {"", "", `{}`, []mcp.Content{text(lines), image, text(lines)}, false,
			`text: \d+ of`},
		"an error": {"", "", `{}`, []mcp.Content{text(lines)}, true, `text: \d+ of`},
		"a text in both parts": {content,
			`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`, `{}`,
			[]mcp.Content{text(lines)}, false, `(content|text): \d+ of`},
		"a resource with a text": {"", "", `{}`,
			[]mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a://b", Text: lines}}}, false,
			`text: \d+ of`},
	} {
		given := &mcp.CallToolResult{Content: c.content, IsError: c.isError}
		if c.structured != "" {
			given.StructuredContent = json.RawMessage(c.structured)
		}
		before, err := json.Marshal(given)
		testkit.Must(t, err)
		for _, hostName := range boundHosts {
			host, settings := session.Host{Name: hostName}, &session.Settings{}
			got := bound(settings, host, boundTool(c.schema, c.input), given)
			limit := tools.Limit(settings, host)
			size := answer.ShownSize(host, got.IsError, structured(got), textOf(got))
			at := name + " at " + hostName
			if size > limit || size < limit/2 {
				t.Errorf("%s: %d of %d", at, size, limit)
			}
			if row := host.Row(); row.Lines > 0 && strings.Count(textOf(got), "\n") >= row.Lines {
				t.Errorf("%s: %d lines", at, strings.Count(textOf(got), "\n"))
			}
			if said := textOf(got); !regexp.MustCompile(c.says).MatchString(said) {
				t.Errorf("%s: it does not say %s: %s", at, c.says, said[max(0, len(said)-300):])
			}
			if c.schema != "" {
				var s jsonschema.Schema
				testkit.Must(t, json.Unmarshal([]byte(c.schema), &s))
				resolved, err := s.Resolve(nil)
				testkit.Must(t, err)
				var value any
				testkit.Must(t, json.Unmarshal(structured(got), &value))
				testkit.Must(t, resolved.Validate(value))
			}
			if after, err := json.Marshal(given); err != nil || !bytes.Equal(after, before) {
				t.Errorf("%s: the server's result was changed", at)
			}
			for i, block := range c.content {
				if _, ok := block.(*mcp.ImageContent); ok && got.Content[i] != block {
					t.Errorf("%s: the image is another one", at)
				}
			}
		}
	}
}

// A result that fits is passed on as it is, also where the part that is not shown is large.
func TestBoundLeavesAlone(t *testing.T) {
	small := &mcp.CallToolResult{Content: []mcp.Content{text("x")}, StructuredContent: json.RawMessage(`{"a":1}`)}
	unseen := &mcp.CallToolResult{Content: []mcp.Content{text(strings.Repeat("x", 100_000))},
		StructuredContent: json.RawMessage(`{"a":1}`)}
	if got := bound(&session.Settings{}, session.Host{Name: "unknown"}, boundTool("", `{}`), small); got != small {
		t.Errorf("%s", shape(t, got))
	}
	if got := bound(&session.Settings{}, session.Host{Name: "claude-code"}, boundTool("", `{}`),
		unseen); got != unseen {
		t.Errorf("%s", shape(t, got))
	}
}

// However the text is spread over blocks, few passes cut it: each looks at all of it.
func TestBoundOfManyBlocks(t *testing.T) {
	var words, lines []mcp.Content
	for range 20_000 {
		words = append(words, text(strings.Repeat("word ", 100)))
		lines = append(lines, text("a\nb\nc"))
	}
	for name, c := range map[string]struct {
		content []mcp.Content
		most    int // characters that are left
	}{
		"one line that is longer than many": {[]mcp.Content{text(strings.Repeat("word ", 900) + "\nmore\n"),
			text(strings.Repeat("\n", 2_100))}, 8_000},
		"a line that ends": {[]mcp.Content{text(strings.Repeat("x", 5_000) + "\n"),
			text(strings.Repeat("a\n", 2_000))}, 10_000},
		"many texts":            {words, 20_000 * (noteRoom + 1)},
		"many texts with lines": {lines, 20_000 * len("a\nb\nc\n")},
	} {
		for _, host := range []string{"opencode", "unknown"} {
			got := bound(&session.Settings{}, session.Host{Name: host}, boundTool("", `{}`),
				&mcp.CallToolResult{Content: c.content})
			if size := len(textOf(got)); size > c.most+noteRoom {
				t.Errorf("%s at %s: %d characters are left", name, host, size)
			}
			// one line of each block stays
			if row := (session.Host{Name: host}).Row(); row.Lines > 0 &&
				strings.Count(textOf(got), "\n") >= max(row.Lines, len(got.Content)) {
				t.Errorf("%s at %s: %d lines are left", name, host, strings.Count(textOf(got), "\n"))
			}
		}
	}
}
