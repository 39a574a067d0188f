package tools

import (
	"context"
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/session"
)

// bindWorkspaceIn names a folder in the workspace, as an absolute path of the machine that lspi runs
// on.
type bindWorkspaceIn struct {
	Cwd string `json:"cwd" required:"true"`
	answer.Caps
}

// bindWorkspaceOut is the workspace that the session has now.
type bindWorkspaceOut struct {
	WorkspaceRoot string   `json:"workspace_root"`
	AllowedRoots  []string `json:"allowed_roots"`
	ReadOnly      bool     `json:"read_only"`
	// the servers that the files of the workspace need
	Servers []neededServer `json:"servers"`
	Tools   []offeredTool  `json:"tools"`
	// what is wrong with the configuration; empty when nothing is
	Issues []bindIssue `json:"issues"`
}

// neededServer is a server with its state, in the words of list_servers.
type neededServer struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

// offeredTool is one of lspi's own tools that the session has, with the first sentence of its description.
type offeredTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// bindIssue is a finding about the configuration: an error, which stops tools, or a warning.
type bindIssue struct {
	Level    string `json:"level"`
	Category string `json:"category"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

// bindWorkspace gives the calls that come after it their workspace. It is offered only over HTTP, where a host cannot
// be asked for it; so it runs without a session.
var bindWorkspace = define("bind_workspace", answer.Binding,
	func(ctx context.Context, c *answer.Call, in bindWorkspaceIn) (*bindWorkspaceOut, error) {
		// "" would be taken for the folder of lspi's own process.
		if in.Cwd == "" {
			return nil, answer.Invalid("cwd", "is empty")
		}
		s, err := c.Request.Bind(ctx, in.Cwd)
		if err != nil {
			return nil, err
		}
		bound := answer.NewCall(s, c.Tools, c.Request)
		return &bindWorkspaceOut{WorkspaceRoot: s.Workspace.Root, AllowedRoots: s.Workspace.Table.Allowed(),
			ReadOnly: s.Settings.ReadOnly, Servers: neededBy(ctx, bound), Tools: offeredBy(bound),
			Issues: issuesOf(s.Settings.Configuration)}, nil
	})

// neededBy returns the servers that lspi would ask about files of the workspace.
func neededBy(ctx context.Context, c *answer.Call) []neededServer {
	out := []neededServer{}
	for _, n := range ask.SurveyServers(ctx, c) {
		if n.Asked {
			out = append(out, neededServer{n.Spec.ID, ask.State(c, n.Spec)})
		}
	}
	return out
}

// offeredBy returns the tools of a session.
func offeredBy(c *answer.Call) []offeredTool {
	out := []offeredTool{}
	for _, name := range c.Tools.Names(&c.Session.Settings) {
		if t, err := c.Tools.Lookup(name); err == nil && t.Class != answer.Binding {
			first, _, _ := strings.Cut(t.Description, ". ")
			out = append(out, offeredTool{name, strings.TrimSuffix(first, ".")})
		}
	}
	return out
}

// issuesOf returns what is wrong with a configuration, which may be nil, the first [maxFindings] of it.
func issuesOf(conf *session.Configuration) []bindIssue {
	out := []bindIssue{}
	if conf == nil {
		return out
	}
	for _, f := range conf.Findings[:min(len(conf.Findings), maxFindings)] {
		message := f.Message
		if f.File != "" {
			message = f.File + ": " + message
		}
		out = append(out, bindIssue{f.Severity, "configuration", f.Kind, message})
	}
	return out
}

func (o *bindWorkspaceOut) Summary() string {
	text := fmt.Sprintf("All tools answer about %s now.", contract.EscapeLine(o.WorkspaceRoot))
	if o.ReadOnly {
		text += " The session is read-only."
	}
	return text
}

func (o *bindWorkspaceOut) Tell(s *answer.Sheet) {
	s.List(0, "allowed roots", o.AllowedRoots)
	for _, server := range o.Servers {
		s.Line(0, "server %s: %s", server.ID, server.State)
	}
	for _, i := range o.Issues {
		s.Line(0, "%s %s: %s", i.Level, i.Code, i.Message)
	}
	for _, t := range o.Tools {
		s.Line(0, "- %s: %s", t.Name, t.Description)
	}
}
