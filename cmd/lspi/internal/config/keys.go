package config

import (
	"fmt"
	"strings"

	"lspi/cmd/lspi/internal/trust"
)

// KeyDoc documents one key of the configuration; the README's table is made from these.
type KeyDoc struct {
	Key         string   // such as mcp.context; servers[].command is a key of each [[servers]] entry
	Type        string   // in words
	Default     string   // as it is written in TOML; "" when there is none to write
	Description string   // one or two sentences
	Values      []string // what an enumeration accepts; nil for everything else
	Untrusted   string   // what a workspace's file may do with it before `lspi trust`
}

// valueType is what a key holds.
type valueType uint8

const (
	tString  valueType = iota
	tEnum              // a string out of key.values
	tPath              // a folder or file
	tCommand           // a program: a name, or a path when it has a slash
	tBool
	tInt         // an integer of at least key.min
	tMillis      // the same, in milliseconds
	tStrings     // a list of strings
	tPaths       // a list of folders
	tExtensions  // a list of file extensions, not empty
	tTools       // a list of tool names
	tMethods     // a list of LSP methods that may be passed on, or "all"
	tKind        // the name of a catalogue row, or generic
	tEnv         // a table of strings
	tMillisTable // a table of milliseconds
	tFree        // a table of anything that JSON can carry
)

var typeWords = map[valueType]string{
	tString: "string", tEnum: "string", tPath: "path", tCommand: "string", tBool: "boolean", tInt: "integer",
	tMillis: "milliseconds", tStrings: "list of strings", tPaths: "list of paths", tExtensions: "list of strings",
	tTools: "list of tool names", tMethods: "list of LSP methods", tKind: "string", tEnv: "table of strings", tMillisTable: "table of milliseconds", tFree: "table",
}

// rule says what a workspace's file may do with a key while it is not trusted. The question behind each: what could a
// repository that somebody merely cloned do with it?
type rule uint8

const (
	free     rule = iota // choosing among what is there anyway
	inside               // a path, taken when it stays inside the workspace, symbolic links resolved
	narrower             // taken when it takes something away from what the user has; see narrowing
	never                // runs programs, hands them options that do, writes files
)

var ruleWords = map[rule]string{free: "yes", inside: "inside the workspace", narrower: "to narrow", never: "no"}

// key is one row of the table that everything about keys comes from: checking, trust, defaults, documentation.
type key struct {
	name      string
	holds     valueType
	def       string // as written in TOML; "" when there is none
	min       int64  // for tInt, tMillis and tMillisTable
	values    []string
	untrusted rule
	doc       string
}

// maxNumber bounds every number, so that no duration overflows: about 31 years in milliseconds.
const maxNumber = 1_000_000_000_000

// Contexts and Modes are the values of mcp.context and mcp.mode, contexts from the most to the least that they allow.
var (
	Contexts  = []string{"full", "claude", "codex", "navigation"}
	Modes     = []string{"navigation", "refactor"}
	echoes    = []string{"errors", "always", "never"}
	texts     = []string{"auto", "full", "short"}
	logLevels = []string{"debug", "info", "warn", "error"}
)

// generic is the kind of a server that the catalogue does not know.
const generic = "generic"

// protectedPlaces are those of edit.DefaultProtected, as TOML.
const protectedPlaces = `[".git", ".hg", ".svn", ".jj", ".claude", ".codex", ".gemini", ".cursor", ".vscode", ".idea", ".mcp.json", ".lspi", "lspi.toml", ".config/lspi", ".local/state/lspi", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"]`

var keys = []key{
	{"workspace_root", tPath, "", 0, nil, inside,
		"The workspace, relative to this file. Default: the host's roots, else CLAUDE_PROJECT_DIR, else the current folder, lifted to the root of its repository. `--workspace-root` wins."},
	{"workspace_folders", tPaths, "[]", 0, nil, inside,
		"Further folders that belong to the workspace, relative to its root: tools may read and edit there too."},
	{"catalogue", tBool, "true", 0, nil, narrower,
		"Offer every server that lspi knows. With false only the `[[servers]]` are used."},
	{"trust", tEnum, `"owned"`, 0, trust.Policies, narrower,
		"Which workspaces may run code of their own (build scripts, plugins, linters): `ask`: those that `lspi trust` was told of; `owned`: besides, your own folders whose remote or parent folder you trusted, and those that you trusted in Codex, Claude Code or gemini-cli; `all`. A workspace's file can only narrow it, also when it is trusted. `--trust` and `LSPI_TRUST` win."},
	{"env_pass", tStrings, "[]", 0, nil, never,
		"Names of variables of lspi's own environment that every server gets. Without it they get `PATH`, `HOME`, locale, temporary folders, proxies and what their language's tools read, and nothing named like a token, key, secret or password."},

	{"servers[].id", tString, "", 0, nil, free,
		"The server's name, shown as `server_id`. Entries of several files with the same id are merged. An id of the catalogue takes that row."},
	{"servers[].kind", tKind, "", 0, nil, narrower,
		"The catalogue's row that this server is laid over, such as `rust_analyzer`; or `generic`, which needs `command` and `extensions`. Default: the row with this id, else `generic`."},
	{"servers[].enabled", tBool, "true", 0, nil, narrower,
		"With false the server is never started, and the catalogue's row of this id is taken out."},
	{"servers[].extensions", tExtensions, "", 0, nil, free,
		"The file extensions that it serves, without the dot. Default: the catalogue's."},
	{"servers[].language_id", tString, "", 0, nil, free,
		"The LSP language id of all its files. Default: the catalogue's, by extension."},
	{"servers[].command", tCommand, "", 0, nil, never,
		"The program: a name looked up on PATH, or a path relative to this file. Default: the catalogue's, tried in order."},
	{"servers[].args", tStrings, "", 0, nil, never,
		"Its arguments, the switch to stdio among them. They replace the catalogue's."},
	{"servers[].env", tEnv, "{}", 0, nil, never,
		"Environment variables that are added for it. Values are never shown or logged."},
	{"servers[].env_pass", tStrings, "[]", 0, nil, never,
		"Names of variables of lspi's own environment that it gets besides those that its language's tools read, secrets among them."},
	{"servers[].cwd", tPath, "", 0, nil, inside,
		"Its working directory, relative to the workspace. Default: its root."},
	{"servers[].root_dir", tPath, "", 0, nil, inside,
		"The project root that it is given, relative to the workspace. Default: found for each file by the catalogue's markers."},
	{"servers[].workspace_folders", tPaths, "[]", 0, nil, inside,
		"Further workspace folders for it, relative to the workspace: tools may read and edit there too."},
	{"servers[].adapter", tString, "", 0, nil, never,
		"The catalogue's row whose behaviour is expected (signs of readiness, what makes edits seen, diagnostics, silent limits), for a server that is a variant of it. Default: that of `kind`."},
	{"servers[].initialize_timeout_ms", tMillis, "60000", 1, nil, free,
		"How long it may take to start and shake hands."},
	{"servers[].request_timeout_ms", tMillis, "30000", 1, nil, free,
		"How long one request may take; never longer than the call."},
	{"servers[].request_timeout_overrides_ms", tMillisTable, "{}", 1, nil, free,
		"The same for single requests, by LSP method, such as `\"textDocument/references\" = 60000`."},
	{"servers[].warmup_timeout_ms", tMillis, "45000", 1, nil, free,
		"How long a call waits for it to load and index the project before it answers with what there is."},
	{"servers[].idle_shutdown_ms", tMillis, "", 0, nil, free,
		"Stop it after so long without a call; 0 never does. Default: the catalogue's."},
	{"servers[].restart_interval_minutes", tInt, "", 0, nil, free,
		"Restart it after so long; 0 never does. Default: the catalogue's."},
	{"servers[].initialize_options", tFree, "{}", 0, nil, never,
		"`initializationOptions` of the handshake, merged into the catalogue's."},
	{"servers[].client_capabilities", tFree, "{}", 0, nil, never,
		"Client capabilities, merged into those that lspi offers."},
	{"servers[].workspace_configuration", tFree, "{}", 0, nil, never,
		"The server's settings by section, answered to `workspace/configuration`, merged into the catalogue's."},

	{"mcp.context", tEnum, `"full"`, 0, Contexts, narrower,
		"A set of safe defaults for a host. `codex` and `navigation` are read-only unless `mcp.read_only` or `mcp.mode` says otherwise. `--context` wins."},
	{"mcp.mode", tEnum, "", 0, Modes, narrower,
		"`navigation` is read-only, `refactor` is not, unless `mcp.read_only` says otherwise. Default: as `mcp.context` has it. `--mode` wins."},
	{"mcp.read_only", tBool, "false", 0, nil, narrower,
		"Take out and refuse every tool that writes files or controls servers. `--read-only` and `--read-write` win."},
	{"mcp.call_timeout_ms", tMillis, "50000", 1000, nil, free,
		"The deadline of one tool call with everything in it. Hosts give up after about 60 s."},
	{"mcp.warmup", tBool, "false", 0, nil, narrower,
		"Start the servers that the workspace needs at once, not with the first call. `--warmup` wins."},
	{"mcp.text", tEnum, `"auto"`, 0, texts, free,
		"The text beside each answer, which is all that some hosts show their model: `full` is the whole answer, `short` one line; `auto` goes by what the host is known to show (docs/hosts.md)."},
	{"mcp.output.max_total_chars_default", tInt, "24000", 1000, nil, narrower,
		"The largest answer, in characters, when a call does not ask for another cap. Default: less for a host that shows less."},
	{"mcp.output.max_total_chars_hard", tInt, "2000000", 1000, nil, narrower,
		"The largest cap that a call may ask for."},
	{"mcp.output.echo_input", tEnum, `"errors"`, 0, echoes, free,
		"When answers repeat their arguments."},
	{"mcp.tools.allow", tTools, "", 0, nil, narrower,
		"The only tools that are offered. Default: all."},
	{"mcp.tools.exclude", tTools, "[]", 0, nil, narrower,
		"Tools that are not offered; wins over `allow`."},
	{"mcp.tools.lsp_request", tMethods, "[]", 0, nil, narrower,
		"The methods that the tool `lsp_request` passes on, out of those that only read; `[\"all\"]` are all of these. Without any the tool is off."},

	{"edit.protected", tStrings, protectedPlaces, 0, nil, narrower,
		"Files and folders, by name or part of a path, that no tool edits, wherever they are in the workspace and whatever a server wants. A workspace's file only adds to the list, trusted or not."},
	{"edit.confirm", tStrings, `[".github/workflows"]`, 0, nil, narrower,
		"The same for places that are edited only after a preview with a warning to ask the user."},

	{"limits.max_servers", tInt, "12", 1, nil, narrower,
		"How many servers run at a time. The one that was used longest ago makes room; none does that is in use."},
	{"limits.max_server_memory_mb", tInt, "0", 0, nil, narrower,
		"How much memory all servers may have together. Those that were used longest ago are stopped, then the largest, even while it is asked; one that was ended twice stays off for five minutes. 0: three quarters of the machine's memory. Linux only."},

	{"logging.level", tEnum, `"warn"`, 0, logLevels, never,
		"How much is logged. `--log-level` wins."},
	{"logging.file", tPath, "", 0, nil, never,
		"Log to this file, relative to this one, not to stderr. `--log-file` wins."},
}

var byName = func() map[string]*key {
	m := make(map[string]*key, len(keys))
	for i := range keys {
		m[keys[i].name] = &keys[i]
	}
	return m
}()

// sections are the tables that hold keys, as they stand in key names.
var sections = func() map[string]bool {
	m := map[string]bool{}
	for _, k := range keys {
		for i, c := range k.name {
			if c == '.' {
				m[strings.TrimSuffix(k.name[:i], "[]")] = true
			}
		}
	}
	return m
}()

// keysIn lists the names valid in a table ("", "mcp", "servers[]"), its sub-tables among them, in the table's order.
func keysIn(table string) []string {
	var out []string
	seen := map[string]bool{}
	for _, k := range keys {
		rest := k.name
		if table != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(k.name, table+"."); !ok {
				continue
			}
		}
		name, _, _ := strings.Cut(rest, ".")
		name = strings.TrimSuffix(name, "[]")
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// KeyTable documents every key, in the order of lspi.toml.example.
func KeyTable() []KeyDoc {
	out := make([]KeyDoc, len(keys))
	for i, k := range keys {
		out[i] = KeyDoc{
			Key: k.name, Type: typeWords[k.holds], Default: k.def, Description: k.doc, Values: k.values,
			Untrusted: ruleWords[k.untrusted],
		}
	}
	return out
}

// Markdown is the table of keys for the README.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| key | type | default | before trust | |\n|---|---|---|---|---|\n")
	for _, k := range KeyTable() {
		holds := k.Type
		if k.Values != nil {
			holds = "`" + strings.Join(k.Values, "`, `") + "`"
		}
		def := ""
		if k.Default != "" {
			def = "`" + k.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Key, holds, def, k.Untrusted, k.Description)
	}
	return b.String()
}
