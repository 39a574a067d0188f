package answer

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/contract"
	"lspi/workspace"
)

// Class says what a tool does to the world; read-only mode and annotations follow from it.
type Class uint8

// The classes.
const (
	Navigation Class = iota // asks language servers
	Status                  // looks at lspi itself
	Write                   // changes files
	Control                 // changes servers
	DryRun                  // shows servers texts that are not on disk, and puts everything back
	Raw                     // passes requests on that only read; off unless they are configured
	Binding                 // says which workspace a session is about; only where a host cannot be asked for it (HTTP)
)

// String is the class in lower case.
func (c Class) String() string {
	return [...]string{Navigation: "navigation", Status: "status", Write: "write", Control: "control", DryRun: "dry run", Raw: "raw", Binding: "binding"}[c]
}

// Tool is one tool: data and a verb.
type Tool struct {
	Name        string
	Title       string
	Description string
	Class       Class
	Provider    string // who offers it; "lspi" for its own
	Input       *jsonschema.Schema
	Output      func() *jsonschema.Schema // made when it is first asked for: no call needs it, and the host is shaken hands with before
	// Methods are the LSP requests that a server has to offer to serve the tool; nil when its answer needs no certain one.
	Methods []string

	Out  reflect.Type // of its own fields
	Asks bool         // it asks a server, so its answers carry completeness: all that navigate or change files
	// WholeProject: its answer speaks of all files of a project, whichever request it makes for it.
	WholeProject bool
	// PicksServer: server_id picks the server that it asks.
	PicksServer bool
	// Diagnoses: its answers have the findings in project files themselves, so that no warning has to tell of them.
	Diagnoses bool
	// Choice is the argument that chooses one of the things which the tool lists without it; "" for a tool without a list.
	Choice string
	// Probe tries cheaply whether a call with these arguments would fail for a reason that can be known before; nil tries nothing. An error
	// is that of the call.
	Probe func(ctx context.Context, c *Call, arguments json.RawMessage) error

	Check func(json.RawMessage) error
	Run   func(context.Context, *Call, json.RawMessage) (any, error)
}

// ReadOnly reports whether the tool is there in read-only mode: it leaves files and servers as they are.
func (t *Tool) ReadOnly() bool {
	return t.Class == Navigation || t.Class == Status || t.Class == DryRun || t.Class == Binding
}

// Refuses is why a tool may not be called under this configuration; nil when it may.
func Refuses(s *workspace.Settings, t *Tool) error {
	facts := contract.Facts{"tool": t.Name}
	switch {
	case s.ReadOnly && t.Class == Raw:
		return contract.Errorf(contract.KindReadOnly, facts, "%s passes requests on unchanged, and lspi runs read-only", t.Name)
	case s.ReadOnly && !t.ReadOnly():
		return contract.Errorf(contract.KindReadOnly, facts, "%s changes files or servers, and lspi runs read-only", t.Name)
	case t.Class == Binding && !s.Binds:
		return contract.Errorf(contract.KindToolDisabled, facts, "%s is for hosts that reach lspi over HTTP; this session has its workspace", t.Name)
	case t.Class == Binding: // whatever tools are allowed: without it there is none
		return nil
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

// Tools are the tools that a host can call, as far as the call of one has to know the others: its next steps name them.
type Tools interface {
	// Lookup finds a tool by name; the error names the closest one.
	Lookup(name string) (*Tool, error)
	// Names are the names of the tools that a configuration serves, in their order.
	Names(s *workspace.Settings) []string
}
