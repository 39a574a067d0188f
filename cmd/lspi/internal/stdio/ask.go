package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
)

// Question is one call of a tool by a command of lspi, as a host would make it.
type Question struct {
	Host, Version string // of clientInfo
	Tool          string
	Arguments     json.RawMessage
	Progress      func(percent int, message string) // nil hears nothing
}

// Answer is the result of tools/call, with the members of structuredContent in their order.
type Answer struct {
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Text       string          `json:"-"` // of content
	Content    []struct {
		Text string `json:"text"`
	} `json:"content"`
}

// AskID is the id of the first request behind the handshake, as it stands in the message.
const AskID = "2"

// Ask shakes hands over a connection to lspi and calls one tool of lspi's own. When ctx ends the call is cancelled;
// its answer is awaited all the same.
func Ask(ctx context.Context, rw io.ReadWriteCloser, q Question) (*Answer, error) {
	c, err := Begin(ctx, rw, q.Host, q.Version)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	result, err := c.Call(ctx, q.Tool, q.Arguments, q.Progress)
	if err != nil {
		return nil, err
	}
	return answerOf(result)
}

// Client is a command of lspi as the host of a session. One goroutine uses it.
type Client struct {
	c    mcp.Connection
	life context.Context
	last int // id of a request
}

// Begin shakes hands over a connection to lspi, which Close ends.
func Begin(ctx context.Context, rw io.ReadWriteCloser, host, version string) (*Client, error) {
	// Not the client of the SDK, which decodes results and loses the order of their members (go-sdk 1.8.0).
	life := context.WithoutCancel(ctx)
	conn, err := (&mcp.IOTransport{Reader: rw, Writer: rw}).Connect(life)
	if err != nil {
		return nil, err
	}
	c := &Client{c: conn, life: life, last: 1}
	protocol := mcp.SupportedProtocolVersions()[1] // the newest with a handshake
	err = c.write(request("1", "initialize", map[string]any{"protocolVersion": protocol,
		"capabilities": map[string]any{},
		"clientInfo":   map[string]any{"name": host, "version": version}}), request("", "notifications/initialized",
		map[string]any{}))
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the connection.
func (c *Client) Close() { _ = c.c.Close() }

// Call calls a tool, and returns the result as it was sent.
func (c *Client) Call(ctx context.Context, tool string, arguments json.RawMessage,
	progress func(percent int, message string)) (json.RawMessage, error) {
	return c.ask(ctx, progress, "tools/call", map[string]any{"name": tool, "arguments": arguments,
		"_meta": map[string]any{"progressToken": 1}})
}

// Tools lists the tools of the session; meta is _meta of the request.
func (c *Client) Tools(ctx context.Context, meta map[string]any) ([]*mcp.Tool, error) {
	var all []*mcp.Tool
	params := map[string]any{"_meta": meta}
	for {
		raw, err := c.ask(ctx, nil, "tools/list", params)
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools []*mcp.Tool `json:"tools"`
			Next  string      `json:"nextCursor"`
		}
		var schemas struct {
			Tools []rawSchemas `json:"tools"`
		}
		if err := errors.Join(json.Unmarshal(raw, &page), json.Unmarshal(raw, &schemas)); err != nil {
			return nil, fmt.Errorf("reading the list of tools: %w", err)
		}
		for i, t := range page.Tools {
			t.InputSchema, t.OutputSchema = schemas.Tools[i].Input, schemas.Tools[i].Output
		}
		all = append(all, page.Tools...)
		if page.Next == "" {
			return all, nil
		}
		params["cursor"] = page.Next
	}
}

// rawSchemas keep the order of the members, which decoded ones lose.
type rawSchemas struct {
	Input  json.RawMessage `json:"inputSchema"`
	Output json.RawMessage `json:"outputSchema"`
}

func (c *Client) write(all ...*jsonrpc.Request) error {
	for _, m := range all {
		if err := c.c.Write(c.life, m); err != nil {
			return err
		}
	}
	return nil
}

// ask makes a request and waits for its result. When ctx ends the request is cancelled.
func (c *Client) ask(ctx context.Context, progress func(percent int, message string), method string,
	params map[string]any) (json.RawMessage, error) {
	c.last++
	id := strconv.Itoa(c.last)
	if err := c.write(request(id, method, params)); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() {
		_ = c.write(request("", "notifications/cancelled", map[string]any{"requestId": json.RawMessage(id)}))
	})
	defer stop()
	for {
		m, err := c.c.Read(c.life)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *jsonrpc.Request:
			hear(m, progress)
		case *jsonrpc.Response:
			if m.Error != nil {
				return nil, m.Error
			}
			if fmt.Sprint(m.ID.Raw()) == id {
				return m.Result, nil
			}
		}
	}
}

func request(id, method string, params any) *jsonrpc.Request {
	r := &jsonrpc.Request{Method: method}
	r.Params, _ = contract.Marshal(params)
	if id != "" {
		var n any
		_ = json.Unmarshal([]byte(id), &n)
		r.ID, _ = jsonrpc.MakeID(n)
	}
	return r
}

// hear passes progress on.
func hear(m *jsonrpc.Request, progress func(percent int, message string)) {
	if m.Method != "notifications/progress" || progress == nil {
		return
	}
	var p struct {
		Progress float64 `json:"progress"`
		Message  string  `json:"message"`
	}
	if json.Unmarshal(m.Params, &p) == nil {
		progress(int(p.Progress), p.Message)
	}
}

func answerOf(result json.RawMessage) (*Answer, error) {
	a := &Answer{}
	if err := json.Unmarshal(result, a); err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(a.Structured) == 0 {
		return nil, errors.New("the answer has no envelope")
	}
	for _, c := range a.Content {
		a.Text += c.Text
	}
	return a, nil
}
