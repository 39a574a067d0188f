package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/router"
	"lspi/tools/session"
)

// presetFolderName is where presets have files of their own, beside the user's configuration.
const presetFolderName = "presets"

// addPresetFiles reads presets/NAME.toml: what stands in [presets.NAME] of other files. They lie below the user's
// own file.
func (l *loader) addPresetFiles(dir string) {
	paths, _ := filepath.Glob(filepath.Join(escapeGlob(dir), presetFolderName, "*.toml"))
	for _, path := range paths[:min(len(paths), maxItems)] {
		layer := newLayer(SourceUser, path)
		layer.preset = strings.TrimSuffix(filepath.Base(path), ".toml")
		l.add(layer)
	}
}

// PresetFolder is where presets of the user have files of their own; "" when the user has no folder for configuration.
func PresetFolder(o Options) string {
	if path := o.User().ConfigFile(); path != "" {
		return filepath.Join(filepath.Dir(path), presetFolderName)
	}
	return ""
}

func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// usePreset finds the preset in use, and has it decide what stands in [mcp] otherwise.
func (l *loader) usePreset(c *Config) {
	name := c.MCP.Preset
	if name == "" {
		return
	}
	c.Preset = c.Presets[name]
	if c.Preset == nil {
		missing := l.noPreset(name, slices.Sorted(maps.Keys(c.Presets)), c.UnreadablePreset(name))
		// whatever was meant, it allows no more than this
		c.Preset = &Preset{Preset: session.Preset{Name: name, Tools: []string{}, Missing: missing}}
		return
	}
	if c.Preset.Context != "" && l.Flags.Context == "" {
		c.MCP.Context = c.Preset.Context
	}
	if c.Preset.MaxTotalChars > 0 {
		c.MCP.Output.MaxTotalCharsDefault = c.Preset.MaxTotalChars
		l.given["mcp.output.max_total_chars_default"] = true
	}
}

// ofOtherPreset reports whether a key of the file belongs to a preset that is not the one in use.
func (l *layer) ofOtherPreset(key, inUse string) bool {
	if l.preset != "" {
		return l.preset != inUse
	}
	return strings.HasPrefix(key, "presets.") && !strings.HasPrefix(key+".", join("presets", inUse)+".")
}

// unreadable are the first errors of the files that cannot be read, by the preset whose own file it is, "" for any
// other file.
func (l *loader) unreadable() map[string]string {
	out := map[string]string{}
	for _, layer := range l.layers {
		if errors := layer.errors(); layer.values == nil && len(errors) > 0 {
			out[layer.preset] = errors[0].String()
		}
	}
	return out
}

// UnreadablePreset is where the file that would have a preset cannot be read, and why; "" when there is the preset,
// or all files can be read.
func (c *Config) UnreadablePreset(name string) string {
	if c.Presets[name] != nil {
		return ""
	}
	return cmp.Or(c.unreadable[name], c.unreadable[""])
}

// noPreset finds fault with who named a preset that there is not. Where its file cannot be read, that is told already.
func (l *loader) noPreset(name string, known []string, unreadable string) *session.MissingPreset {
	out := &session.MissingPreset{From: "mcp.preset", Closest: nearest(name, known), Known: known,
		Unreadable: unreadable}
	message, fix := fmt.Sprintf("there is no preset %s", quoted(name)), "write [presets."+name+
		"], or lspi preset list shows those that there are"
	if out.Closest != "" {
		message += fmt.Sprintf(": did you mean %q?", out.Closest)
		fix = fmt.Sprintf("write %q", out.Closest)
	} else if len(known) > 0 {
		message += "; there are " + strings.Join(known, ", ")
	}
	switch {
	case l.Flags.Preset != "":
		out.From = "--preset"
	case l.Getenv(presetVariable) != "":
		out.From = presetVariable
	}
	if unreadable != "" {
		return out
	}
	if out.From == "mcp.preset" {
		for _, layer := range slices.Backward(l.layers) {
			if lookup[string](layer.values, "mcp.preset") == name {
				layer.findAt(SeverityError, FindingBadValue, "mcp.preset", fix, "%s", message)
				return out
			}
		}
	}
	if out.From != "mcp.preset" {
		message = out.From + ": " + message
	}
	l.findings = append(l.findings, Finding{Severity: SeverityError, Kind: FindingBadValue, Key: "mcp.preset",
		Message: message, Fix: fix})
	return out
}

// withoutPreset takes out the servers that the preset in use leaves out.
func (c *Config) withoutPreset() {
	if c.Preset == nil || c.Preset.Servers == nil && c.Preset.Missing == nil {
		return
	}
	kept := c.Specs[:0:0]
	for _, s := range c.Specs {
		if c.Preset.HasServer(s.ID) {
			kept = append(kept, s)
		} else {
			c.Withheld = append(c.Withheld, router.Withheld{Spec: s, Preset: c.Preset.Name})
		}
	}
	c.Specs = kept
	for id := range c.MCPServers {
		if !c.Preset.HasServer(id) {
			c.MCPServers[id].LeftOut = true
		}
	}
	c.Findings = append(c.Findings, c.unknownServers(c.Preset)...)
}

// PresetWarnings are what is wrong with a preset and stops nothing: its tools and servers that do not exist,
// whether or not it is in use.
func (c *Config) PresetWarnings(name string) []Finding {
	var out []Finding
	for _, f := range c.Findings {
		if f.Severity == SeverityWarning && strings.HasPrefix(f.Key, "presets."+name+".") {
			out = append(out, f)
		}
	}
	if p := c.Presets[name]; p != nil && p != c.Preset { // those of the one in use are among the findings
		out = append(out, c.unknownServers(p)...)
	}
	return out
}

// unknownServers are the warnings about servers of a preset that do not exist.
func (c *Config) unknownServers(p *Preset) (out []Finding) {
	for _, id := range p.Servers {
		if !c.knowsServer(id) {
			out = append(out, c.unknownServer(p.Name, id))
		}
	}
	return out
}

func (c *Config) knowsServer(id string) bool { return slices.Contains(c.serverIDs(), id) }

// serverIDs are those of all language servers and MCP servers.
func (c *Config) serverIDs() []string {
	out := slices.Collect(maps.Keys(c.MCPServers))
	for _, s := range c.Specs {
		out = append(out, s.ID)
	}
	for _, s := range c.Disabled {
		out = append(out, s.ID)
	}
	for _, s := range c.Withheld {
		out = append(out, s.ID)
	}
	slices.Sort(out)
	return out
}

func (c *Config) unknownServer(preset, id string) Finding {
	f := Finding{Severity: SeverityWarning, Kind: FindingBadValue, Key: "presets." + preset + ".servers",
		Message: fmt.Sprintf("the preset %s names the unknown server %s", preset, quoted(id)), Fix: "run: lspi servers"}
	if near := nearest(id, c.serverIDs()); near != "" {
		f.Message += fmt.Sprintf(": did you mean %q?", near)
		f.Fix = fmt.Sprintf("write %q", near)
	}
	return f
}
