package main

import (
	"maps"
	"path/filepath"
	"slices"

	"lspi/cmd/lspi/internal/config"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/mcpclient"
	"lspi/workspace"
)

// mcpServersOf are the other MCP servers of a configuration. They see what a language server would see of the environment, and what their table
// adds.
func mcpServersOf(c *config.Config) []workspace.MCPServer {
	var out []workspace.MCPServer
	for _, id := range slices.Sorted(maps.Keys(c.MCPServers)) {
		m := c.MCPServers[id]
		if !m.Enabled {
			continue
		}
		s := workspace.MCPServer{LeftOut: m.LeftOut, Broken: m.Broken, Spec: mcpclient.Spec{ID: id, Command: m.Command, Args: m.Args, Env: m.Env, Cwd: m.Cwd,
			URL: m.URL, Headers: m.Headers, Token: m.Token, Paths: m.Paths, Secrets: m.Secrets, CallTimeout: m.CallTimeout,
			Environ: launch.Environment(&spec.Spec{ID: id, Environ: c.Environ(), Pass: c.Pass(), Untrusted: c.Untrusted()})}}
		if s.Broken == "" {
			if err := s.Check(); err != nil {
				s.Broken = err.Error()
			}
		}
		out = append(out, s)
	}
	return out
}

// mcpListCache keeps the lists of other MCP servers over restarts; nil when there is no place for it.
func (s *session) mcpListCache() mcpclient.Cache {
	dir := s.options.User().CacheDir()
	if dir == "" {
		return nil
	}
	return mcpclient.NewFolder(filepath.Join(dir, "mcp"))
}
