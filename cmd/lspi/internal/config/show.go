package config

import (
	"maps"
	"slices"

	"lspi/lsp"
)

// Describe shows a server of the catalogue as get_current_config shows a configured one.
func (c *Config) Describe(spec *lsp.Spec) ServerConfig {
	return describe(spec, c.Workspace)
}

func describe(spec *lsp.Spec, workspace string) ServerConfig {
	s := ServerConfig{
		ID: spec.ID, Kind: generic, Extensions: orEmpty(spec.Extensions()), RootDir: workspace, Cwd: workspace,
		RequestTimeouts: map[string]int64{}, WorkspaceFolders: orEmpty(spec.Folders), Enabled: true,
		EnvKeys: slices.Sorted(maps.Keys(spec.Env)),
	}
	if spec.Kind != "" {
		s.Kind = fold(spec.Kind)
	}
	if len(spec.Languages) > 0 {
		s.LanguageID = spec.Languages[0].ID
	}
	return s
}

// show describes a configured server: what the files say, on top of what they leave to the row.
func (o *overlay) show(spec *lsp.Spec, server map[string]any, enabled bool) ServerConfig {
	s := describe(spec, o.workspace)
	from := server[originKey].(origin)
	s.File, s.Enabled, s.Untrusted = from.Path, enabled, from.stripped[spec.ID]
	if dir := lookup[string](server, "root_dir"); dir != "" {
		s.RootDir, s.Cwd = dir, dir
	}
	if dir := lookup[string](server, "cwd"); dir != "" {
		s.Cwd = dir
	}
	if adapter := lookup[string](server, "adapter"); adapter != "" {
		s.Adapter = &adapter
	}
	s.InitializeTimeout = number(server, "initialize_timeout_ms")
	s.RequestTimeout = number(server, "request_timeout_ms")
	s.WarmupTimeout = number(server, "warmup_timeout_ms")
	s.IdleShutdown = number(server, "idle_shutdown_ms")
	s.RestartInterval = number(server, "restart_interval_minutes")
	for method, n := range lookup[map[string]any](server, "request_timeout_overrides_ms") {
		s.RequestTimeouts[method] = n.(int64)
	}
	return s
}

func number(server map[string]any, key string) *int64 {
	if n, ok := server[key].(int64); ok {
		return &n
	}
	return nil
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
