package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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

// The ids of the two requests, as they stand in the messages.
const (
	helloID = "1"
	AskID   = "2"
)

// Ask shakes hands over a connection to lspi and calls one tool. When ctx ends the call is cancelled; its answer is awaited all the same.
func Ask(ctx context.Context, rw io.ReadWriteCloser, q Question) (*Answer, error) {
	// Not the client of the SDK, which decodes results and loses the order of their members (go-sdk 1.8.0).
	life := context.WithoutCancel(ctx)
	c, err := (&mcp.IOTransport{Reader: rw, Writer: rw}).Connect(life)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	version := mcp.SupportedProtocolVersions()[1] // the newest with a handshake
	for _, m := range []jsonrpc.Message{
		request(helloID, "initialize", map[string]any{"protocolVersion": version, "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": q.Host, "version": q.Version}}),
		request("", "notifications/initialized", map[string]any{}),
		request(AskID, "tools/call", map[string]any{"name": q.Tool, "arguments": q.Arguments, "_meta": map[string]any{"progressToken": 1}}),
	} {
		if err := c.Write(life, m); err != nil {
			return nil, err
		}
	}
	stop := context.AfterFunc(ctx, func() {
		_ = c.Write(life, request("", "notifications/cancelled", map[string]any{"requestId": json.RawMessage(AskID)}))
	})
	defer stop()
	for {
		m, err := c.Read(life)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *jsonrpc.Request:
			q.hear(m)
		case *jsonrpc.Response:
			if m.Error != nil {
				return nil, m.Error
			}
			if fmt.Sprint(m.ID.Raw()) == AskID {
				return answerOf(m.Result)
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
func (q *Question) hear(m *jsonrpc.Request) {
	if m.Method != "notifications/progress" || q.Progress == nil {
		return
	}
	var p struct {
		Progress float64 `json:"progress"`
		Message  string  `json:"message"`
	}
	if json.Unmarshal(m.Params, &p) == nil {
		q.Progress(int(p.Progress), p.Message)
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
