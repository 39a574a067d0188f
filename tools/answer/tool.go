package answer

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/contract"
	"lspi/tools/session"
)

// Class says what a tool does to the world. Read-only mode, the annotations of MCP (readOnlyHint and
// others) and what a step may run follow from it.
type Class uint8

// The classes.
const (
	Navigation Class = iota // asks language servers
	Status                  // looks at lspi itself
	Write                   // changes files
	Control                 // changes servers
	DryRun                  // shows servers texts that are not on disk, and puts everything back
	Raw                     // passes requests on that only read; off unless they are configured
	// reads what the user asked for, from transcripts; needs no language server; off unless it is configured
	Recall
	Binding // says which workspace a session is about; only where a host cannot be asked for it (HTTP)
)

// String is the class in lower case.
func (c Class) String() string {
	return [...]string{Navigation: "navigation", Status: "status", Write: "write", Control: "control",
		DryRun: "dry run", Raw: "raw", Recall: "recall", Binding: "binding"}[c]
}

// Tool is one tool: data, and the function that runs it. Package tools makes each with its define.
type Tool struct {
	Name        string
	Title       string
	Description string
	Class       Class
	Provider    string // who offers it: [session.LSP] or [session.Recall]
	Input       *jsonschema.Schema
	// Output makes the schema when it is first asked for: no call needs it, and the handshake with the host should not
	// wait for all of them.
	Output func() *jsonschema.Schema
	// ListedInput and ListedOutput are the schemas as the list of a host without configured defaults has them. They are
	// made once: each session lists its tools several times.
	ListedInput, ListedOutput func() json.RawMessage
	// Methods are the LSP requests of which a server has to offer one to serve the tool; nil when its answer depends on
	// no particular request.
	Methods []string

	Out  reflect.Type // of its own fields
	Asks bool         // it asks a server, so its answers carry completeness: all that navigate or change files
	// WholeProject: its answer speaks of all files of a project, whichever request it makes for it.
	WholeProject bool
	// PicksServer: server_id picks the server that it asks.
	PicksServer bool
	// Diagnoses: its answers have the findings in project files themselves, so that no warning has to tell of them.
	Diagnoses bool
	// AlwaysLoad: a host that shows its model tools only after a search for them should show this one from the start.
	// It costs the model's context in every session, so it is for the few tools that most tasks need.
	AlwaysLoad bool
	// Choice is the argument that chooses one of the things which the tool lists without it; "" for a tool without
	// a list.
	Choice string
	// Probe tries cheaply whether a call with these arguments would fail, for next steps; the error is the one that the
	// call would have. nil tries nothing.
	Probe func(ctx context.Context, c *Call, arguments json.RawMessage) error

	Check func(json.RawMessage) error
	Run   func(context.Context, *Call, json.RawMessage) (any, error)
}

// ReadOnly reports whether the tool is offered in read-only mode: it leaves files and servers as they
// are.
func (t *Tool) ReadOnly() bool {
	return t.Class == Navigation || t.Class == Status || t.Class == DryRun || t.Class == Recall || t.Class == Binding
}

// The features that some tools need ([session.Entry].Feature). The configuration, or the way in which a host reaches
// lspi, switches them on; without its feature a tool is not listed.
const (
	FeatureRaw     = "lsp_request"
	FeatureBinding = "bind_workspace"
	FeatureRecall  = "recall"
)

// Entry returns the tool as the filter of a session judges it, beside the tools of other MCP servers.
func (t *Tool) Entry() *session.Entry {
	e := &session.Entry{Name: t.Name, Provider: t.Provider, Title: t.Title, Description: t.Description, Input: t.Input}
	switch t.Class {
	case Write:
		e.Class = session.Write
	case Control:
		e.Class = session.Control
	case Raw: // what it passes on only reads, but that is the server's word
		e.Class, e.Feature = session.Write, FeatureRaw
	case Status:
		e.Kept = true
	case DryRun:
		e.Named = true
	case Recall: // not kept: whoever includes other tools only does not want the user's words in answers
		e.Feature = FeatureRecall
	case Binding:
		e.Needed, e.Feature = true, FeatureBinding
	}
	return e
}

// Filter returns the filter that the settings of a session make: what is allowed, and which features
// are on.
func Filter(s *session.Settings) *session.Filter {
	f := &session.Filter{Include: s.Allow, Exclude: s.Exclude, Within: s.Within, ReadOnly: s.ReadOnly, Preset: s.Preset}
	for feature, on := range map[string]bool{FeatureRaw: len(s.RawMethods) > 0, FeatureBinding: s.Binds,
		FeatureRecall: s.Recall} {
		if on {
			f.Features = append(f.Features, feature)
		}
	}
	return f
}

// Refuses returns why a tool may not be called under these settings; nil when it may.
func Refuses(s *session.Settings, t *Tool) error { return Refused(s, t.Entry()) }

// Refused is [Refuses] for a tool of any provider. Each reason has its kind of error, since each has
// another remedy.
func Refused(s *session.Settings, e *session.Entry) error {
	facts := contract.Facts{"tool": e.Name}
	switch Filter(s).Judge(e) {
	case session.Allowed:
		return nil
	case session.ByPreset:
		return byPreset(s.Preset, e)
	case session.ByReadOnly:
		return contract.Errorf(contract.KindReadOnly, facts, "%s %s, and lspi runs read-only%s", e.Name, harm(e),
			readOnlyBy(s))
	case session.ByNotNamed:
		return contract.Errorf(contract.KindReadOnly, facts,
			"%s tries edits, and lspi runs read-only%s: then it is there only when mcp.tools.allow names it", e.Name,
			readOnlyBy(s))
	case session.ByExclude:
		return contract.Errorf(contract.KindToolDisabled, facts,
			"%s is excluded by mcp.tools.exclude of the configuration", e.Name)
	case session.ByInclude:
		return contract.Errorf(contract.KindToolDisabled, facts, "%s is not in mcp.tools.allow of the configuration",
			e.Name)
	case session.BySwitch:
		return switchedOff(e, facts)
	}
	return contract.Errorf(contract.KindUnknownTool, facts, "there is no tool %q", e.Name)
}

// harm says what a tool may do that read-only mode forbids.
func harm(e *session.Entry) string {
	switch {
	case e.Feature == FeatureRaw:
		return "passes requests on unchanged"
	case e.Server() != "":
		return "may change something, as its server does not say that it only reads"
	}
	return "changes files or servers"
}

// readOnlyBy says what makes a session read-only, where that is the preset or a mistake in the
// configuration: a file that cannot be read in full may ask for read-only, so lspi assumes that it
// does. "" otherwise.
func readOnlyBy(s *session.Settings) string {
	if s.ReadOnlyBy != "" {
		return " until the configuration is corrected, since what cannot be read of it may say so: " + s.ReadOnlyBy
	}
	if s.ReadOnly || s.Preset == nil || !s.Preset.ReadOnly {
		return ""
	}
	return " by the preset " + s.Preset.Name
}

// switchedOff returns the error of a tool whose feature is off, with the key that switches it on.
func switchedOff(e *session.Entry, facts contract.Facts) error {
	switch e.Feature {
	case FeatureBinding:
		return contract.Errorf(contract.KindToolDisabled, facts,
			"%s is for hosts that reach lspi over HTTP; this session has its workspace", e.Name)
	case FeatureRecall:
		facts["key"] = "recall.enabled"
		return contract.Errorf(contract.KindToolDisabled, facts,
			"%s is off: recall.enabled of the configuration is not true", e.Name)
	}
	facts["key"] = "mcp.tools.lsp_request"
	return contract.Errorf(contract.KindToolDisabled, facts,
		"%s is off: mcp.tools.lsp_request of the configuration names no methods", e.Name)
}

// Tools looks up the tools that a host can call. It is an interface because the table of tools is in
// package tools, which stands on this one; a call needs it to name and check other tools in its next
// steps.
type Tools interface {
	// Lookup finds a tool by name; the error names the closest one.
	Lookup(name string) (*Tool, error)
	// Names are the names of the tools that a configuration serves, in their order.
	Names(s *session.Settings) []string
}
