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

// textCacheBytes bounds the texts that answers point into, kept between calls.
const textCacheBytes = 8 << 20

// wiring joins a configuration to what calls run in. Every command that asks servers goes through it, so that mcp, call
// and doctor see the same.
type wiring struct {
	options config.Options
	logs    *logs
	process *session.Process
	live    *live
	watcher *config.Watcher // of the process
	events  *events.Recorder
	admits  func(*config.Config) error // whether a session with this configuration may be opened; nil for every one
}

// newWiring reads no file yet. Logs go to errs until a configuration says otherwise.
func newWiring(f *sessionFlags, errs io.Writer) *wiring {
	logs := newLogs(errs)
	return &wiring{options: f.request().options(), logs: logs, process: newProcess(logs.log), live: &live{},
		watcher: &config.Watcher{Log: logs.log},
		events:  (&events.Files{Log: logs.log}).Recorder()}
}

// request is what decides about a session besides files: the command line, and what its process was started with.
type request struct {
	WorkspaceRoot string       `json:"workspace_root,omitempty"`
	Config        string       `json:"config,omitempty"`
	Flags         config.Flags `json:"flags"`
	WorkDir       string       `json:"-"` // "" for that of this process
	Environ       []string     `json:"-"` // nil for that of this process
}

func (f *sessionFlags) request() *request {
	return &request{WorkspaceRoot: f.workspaceRoot, Config: f.config, Flags: f.flags()}
}

func (r *request) options() config.Options {
	return config.Options{WorkspaceFlag: r.WorkspaceRoot, ConfigFlag: r.Config, Flags: r.Flags, WorkDir: r.WorkDir,
		Environ:   r.Environ,
		Catalogue: servers.Servers(), Tools: toolNames(), CheckDefault: tools.CheckDefault}
}

// newProcess is what all sessions of this process share.
func newProcess(log *slog.Logger) *session.Process {
	return &session.Process{Version: version().Version, Log: log, Texts: source.NewCache(textCacheBytes),
		Files:   source.NewDiskCache(),
		EditDir: editDir()}
}

// load reads the configuration; hostRoots are nil when no host told any. Logging follows it.
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

// open opens a session of a host with these roots. A configuration that is wrong is its error: config_invalid, with
// the place, and with what the tools that look at lspi itself can still tell; but where the session had another one
// before, that one goes on.
func (s *wiring) open(ctx context.Context, hostRoots []string) (*session.Session, error) {
	turn, r := s.live.take()
	if r == nil || !slices.Equal(r.roots, hostRoots) {
		var err error
		if turn > 1 { // behind one that failed, or that somebody ends: somebody may be mending the files just now
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
	w, err := s.openWorkspace(r.used)
	if err != nil {
		return nil, err
	}
	s.live.note(r.read, r.paths)
	return &session.Session{Workspace: w, Settings: settings, Outdated: s.outlook(r, turn).outdated}, nil
}

// openWorkspace starts no server; it watches the workspace from now on.
func (s *wiring) openWorkspace(c *config.Config) (*session.Workspace, error) {
	return s.process.Open(c.ServersKey(), c.Table(), router.PoolOptions{Launcher: servers.Launcher,
		Trace: s.logs.trace(),
		Cache: s.options.User().CacheDir(), MaxServers: c.Limits.MaxServers, MaxMemory: maxMemory(c.Limits)})
}

// editDir is where edits are remembered while they are applied; "" when there is no place for it.
func editDir() string {
	dir := trust.User{}.StateDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "edit")
}

// maxMemory is the limit on the memory of all servers, in bytes.
func maxMemory(l config.Limits) uint64 {
	if l.MaxServerMemory > 0 {
		return uint64(l.MaxServerMemory) << 20
	}
	return router.MachineMemory() / 4 * 3
}

// settingsOf is what a configuration decides about tools.
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

// defaultsOf are the configured defaults of arguments, as JSON has them.
func defaultsOf(c *config.Config) map[string]map[string]json.RawMessage {
	var out map[string]map[string]json.RawMessage
	for tool, of := range c.Defaults {
		values := map[string]json.RawMessage{}
		for argument, value := range of.Arguments {
			if raw, err := json.Marshal(value); err == nil { // the checker has let through what JSON can write
				values[argument] = raw
			}
		}
		if out == nil {
			out = map[string]map[string]json.RawMessage{}
		}
		out[session.Canonical(tool)] = values
	}
	return out
}

// warningsOf are the findings that stop nothing.
func warningsOf(c *config.Config) []contract.Warning {
	var out []contract.Warning
	for _, f := range c.Findings {
		if f.Severity != config.SeverityWarning {
			continue
		}
		facts := contract.Facts{"file": f.File, "line": f.Line, "finding": f.Kind}
		if fix := fixOf(f); fix != "" {
			facts["fix"] = fix
		}
		out = append(out, contract.Warning{Kind: contract.WarnConfig, Message: f.String(), Facts: facts})
	}
	return out
}

// fixOf is what a model is told to do about a finding. Trust is the user's to give, so the command that gives it is
// none.
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

// listing reads the configuration as far as flags, environment and the current folder tell it. Without one, it is
// what is safe.
func (s *wiring) listing() (listing, error) {
	c, err := s.load(nil)
	if err == nil {
		if err = c.NamedErr(); err != nil {
			return listing{}, &usageError{err: err}
		}
		s.live.note(c, s.watched(c))
		if c.Err() == nil { // a broken file leaves the events where they go
			_ = s.record(c)
		}
		return listing{settingsOf(c), s.warmup(c), c.MCP.Share, c}, nil
	}
	var missing *trust.NoWorkspaceError
	if errors.As(err, &missing) && s.options.WorkspaceFlag == "" {
		// The flags are right and there is no workspace yet: the host's roots may tell one, or each call tells why not.
		s.logs.log.Warn("no workspace at start", slog.Any("error", err))
		user := config.LoadUser(s.options)
		return listing{settings: session.Settings{ReadOnly: true}, share: user.MCP.Share}, nil
	}
	return listing{}, &usageError{err: err}
}

// warmup reports whether servers start before they are asked: where nobody says, in the shared process.
func (s *wiring) warmup(c *config.Config) bool {
	return c.MCP.Warmup || s.process.Sharing.Shared && s.options.Flags.Warmup == nil && !c.Given("mcp.warmup")
}
