package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/cmd/lspi/internal/stdio"
	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// Only a session knows the tools of other MCP servers. So a command about them begins a session and is its host.

// beginSession begins a session for the tools of the MCP server id, or of all servers for "*": in the shared process
// when one runs, else in this process, which starts only those servers.
func (s *wiring) beginSession(ctx context.Context, f *sessionFlags, l listing, id string) (*stdio.Client, error) {
	if c, _ := s.reachShared(ctx, f, l); c != nil {
		if out, err := stdio.Begin(ctx, c, session.CallHost().Name, version().Version); err == nil {
			return out, nil
		}
	}
	l.warmup = false // nobody is going to ask language servers
	l.settings.MCPServers = slices.DeleteFunc(slices.Clone(l.settings.MCPServers), func(m session.MCPServer) bool {
		return id != "*" && m.ID != id
	})
	return stdio.Begin(ctx, s.local(l), session.CallHost().Name, version().Version)
}

// reachShared connects to the shared process and does not start it; nil when none runs or --share=off.
func (s *wiring) reachShared(ctx context.Context, f *sessionFlags, l listing) (*daemon.Conn, daemon.Hello) {
	if l.share == "off" {
		return nil, daemon.Hello{}
	}
	place, err := thisPlace()
	if err != nil {
		return nil, daemon.Hello{}
	}
	h, err := s.hello(f)
	if err != nil {
		return nil, daemon.Hello{}
	}
	dialling, cancel := context.WithTimeout(ctx, daemon.StartLimit)
	defer cancel()
	c, _, err := daemon.Reach(dialling, place, h)
	if err != nil {
		return nil, daemon.Hello{}
	}
	s.follow(l, &daemon.Remote{Conn: c, Hello: h})
	return c, h
}

// otherTools lists the tools of the MCP server id that the session allows, or those of all servers for "*".
func otherTools(ctx context.Context, c *stdio.Client, settings *session.Settings, id string) ([]describedTool, error) {
	listed, err := c.Tools(ctx, map[string]any{mcpserver.ServerKey: id})
	if err != nil {
		return nil, err
	}
	var out []describedTool
	for _, t := range listed {
		of, ok := mcpserver.IsOthers(settings, t.Name)
		if !ok {
			continue
		}
		class := session.Write
		if t.Annotations != nil && t.Annotations.ReadOnlyHint {
			class = session.Read
		}
		d := describedTool{Name: t.Name, Title: t.Title, Class: class.String(), Provider: session.ServerProvider(of),
			Description: t.Description}
		d.Input, _ = t.InputSchema.(json.RawMessage)
		d.Output, _ = t.OutputSchema.(json.RawMessage)
		out = append(out, d)
	}
	return out, nil
}

// callOther calls the tool of another MCP server and prints its result; ok is false when the result is an error. A call
// without an answer is not repeated, because it may have had effects.
func (s *wiring) callOther(ctx context.Context, cmd *cobra.Command, f *sessionFlags, l listing, tool string,
	words arguments, asJSON bool) (ok bool, err error) {
	id, _, _ := session.ServerOf(tool)
	c, err := s.beginSession(ctx, f, l, id)
	if err != nil {
		return false, err
	}
	defer c.Close()
	schema := &jsonschema.Schema{}
	if words.object == nil && len(words.words) > 0 {
		if t := s.describedOther(ctx, c, l, tool); t != nil {
			schema = schemaOf(t.Input)
		}
	}
	given := words.values(schema.Properties, "")
	line := newProgressLine(cmd.ErrOrStderr())
	var progress func(int, string)
	if line != nil {
		progress = line.Progress
	}
	raw, err := c.Call(ctx, tool, given, progress)
	line.Clear()
	if err != nil {
		return false, fmt.Errorf("calling %s: %w", tool, err)
	}
	var result otherResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return false, fmt.Errorf("reading the result of %s: %w", tool, err)
	}
	out := cmd.OutOrStdout()
	switch {
	case asJSON:
		err = printJSON(out, json.RawMessage(raw))
	case result.IsError:
		_, err = io.WriteString(cmd.ErrOrStderr(), result.text()+s.helpStep(ctx, c, l, tool, given))
	default:
		_, err = io.WriteString(out, result.text())
	}
	if err != nil {
		return false, fmt.Errorf("printing the answer: %w", err)
	}
	return !result.IsError, nil
}

// helpStep returns a next step, the help of the tool, when the arguments of a failed call do not fit the tool's schema:
// the server's own error speaks of JSON. It returns "" when they fit, so that the error is about something else.
func (s *wiring) helpStep(ctx context.Context, c *stdio.Client, l listing, tool string, given json.RawMessage) string {
	t := s.describedOther(ctx, c, l, tool)
	if t == nil || takes(schemaOf(t.Input), given) {
		return ""
	}
	return "Next steps:\n1. See which arguments it takes. → lspi call " + t.Name + " --help\n"
}

// takes reports whether arguments fit a schema, as far as [schemaOf] can read it.
func takes(schema *jsonschema.Schema, given json.RawMessage) bool {
	var arguments map[string]any
	if json.Unmarshal(given, &arguments) != nil {
		return false
	}
	for name := range arguments {
		if len(schema.Properties) > 0 && schema.Properties[name] == nil {
			return false
		}
	}
	resolved, err := schema.Resolve(nil)
	return err != nil || resolved.Validate(arguments) == nil
}

// describedOther returns the description of a tool of another MCP server; nil when it is not listed.
func (s *wiring) describedOther(ctx context.Context, c *stdio.Client, l listing, tool string) *describedTool {
	id, _, _ := session.ServerOf(tool)
	all, err := otherTools(ctx, c, &l.settings, id)
	i := slices.IndexFunc(all, func(t describedTool) bool { return t.Name == session.Listed(tool) })
	if err != nil || i < 0 {
		return nil
	}
	return &all[i]
}

// otherResult has the members of a result (MCP, CallToolResult) that are printed.
type otherResult struct {
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Data     string `json:"data"`
		MIMEType string `json:"mimeType"`
		URI      string `json:"uri"`
		Name     string `json:"name"`
		Resource struct {
			URI      string `json:"uri"`
			MIMEType string `json:"mimeType"`
			Text     string `json:"text"`
			Blob     string `json:"blob"`
		} `json:"resource"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// text returns a result for a person: its texts, and a line about every other block.
func (r *otherResult) text() string {
	var b strings.Builder
	for _, c := range r.Content {
		line := ""
		switch c.Type {
		case "text":
			line = c.Text
		case "resource_link":
			line = fmt.Sprintf("[link %s %s]", c.URI, c.Name)
		case "resource":
			line = cmp.Or(c.Resource.Text, fmt.Sprintf("[resource %s %s, %d characters of base64]", c.Resource.URI,
				c.Resource.MIMEType, len(c.Resource.Blob)))
		default:
			line = fmt.Sprintf("[%s %s, %d characters of base64]", c.Type, c.MIMEType, len(c.Data))
		}
		b.WriteString(strings.TrimSuffix(contract.EscapeText(line), "\n") + "\n")
	}
	if len(r.Content) == 0 && len(r.Structured) > 0 {
		b.Write(contract.PlainJSON(r.Structured))
		b.WriteString("\n")
	}
	return b.String()
}

// schemaOf reads the names, types and order of a tool's arguments from its schema; everything else is left out.
func schemaOf(raw json.RawMessage) *jsonschema.Schema {
	var given struct {
		Properties orderedSchemas `json:"properties"`
		Required   []string       `json:"required"`
	}
	_ = json.Unmarshal(raw, &given)
	return &jsonschema.Schema{Type: "object", Properties: given.Properties.byName,
		PropertyOrder: given.Properties.order, Required: given.Required}
}

// orderedSchemas are schemas by name, with the names in the order of the text.
type orderedSchemas struct {
	byName map[string]*jsonschema.Schema
	order  []string
}

// UnmarshalJSON is part of json.Unmarshaler.
func (o *orderedSchemas) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	o.byName = map[string]*jsonschema.Schema{}
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var one json.RawMessage
		if err := dec.Decode(&one); err != nil {
			return err
		}
		key, _ := name.(string)
		if o.byName[key] == nil {
			o.order = append(o.order, key)
		}
		o.byName[key] = simple(one)
	}
	return nil
}

// simple reads a schema and gives it one type, as lspi's own schemas have: the first one that is not null, of a list of
// types or of alternatives.
func simple(raw json.RawMessage) *jsonschema.Schema {
	out := &jsonschema.Schema{}
	if json.Unmarshal(raw, out) != nil {
		return &jsonschema.Schema{}
	}
	for _, alternative := range slices.Concat(out.AnyOf, out.OneOf) {
		if out.Type == "" && out.Types == nil && alternative.Type != "null" {
			out.Type, out.Types, out.Items, out.Enum = alternative.Type, alternative.Types, alternative.Items,
				alternative.Enum
		}
	}
	for _, t := range out.Types {
		if out.Type == "" && t != "null" {
			out.Type = t
		}
	}
	if out.Type == "array" && out.Items == nil {
		out.Items = &jsonschema.Schema{}
	}
	out.Description = contract.EscapeText(out.Description)
	return out
}

// helpOfOther prints the help of a tool of another MCP server; false when there is none of that name.
func helpOfOther(cmd *cobra.Command, f *sessionFlags, tool string) bool {
	id, _, ok := session.ServerOf(tool)
	if !ok {
		return false
	}
	s := newWiring(f, cmd.ErrOrStderr())
	l, err := s.listing()
	if err != nil {
		return false
	}
	if _, ok := mcpserver.IsOthers(&l.settings, tool); !ok {
		return false
	}
	c, err := s.beginSession(cmd.Context(), f, l, id)
	if err != nil {
		return false
	}
	defer c.Close()
	t := s.describedOther(cmd.Context(), c, l, tool)
	if t == nil {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"lspi: this session has no tool %s, or its server does not list its tools; lspi tools shows what there is\n", tool)
		return false
	}
	_, _ = io.WriteString(cmd.OutOrStdout(),
		toolHelp(&answer.Tool{Name: t.Name, Description: contract.EscapeText(t.Description), Input: schemaOf(t.Input)}))
	return true
}
