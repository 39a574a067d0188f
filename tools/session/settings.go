package session

import (
	"encoding/json"
	"time"

	"lspi/contract"
	"lspi/tools/recall"
)

// Settings are what the configuration of a host's session decides about tools. Two sessions over one
// [Workspace] may have different ones.
type Settings struct {
	Root     string // the workspace, as far as it is known without a session; "" when it is not
	ReadOnly bool
	// the mistake of a configuration file because of which ReadOnly is set; "" when somebody wants it
	ReadOnlyBy   string
	Context      string        // full, codex, claude or navigation
	CallTimeout  time.Duration // for everything a call does; 0 means the default of 50 s
	MaxChars     int           // default cap of an envelope; 0 means by host
	MaxCharsHard int           // 0 means 2,000,000
	EchoInput    string        // errors, always or never; "" means errors
	Shape        string        // original: answers have the fields of the original lspi; else those of today
	Text         string        // of the text beside an answer: auto, full or short; "" means auto
	Allow        []string      // unless nil, only these tools are served ([Filter].Include)
	Exclude      []string      // these are not
	Within       []string      // unless nil, nothing else is served, whatever Allow has ([Filter].Within)
	Preset       *Preset       // the preset in use; nil for none
	MCPServers   []MCPServer   // the other MCP servers of the session, in order
	Recall       bool          // the tools that read what the user asked for are on
	// Transcripts are where they read, by the environment of the session.
	Transcripts recall.Environment
	// Defaults are those of arguments, by tool and argument, in the place of what calls do not give.
	Defaults   map[string]map[string]json.RawMessage
	RawMethods []string           // LSP methods that lsp_request passes on; none switches it off
	Protected  []string           // places that no tool edits; nil means those of edit.DefaultProtected
	Confirmed  []string           // places that are edited only when the user agreed; nil likewise
	Generated  []string           // globs of generated files; nil means those of source.GeneratedNames
	Binds      bool               // the host says by a call (bind_workspace) what its workspace is
	Trust      *Trust             // whether code of the workspace runs; nil says nothing of it
	Hooks      Hooks              // what lspi hook tells
	Search     Search             // the search engine of other repositories
	Warnings   []contract.Warning // what is wrong with the configuration and stops nothing

	Index Index // indexes of the code, which answer where no server does

	Configuration *Configuration // where all of this comes from; nil when no configuration was read
}

// Index says which indexes of the code there are beside those of projects.
type Index struct {
	Files  []string // absolute
	Commit string   // that Files are of; "" where a file beside each says it
	Cache  string   // lspi's folder for caches; "" for none, and then no index is read
}

// Hooks are the settings of lspi hook.
type Hooks struct {
	Budget time.Duration // how long a hook may take
	Stop   bool          // the errors that are left are told before a turn ends
	Search bool          // what is known of a word is told after a search for it
}

// Search is the search engine that knows other repositories.
type Search struct {
	URL   string // of a Zoekt web server, such as http://localhost:6070; "" when none is configured
	Token string // sent as a bearer token; "" sends none
}

// MCPServer is another MCP server, whose tools lspi offers.
type MCPServer struct {
	MCPSpec
	Broken  string // why it cannot be used; "" when it can
	LeftOut bool   // the preset in use leaves it out
}

// MCPSpec says which server it is and how it is reached. It is data, with every ${VAR} resolved by the
// configuration: a program (Command) that speaks over its stdin and stdout, or a URL that speaks streamable HTTP.
type MCPSpec struct {
	ID string // of the table mcp_servers: what stands before the names of its tools

	Command string            // a program: a path, or a name that is looked up on the PATH of its environment
	Args    []string          // as they are
	Env     map[string]string // set on top of Environ
	Cwd     string            // where the program starts, absolute
	MakeCwd bool              // Cwd is made, for the user alone, where it is not there
	// NAME=value: the whole environment of the program, that of the session; PATH and the proxies of a URL are of
	// it, too
	Environ []string

	URL     string            // http or https
	Headers map[string]string // of each request
	Token   string            // sent as "Authorization: Bearer", unless Headers has an Authorization

	// Secrets are further texts that are masked: what ${VAR} stood for in Command, Args, Cwd and URL. Values of Env
	// and Headers, Token, and what is secret in URL are masked anyway. What is too short or too common is none.
	Secrets []string

	StartTimeout time.Duration // start to the end of the handshake; 0 is 60 s, since npx and uvx install first
	CallTimeout  time.Duration // a call; 0 is 60 s. Progress begins it anew, up to ten times as long in all
	ListTimeout  time.Duration // all pages of one list; 0 is 30 s
}

// Trust says whether language servers run code of the workspace, and why.
type Trust struct {
	Trusted bool   `json:"trusted"`
	Policy  string `json:"policy"` // ask, owned or all
	// what decided: policy, user, folder, worktree, remote or host; "" when nothing speaks for it
	By  string `json:"by,omitempty"`
	Why string `json:"why"`
}

// Configuration is what get_current_config shows beside the settings: the files behind them and the servers.
type Configuration struct {
	MCP      any             // the [mcp] table in effect; nil when no file has one
	Sources  []ConfigSource  // the files that were found, from lowest to highest precedence
	Findings []ConfigFinding // everything that is wrong with them
	Servers  []ServerConfig  // the configured servers in order of preference, then the rest of the catalogue
}

// ConfigSource is one configuration file that was found.
type ConfigSource struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"` // user, workspace, env or flag
	Trusted bool   `json:"trusted"`
}

// ConfigFinding is one thing that is wrong with the configuration.
type ConfigFinding struct {
	Severity string `json:"severity"` // error or warning
	Kind     string `json:"kind"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Key      string `json:"key,omitempty"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"`
}

// ServerConfig is one server as the configuration has it. Fields and names are those of the lspi guide; nil means that
// the configuration does not say.
type ServerConfig struct {
	ID                string           `json:"id"`
	Kind              string           `json:"kind"`
	Extensions        []string         `json:"extensions"`
	LanguageID        string           `json:"language_id"`
	RootDir           string           `json:"root_dir"`
	Cwd               string           `json:"cwd"`
	Adapter           *string          `json:"adapter"`
	InitializeTimeout *int64           `json:"initialize_timeout_ms"`
	RequestTimeout    *int64           `json:"request_timeout_ms"`
	RequestTimeouts   map[string]int64 `json:"request_timeout_overrides_ms"`
	WorkspaceFolders  []string         `json:"workspace_folders"`

	WarmupTimeout   *int64   `json:"warmup_timeout_ms,omitempty"`
	IdleShutdown    *int64   `json:"idle_shutdown_ms,omitempty"`
	RestartInterval *int64   `json:"restart_interval_minutes,omitempty"`
	EnvKeys         []string `json:"-"` // sorted; values are never here
	Enabled         bool     `json:"-"`
	File            string   `json:"file,omitempty"` // the file that names it; "" for a row of the catalogue
	// keys that were not applied because their file is not trusted
	Untrusted []string `json:"untrusted,omitempty"`
}

// ShapeOriginal is the value of mcp.output.shape for answers with the fields of the original lspi.
const ShapeOriginal = "original"

// Defaults of [Settings].
const (
	DefaultCallTimeout  = 50 * time.Second
	DefaultMaxChars     = 24_000
	DefaultMaxCharsHard = 2_000_000
)
