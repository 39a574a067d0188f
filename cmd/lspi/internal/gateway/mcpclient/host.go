package mcpclient

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Host is what the server may ask back, and what it tells. A function that is nil is a capability that the host
// lacks: the server does not hear of it. All of them may be called at any time between the first need of the server
// and the return of Close; the context of those that answer ends with the request and with the connection.
type Host struct {
	// CreateMessage answers sampling/createMessage. Sampling is the capability as the host declared it; nil
	// announces the plain one.
	CreateMessage func(context.Context, *mcp.CreateMessageWithToolsParams) (*mcp.CreateMessageWithToolsResult, error)
	Sampling      *mcp.SamplingCapabilities

	// Elicit answers elicitation/create. Elicitation is the capability as the host declared it; nil announces forms.
	Elicit      func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)
	Elicitation *mcp.ElicitationCapabilities

	// Roots answers roots/list; Client.RootsChanged tells the server to ask again.
	Roots func(context.Context) ([]*mcp.Root, error)

	// Experimental are the experimental capabilities that the server is told of.
	Experimental map[string]any

	// Log hears notifications/message. When more than 256 wait, the oldest are dropped.
	Log func(LogMessage)

	// Changed hears that a list is another one than the client gave out last.
	Changed func(ListKind)

	// ResourceUpdated hears of resources that were subscribed to, by their URI.
	ResourceUpdated func(uri string)
}

// LogMessage is a notifications/message of the server.
type LogMessage struct {
	Level  string
	Logger string
	Data   json.RawMessage // any JSON
}

// Progress is a notifications/progress of the server for one call.
type Progress struct {
	Progress float64
	Total    float64 // 0 when it is not known
	Message  string
}

// ListKind is one of the four lists of a server.
type ListKind string

// The lists.
const (
	ToolList     ListKind = "tools"
	PromptList   ListKind = "prompts"
	ResourceList ListKind = "resources"
	TemplateList ListKind = "resource_templates"
)

// ListKinds are all of them. It is not changed.
var ListKinds = []ListKind{ToolList, PromptList, ResourceList, TemplateList}

// Event is something for the event log that is neither a call nor an error of one.
type Event struct {
	Kind   string          // "decode_failed": what the server said is no message, or a result that does not decode
	Method string          // of the request; "" for a line that is no message
	Name   string          // the tool, prompt or URI
	Detail string          // what was wrong
	Raw    json.RawMessage // what was sent, masked; a JSON string of at most 4 KiB when it is more than that or no JSON
}

// maxAsked bounds the requests of a server that are answered at a time. More of them are refused over HTTP; over
// stdio nothing more is read from it until one was answered.
const maxAsked = 64

// sdkOptions are the options of the SDK's client that answers for the host.
func (c *Client) sdkOptions() *mcp.ClientOptions {
	h := c.host
	// The SDK's log is not kept: its errors may quote what holds a secret.
	o := &mcp.ClientOptions{Logger: slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ClientCapabilities{Sampling: h.Sampling, Elicitation: h.Elicitation,
			Experimental: h.Experimental}}
	if h.CreateMessage == nil {
		o.Capabilities.Sampling = nil
	} else {
		o.CreateMessageWithToolsHandler = func(ctx context.Context,
			r *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			return h.CreateMessage(ctx, r.Params)
		}
		if h.Sampling == nil { // the SDK would announce tools, too
			o.Capabilities.Sampling = &mcp.SamplingCapabilities{}
		}
	}
	if h.Elicit == nil {
		o.Capabilities.Elicitation = nil
	} else {
		o.ElicitationHandler = func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return h.Elicit(ctx, r.Params)
		}
	}
	if h.Roots != nil {
		o.Capabilities.RootsV2 = &mcp.RootCapabilities{ListChanged: true}
	}
	c.notifications(o)
	return o
}

// answers is the middleware before the SDK's own answers: it asks the host for roots, which the SDK keeps as a
// fixed list, and for forms, of which the SDK refuses some that the specification has (go-sdk 1.8.0: titled choices
// of which several can be taken, when the items name their type). It bounds how many requests are answered at a
// time, and turns a panic of a function of the host into an error.
func (c *Client) answers(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		if c.asked.Add(1) > maxAsked {
			c.asked.Add(-1)
			return nil, c.errorf(Busy, "%d requests are answered already", maxAsked)
		}
		defer c.asked.Add(-1)
		defer func() {
			if p := recover(); p != nil {
				c.log.Error("the answer to a server's request panicked", "server", c.spec.ID, "method", method,
					"panic", p)
				result, err = nil, c.errorf(Refused, "%s failed inside lspi", method)
			}
		}()
		if r, ok := req.(*mcp.ElicitRequest); ok && c.host.Elicit != nil {
			answer, err := c.host.Elicit(ctx, r.Params)
			if err != nil {
				return nil, err
			}
			return answer, nil
		}
		if method != "roots/list" {
			return next(ctx, method, req)
		}
		if c.host.Roots == nil {
			return &mcp.ListRootsResult{Roots: []*mcp.Root{}}, nil
		}
		roots, err := c.host.Roots(ctx)
		if err != nil {
			return nil, err
		}
		return &mcp.ListRootsResult{Roots: roots}, nil
	}
}
