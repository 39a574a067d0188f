package answer

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/contract"
	"lspi/tools/session"
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
	// reads what the user asked for, from transcripts; needs no language server; off unless it is configured
	Recall
	Binding // says which workspace a session is about; only where a host cannot be asked for it (HTTP)
)

// String is the class in lower case.
func (c Class) String() string {
	return [...]string{Navigation: "navigation", Status: "status", Write: "write", Control: "control",
		DryRun: "dry run", Raw: "raw", Recall: "recall", Binding: "binding"}[c]
}

// Tool is one tool: data and a verb.
type Tool struct {
	Name        string
	Title       string
	Description string
	Class       Class
	Provider    string // who offers it: [session.LSP] or [session.Recall]
	Input       *jsonschema.Schema
	// made when it is first asked for: no call needs it, and the host is shaken hands with before
	Output func() *jsonschema.Schema
	// Methods are the LSP requests that a server has to offer to serve the tool; nil when its answer needs no
	// certain one.
	Methods []string

	Out  reflect.Type // of its own fields
	Asks bool         // it asks a server, so its answers carry completeness: all that navigate or change files
	// WholeProject: its answer speaks of all files of a project, whichever request it makes for it.
	WholeProject bool
	// PicksServer: server_id picks the server that it asks.
	PicksServer bool
	// Diagnoses: its answers have the findings in project files themselves, so that no warning has to tell of them.
	Diagnoses bool
	// Choice is the argument that chooses one of the things which the tool lists without it; "" for a tool without
	// a list.
	Choice string
	// Probe tries cheaply whether a call with these arguments would fail for a reason that can be known before; nil
	// tries nothing. An error is that of the call.
	Probe func(ctx context.Context, c *Call, arguments json.RawMessage) error

	Check func(json.RawMessage) error
	Run   func(context.Context, *Call, json.RawMessage) (any, error)
}

// ReadOnly reports whether the tool is there in read-only mode: it leaves files and servers as they are.
func (t *Tool) ReadOnly() bool {
	return t.Class == Navigation || t.Class == Status || t.Class == DryRun || t.Class == Recall || t.Class == Binding
}

// The features that tools need ([session.Entry].Feature): a configuration, or the way in which a host reaches lspi,
// switches them on.
const (
	FeatureRaw     = "lsp_request"
	FeatureBinding = "bind_workspace"
	FeatureRecall  = "recall"
)

// Entry is the tool as the filter of a session knows it.
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

// Filter is what a configuration allows, and what is on.
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

// Refuses is why a tool may not be called under this configuration; nil when it may.
func Refuses(s *session.Settings, t *Tool) error { return Refused(s, t.Entry()) }

// Refused is [Refuses] for a tool of any provider.
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

// harm is why a tool is not there in read-only mode.
func harm(e *session.Entry) string {
	switch {
	case e.Feature == FeatureRaw:
		return "passes requests on unchanged"
	case e.Server() != "":
		return "may change something, as its server does not say that it only reads"
	}
	return "changes files or servers"
}

// readOnlyBy says what makes a session read-only where that is the preset, or a mistake of the configuration; else "".
func readOnlyBy(s *session.Settings) string {
	if s.ReadOnlyBy != "" {
		return " until the configuration is corrected, since what cannot be read of it may say so: " + s.ReadOnlyBy
	}
	if s.ReadOnly || s.Preset == nil || !s.Preset.ReadOnly {
		return ""
	}
	return " by the preset " + s.Preset.Name
}

// switchedOff is the error of a tool that needs a feature which is off.
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

// Tools are the tools that a host can call, as far as the call of one has to know the others: its next steps name them.
type Tools interface {
	// Lookup finds a tool by name; the error names the closest one.
	Lookup(name string) (*Tool, error)
	// Names are the names of the tools that a configuration serves, in their order.
	Names(s *session.Settings) []string
}
