package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/tools/answer"
	"lspi/tools/session"
)

// raw is JSON that is passed on as it is, with the order of its keys.
type raw = json.RawMessage

// classes say what hosts are told about the tools of each class. All four hints are set: what is left out counts as
// destructive and open to the world.
var classes = map[answer.Class]struct {
	readOnly    bool
	destructive bool
	idempotent  bool
}{
	answer.Navigation: {true, false, true},
	answer.Status:     {true, false, true},
	answer.Write:      {false, true, false},
	answer.Control:    {false, false, false}, // a server that is ended loses nothing and comes back when it is asked
	answer.DryRun:     {true, false, true},
	answer.Raw:        {true, false, true},
	answer.Recall:     {true, false, true},
	answer.Binding:    {true, false, true}, // it writes no files; once more with the same folder changes nothing
}

// annotations are the hints about a tool. What tries an edit may be told to apply it, where lspi may write.
func annotations(s *session.Settings, c answer.Class) *mcp.ToolAnnotations {
	if c == answer.DryRun && !s.ReadOnly {
		c = answer.Write
	}
	k := classes[c]
	openWorld := false // everything is on this machine
	return &mcp.ToolAnnotations{
		ReadOnlyHint: k.readOnly, DestructiveHint: &k.destructive, IdempotentHint: k.idempotent,
		OpenWorldHint: &openWorld,
	}
}
