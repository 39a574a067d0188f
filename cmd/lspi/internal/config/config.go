package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"time"

	"lspi/cmd/lspi/internal/trust"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/recall"
	"lspi/tools/session"
)

// Config is what lspi works with: the files, the command line and the catalogue in one. It is not changed after Load.
type Config struct {
	Workspace string   // absolute, symbolic links resolved
	Roots     []string // every folder that may be read and edited, absolute, the workspace first, none twice
	// servers in use, in order of preference: the configured ones, then the rest of the catalogue
	Specs    []spec.Spec
	Disabled []spec.Spec       // servers that enabled = false took out
	Withheld []router.Withheld // servers that lack only their command, because their file is not trusted

	Configured []Server // the [[servers]] of all files, in order of preference
	MCP        MCP
	Edit       Edit
	Index      CodeIndex
	Limits     Limits
	Logging    Logging
	Daemon     Daemon
	Hooks      Hooks
	Search     Search
	Recall     bool // [recall]
	// Transcripts are where the tools of [recall] read, by the environment of the session.
	Transcripts recall.Environment
	// Preset is the one in use; nil for none.
	Preset *Preset
	// Presets are all that there are, by name.
	Presets map[string]*Preset
	// ReadOnlyBy is the mistake of a file because of which lspi is read-only, though what is read of the files does
	// not say so; "" when there is none.
	ReadOnlyBy string
	// MCPServers are other MCP servers, by id, those that are not enabled among them.
	MCPServers map[string]*MCPServer
	// UntrustedServers are MCP servers that a workspace's file adds and that nobody starts, because the user does
	// not trust the file.
	UntrustedServers []UntrustedServer
	// Defaults are those of tools' arguments, by tool.
	Defaults map[string]*ToolDefaults

	DevContainer bool // [dev_container]
	// Container is the id of the dev container in which servers run; "" for none.
	Container string

	Trust    trust.Decision // whether code of the workspace may run; Specs are restricted when not
	Sources  []Source       // the files that were found, from lowest to highest precedence
	Findings []Finding      // everything that is wrong, by file and place

	given map[string]bool // keys that an applied file sets, as named in KeyTable

	judged    []string     // the roots that Trust is about
	trusted   []trust.File // the files of the workspace that the user trusts
	untrusted []string     // folders whose programs are not run
	apart     string       // see Apart

	environ       []string // of the session
	skipDirs      []string // build and dependency folders of the whole catalogue ([router.Table].SkipDirs)
	catalogue     bool
	policy        string            // key trust
	unreadable    map[string]string // see loader.unreadable
	folders, pass []string
}

// Given reports whether a file sets the key, named as in [KeyTable] ("mcp.context"), or anything below it ("mcp").
func (c *Config) Given(key string) bool { return c.given[key] }

// Environ is that of the session, as os.Environ has it; nil means that of this process.
func (c *Config) Environ() []string { return c.environ }

// Pass is env_pass of the top level.
func (c *Config) Pass() []string { return c.pass }

// Table is what the router works on.
func (c *Config) Table() *router.Table {
	return &router.Table{Workspace: c.Workspace, Roots: c.Roots, Specs: c.Specs, Environ: c.environ,
		Withheld: c.Withheld,
		SkipDirs: c.skipDirs, Trusted: c.Trust.Trusted}
}

// ServersKey stands for everything that decides which servers there are and what they see: two configurations with
// the same key may share running servers. It is a digest, because settings and environments of servers may hold
// secrets. Of the session's environment what servers see is part of it, less what differs by terminal
// ([launch.PerTerminals]).
func (c *Config) ServersKey() string {
	type server struct {
		ID        string
		Enabled   bool
		File      string
		Values    map[string]any
		Untrusted []string
	}
	servers := make([]server, len(c.Configured))
	for i, s := range c.Configured {
		servers[i] = server{s.Spec.ID, s.Enabled, s.File, s.Values, s.Untrusted}
	}
	for _, w := range c.Withheld {
		servers = append(servers, server{ID: w.ID, File: w.File, Values: map[string]any{"extensions": w.Extensions()}})
	}
	sum := sha256.New()
	environ := c.environ
	if environ == nil {
		environ = os.Environ()
	}
	err := json.NewEncoder(sum).Encode([]any{launch.SharedAmong(c.Specs, environ), c.Workspace, c.Roots,
		c.Trust.Trusted, c.catalogue, c.folders, c.pass, c.Limits, servers, c.Container})
	if err != nil { // no value of a configuration file, so nobody shares servers with this one
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// setEnviron makes environ that of all servers.
func (c *Config) setEnviron(environ []string) {
	c.environ = environ
	for i := range c.Specs {
		c.Specs[i].Environ = environ
	}
	for i := range c.Disabled {
		c.Disabled[i].Environ = environ
	}
	for i := range c.Configured {
		c.Configured[i].Spec.Environ = environ
	}
}

// MCP is the [mcp] table with the command line's flags laid over it.
type MCP struct {
	Context     string // full, codex, claude or navigation
	Mode        string // navigation, refactor, or "" when not chosen
	ReadOnly    bool   // no tool that writes or controls servers
	CallTimeout time.Duration
	Warmup      bool   // start the servers that the workspace needs before the first call
	Share       string // auto or off
	Preset      string // the name of the preset in use, whether or not there is one of this name
	Text        string // auto, full or short
	Output      Output
	Generated   []string // mcp.output.generated: globs of generated files
	Tools       Tools
}

// Output is [mcp.output]. Caps count Unicode code points of what the host shows.
type Output struct {
	MaxTotalCharsDefault int // Config.Given tells whether it was chosen; if not, a host that shows less gets less
	MaxTotalCharsHard    int
	EchoInput            string // errors, always or never
	Shape                string // today or original
}

// Tools is [mcp.tools].
type Tools struct {
	Allow   []string // nil allows every tool
	Exclude []string // wins over Allow
	// Within narrows Allow to what it has as well: mcp.tools.allow of a workspace's file that is not trusted. nil
	// narrows nothing.
	Within []string
	Raw    []string // LSP methods that lsp_request passes on; none switches it off
}

// Allowed reports whether the tool may be listed and called.
func (t Tools) Allowed(tool string) bool {
	return (t.Allow == nil || slices.Contains(t.Allow, tool)) &&
		(t.Within == nil || slices.Contains(t.Within, tool)) && !slices.Contains(t.Exclude, tool)
}

// Edit is [edit]: places that are not edited, and those that are when the user agreed.
type Edit struct {
	Protected, Confirm []string
}

// CodeIndex is [index]: indexes of the code that answer where no server does.
type CodeIndex struct {
	Files  []string // absolute
	Commit string
}

// Limits is [limits].
type Limits struct {
	MaxServers      int // that run at a time
	MaxServerMemory int // of all of them, in MB; 0 means a share of the machine's
}

// Daemon is [daemon]: what holds for the shared process as a whole.
type Daemon struct {
	Idle time.Duration // how long it stays without a host
	// the folders in which hosts over HTTP may choose a workspace; absolute, symbolic links resolved
	HTTPRoots []string
}

// Search is [search]: the search engine that knows other repositories.
type Search struct {
	URL, TokenEnv string
	Token         string `json:"-"` // the value of TokenEnv
}

// Hooks is [hooks]: what lspi hook tells the models of hosts.
type Hooks struct {
	Budget time.Duration // how long a hook may take
	Stop   bool          // the errors that are left are told before a turn ends
	Search bool          // what is known of a word is told after a search for it
}

// Logging is [logging].
type Logging struct {
	Level string // debug, info, warn or error
	File  string // absolute; "" means stderr
	// Events is the file of the log of events, absolute; "" for none.
	Events string
}

// Server is one [[servers]] entry.
type Server struct {
	Spec      spec.Spec
	Enabled   bool
	File      string         // the highest file that names it
	Values    map[string]any // what files set of it, by the key's name without servers[]; paths are absolute
	Untrusted []string       // keys that were left out because their file is not trusted
}

// Preset is one [presets.NAME].
type Preset struct {
	session.Preset
	MaxTotalChars int    // 0: as without it
	Context       string // likewise
	File          string // the highest file that has it
}

// preset is the one of a name, which is made where there is none.
func (c *Config) preset(name string) *Preset {
	if c.Presets[name] == nil {
		if c.Presets == nil {
			c.Presets = map[string]*Preset{}
		}
		c.Presets[name] = &Preset{Preset: session.Preset{Name: name}}
	}
	return c.Presets[name]
}

// ToolDefaults are the defaults of one tool's arguments, by argument.
type ToolDefaults struct{ Arguments map[string]any }

// toolDefaults are those of one tool, which are made where there are none.
func (c *Config) toolDefaults(tool string) *map[string]any {
	if c.Defaults[tool] == nil {
		if c.Defaults == nil {
			c.Defaults = map[string]*ToolDefaults{}
		}
		c.Defaults[tool] = &ToolDefaults{}
	}
	return &c.Defaults[tool].Arguments
}

// MCPServer is one [mcp_servers.ID]: another MCP server whose tools lspi offers. Its strings have the values of
// variables already, so that they may hold secrets.
type MCPServer struct {
	ID          string
	Enabled     bool
	LeftOut     bool // the preset in use leaves it out
	Command     string
	Args        []string
	Env         map[string]string
	Cwd         string // absolute
	CwdGiven    bool   // else it is the workspace
	URL         string
	Headers     map[string]string
	TokenEnv    string
	Token       string
	CallTimeout time.Duration
	File        string   // the highest file that names it
	Secrets     []string // the values of variables that stand in its strings
	// Broken is why it cannot be used; "" when it can.
	Broken string
}

// UntrustedServer is a [mcp_servers.ID] of a file that the user does not trust, and of no other file.
type UntrustedServer struct {
	ID      string
	File    string // absolute
	Command string // the command that trusts the file
}

// defaultMCPTimeout is that of mcp_servers.*.call_timeout_ms.
const defaultMCPTimeout = time.Minute

// mcpServer is the one of an id, which is made where there is none.
func (c *Config) mcpServer(id string) *MCPServer {
	if c.MCPServers[id] == nil {
		if c.MCPServers == nil {
			c.MCPServers = map[string]*MCPServer{}
		}
		c.MCPServers[id] = &MCPServer{ID: id, Enabled: true, CallTimeout: defaultMCPTimeout}
	}
	return c.MCPServers[id]
}

// SourceKind says how a configuration file was found.
type SourceKind string

// The kinds of files, from lowest to highest precedence. Explicit ones replace the workspace's.
const (
	SourceUser      SourceKind = "user"
	SourceWorkspace SourceKind = "workspace"
	SourceEnv       SourceKind = "env"  // LSPI_CONFIG_PATH
	SourceFlag      SourceKind = "flag" // --config
)

// Source is one configuration file that was found.
type Source struct {
	Path    string     `json:"path"` // as found, absolute
	Kind    SourceKind `json:"kind"`
	Trusted bool       `json:"trusted"`
	SHA256  string     `json:"sha256"` // of its content, in hex; "" when it could not be read
}
