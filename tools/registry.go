package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/contract"
)

// Class says what a tool does to the world; read-only mode and annotations follow from it.
type Class uint8

// The classes.
const (
	Navigation Class = iota // asks language servers
	Status                  // looks at lspi itself
	Write                   // changes files
	Control                 // changes servers
	Trial                   // shows servers texts that are not on disk, and puts everything back
	Raw                     // passes requests on that only read; off unless they are configured
)

// Tool is one tool: data and a verb.
type Tool struct {
	Name        string
	Title       string
	Description string
	Class       Class
	Provider    string // who offers it; "lspi" for its own
	Input       *jsonschema.Schema
	Output      *jsonschema.Schema

	out   reflect.Type // of its own fields
	asks  bool         // it asks a server, so its answers carry completeness: all that navigate or change files
	check func(json.RawMessage) error
	run   func(context.Context, *Call, json.RawMessage) (any, error)
}

// ReadOnly reports whether the tool is there in read-only mode: it leaves files and servers as they are.
func (t *Tool) ReadOnly() bool { return t.Class == Navigation || t.Class == Status || t.Class == Trial }

// verb is the shape of every tool: checked arguments in, its own fields out. Out may implement [summarizer] and
// [shedder].
type verb[In, Out any] func(ctx context.Context, c *Call, in In) (*Out, error)

// define makes a tool of a verb. Its texts come from name.md, its schemas from In and Out.
func define[In, Out any](name string, class Class, run verb[In, Out]) *Tool {
	words := mustWords(name)
	t := &Tool{
		Name: name, Title: words.title, Description: words.description, Class: class, Provider: "lspi",
		Input: inputSchema[In](words), out: reflect.TypeFor[Out](), asks: class == Navigation || class == Write || class == Trial || class == Raw,
	}
	t.Output = outputSchema[Out](t.asks)
	t.check = func(raw json.RawMessage) error {
		in, err := decode[In](t.Input, raw)
		if err != nil {
			return err
		}
		if v, ok := any(in).(interface{ check() error }); ok {
			return v.check()
		}
		return nil
	}
	t.run = func(ctx context.Context, c *Call, raw json.RawMessage) (any, error) {
		in, err := decode[In](t.Input, raw)
		if err != nil {
			return nil, err
		}
		c.caps(any(&in))
		out, err := run(ctx, c, in)
		if out == nil || err != nil {
			return nil, err
		}
		return out, nil
	}
	return t
}

// table is filled in init, because tools that list tools are in it themselves.
var table []*Tool

func init() {
	table = []*Tool{
		findDefinition, findImplementations, findReferences, callHierarchy, typeHierarchy,
		hover, getDocumentSymbols, searchWorkspaceSymbols,
		getDiagnostics, symbolBundle, switchSourceHeader, getCurrentConfig, listServers, getServerStatus,
		renameSymbol, codeActions, checkEdit, restartServer, stopServer, lspRequest,
	}
}

// All is every tool in the order in which hosts see them. The order and the schemas never depend on a server.
func All() []*Tool { return slices.Clone(table) }

// Lookup finds a tool by name; the error names the closest one.
func Lookup(name string) (*Tool, error) {
	var names []string
	for _, t := range All() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	facts := contract.Facts{"tool": name}
	if near := contract.Closest(name, names); near != "" {
		facts["closest"] = near
		return nil, contract.Errorf(contract.KindUnknownTool, facts, "there is no tool %q; the closest is %s", name, near)
	}
	return nil, contract.Errorf(contract.KindUnknownTool, facts, "there is no tool %q", name)
}

// Served lists the tools that a configuration serves, in their order. The list of read-only mode is kept small: a trial of
// an edit, which may be called there all the same, is in it only when mcp.tools.allow names the tool.
func (s *Settings) Served() []*Tool {
	return slices.DeleteFunc(All(), func(t *Tool) bool {
		return s.refuses(t) != nil || s.ReadOnly && t.Class == Trial && !slices.Contains(s.Allow, t.Name)
	})
}

// refuses is why a tool may not be called under this configuration; nil when it may.
func (s *Settings) refuses(t *Tool) error {
	facts := contract.Facts{"tool": t.Name}
	switch {
	case s.ReadOnly && t.Class == Raw:
		return contract.Errorf(contract.KindReadOnly, facts, "%s passes requests on as they are, and lspi runs read-only", t.Name)
	case s.ReadOnly && !t.ReadOnly():
		return contract.Errorf(contract.KindReadOnly, facts, "%s changes files or servers, and lspi runs read-only", t.Name)
	case s.Allow != nil && !slices.Contains(s.Allow, t.Name):
		return contract.Errorf(contract.KindToolDisabled, facts, "%s is not in mcp.tools.allow of the configuration", t.Name)
	case slices.Contains(s.Exclude, t.Name):
		return contract.Errorf(contract.KindToolDisabled, facts, "%s is excluded by mcp.tools.exclude of the configuration", t.Name)
	case t.Class == Raw && len(s.RawMethods) == 0:
		facts["key"] = "mcp.tools.lsp_request"
		return contract.Errorf(contract.KindToolDisabled, facts, "%s is off: mcp.tools.lsp_request of the configuration names no methods", t.Name)
	}
	return nil
}

func mustf(ok bool, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf(format, args...))
	}
}
