package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/tools/session"
)

// mcpServersOf returns the other MCP servers that a configuration enables, sorted by id. Their environment is what a
// language server would get, and what their table adds.
func mcpServersOf(c *config.Config) []session.MCPServer {
	var out []session.MCPServer
	for _, id := range slices.Sorted(maps.Keys(c.MCPServers)) {
		m := c.MCPServers[id]
		if !m.Enabled {
			continue
		}
		s := session.MCPServer{LeftOut: m.LeftOut, Broken: m.Broken, MCPSpec: session.MCPSpec{ID: id, Command: m.Command,
			Args: m.Args, Env: m.Env, Cwd: m.Cwd,
			URL: m.URL, Headers: m.Headers, Token: m.Token, Secrets: m.Secrets, CallTimeout: m.CallTimeout,
			Environ: launch.Environment(&spec.Spec{ID: id, Environ: c.Environ(), Pass: c.Pass(),
				Untrusted: c.Untrusted()})}}
		if c.Untrusted() != nil && !m.CwdGiven && runsProjects(m.Command) {
			if s.Cwd, s.MakeCwd = c.Apart(), true; s.Cwd == "" {
				s.Broken = "in a workspace that is not trusted, " + filepath.Base(m.Command) +
					" would run what the workspace has, and there is no other folder to start it in: set cwd"
			}
		}
		if s.Broken == "" {
			if err := (*mcpclient.Spec)(&s.MCPSpec).Check(); err != nil {
				s.Broken = err.Error()
			}
		}
		out = append(out, s)
	}
	return out
}

// runners are programs that load code or settings from the folder in which they start: npx runs what is in
// node_modules, python -m a module of the folder.
var runners = []string{"npx", "npm", "pnpm", "pnpx", "yarn", "yarnpkg", "bun", "bunx", "deno", "node", "uvx", "uv",
	"pipx", "pip", "python", "pythonw", "py", "pypy",
	"poetry", "pdm", "hatch", "conda", "mise", "go", "cargo", "ruby", "bundle", "gem", "rake", "php", "composer",
	"perl", "java", "mvn", "gradle", "dotnet", "dnx", "make", "just", "nix"}

// runsProjects reports whether a command is one of runners, in any version: python3.13, npx.cmd.
func runsProjects(command string) bool {
	name := strings.ToLower(filepath.Base(filepath.FromSlash(command)))
	for _, extension := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, extension)
	}
	return slices.Contains(runners, strings.TrimRight(name, "0123456789.-"))
}

// mcpListCache returns the cache that keeps the lists of other MCP servers between runs; nil without a cache folder.
func (s *wiring) mcpListCache() mcpclient.Cache {
	dir := s.options.User().CacheDir()
	if dir == "" {
		return nil
	}
	return mcpclient.NewFolder(filepath.Join(dir, "mcp"))
}
