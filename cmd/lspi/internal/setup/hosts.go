package setup

import (
	"path/filepath"
	"runtime"
)

// Scope says for whom a host is configured.
type Scope string

// The scopes: all projects of the user, or everybody who works on one project.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Host is a row of the table of hosts: where and in which form the host reads which MCP servers to start.
type Host struct {
	Name  string // for lspi setup NAME
	Title string
	Tried bool // configured by lspi setup and run by tests; else the row's comment names the source of its facts

	file     func(p Place) string // returns the user's file, absolute; nil for none
	project  string               // the file in a project, relative, with slashes; "" for none
	programs []string             // names of its programs on PATH
	folders  []string             // folders or files below home, with slashes; one exists if the host is or was installed
	desktop  bool                 // it is started from a desktop, whose PATH is not known
	form     format
	path     []string // keys of the object, table or list that holds the servers' entries
	entry    func(l launch, s Scope) entryFields
	context  string                       // --context of lspi mcp; "" for the default, which has all tools
	readOnly bool                         // lspi is read-only without --read-write, because the host edits files itself
	Differs  string                       // one sentence on read-only and read-write
	skills   string                       // folder of its skills, below home or project, with slashes; "" for none
	command  func(e entryFields) []string // returns the host's own command that adds the entry; nil for none
}

// launch is the command line that starts lspi.
type launch struct {
	command string
	args    []string
}

// field is one key of an entry with its value: string, bool, int, []string or a map without members.
type field struct {
	key   string
	value any
}

// entryFields is the entryFields of lspi in a host's file, in the order in which it is written.
type entryFields []field

// inHome returns a file below the home folder.
func inHome(parts ...string) func(Place) string {
	return func(p Place) string { return filepath.Join(append([]string{p.User.HomeDir()}, parts...)...) }
}

// inConfig returns a file below the folder for configuration: XDG_CONFIG_HOME, else ~/.config, on every system.
func inConfig(parts ...string) func(Place) string {
	return func(p Place) string {
		dir := p.User.Env("XDG_CONFIG_HOME")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.User.HomeDir(), ".config")
		}
		return filepath.Join(append([]string{dir}, parts...)...)
	}
}

// orVariable returns a file in the folder that an environment variable names, else in a folder below home.
func orVariable(variable, folder, file string) func(Place) string {
	return func(p Place) string {
		if dir := p.User.Env(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, file)
		}
		return filepath.Join(p.User.HomeDir(), folder, file)
	}
}

// codeUser returns mcp.json of VS Code's default profile.
func codeUser(p Place) string {
	home := p.User.HomeDir()
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(p.User.Env("APPDATA"), "Code", "User", "mcp.json")
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "Code", "User", "mcp.json")
	}
	return inConfig("Code", "User", "mcp.json")(p)
}

// opencodeUser returns opencode.json if only that exists, else opencode.jsonc: opencode reads both.
func opencodeUser(p Place) string {
	dir := inConfig("opencode")(p)
	if plain := filepath.Join(dir, "opencode.json"); exists(plain) && !exists(filepath.Join(dir, "opencode.jsonc")) {
		return plain
	}
	return filepath.Join(dir, "opencode.jsonc")
}

// gooseUser returns config.yaml in the folder that goose's library etcetera chooses.
func gooseUser(p Place) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(p.User.Env("APPDATA"), "Block", "goose", "config", "config.yaml")
	}
	return inConfig("goose", "config.yaml")(p)
}

// zedUser returns settings.json of Zed.
func zedUser(p Place) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(p.User.Env("APPDATA"), "Zed", "settings.json")
	}
	return inConfig("zed", "settings.json")(p)
}

// started makes entries of command, args, and more fields.
func started(more ...field) func(launch, Scope) entryFields {
	return func(l launch, _ Scope) entryFields {
		return append(entryFields{{"command", l.command}, {"args", l.args}}, more...)
	}
}

// typed makes entries of type (the transport), command, args, and more fields.
func typed(transport string, more ...field) func(launch, Scope) entryFields {
	return func(l launch, _ Scope) entryFields {
		return append(entryFields{{"type", transport}, {"command", l.command}, {"args", l.args}}, more...)
	}
}

// Desktop reports whether the host is started from a desktop, with the PATH of the login and not of a terminal.
func (h *Host) Desktop() bool { return h.desktop }

// The sentences for Host.Differs.
const (
	codexDiffers  = "Read-only (--context codex) answers questions and leaves edits to Codex; read-write (--context full) adds rename_symbol, code_actions, edit_symbol and check_edit, which change files themselves."
	othersDiffers = "Read-write has all tools, of which rename_symbol, code_actions and edit_symbol change files; read-only answers questions alone."
	// The entries of these hosts allow all calls without a question (trust, autoApprove).
	trustingDiffers = othersDiffers + " With this entry the host runs them without asking you before each call."
)

// Hosts is the table of hosts. Rows with Tried were configured by lspi setup and run (test/hosts/, docs/hosts.md), in
// the versions of scripts/hosts.sh; comments of the others name the source of their facts.
var Hosts = []*Host{
	// openai/codex docs/config.md, and tried: config.toml of CODEX_HOME, else ~/.codex. A project's
	// .codex/config.toml counts once the project is trusted. Its own `codex mcp add` sets no tool_timeout_sec, so
	// the file is edited. Skills: developers.openai.com/codex/skills, .agents/skills in the project and
	// $HOME/.agents/skills.
	{Name: "codex", Title: "Codex CLI", Tried: true, file: orVariable("CODEX_HOME", ".codex", "config.toml"),
		project:  ".codex/config.toml",
		programs: []string{"codex"}, folders: []string{".codex"}, form: tomlTable{}, path: []string{"mcp_servers"},
		entry: started(field{"tool_timeout_sec", 60}), context: "codex", readOnly: true, Differs: codexDiffers,
		skills: ".agents/skills"},
	// code.claude.com/docs/en/mcp, and tried: mcpServers of ~/.claude.json (of CLAUDE_CONFIG_DIR), which Claude
	// Code writes all the time, so that its own command adds the entry; .mcp.json in a project. Skills:
	// .claude/skills in both.
	{Name: "claude", Title: "Claude Code", Tried: true, file: func(p Place) string {
		if dir := p.User.Env("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
			return filepath.Join(dir, ".claude.json")
		}
		return filepath.Join(p.User.HomeDir(), ".claude.json")
	}, project: ".mcp.json", programs: []string{"claude"}, folders: []string{".claude", ".claude.json"},
		form: jsonObject{strict: true},
		path: []string{"mcpServers"}, entry: typed("stdio", field{"env", map[string]string{}}), context: "claude",
		Differs: othersDiffers, skills: ".claude/skills",
		command: func(e entryFields) []string {
			l := e.launch()
			return append([]string{"claude", "mcp", "add", "--scope", "user", "lspi", "--", l.command}, l.args...)
		}},
	// google-gemini/gemini-cli docs/tools/mcp-server.md, and tried: settings.json with comments.
	{Name: "gemini", Title: "gemini-cli", Tried: true, file: inHome(".gemini", "settings.json"),
		project:  ".gemini/settings.json",
		programs: []string{"gemini"}, folders: []string{".gemini"}, form: jsonObject{}, path: []string{"mcpServers"},
		entry: started(field{"timeout", 60000}, field{"trust", true}), Differs: trustingDiffers},
	// opencode.ai/docs/mcp-servers, and tried: opencode.jsonc; command is a list.
	{Name: "opencode", Title: "opencode", Tried: true, file: opencodeUser, project: "opencode.jsonc",
		programs: []string{"opencode"}, folders: []string{".config/opencode", ".local/share/opencode"},
		form: jsonObject{}, path: []string{"mcp"},
		entry: func(l launch, _ Scope) entryFields {
			return entryFields{{"type", "local"}, {"command", append([]string{l.command}, l.args...)}, {"enabled", true},
				{"timeout", 60000}}
		}, Differs: othersDiffers},
	// QwenLM/qwen-code docs, and tried: as gemini-cli, of which it is a fork.
	{Name: "qwen", Title: "qwen-code", Tried: true, file: inHome(".qwen", "settings.json"),
		project:  ".qwen/settings.json",
		programs: []string{"qwen"}, folders: []string{".qwen"}, form: jsonObject{}, path: []string{"mcpServers"},
		entry: started(field{"timeout", 60000}, field{"trust", true}), Differs: trustingDiffers},
	// docs.github.com, Copilot CLI, and tried: mcp-config.json of ~/.copilot (COPILOT_HOME); .mcp.json in trusted
	// folders.
	{Name: "copilot", Title: "Copilot CLI", Tried: true, file: orVariable("COPILOT_HOME", ".copilot",
		"mcp-config.json"), project: ".github/mcp.json",
		programs: []string{"copilot"}, folders: []string{".copilot"}, form: jsonObject{}, path: []string{"mcpServers"},
		entry: typed("local", field{"tools", []string{"*"}}, field{"timeout", 60000}), Differs: othersDiffers},
	// Tried: Cline CLI 3.0. Strict JSON, seconds.
	{Name: "cline", Title: "Cline", Tried: true, file: inHome(".cline", "data", "settings", "cline_mcp_settings.json"),
		programs: []string{"cline"}, folders: []string{".cline"}, form: jsonObject{strict: true},
		path:    []string{"mcpServers"},
		entry:   started(field{"disabled", false}, field{"autoApprove", []string{"*"}}, field{"timeout", 60}),
		Differs: trustingDiffers},
	// Tried: kimi-code 2.1. Strict JSON, milliseconds.
	{Name: "kimi", Title: "kimi-code", Tried: true, file: inHome(".kimi-code", "mcp.json"), programs: []string{"kimi"},
		folders: []string{".kimi-code"},
		form:    jsonObject{strict: true}, path: []string{"mcpServers"},
		entry:   started(field{"enabled", true}, field{"startupTimeoutMs", 30000}, field{"toolTimeoutMs", 60000}),
		Differs: othersDiffers},
	// docs.continue.dev/reference, and tried: a list in config.yaml. A new file needs name, version and schema.
	{Name: "cn", Title: "Continue", Tried: true, file: inHome(".continue", "config.yaml"), programs: []string{"cn"},
		folders: []string{".continue"},
		form:    yamlList{begin: "name: local\nversion: 1.0.0\nschema: v1\n"}, path: []string{"mcpServers"},
		entry: func(l launch, _ Scope) entryFields {
			return entryFields{{"name", "lspi"}, {"type", "stdio"}, {"command", l.command}, {"args", l.args}}
		}, Differs: othersDiffers},
	// mistralai/mistral-vibe README, and tried: an array of tables.
	{Name: "vibe", Title: "mistral-vibe", Tried: true, file: orVariable("VIBE_HOME", ".vibe", "config.toml"),
		project:  ".vibe/config.toml",
		programs: []string{"vibe"}, folders: []string{".vibe"}, form: tomlTable{array: true},
		path: []string{"mcp_servers"},
		entry: func(l launch, _ Scope) entryFields {
			return entryFields{{"name", "lspi"}, {"transport", "stdio"}, {"command", l.command}, {"args", l.args},
				{"tool_timeout_sec", 60}}
		}, Differs: othersDiffers},
	// cursor.com/docs/context/mcp: .cursor/mcp.json in home and project, mcpServers. Not run by anybody here.
	{Name: "cursor", Title: "Cursor", file: inHome(".cursor", "mcp.json"), project: ".cursor/mcp.json",
		programs: []string{"cursor", "cursor-agent"},
		folders:  []string{".cursor"}, desktop: true, form: jsonObject{}, path: []string{"mcpServers"},
		entry: started(), Differs: othersDiffers},
	// code.visualstudio.com/docs/copilot/reference/mcp-configuration: mcp.json in .vscode or in the user's profile,
	// servers, with type. Not run by anybody here.
	{Name: "vscode", Title: "VS Code", file: codeUser, project: ".vscode/mcp.json", programs: []string{"code"},
		folders: []string{".vscode", ".config/Code"}, desktop: true, form: jsonObject{}, path: []string{"servers"},
		entry: typed("stdio"), Differs: othersDiffers},
	// zed.dev/docs/ai/mcp: context_servers of settings.json with comments, in the user's folder or .zed of the
	// project. Not run by anybody here.
	{Name: "zed", Title: "Zed", file: zedUser, project: ".zed/settings.json", programs: []string{"zed", "zeditor"},
		folders: []string{".config/zed"}, desktop: true, form: jsonObject{}, path: []string{"context_servers"},
		entry: started(field{"env", map[string]string{}}), Differs: othersDiffers},
	// docs.windsurf.com, Cascade MCP: ~/.codeium/windsurf/mcp_config.json, mcpServers; no file in projects. Not run
	// by anybody here.
	{Name: "windsurf", Title: "Windsurf", file: inHome(".codeium", "windsurf", "mcp_config.json"),
		programs: []string{"windsurf"},
		folders:  []string{".codeium/windsurf"}, desktop: true, form: jsonObject{}, path: []string{"mcpServers"},
		entry: started(), Differs: othersDiffers},
	// kiro.dev/docs/mcp/configuration: .kiro/settings/mcp.json in home and project. Not run by anybody here.
	{Name: "kiro", Title: "Kiro", file: inHome(".kiro", "settings", "mcp.json"), project: ".kiro/settings/mcp.json",
		programs: []string{"kiro", "kiro-cli"},
		folders:  []string{".kiro"}, desktop: true, form: jsonObject{}, path: []string{"mcpServers"},
		entry: started(field{"disabled", false}), Differs: othersDiffers},
	// block/goose, documentation "Using Extensions": extensions of config.yaml, a map; cmd, envs, timeout in
	// seconds. Not run by anybody here.
	{Name: "goose", Title: "goose", file: gooseUser, programs: []string{"goose"}, folders: []string{".config/goose"},
		form: yamlMap{},
		path: []string{"extensions"}, entry: func(l launch, _ Scope) entryFields {
			return entryFields{{"name", "lspi"}, {"type", "stdio"}, {"cmd", l.command}, {"args", l.args}, {"enabled", true},
				{"timeout", 60}}
		}, Differs: othersDiffers},
}

// Find returns the host with a name, nil when there is none.
func Find(name string) *Host {
	for _, h := range Hosts {
		if h.Name == name {
			return h
		}
	}
	return nil
}

// launch returns the command line of an entry.
func (e entryFields) launch() (l launch) {
	for _, f := range e {
		switch v := f.value.(type) {
		case string:
			if f.key == "command" || f.key == "cmd" {
				l.command = v
			}
		case []string:
			switch f.key {
			case "command":
				l.command, l.args = v[0], v[1:]
			case "args":
				l.args = v
			}
		}
	}
	return l
}

// HasSkills reports whether the host reads skills from a folder that lspi knows.
func (h *Host) HasSkills() bool { return h.skills != "" }
