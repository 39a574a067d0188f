package main

import (
	"encoding/json"
	"maps"
	"slices"

	"lspi/cmd/lspi/internal/config"
	"lspi/contract"
	"lspi/lsp/spec"
	"lspi/tools/session"
)

// configurationOf returns what get_current_config shows of a configuration.
func configurationOf(c *config.Config) *session.Configuration {
	out := &session.Configuration{Servers: configuredServers(c)}
	if mcp := c.Section("mcp"); mcp != nil {
		out.MCP = mcp
	}
	for _, s := range c.Sources {
		out.Sources = append(out.Sources, session.ConfigSource{Path: s.Path, Kind: string(s.Kind), Trusted: s.Trusted})
	}
	for _, f := range c.Findings {
		out.Findings = append(out.Findings, session.ConfigFinding{Severity: string(f.Severity), Kind: string(f.Kind),
			File: f.File,
			Line: f.Line, Key: f.Key, Message: f.Message, Fix: fixOf(f)})
	}
	for i := range c.Specs {
		if !slices.ContainsFunc(c.Configured, func(s config.Server) bool { return s.Spec.ID == c.Specs[i].ID }) {
			out.Servers = append(out.Servers, describe(&c.Specs[i], c.Workspace))
		}
	}
	return out
}

// configuredServers returns the [[servers]] of the files as get_current_config and lspi config show them: what the
// files set, and the catalogue's values for the rest. session.ServerConfig has the names of the keys as JSON names.
func configuredServers(c *config.Config) []session.ServerConfig {
	out := make([]session.ServerConfig, 0, len(c.Configured))
	for _, server := range c.Configured {
		shown := describe(&server.Spec, c.Workspace)
		set := maps.Clone(server.Values)
		for _, derived := range []string{"kind", "extensions"} { // describe has them in one spelling and order
			delete(set, derived)
		}
		if set["root_dir"] != nil && set["cwd"] == nil {
			set["cwd"] = set["root_dir"]
		}
		if raw, err := json.Marshal(set); err == nil {
			_ = json.Unmarshal(raw, &shown) // the table of keys has the same types
		}
		shown.File, shown.Enabled, shown.Untrusted = server.File, server.Enabled, server.Untrusted
		out = append(out, shown)
	}
	return out
}

// describe shows a server of the catalogue as a configured one is shown.
func describe(spec *spec.Spec, root string) session.ServerConfig {
	s := session.ServerConfig{
		ID: spec.ID, Kind: "generic", Extensions: append([]string{}, spec.Extensions()...), RootDir: root, Cwd: root,
		RequestTimeouts: map[string]int64{}, WorkspaceFolders: append([]string{}, spec.Folders...), Enabled: true,
		EnvKeys: slices.Sorted(maps.Keys(spec.Env)),
	}
	if spec.Kind != "" {
		s.Kind = contract.Fold(spec.Kind)
	}
	if len(spec.Languages) > 0 {
		s.LanguageID = spec.Languages[0].ID
	}
	return s
}
