package gateway

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/tools/session"
)

// Prompt is a prompt of another MCP server under the name that hosts see.
type Prompt struct {
	Server string // its id
	Shown  *mcp.Prompt
}

// Prompts returns the prompts of all servers that are allowed and whose lists are known.
func (s *Servers) Prompts(allowed func(id string) bool) []Prompt {
	var out []Prompt
	for _, one := range s.inOrder() {
		if !allowed(one.id) {
			continue
		}
		s.mu.Lock()
		listed := one.prompts
		s.mu.Unlock()
		for i := range listed {
			shown := *listed[i].Item
			shown.Name = session.ServerTool(one.id, listed[i].Exposed)
			out = append(out, Prompt{one.id, &shown})
		}
	}
	return out
}

// Resource is a resource, or a template of some, of another MCP server.
type Resource struct {
	Server   string
	Shown    *mcp.Resource         // nil for a template
	Template *mcp.ResourceTemplate // nil for a resource
}

// Resources returns the resources, then the templates, of all servers that are allowed and whose lists are known. Of
// two with the same URI the first counts.
func (s *Servers) Resources(allowed func(id string) bool) []Resource {
	seen := map[string]bool{}
	var out, templates []Resource
	for _, one := range s.inOrder() {
		if !allowed(one.id) {
			continue
		}
		s.mu.Lock()
		resources, of := one.resources, one.templates
		s.mu.Unlock()
		for i := range resources {
			if !seen[resources[i].Name] {
				seen[resources[i].Name] = true
				out = append(out, Resource{Server: one.id, Shown: resources[i].Item})
			}
		}
		for i := range of {
			if !seen[of[i].Name] {
				seen[of[i].Name] = true
				templates = append(templates, Resource{Server: one.id, Template: of[i].Item})
			}
		}
	}
	return append(out, templates...)
}

// GetPrompt gets a prompt by the name that hosts see.
func (s *Servers) GetPrompt(ctx context.Context, name string,
	arguments map[string]string) (*mcp.GetPromptResult, error) {
	id, rest, _ := session.ServerOf(name)
	return asked(s, id, func(c *mcpclient.Client) (*mcpclient.Result[mcp.GetPromptResult], error) {
		return recorded(ctx, id, "prompts/get", rest, jsonOf(ctx, arguments),
			func() (*mcpclient.Result[mcp.GetPromptResult], error) {
				return c.GetPrompt(ctx, rest, arguments)
			})
	})
}

// ReadResource reads a resource of a server.
func (s *Servers) ReadResource(ctx context.Context, id, uri string) (*mcp.ReadResourceResult, error) {
	return asked(s, id, func(c *mcpclient.Client) (*mcpclient.Result[mcp.ReadResourceResult], error) {
		return recorded(ctx, id, "resources/read", uri, nil, func() (*mcpclient.Result[mcp.ReadResourceResult], error) {
			return c.ReadResource(ctx, uri)
		})
	})
}

// asked makes a request of the host at a server. Its errors are those of JSON-RPC, since no model reads them.
func asked[T any](s *Servers, id string, ask func(*mcpclient.Client) (*mcpclient.Result[T], error)) (*T, error) {
	one, giveBack := s.use(id)
	defer giveBack()
	if one == nil {
		return nil, errNoServer
	}
	got, err := ask(one.client)
	if err != nil {
		return nil, wireError(err)
	}
	return got.Decoded, nil
}

// errNoServer answers a request about something that no server has.
var errNoServer = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no MCP server has it"}

// wireError returns an error of mcpclient as one of JSON-RPC: with the code and data of the server where it refused,
// since clients of MCP act on these, else as an internal error.
func wireError(err error) error {
	var e *mcpclient.Error
	if !errors.As(err, &e) || e.Kind == mcpclient.Cancelled {
		return err
	}
	if e.Kind == mcpclient.Refused && e.Code < 0 { // else it is a status of HTTP
		return &jsonrpc.Error{Code: int64(e.Code), Message: e.Error(), Data: e.Data}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Error()}
}

// Subscribe asks the server that has a resource to tell of its changes; with off it is not to tell any more.
func (s *Servers) Subscribe(ctx context.Context, id, uri string, off bool) error {
	one, giveBack := s.use(id)
	defer giveBack()
	switch {
	case one == nil:
		return mcp.ResourceNotFoundError(uri)
	case off:
		return wireError(one.client.Unsubscribe(ctx, uri))
	}
	return wireError(one.client.Subscribe(ctx, uri))
}

// Complete asks for completions of an argument of a prompt, or of a resource template of the server with an id.
func (s *Servers) Complete(ctx context.Context, params *mcp.CompleteParams,
	owner func(uri string) string) (*mcp.CompleteResult, error) {
	own := *params
	ref := *params.Ref
	own.Ref = &ref
	id := ""
	if ref.Type == "ref/prompt" {
		id, ref.Name, _ = session.ServerOf(ref.Name)
	} else {
		id = owner(ref.URI)
	}
	return asked(s, id, func(c *mcpclient.Client) (*mcpclient.Result[mcp.CompleteResult], error) {
		return recorded(ctx, id, "completion/complete", ref.Name+ref.URI, jsonOf(ctx, own.Argument),
			func() (*mcpclient.Result[mcp.CompleteResult], error) {
				return c.Complete(ctx, &own)
			})
	})
}
