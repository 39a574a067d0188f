package workspace

import (
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"lspi/contract"
	"lspi/disk"
	"lspi/lang"
	"lspi/pool"
	"lspi/router"
	"lspi/source"
)

// Settings are what the configuration decides about tools.
type Settings struct {
	Workspace    string   // absolute root, symbolic links resolved
	Roots        []string // allowed roots beside it
	ReadOnly     bool
	Context      string             // full, codex, claude or navigation
	CallTimeout  time.Duration      // for everything a call does; 0 means the default of 50 s
	MaxChars     int                // default cap of an envelope; 0 means by host
	MaxCharsHard int                // 0 means 2,000,000
	EchoInput    string             // errors, always or never; "" means errors
	Text         string             // of the text beside an answer: auto, full or short; "" means auto
	Allow        []string           // unless nil, only these tools are served
	Exclude      []string           // these are not
	RawMethods   []string           // LSP methods that lsp_request passes on; none switches it off
	Protected    []string           // places that no tool edits; nil means those of edit.DefaultProtected
	Confirmed    []string           // places that are edited only when the user agreed; nil likewise
	Trust        *Trust             // whether code of the workspace runs; nil says nothing of it
	Warnings     []contract.Warning // what is wrong with the configuration and stops nothing

	Configuration *Configuration // where all of this comes from; nil when no configuration was read
}

// Trust says whether language servers run code of the workspace, and why.
type Trust struct {
	Trusted bool   `json:"trusted"`
	Policy  string `json:"policy"`       // ask, owned or all
	By      string `json:"by,omitempty"` // what decided: policy, user, folder, worktree, remote or host; "" when nothing speaks for it
	Why     string `json:"why"`
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
	File            string   `json:"file,omitempty"`      // the file that names it; "" for a row of the catalogue
	Untrusted       []string `json:"untrusted,omitempty"` // keys that were not applied because their file is not trusted
}

// SessionError is why a session could not be opened, together with what is known of it all the same, so that the tools
// that look at lspi itself still tell. Every other tool answers with Err.
type SessionError struct {
	Settings Settings
	Table    *router.Table
	Err      error
}

func (e *SessionError) Error() string { return e.Err.Error() }

// Unwrap makes the error's kind that of Err.
func (e *SessionError) Unwrap() error { return e.Err }

// Defaults of [Settings].
const (
	DefaultCallTimeout  = 50 * time.Second
	DefaultMaxChars     = 24_000
	DefaultMaxCharsHard = 2_000_000
)

// Env is what the calls of one session share. It is made once the workspace is known.
type Env struct {
	Settings Settings
	Table    *router.Table
	Pool     *pool.Pool
	Texts    *source.Cache
	Files    disk.Files
	Log      *slog.Logger
	Version  string // of lspi
	// EditDir is where the journals of edits are, so that one that is cut off by a crash is finished; absolute, outside of the
	// workspace, shared by all sessions of the user. "" when there is no place for it: nothing is edited then.
	EditDir string

	// Outdated reports whether the session should be opened anew, since what decided about it has changed: the user trusts the
	// workspace now, or no more. nil never does. It is asked before each call and has to be cheap.
	Outdated func() bool

	Edits   edits
	Pointed pointed
	reach   reach
	Told    ToldOnce

	Conditional lang.ConditionalWords
}

// Close ends every server of the session.
func (e *Env) Close() { e.Pool.Close() }

// Show is a path as answers have it: relative to the workspace with forward slashes inside it, absolute outside.
func (e *Env) Show(path string) string {
	if rel, ok := source.RelativeTo(e.Settings.Workspace, path); ok {
		path = filepath.ToSlash(rel)
	}
	return contract.EscapeLine(path)
}

// maxPointed bounds how many files outside of the workspace are remembered.
const maxPointed = 20_000

// pointed remembers the files outside of the workspace that servers pointed at and that may be shown: sources of dependencies.
// Those may be asked about in turn, and the server that named them knows their project; nothing else outside may be read.
type pointed struct {
	mu   sync.Mutex
	from map[string]router.Route // by absolute path; guarded by mu
}

func (p *pointed) Add(path string, r router.Route) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from == nil {
		p.from = map[string]router.Route{}
	}
	if len(p.from) < maxPointed {
		p.from[path] = r
	}
}

func (p *pointed) Route(path string) (router.Route, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.from[path]
	return r, ok
}

// reach are the files of the project, made at the first need.
type reach struct {
	once sync.Once
	of   *source.Reach
}

// Text is the text of a file of the project as it is on disk. What lies elsewhere is read by the server's leave alone.
func (e *Env) Text(path string) (*source.Text, error) {
	e.reach.once.Do(func() { e.reach.of = source.NewReach(append([]string{e.Settings.Workspace}, e.Settings.Roots...)...) })
	return e.Texts.Load(path, e.reach.of)
}

// ToldOnce is what the answers of a session have told.
type ToldOnce struct {
	mu   sync.Mutex
	keys map[string]bool // guarded by mu
}

// maxTold bounds what a session remembers to have told; what is beyond it counts as told.
const maxTold = 10_000

func (t *ToldOnce) Has(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keys[key] || len(t.keys) >= maxTold
}

func (t *ToldOnce) Add(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		t.keys = map[string]bool{}
	}
	if len(t.keys) < maxTold {
		t.keys[key] = true
	}
}
