package session

import (
	"slices"
	"strings"
)

// Class says what a tool does to the world.
type Class uint8

// The classes, from the one that does least.
const (
	Read     Class = iota // it changes neither files nor servers
	Write                 // it changes files, or what other MCP servers have
	Control               // it changes servers
	Internal              // it changes lspi's own process; only the control door of the shared process has such tools
)

// String is the class in lower case.
func (c Class) String() string {
	return [...]string{Read: "read", Write: "write", Control: "control", Internal: "internal"}[c]
}

// The providers that are lspi's own.
const (
	LSP    = "lsp"    // the tools that ask language servers, and those about lspi itself
	Recall = "recall" // the tools that read what the user asked for
)

// serverPrefix begins the providers that are other MCP servers.
const serverPrefix = "server/"

// ServerProvider returns the provider of the tools of another MCP server.
func ServerProvider(id string) string { return serverPrefix + id }

// Entry is what the filter knows of a tool. It is data; nobody changes it once it is in a [Set].
type Entry struct {
	Name        string
	Provider    string
	Class       Class
	Title       string
	Description string
	Input       any // its JSON schema, which encoding/json can write
	// Kept: the tool tells of lspi itself, so it stays whatever is included and excluded. Only a preset can leave
	// it out.
	Kept bool
	// Needed: without this tool a session does nothing (bind_workspace), so only its feature decides about it.
	Needed bool
	// Named: read-only mode has the tool only where the configuration includes it by name.
	Named bool
	// Feature is what has to be on for the tool to be offered; "" when it needs nothing.
	Feature string
}

// Server returns the id of the MCP server that offers the tool; "" for lspi's own tools.
func (e *Entry) Server() string {
	id, ok := strings.CutPrefix(e.Provider, serverPrefix)
	if !ok {
		return ""
	}
	return id
}

// Set holds entries in the order in which hosts see them. The zero value is empty; it is not changed after [NewSet].
type Set struct {
	entries []*Entry
	byName  map[string]*Entry
}

// NewSet makes a set. Of two entries with one name the first stays.
func NewSet(entries ...*Entry) *Set {
	s := &Set{byName: make(map[string]*Entry, len(entries))}
	for _, e := range entries {
		if s.byName[e.Name] == nil {
			s.byName[e.Name] = e
			s.entries = append(s.entries, e)
		}
	}
	return s
}

// All returns the entries in their order.
func (s *Set) All() []*Entry { return slices.Clone(s.entries) }

// Find returns the entry of a name in any spelling; nil when there is none.
func (s *Set) Find(name string) *Entry {
	if e := s.byName[name]; e != nil {
		return e
	}
	return s.byName[Listed(name)]
}

// List returns the entries that a filter allows, in their order. Exactly these can be called.
func (s *Set) List(f *Filter) []*Entry {
	return slices.DeleteFunc(s.All(), func(e *Entry) bool { return f.Judge(e) != Allowed })
}
