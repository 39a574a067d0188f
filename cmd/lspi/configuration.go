package main

import (
	"strings"

	"lspi/cmd/lspi/internal/config"
	"lspi/tools"
)

// configurationOf is what get_current_config shows of a configuration.
func configurationOf(c *config.Config) *tools.Configuration {
	out := &tools.Configuration{MCP: mcpTable(c)}
	for _, s := range c.Sources {
		out.Sources = append(out.Sources, tools.ConfigSource{Path: s.Path, Kind: string(s.Kind), Trusted: s.Trusted})
	}
	for _, f := range c.Findings {
		out.Findings = append(out.Findings, tools.ConfigFinding{Severity: string(f.Severity), Kind: string(f.Kind), File: f.File,
			Line: f.Line, Key: f.Key, Message: f.Message, Fix: fixOf(f)})
	}
	configured := map[string]bool{}
	for _, s := range c.Configured {
		configured[s.ID] = true
		out.Servers = append(out.Servers, tools.ServerConfig(s))
	}
	for i := range c.Specs {
		if !configured[c.Specs[i].ID] {
			out.Servers = append(out.Servers, tools.ServerConfig(c.Describe(&c.Specs[i])))
		}
	}
	return out
}

// mcpTable is the [mcp] table with the keys that the files set, as they are in effect; nil when no file has one.
func mcpTable(c *config.Config) any {
	table := map[string]any{}
	for _, k := range []struct {
		key   string
		value any
	}{
		{"context", c.MCP.Context},
		{"mode", c.MCP.Mode},
		{"read_only", c.MCP.ReadOnly},
		{"call_timeout_ms", c.MCP.CallTimeout.Milliseconds()},
		{"warmup", c.MCP.Warmup},
		{"text", c.MCP.Text},
		{"output.max_total_chars_default", c.MCP.Output.MaxTotalCharsDefault},
		{"output.max_total_chars_hard", c.MCP.Output.MaxTotalCharsHard},
		{"output.echo_input", c.MCP.Output.EchoInput},
		{"tools.allow", c.MCP.Tools.Allow},
		{"tools.exclude", c.MCP.Tools.Exclude},
		{"tools.lsp_request", c.MCP.Tools.Raw},
	} {
		if !c.Given("mcp." + k.key) {
			continue
		}
		into, name := table, k.key
		if group, rest, nested := strings.Cut(k.key, "."); nested {
			sub, _ := table[group].(map[string]any)
			if sub == nil {
				sub = map[string]any{}
				table[group] = sub
			}
			into, name = sub, rest
		}
		into[name] = k.value
	}
	if len(table) == 0 {
		return nil
	}
	return table
}
