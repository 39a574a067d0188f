package session

import "slices"

// Preset is a named choice of tools and servers for one kind of work.
type Preset struct {
	Name string `json:"name"`
	// Tools are the only tools that there are, as in [Filter].Include; nil leaves out none.
	Tools []string `json:"tools"`
	// Servers are the ids of the only language servers and MCP servers that there are; nil leaves out none.
	Servers []string `json:"servers"`
	// Prompts and Resources are the only ones of MCP servers, as patterns of the names that hosts see (ID__prompt) and
	// of URIs; nil leaves out none.
	Prompts   []string `json:"prompts,omitempty"`
	Resources []string `json:"resources,omitempty"`
	ReadOnly  bool     `json:"read_only"`
	// Missing is set where the configuration has no preset of this name: then it leaves nothing in.
	Missing *MissingPreset `json:"-"`
}

// MissingPreset tells of a preset that is in use and does not exist, or cannot be read. Such a preset
// leaves nothing in.
type MissingPreset struct {
	From    string   // what names it: a flag, a variable or a key
	Closest string   // the preset that was most likely meant; "" when none is near
	Known   []string // the presets that there are
	// Unreadable is where a file that would have it cannot be read, and why, so that there may be one; "" when all
	// files can be.
	Unreadable string
}

// isTold reports whether the preset leaves the tool in: the tool itself, and the server that offers it.
func (p *Preset) leavesIn(e *Entry) bool {
	return (p.Tools == nil || matches(p.Tools, e.Name)) && (e.Server() == "" || p.HasServer(e.Server()))
}

// HasServer reports whether the preset leaves a language server or an MCP server in. A nil preset
// leaves in all servers, a missing one none.
func (p *Preset) HasServer(id string) bool {
	return p == nil || p.Missing == nil && (p.Servers == nil || slices.Contains(p.Servers, id))
}

// HasPrompt reports whether the preset leaves in a prompt of a server that it leaves in, by the name that hosts see.
func (p *Preset) HasPrompt(name string) bool {
	return p == nil || p.Prompts == nil || matches(p.Prompts, name)
}

// HasResource is [Preset.HasPrompt] for the URI of a resource, or the pattern of a template.
func (p *Preset) HasResource(uri string) bool {
	return p == nil || p.Resources == nil || matches(p.Resources, uri)
}

// Idle returns the patterns of tools that match none of names, which are all tools that are known.
func (p *Preset) Idle(names []string) (out []string) {
	for _, pattern := range p.Tools {
		if !slices.ContainsFunc(names, func(name string) bool { return matches([]string{pattern}, name) }) {
			out = append(out, pattern)
		}
	}
	return out
}
