package config

import (
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/lsp/spec"
	"lspi/tools/session"
)

// key is one row of the table of keys. All that is particular about a key is in its row: how its value is checked,
// what it is when no file sets it, what a file that the user does not trust may do with it, where it is stored, and
// its documentation.
//
// Whoever adds a key adds its row here, the field that it is stored in (of [Config], or of spec.Spec for a
// server's), and shows it in lspi.toml.example; `make generate` writes it into docs/configuration.md. The tests of
// this package go through all rows.
type key struct {
	name      string // such as mcp.context; servers[].command is a key of each [[servers]] entry
	holds     valueType
	def       string // the default as it is written in TOML; "" when there is none to write
	untrusted rule
	// config or server is a pointer to the variable that the value is stored in. A key that has neither takes part in a
	// decision of servers.go or load.go.
	config func(c *Config) any
	server func(s *spec.Spec) any
	named  func(c *Config, name string) any // the same for a key of a table that a file gives a name to ([anyName])
	doc    string                           // one or two sentences of Markdown
}

// anyName stands in the names of keys for a name that a file chooses: presets.*.tools is a key of each [presets.NAME].
const anyName = "*"

// isNamed reports whether a key is one of a table that a file gives a name to.
func (k *key) isNamed() bool { return strings.Contains("."+k.name+".", "."+anyName+".") }

// serverSection begins the names of the keys of servers.
const serverSection = "servers[]."

func (k *key) ofServer() bool { return strings.HasPrefix(k.name, serverSection) }

// modeNavigation is the mode that reads only. As a flag it is a promise, which no file undoes.
const modeNavigation = "navigation"

// Contexts, Modes and Shares are the values of mcp.context, mcp.mode and mcp.share, contexts from the most to the
// least that they allow.
var (
	Shares    = []string{"auto", "off"}
	Contexts  = []string{"full", "claude", "codex", "navigation"}
	Modes     = []string{modeNavigation, "refactor"}
	echoes    = []string{"errors", "always", "never"}
	shapes    = []string{"today", session.ShapeOriginal}
	textForms = []string{"auto", "full", "short"}
	logLevels = []string{"debug", "info", "warn", "error"}
)

// protectedPlaces are those of edit.DefaultProtected, as TOML.
const protectedPlaces = `[".git", ".hg", ".svn", ".jj", ".claude", ".codex", ".gemini", ".cursor", ".vscode", ".idea", ".mcp.json", ".lspi", "lspi.toml", "lspi.json", ".config/lspi", ".local/state/lspi", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"]`

// generatedNames are source.GeneratedNames, as TOML.
const generatedNames = `["*.generated.*", "*.gen.*", "*_generated.*", "zz_generated.*", "*.pb.*", "*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*.g.dart", "*.freezed.dart", "*.g.cs", "*.[Dd]esigner.cs", "moc_*.cpp", "qrc_*.cpp"]`

var keys = []key{
	{name: "workspace_root", holds: root, untrusted: inside(otherRoot),
		doc: "The workspace, relative to this file. Default: the host's roots, else CLAUDE_PROJECT_DIR, else the current folder, lifted to the root of its repository. `--workspace-root` wins."},
	{name: "workspace_folders", holds: folderList, def: "[]", untrusted: inside(dropsFolders),
		config: func(c *Config) any { return &c.folders },
		doc:    "Further folders that belong to the workspace, relative to its root: tools may read and edit there too."},
	{name: "catalogue", holds: boolean, def: "true", untrusted: narrower(onlyFalse, told),
		config: func(c *Config) any { return &c.catalogue },
		doc:    "Offer every server that lspi knows. With false only the `[[servers]]` are used."},
	{name: "dev_container", holds: boolean, def: "true", untrusted: narrower(onlyFalse, told),
		config: func(c *Config) any { return &c.DevContainer },
		doc:    "Run the servers that are installed in the workspace's dev container there, while it runs (docs/elsewhere.md). Only in a workspace that is trusted."},
	// answers that lack something for it say so (restricted)
	{name: "trust", holds: oneOf(trust.Policies), def: `"owned"`, untrusted: narrower(trustsFewer, notTold),
		config: func(c *Config) any { return &c.policy },
		doc:    "Which workspaces may run code of their own (build scripts, plugins, linters): `ask`: those that `lspi trust` was told of; `owned`: besides, your own folders whose remote or parent folder you trusted, and those that you trusted in Codex, Claude Code or gemini-cli; `all`. A workspace's file can only narrow it, also when it is trusted. `--trust` and `LSPI_TRUST` win."},
	{name: "env_pass", holds: texts, def: "[]", untrusted: never,
		config: func(c *Config) any { return &c.pass },
		doc:    "Names of variables of lspi's own environment that every server gets. Without it they get `PATH`, `HOME`, locale, temporary folders, proxies and what their language's tools read, and nothing named like a token, key, secret or password."},

	{name: "servers[].id", holds: serverID, untrusted: free(takesOver),
		doc: "The server's name, shown as `server_id`. Entries of several files with the same id are merged. An id of the catalogue takes that row."},
	{name: "servers[].kind", holds: rowOrNone, untrusted: narrower(sameKind, notTold), // goes with the id
		doc: "The catalogue's row that this server is laid over, such as `rust_analyzer`; or `generic`, which needs `command` and `extensions`. Default: the row with this id, else `generic`."},
	{name: "servers[].enabled", holds: boolean, def: "true", untrusted: narrower(staysOff, onlyFalse),
		doc: "With false the server is never started, and the catalogue's row of this id is taken out."},
	{name: "servers[].extensions", holds: extensions, untrusted: free(otherFiles),
		doc: "The file extensions that it serves, without the dot. Default: the catalogue's."},
	{name: "servers[].language_id", holds: text, untrusted: free(otherLanguage),
		doc: "The LSP language id of all its files. Default: the catalogue's, by extension."},
	{name: "servers[].command", holds: command, untrusted: never,
		doc: "The program: a name looked up on PATH, or a path relative to this file. Default: the catalogue's, tried in order."},
	{name: "servers[].args", holds: texts, untrusted: never,
		doc: "Its arguments, the switch to stdio among them. They replace the catalogue's."},
	{name: "servers[].env", holds: environment, def: "{}", untrusted: never,
		server: func(s *spec.Spec) any { return &s.Env },
		doc:    "Environment variables that are added for it. Values are never shown or logged."},
	{name: "servers[].env_pass", holds: texts, def: "[]", untrusted: never,
		server: func(s *spec.Spec) any { return &s.Pass },
		doc:    "Names of variables of lspi's own environment that it gets besides those that its language's tools read, secrets among them."},
	{name: "servers[].cwd", holds: folder, untrusted: inside(told),
		server: func(s *spec.Spec) any { return &s.Cwd },
		doc:    "Its working directory, relative to the workspace. Default: its root."},
	{name: "servers[].paths", holds: pathTable, def: "{}", untrusted: never,
		server: func(s *spec.Spec) any { return &s.Elsewhere.Paths },
		doc:    "For a server that `command` starts elsewhere (ssh, docker exec, a wrapper): the folders here, relative to the workspace, and their paths there, such as `{ \".\" = \"/workspaces/app\" }` (docs/elsewhere.md)."},
	{name: "servers[].root_dir", holds: folder, untrusted: inside(told),
		server: func(s *spec.Spec) any { return &s.RootDir },
		doc:    "The project root that it is given, relative to the workspace. Default: found for each file by the catalogue's markers."},
	{name: "servers[].workspace_folders", holds: folderList, def: "[]", untrusted: inside(dropsFolders),
		server: func(s *spec.Spec) any { return &s.Folders },
		doc:    "Further workspace folders for it, relative to the workspace: tools may read and edit there too."},
	{name: "servers[].adapter", holds: rowName, untrusted: never,
		doc: "The catalogue's row whose behaviour is expected (signs of readiness, what makes edits seen, diagnostics, silent limits), for a server that is a variant of it. Default: that of `kind`."},
	{name: "servers[].initialize_timeout_ms", holds: millis(1), def: "60000", untrusted: free(sooner),
		server: func(s *spec.Spec) any { return &s.Timeouts.Initialize },
		doc:    "How long it may take to start and shake hands."},
	{name: "servers[].request_timeout_ms", holds: millis(1), untrusted: free(sooner),
		server: func(s *spec.Spec) any { return &s.Timeouts.Request },
		doc:    "How long one request may take, where that is less than the call may (`mcp.call_timeout_ms`). Default: as long as the call."},
	{name: "servers[].request_timeout_overrides_ms", holds: millisByMethod(1), def: "{}", untrusted: free(anySooner),
		server: func(s *spec.Spec) any { return &s.Timeouts.Requests },
		doc:    "The same for single requests, by LSP method, such as `\"textDocument/references\" = 60000`."},
	{name: "servers[].warmup_timeout_ms", holds: millis(1), def: "45000", untrusted: free(sooner),
		server: func(s *spec.Spec) any { return &s.Timeouts.Warmup },
		doc:    "How long a call waits for it to load and index the project before it answers with what there is."},
	{name: "servers[].idle_shutdown_ms", holds: millis(0), untrusted: free(unlessNever),
		server: func(s *spec.Spec) any { return &s.Timeouts.Idle },
		doc:    "Stop it after so long without a call; 0 never does. Default: the catalogue's."},
	{name: "servers[].restart_interval_minutes", holds: minutes(), untrusted: free(unlessNever),
		server: func(s *spec.Spec) any { return &s.Timeouts.Restart },
		doc:    "Restart it after so long; 0 never does. Default: the catalogue's."},
	{name: "servers[].initialize_options", holds: freeTable, def: "{}", untrusted: never,
		server: func(s *spec.Spec) any { return &s.InitializationOptions },
		doc:    "`initializationOptions` of the handshake, merged into the catalogue's."},
	{name: "servers[].client_capabilities", holds: freeTable, def: "{}", untrusted: never,
		server: func(s *spec.Spec) any { return &s.Capabilities },
		doc:    "Client capabilities, merged into those that lspi offers."},
	{name: "servers[].workspace_configuration", holds: freeTable, def: "{}", untrusted: never,
		server: func(s *spec.Spec) any { return &s.Settings },
		doc:    "The server's settings by section, answered to `workspace/configuration`, merged into the catalogue's."},

	{name: "mcp.context", holds: oneOf(Contexts), def: `"full"`, untrusted: narrower(laterContext, told),
		config: func(c *Config) any { return &c.MCP.Context },
		doc:    "The kind of host: `codex` (which edits files itself) and `navigation` are read-only unless `mcp.read_only` or `mcp.mode` says otherwise; `full` and `claude` are not. `--context` wins."},
	{name: "mcp.mode", holds: oneOf(Modes), untrusted: narrower(onlyNavigation, told),
		config: func(c *Config) any { return &c.MCP.Mode },
		doc:    "`navigation` is read-only, `refactor` is not, unless `mcp.read_only` says otherwise. Default: as `mcp.context` has it. `--mode` wins, and `--mode navigation` is read-only whatever `mcp.read_only` says."},
	{name: "mcp.read_only", holds: boolean, def: "false", untrusted: narrower(onlyTrue, told),
		config: func(c *Config) any { return &c.MCP.ReadOnly },
		doc:    "Take out and refuse every tool that writes files or controls servers. `--read-only` and `--read-write` win."},
	// longer ones outlive what hosts wait
	{name: "mcp.call_timeout_ms", holds: millis(1000), def: "50000", untrusted: free(told),
		config: func(c *Config) any { return &c.MCP.CallTimeout },
		doc:    "The deadline of one tool call with everything in it. Hosts give up after about 60 s."},
	{name: "mcp.warmup", holds: boolean, untrusted: narrower(onlyFalse, notTold), // servers start with the first call
		config: func(c *Config) any { return &c.MCP.Warmup },
		doc:    "Start the servers that the workspace needs at once, not with the first call. Default: `true` in the process that hosts share (`mcp.share`), else `false`. `--warmup` wins."},
	{name: "mcp.share", holds: oneOf(Shares), def: `"auto"`, untrusted: never,
		config: func(c *Config) any { return &c.MCP.Share },
		doc:    "`auto`: all hosts of the user talk to one process, which keeps the servers warm (docs/shared.md); where that is not possible, and on Windows, each has its own. `off`: always its own. `--share` and `LSPI_SHARE` win."},
	// "short" is nothing in hosts that show text alone; with "full" less fits
	{name: "mcp.text", holds: oneOf(textForms), def: `"auto"`, untrusted: free(told),
		config: func(c *Config) any { return &c.MCP.Text },
		doc:    "The text beside each answer, which is all that some hosts show their model: `full` is the whole answer, `short` one line; `auto` goes by what the host is known to show (docs/hosts.md)."},
	{name: "mcp.output.max_total_chars_default", holds: integer(1000), def: "24000",
		untrusted: narrower(notAbove, told),
		config:    func(c *Config) any { return &c.MCP.Output.MaxTotalCharsDefault },
		doc:       "The largest answer, in characters, when a call does not ask for another cap. Default: less for a host that shows less."},
	{name: "mcp.output.max_total_chars_hard", holds: integer(1000), def: "2000000", untrusted: narrower(notAbove, told),
		config: func(c *Config) any { return &c.MCP.Output.MaxTotalCharsHard },
		doc:    "The largest cap that a call may ask for."},
	// the model knows what it asked
	{name: "mcp.output.echo_input", holds: oneOf(echoes), def: `"errors"`, untrusted: free(notTold),
		config: func(c *Config) any { return &c.MCP.Output.EchoInput },
		doc:    "When answers repeat their arguments: `errors` with errors, and in the answers of the tools that look at lspi itself; `always` or `never`. On success those that were not given stand there with their defaults."},
	// a mark in answers, and a warning of edits
	{name: "mcp.output.generated", holds: globs, def: generatedNames, untrusted: free(notTold),
		config: func(c *Config) any { return &c.MCP.Generated },
		doc:    "Globs of files that count as generated by their names, beside those whose text says so; without a slash of names in any folder. Answers mark such files, `symbol_bundle` leaves out their code, and edits of them warn."},
	{name: "mcp.output.shape", holds: oneOf(shapes), def: `"today"`, untrusted: free(notTold),
		config: func(c *Config) any { return &c.MCP.Output.Shape },
		doc:    "The fields of answers: those of today, or for programs that read answers of the `original` lspi those that it had (docs/from-original.md)."},
	{name: "mcp.tools.allow", holds: allowList, untrusted: narrower(staysWithin, told),
		config: func(c *Config) any { return &c.MCP.Tools.Allow },
		doc:    "The only tools that are offered; those of other MCP servers as `NAME__tool` or `NAME__*`. Default: all."},
	{name: "mcp.tools.exclude", holds: toolList, def: "[]", untrusted: narrower(excludesMore, told),
		config: func(c *Config) any { return &c.MCP.Tools.Exclude },
		doc:    "Tools that are not offered; wins over `allow`."},
	{name: "mcp.tools.lsp_request", holds: methodList, def: "[]", untrusted: narrower(allowedByBoth, told),
		config: func(c *Config) any { return &c.MCP.Tools.Raw },
		doc:    "The methods that the tool `lsp_request` passes on, out of those that only read; `[\"all\"]` are all of these. Without any the tool is off."},

	{name: "mcp.preset", holds: text, untrusted: never,
		config: func(c *Config) any { return &c.MCP.Preset },
		doc:    "The preset in use, one of `[presets.NAME]` or of the files `presets/NAME.toml` beside the user's own configuration. Default: none, which leaves out nothing. `--preset` and `LSPI_PRESET` win; `lspi preset use` switches running sessions."},

	{name: "presets.*.tools", holds: presetTools, untrusted: never,
		named: func(c *Config, name string) any { return &c.preset(name).Tools },
		doc:   "The only tools that the preset leaves in; `*` and `?` stand for any text and any character, as in `\"github__*\"`. With `[]` there are none. Default: all."},
	{name: "presets.*.servers", holds: texts, untrusted: never,
		named: func(c *Config, name string) any { return &c.preset(name).Servers },
		doc:   "The ids of the only language servers and MCP servers that the preset leaves in. Default: all."},
	{name: "presets.*.prompts", holds: texts, untrusted: never,
		named: func(c *Config, name string) any { return &c.preset(name).Prompts },
		doc:   "The only prompts of MCP servers, as `\"NAME__prompt\"`; patterns as in `tools`. Default: all of the servers that the preset leaves in."},
	{name: "presets.*.resources", holds: texts, untrusted: never,
		named: func(c *Config, name string) any { return &c.preset(name).Resources },
		doc:   "The only resources of MCP servers, by their URIs and URI templates; patterns as in `tools`. Default: all of the servers that the preset leaves in."},
	{name: "presets.*.read_only", holds: boolean, def: "false", untrusted: never,
		named: func(c *Config, name string) any { return &c.preset(name).ReadOnly },
		doc:   "The preset takes out every tool that writes. With false it is as `mcp.read_only` and the flags say."},
	{name: "presets.*.max_total_chars", holds: integer(1000), untrusted: never,
		named: func(c *Config, name string) any { return &c.preset(name).MaxTotalChars },
		doc:   "`mcp.output.max_total_chars_default` while the preset is in use."},
	{name: "presets.*.context", holds: oneOf(Contexts), untrusted: never,
		named: func(c *Config, name string) any { return &c.preset(name).Context },
		doc:   "`mcp.context` while the preset is in use. `--context` wins."},

	{name: "tools.*", holds: argumentTable, untrusted: never,
		named: func(c *Config, name string) any { return c.toolDefaults(name) },
		doc:   "Defaults of a tool's arguments, by the name of the tool: `[tools.find_references]` with `max_results = 50`. Each is checked against the tool's schema, which shows it; arguments that are required, that say what a call is about (`file_path`, `symbol_name`, `line`, …), or that decide whether files change have none."},

	{name: "mcp_servers.*.enabled", holds: boolean, def: "true", untrusted: narrower(onlyFalse, told),
		named: func(c *Config, name string) any { return &c.mcpServer(name).Enabled },
		doc:   "With false the MCP server is not there."},
	{name: "mcp_servers.*.command", holds: mcpCommand, untrusted: never,
		named: func(c *Config, name string) any { return &c.mcpServer(name).Command },
		doc:   "The program of another MCP server, which lspi starts and whose tools it offers as `NAME__tool`: a name looked up on PATH, or a path relative to this file. In all strings of this table `${VAR}` is a variable of lspi's environment."},
	{name: "mcp_servers.*.args", holds: texts, def: "[]", untrusted: never,
		named: func(c *Config, name string) any { return &c.mcpServer(name).Args },
		doc:   "Its arguments."},
	{name: "mcp_servers.*.env", holds: environment, def: "{}", untrusted: never,
		named: func(c *Config, name string) any { return &c.mcpServer(name).Env },
		doc:   "Environment variables that are added for it. Values are never shown or logged."},
	{name: "mcp_servers.*.cwd", holds: text, untrusted: never,
		named: func(c *Config, name string) any { return &c.mcpServer(name).Cwd },
		doc:   "Its working directory, relative to the workspace. Default: the workspace."},
	{name: "mcp_servers.*.url", holds: text, untrusted: never,
		named: func(c *Config, name string) any { return &c.mcpServer(name).URL },
		doc:   "The address of an MCP server that is reached over HTTP, instead of `command`."},
	{name: "mcp_servers.*.headers", holds: environment, def: "{}", untrusted: never,
		named: func(c *Config, name string) any { return &c.mcpServer(name).Headers },
		doc:   "Headers of each request to `url`. Values are never shown or logged."},
	{name: "mcp_servers.*.token_env", holds: text, untrusted: never,
		named: func(c *Config, name string) any { return &c.mcpServer(name).TokenEnv },
		doc:   "The name of the variable whose value is sent to `url` as a bearer token."},
	{name: "mcp_servers.*.call_timeout_ms", holds: millis(1000), def: "60000", untrusted: never,
		named: func(c *Config, name string) any { return &c.mcpServer(name).CallTimeout },
		doc:   "How long one call of its tools may take."},

	{name: "recall.enabled", holds: boolean, def: "false", untrusted: narrower(onlyFalse, notTold),
		config: func(c *Config) any { return &c.Recall },
		doc:    "Offer the tools that look up what the user asked for in this workspace, from the transcripts of Codex CLI, Claude Code, VS Code, Copilot CLI, Gemini CLI and Qwen Code (docs/recall.md)."},

	// an edit that is refused says so
	{name: "edit.protected", holds: texts, def: protectedPlaces, untrusted: narrower(added, notTold),
		config: func(c *Config) any { return &c.Edit.Protected },
		doc:    "Files and folders, by name or part of a path, that no tool edits, wherever they are in the workspace and whatever a server wants. A workspace's file only adds to the list, trusted or not."},
	{name: "edit.confirm", holds: texts, def: `[".github/workflows"]`, untrusted: narrower(added, notTold), // likewise
		config: func(c *Config) any { return &c.Edit.Confirm },
		doc:    "The same for places that are edited only after a preview with a warning to ask the user."},

	{name: "index.files", holds: fileList, def: "[]", untrusted: inside(dropsFolders),
		config: func(c *Config) any { return &c.Index.Files },
		doc:    "SCIP indexes of the code, relative to the workspace, that answer where no server does (docs/index.md), beside `index.scip` of projects. The documents of each are below its folder, which may be another repository."},
	{name: "index.commit", holds: text, untrusted: free(notTold),
		config: func(c *Config) any { return &c.Index.Commit },
		doc:    "The commit that these indexes are of, and the index that clangd asks in place of its own. Default: what a file beside each says, such as `index.scip.commit`."},

	{name: "limits.max_servers", holds: integer(1), def: "12", untrusted: narrower(notAbove, told),
		config: func(c *Config) any { return &c.Limits.MaxServers },
		doc:    "How many servers run at a time. The one that was used longest ago makes room; none does that is in use."},
	{name: "limits.max_server_memory_mb", holds: integer(0), def: "0", untrusted: narrower(notAbove, told),
		config: func(c *Config) any { return &c.Limits.MaxServerMemory },
		doc:    "How much memory all servers may have together. Those that were used longest ago are stopped, then the largest, even while it is asked. It starts again with less memory, where it can, and with half of the projects that it had; one that was ended twice stays off for five minutes, and indexes answer meanwhile (docs/index.md). 0: three quarters of the machine's memory. Linux only."},

	{name: "daemon.idle_minutes", holds: minutes(), def: "30", untrusted: never,
		config: func(c *Config) any { return &c.Daemon.Idle },
		doc:    "How long the shared process stays without a host, and a workspace in it; servers end earlier by `idle_shutdown_ms`. Read from the user's own file."},
	{name: "daemon.http_roots", holds: folderList, def: "[]", untrusted: never,
		config: func(c *Config) any { return &c.Daemon.HTTPRoots },
		doc:    "The folders, absolute or from `~/` on, in which hosts that reach lspi over HTTP (docs/http.md) may choose a workspace; nothing else is reachable for them. Read from the user's own file."},

	{name: "hooks.budget_ms", holds: millis(100), def: "1500", untrusted: never,
		config: func(c *Config) any { return &c.Hooks.Budget },
		doc:    "How long `lspi hook` may keep a host waiting after a change (docs/hooks.md). What is not known by then is told with the next event."},
	{name: "hooks.stop", holds: boolean, def: "false", untrusted: narrower(onlyFalse, notTold),
		config: func(c *Config) any { return &c.Hooks.Stop },
		doc:    "Before a turn ends, tell the errors that the session brought and that are still there, where the host calls `lspi hook` then. The model goes on once."},
	{name: "hooks.search", holds: boolean, def: "false", untrusted: narrower(onlyFalse, notTold),
		config: func(c *Config) any { return &c.Hooks.Search },
		doc: "After a search for one word, or a read of some lines, tell where it is declared and how often it is " +
			"used, when servers that run know it within 150 ms."},

	{name: "search.url", holds: text, untrusted: never,
		config: func(c *Config) any { return &c.Search.URL },
		doc:    "A Zoekt web server (`zoekt-webserver -rpc`), such as `http://localhost:6070`: find_references and search_workspace_symbols ask it with `scope: \"everywhere\"` (docs/everywhere.md)."},
	{name: "search.token_env", holds: text, untrusted: never,
		config: func(c *Config) any { return &c.Search.TokenEnv },
		doc:    "The name of the variable whose value is sent to `search.url` as a bearer token."},

	{name: "logging.level", holds: oneOf(logLevels), def: `"warn"`, untrusted: never,
		config: func(c *Config) any { return &c.Logging.Level },
		doc:    "How much is logged. `--log-level` wins."},
	{name: "logging.file", holds: logOutput, untrusted: never,
		config: func(c *Config) any { return &c.Logging.File },
		doc:    "Log to this file, relative to this one, not to stderr. `--log-file` wins."},
	{name: "logging.events", holds: logOutput, untrusted: never,
		config: func(c *Config) any { return &c.Logging.Events },
		doc:    "Write one JSON line to this file for each request of a host, call of a server, answer, error and refusal (docs/events.md)."},
}

// byName finds a row by its key's name.
var byName = func() map[string]*key {
	m := make(map[string]*key, len(keys))
	for i := range keys {
		m[keys[i].name] = &keys[i]
	}
	return m
}()
