package tools

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// raw is JSON that is passed on as it is, with the order of its keys.
type raw = json.RawMessage

// classes say what each class is called and what hosts are told about its tools. All four hints are set: what is left
// out counts as destructive and open to the world.
var classes = map[Class]struct {
	name        string
	readOnly    bool
	destructive bool
	idempotent  bool
}{
	Navigation: {"navigation", true, false, true},
	Status:     {"status", true, false, true},
	Write:      {"write", false, true, false},
	Control:    {"control", false, false, false}, // a server that is ended loses nothing and comes back when it is asked
	Trial:      {"trial", true, false, true},
	Raw:        {"raw", true, false, true},
}

// String is the class in lower case.
func (c Class) String() string { return classes[c].name }

// annotations are the hints about a tool. What tries an edit may be told to apply it, where lspi may write.
func (s *Settings) annotations(c Class) *mcp.ToolAnnotations {
	if c == Trial && !s.ReadOnly {
		c = Write
	}
	k := classes[c]
	openWorld := false // everything is on this machine
	return &mcp.ToolAnnotations{
		ReadOnlyHint: k.readOnly, DestructiveHint: &k.destructive, IdempotentHint: k.idempotent, OpenWorldHint: &openWorld,
	}
}
