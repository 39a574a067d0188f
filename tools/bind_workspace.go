package tools

import (
	"context"
	"fmt"

	"lspi/contract"
	"lspi/tools/answer"
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
		return &bindWorkspaceOut{WorkspaceRoot: s.Workspace.Root, AllowedRoots: s.Workspace.Table.Allowed(),
			ReadOnly: s.Settings.ReadOnly}, nil
	})

func (o *bindWorkspaceOut) Summary() string {
	text := fmt.Sprintf("All tools answer about %s now.", contract.EscapeLine(o.WorkspaceRoot))
	if o.ReadOnly {
		text += " The session is read-only."
	}
	return text
}

func (o *bindWorkspaceOut) Tell(s *answer.Sheet) { s.List(0, "allowed roots", o.AllowedRoots) }
