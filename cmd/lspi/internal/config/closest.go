package config

import (
	"slices"

	"lspi/contract"
)

// otherNames are what other tools call our keys (cclsp, Serena, Helix, Neovim, VS Code): no edit distance finds these.
var otherNames = map[string]string{
	"cmd": "command", "exec": "command", "program": "command", "bin": "command", "path": "command",
	"arguments": "args", "argv": "args", "environment": "env",
	"name": "id", "type": "kind", "server": "kind",
	"filetypes": "extensions", "file_types": "extensions", "ext": "extensions", "languages": "language_id",
	"language":     "language_id",
	"init_options": "initialize_options", "initialization_options": "initialize_options",
	"initializationoptions": "initialize_options",
	"settings":              "workspace_configuration", "config": "workspace_configuration",
	"configuration": "workspace_configuration",
	"capabilities":  "client_capabilities",
	"root":          "root_dir", "root_uri": "root_dir", "folders": "workspace_folders", "roots": "workspace_folders",
	"allowed_roots": "workspace_folders",
	"timeout":       "request_timeout_ms", "timeout_ms": "request_timeout_ms", "request_timeout": "request_timeout_ms",
	"disabled": "enabled", "restart_interval": "restart_interval_minutes", "disable": "exclude", "deny": "exclude",
	"enable":  "allow",
	"catalog": "catalogue", "log": "logging", "lsp": "servers", "language_servers": "servers",
	"workspace": "workspace_root",
}

// nearest is the valid word that was most likely meant, or "".
func nearest(word string, valid []string) string {
	folded := contract.Fold(word)
	if other := otherNames[folded]; other != "" && slices.Contains(valid, other) {
		return other
	}
	return contract.Closest(word, valid)
}
