package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/tools/answer"
	"lspi/tools/session"
)

// raw is JSON that is passed on unchanged, with the order of its keys.
type raw = json.RawMessage

// classes are the hints for the tools of each class (MCP, ToolAnnotations). All four hints are sent, because a host
// takes a missing one for destructive and open to the world.
var classes = map[answer.Class]struct {
	readOnly    bool
	destructive bool
	idempotent  bool
}{
	answer.Navigation: {true, false, true},
	answer.Status:     {true, false, true},
	answer.Write:      {false, true, false},
	answer.Control:    {false, false, false}, // a server that is ended loses nothing and is started by the next call
	answer.DryRun:     {true, false, true},
	answer.Raw:        {true, false, true},
	answer.Recall:     {true, false, true},
	answer.Binding:    {true, false, true}, // writes no files; repeating it with the same folder changes nothing
}

// annotations returns the hints for a tool of a class. A dry run counts as a write unless the session is read-only,
// because an argument can make it apply the edit.
func annotations(s *session.Settings, c answer.Class) *mcp.ToolAnnotations {
	if c == answer.DryRun && !s.ReadOnly {
		c = answer.Write
	}
	k := classes[c]
	openWorld := false // lspi's tools work on this machine only
	return &mcp.ToolAnnotations{
		ReadOnlyHint: k.readOnly, DestructiveHint: &k.destructive, IdempotentHint: k.idempotent,
		OpenWorldHint: &openWorld,
	}
}
