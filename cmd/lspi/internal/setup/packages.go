package setup

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Packages of lspi for the places where hosts look for plugins. They start the lspi on PATH, except the bundle (mcpb),
// which has the program. All come from the tables of this package: what lspi setup writes and what a package has is the
// same.

// PackageFile is a file of a package.
type PackageFile struct {
	Name string // relative, with slashes
	Text string
}

// packaged is what a package is made of.
type packaged struct {
	version  string // of lspi
	homepage string // of the project; "" for none
	launch   launch // how lspi is started
	hooks    HookSet
}

// Description is one sentence about lspi for the lists of plugins.
const Description = "Answers of the project's language servers: references, definitions, diagnostics, renames, " +
	"checked edits."

// about returns the members that all manifests have, and more.
func (o packaged) about(more map[string]any) map[string]any {
	out := map[string]any{"name": name, "version": o.number(), "description": Description}
	if o.homepage != "" {
		out["homepage"] = o.homepage
	}
	for key, value := range more {
		out[key] = value
	}
	return out
}

// number returns the version as registries write it, without the v of a tag.
func (o packaged) number() string { return strings.TrimPrefix(o.version, "v") }

var author = map[string]any{"name": "lspi"}

// Plugins returns the files of all packages by the name of the package: the folder below which they stand.
func Plugins(version, homepage string) (map[string][]PackageFile, error) {
	out := map[string][]PackageFile{}
	for kind, make := range map[string]func(packaged) ([]PackageFile, error){
		"agent-plugin": agentPlugin, "claude-plugin": claudePlugin, "codex-plugin": codexPlugin,
		"gemini-extension": geminiExtension, "opencode-plugin": opencodePackage,
	} {
		files, err := make(packaged{version: version, homepage: homepage, hooks: ChangeHooks})
		if err != nil {
			return nil, err
		}
		out[kind] = files
	}
	return out, nil
}

// starts returns how a package for a host starts lspi.
func (o packaged) starts(host string) launch {
	if o.launch.command != "" {
		return o.launch
	}
	l := launch{name, []string{"mcp"}}
	if h := Find(host); h != nil && h.context != "" {
		l.args = append(l.args, "--context", h.context)
	}
	return l
}

// agentPlugin returns a root in the form of Agent Plugins 1.0.0 (agent-plugins.org), which Codex, Cursor, Kiro and
// others read. Hooks are not part of the form. It has the server started in the plugin's folder.
func agentPlugin(o packaged) ([]PackageFile, error) {
	const schemas = "https://agent-plugins.org/schemas/1.0.0/"
	l := o.starts("")
	return files(map[string]any{
		"plugin.json": o.about(map[string]any{"$schema": schemas + "plugin.schema.json", "author": author,
			"license": "MIT", "keywords": keywords}),
		"mcp.json": map[string]any{"$schema": schemas + "mcp.schema.json", "mcpServers": map[string]any{
			name: map[string]any{"type": "stdio", "command": l.command, "args": l.args}}},
		skillFile: SkillText,
	})
}

var keywords = []string{"lsp", "language-server", "code-navigation", "diagnostics", "refactoring"}

// skillFile is where every form of plugin has the skill.
const skillFile = "skills/lspi/SKILL.md"

// claudePlugin returns a plugin for Claude Code and a marketplace that has only it, in the same folder.
func claudePlugin(o packaged) ([]PackageFile, error) {
	h, t := Find("claude"), hookTables["claude"]
	l := o.starts("claude")
	return files(map[string]any{
		".claude-plugin/plugin.json": o.about(map[string]any{"author": author}),
		".claude-plugin/marketplace.json": map[string]any{"name": name, "owner": author, "description": Description,
			"plugins": []any{map[string]any{"name": name, "source": "./", "description": Description,
				"version": o.number()}}},
		".mcp.json":        h.form.show(h.path, h.entry(l, Project)),
		"hooks/hooks.json": t.hooksFile(hookCommand(l.command, h), o.hooks),
		skillFile:          SkillText,
	})
}

// codexPlugin returns a plugin for Codex CLI and a marketplace that has only it, in the same folder. Codex starts the
// server of a plugin in the form of [agentPlugin] in the plugin's folder, which is no project; this one it starts in
// the folder of the session (0.169.0).
func codexPlugin(o packaged) ([]PackageFile, error) {
	h, t := Find("codex"), hookTables["codex"]
	l := o.starts("codex")
	return files(map[string]any{
		".agents/plugins/marketplace.json": map[string]any{"name": name, "interface": map[string]any{"displayName": name},
			"plugins": []any{map[string]any{"name": name, "category": "Developer Tools",
				"source": map[string]any{"source": "local", "path": "./"},
				"policy": map[string]any{"installation": "AVAILABLE", "authentication": "ON_INSTALL"}}}},
		".codex-plugin/plugin.json": o.about(map[string]any{"author": author, "skills": "./skills/",
			"mcpServers": "./.mcp.json", "hooks": "./hooks/hooks.json",
			"interface": map[string]any{"displayName": name, "shortDescription": Description,
				"category": "Developer Tools"}}),
		".mcp.json": map[string]any{"mcpServers": map[string]any{
			name: map[string]any{"command": l.command, "args": l.args}}},
		"hooks/hooks.json": t.hooksFile(hookCommand(l.command, h), o.hooks),
		skillFile:          SkillText,
	})
}

// geminiExtension returns an extension for gemini-cli, with the section of AGENTS.md as its context.
func geminiExtension(o packaged) ([]PackageFile, error) {
	h, t := Find("gemini"), hookTables["gemini"]
	l := o.starts("gemini")
	return files(map[string]any{
		"gemini-extension.json": o.about(map[string]any{"contextFileName": "GEMINI.md",
			"mcpServers": map[string]any{name: map[string]any{"command": l.command, "args": l.args, "timeout": 60000}}}),
		"GEMINI.md":        sectionText,
		"hooks/hooks.json": t.hooksFile(hookCommand(l.command, h), o.hooks),
		skillFile:          SkillText,
	})
}

// opencodePackage returns the plugin for opencode, which is one file for a folder of plugins.
func opencodePackage(o packaged) ([]PackageFile, error) {
	t := hookTables["opencode"]
	return files(map[string]any{"lspi.js": t.own(t, hookCommand(o.starts("").command, Find("opencode")), o.hooks)})
}

// files returns contents by name: texts as they are, everything else as JSON.
func files(contents map[string]any) ([]PackageFile, error) {
	var out []PackageFile
	for file, content := range contents {
		text, ok := content.(string)
		if !ok {
			raw, err := json.MarshalIndent(content, "", "  ")
			if err != nil {
				return nil, err
			}
			text = string(raw) + "\n"
		}
		out = append(out, PackageFile{file, text})
	}
	slices.SortFunc(out, func(a, b PackageFile) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}
