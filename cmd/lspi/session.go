package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"slices"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/internal/events"
	"lspi/internal/source"
	"lspi/lsp/servers"
	"lspi/router"
	"lspi/tools"
	"lspi/tools/session"
)

// textCacheBytes bounds the source texts that are kept between calls, in bytes.
const textCacheBytes = 8 << 20

// wiring makes sessions from a configuration. Every command that asks servers uses it, so that mcp, call and doctor
// behave alike.
type wiring struct {
	options config.Options
	logs    *logs
	process *session.Process
	live    *live
	watcher *config.Watcher // shared by all sessions of the process
	events  *events.Recorder
	admits  func(*config.Config) error // refuses a configuration with an error; nil refuses none
	guest   bool                       // its sessions are those of hooks, which take the workspaces of hosts
}

// newWiring returns a wiring that has read no file yet. Logs go to errs until a configuration says otherwise.
func newWiring(f *sessionFlags, errs io.Writer) *wiring {
	logs := newLogs(errs)
	return &wiring{options: f.request().options(), logs: logs, process: newProcess(logs.log), live: &live{},
		watcher: &config.Watcher{Log: logs.log},
		events:  (&events.Files{Log: logs.log}).Recorder()}
}

// request is what decides about a session besides files: the command line, and the folder and environment of its
// process.
type request struct {
	WorkspaceRoot string       `json:"workspace_root,omitempty"`
	Config        string       `json:"config,omitempty"`
	Flags         config.Flags `json:"flags"`
	WorkDir       string       `json:"-"` // "" for the folder of this process
	Environ       []string     `json:"-"` // nil for the environment of this process
}

func (f *sessionFlags) request() *request {
	return &request{WorkspaceRoot: f.workspaceRoot, Config: f.config, Flags: f.flags()}
}

func (r *request) options() config.Options {
	return config.Options{WorkspaceFlag: r.WorkspaceRoot, ConfigFlag: r.Config, Flags: r.Flags, WorkDir: r.WorkDir,
		Environ:   r.Environ,
		Catalogue: servers.Servers(), Tools: toolNames(), CheckDefault: tools.CheckDefault}
}

// newProcess returns what all sessions of this process share.
func newProcess(log *slog.Logger) *session.Process {
	return &session.Process{Version: version().Version, Log: log, Texts: source.NewCache(textCacheBytes),
		Files:   source.NewDiskCache(),
		EditDir: editDir()}
}

// load reads the configuration and makes the log follow it. hostRoots are nil when no host has given any.
func (s *wiring) load(hostRoots []string) (*config.Config, error) {
	o := s.options
	o.HostRoots, o.Flags = hostRoots, s.live.flags(o.Flags)
	c, err := config.Load(o)
	if err != nil {
		return nil, err
	}
	s.logs.follow(c, s.options.Flags)
	return c, nil
}

// open opens a session for a host with these roots. When the configuration has errors, it uses the last good one of
// this session; if there is none it returns a *session.SessionError of kind config_invalid, with the settings for the
// tools that describe lspi itself.
func (s *wiring) open(ctx context.Context, hostRoots []string) (*session.Session, error) {
	turn, r := s.live.take()
	if r == nil || !slices.Equal(r.roots, hostRoots) {
		var err error
		if turn > 1 { // after a failure or a change: the files may be being written just now
			r, err = s.readAtRest(ctx, hostRoots)
		} else {
			r, err = s.read(hostRoots)
		}
		if err != nil {
			return nil, sessionError(err)
		}
	}
	s.live.remember(r)
	if r.used == nil {
		return nil, &session.SessionError{Settings: r.settings(), Table: r.read.Table(), Err: r.err()}
	}
	if s.admits != nil {
		if err := s.admits(r.used); err != nil {
			return nil, err
		}
	}
	settings := s.recorded(r.used, r.settings())
	settings.Index.Cache = s.options.User().CacheDir()
	w, err := s.openWorkspace(r.used)
	if err != nil {
		return nil, err
	}
	s.live.note(r.read, r.paths)
	return &session.Session{Workspace: w, Settings: settings, Outdated: s.changeCheck(r, turn).outdated,
		Guest: s.guest}, nil
}

// openWorkspace opens the workspace of a configuration and begins to watch it; it starts no server.
func (s *wiring) openWorkspace(c *config.Config) (*session.Workspace, error) {
	o := router.PoolOptions{Launcher: servers.Launcher,
		Trace: s.logs.trace(),
		Cache: s.options.User().CacheDir(), MaxServers: c.Limits.MaxServers, MaxMemory: maxMemory(c.Limits)}
	if s.guest {
		table := c.Table()
		return s.process.OpenGuest(c.ServersKey(), table, o, func(other *router.Table) bool {
			return other.Trusted == table.Trusted
		})
	}
	return s.process.Open(c.ServersKey(), c.Table(), o)
}

// editDir returns the folder for the journals of edits that are being applied; "" without a state folder.
func editDir() string {
	dir := trust.User{}.StateDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "edit")
}

// maxMemory returns the limit on the memory of all servers together, in bytes: the configured one, else three quarters
// of the machine's.
func maxMemory(l config.Limits) uint64 {
	if l.MaxServerMemory > 0 {
		return uint64(l.MaxServerMemory) << 20
	}
	return router.MachineMemory() / 4 * 3
}

// settingsOf returns what a configuration decides about tools and answers.
func settingsOf(c *config.Config) session.Settings {
	s := session.Settings{
		Root:         c.Workspace,
		ReadOnly:     c.MCP.ReadOnly,
		ReadOnlyBy:   c.ReadOnlyBy,
		Context:      c.MCP.Context,
		CallTimeout:  c.MCP.CallTimeout,
		Text:         c.MCP.Text,
		MaxCharsHard: c.MCP.Output.MaxTotalCharsHard,
		EchoInput:    c.MCP.Output.EchoInput,
		Shape:        c.MCP.Output.Shape,
		Allow:        c.MCP.Tools.Allow,
		Exclude:      c.MCP.Tools.Exclude,
		Within:       c.MCP.Tools.Within,
		RawMethods:   c.MCP.Tools.Raw,
		Defaults:     defaultsOf(c),
		Recall:       c.Recall,
		MCPServers:   mcpServersOf(c),
		Transcripts:  c.Transcripts,
		Protected:    append([]string{}, c.Edit.Protected...),
		Confirmed:    append([]string{}, c.Edit.Confirm...),
		Generated:    append([]string{}, c.MCP.Generated...),
		Hooks:        session.Hooks(c.Hooks),
		Index:        session.Index{Files: c.Index.Files, Commit: c.Index.Commit},
		Search:       session.Search{URL: c.Search.URL, Token: c.Search.Token},
		Warnings:     warningsOf(c),
		Trust: &session.Trust{Trusted: c.Trust.Trusted, Policy: c.Trust.Policy, By: c.Trust.By,
			Why: c.Trust.Why},

		Configuration: configurationOf(c),
	}
	if c.Preset != nil {
		s.Preset = &c.Preset.Preset
	}
	if c.Given("mcp.output.max_total_chars_default") {
		s.MaxChars = c.MCP.Output.MaxTotalCharsDefault
	}
	return s
}

// defaultsOf returns the configured defaults of arguments as JSON, by tool and argument.
func defaultsOf(c *config.Config) map[string]map[string]json.RawMessage {
	var out map[string]map[string]json.RawMessage
	for tool, of := range c.Defaults {
		values := map[string]json.RawMessage{}
		for argument, value := range of.Arguments {
			if raw, err := json.Marshal(value); err == nil { // the checker of configurations refuses other values
				values[argument] = raw
			}
		}
		if out == nil {
			out = map[string]map[string]json.RawMessage{}
		}
		out[session.Listed(tool)] = values
	}
	return out
}

// warningsOf returns the findings of severity warning as warnings of answers, but those about presets that are not in
// use.
func warningsOf(c *config.Config) []contract.Warning {
	var out []contract.Warning
	for _, f := range c.Findings {
		if f.Severity != config.SeverityWarning || f.OtherPreset {
			continue
		}
		facts := f.Facts()
		facts["finding"] = f.Kind
		if fix := fixOf(f); fix != "" {
			facts["fix"] = fix
		}
		out = append(out, contract.Warning{Kind: contract.WarnConfig, Message: f.String(), Facts: facts})
	}
	return out
}

// fixOf returns what a model should do about a finding. It never is the command that gives trust: only the user may.
func fixOf(f config.Finding) string {
	if f.Kind == config.FindingUntrusted && f.Fix != "" {
		return "ask the user whether they trust this file; if so, they run lspi trust in their own terminal"
	}
	return f.Fix
}

func toolNames() []string {
	var out []string
	for _, t := range tools.All() {
		out = append(out, t.Name)
	}
	return out
}

// listing reads the configuration that flags, environment and the current folder choose. Without a workspace it
// returns read-only settings.
func (s *wiring) listing() (listing, error) {
	c, err := s.load(nil)
	if err == nil {
		if err = c.NamedErr(); err != nil {
			return listing{}, &usageError{err: err}
		}
		s.live.note(c, s.watched(c))
		if c.Err() == nil { // with errors, events stay where they go
			_ = s.record(c)
		}
		return listing{settingsOf(c), s.warmup(c), c.MCP.Share, c}, nil
	}
	var missing *trust.NoWorkspaceError
	if errors.As(err, &missing) && s.options.WorkspaceFlag == "" {
		// No flag names a workspace. The host's roots may name one; otherwise each call returns this error.
		s.logs.log.Warn("no workspace at start", slog.Any("error", err))
		user := config.LoadUser(s.options)
		return listing{settings: session.Settings{ReadOnly: true}, share: user.MCP.Share}, nil
	}
	return listing{}, &usageError{err: err}
}

// warmup reports whether servers start before the first call. By default only the shared process does that.
func (s *wiring) warmup(c *config.Config) bool {
	return c.MCP.Warmup || s.process.Sharing.Shared && s.options.Flags.Warmup == nil && !c.Given("mcp.warmup")
}
