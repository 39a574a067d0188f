package lsp

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/launch"
	"lspi/lsp/process"
	"lspi/lsp/spec"
	"lspi/lsp/wire"
)

// Start starts the server with the first of its commands that works and shakes hands with it. The errors are
// server_not_installed, with everything that was tried, and server_start_failed. A cancelled ctx ends the process. One
// that does not answer is not replaced by the next candidate: that would only multiply the wait.
func Start(ctx context.Context, o Options) (*Server, error) {
	if err := checkPaths(o.Spec, o.Root); err != nil {
		return nil, err
	}
	if o.Spec.RunsElsewhere() {
		o.Cache = "" // which is on this machine, and so is of no use to the server
	}
	plan, err := launch.Prepare(ctx, launch.Target{Spec: o.Spec, Root: o.Root, Cache: o.Cache, Log: o.Log,
		Separate: o.Separate, Sparing: o.Sparing})
	if err != nil {
		return nil, err
	}
	release := plan.Release
	defer func() { release() }()
	tried := plan.Tried
	// Before the time of initialize begins: it is no matter of the server.
	if err := launch.AwaitSpecial(ctx, o.Spec, o.Journal, o.Root, o.Log); err != nil {
		return nil, err
	}
	// After Prepare of launch, because the launcher changes the plan; before the plan is taken over into the options.
	if o.Launcher != nil {
		o.Launcher.Prepare(ctx, plan)
	}
	if err := plan.Lacking(); err != nil {
		return nil, err
	}
	o.settings, o.options, o.environment, o.projectFolder = plan.Settings, plan.Options, plan.Environment,
		plan.ProjectFolder
	limit := o.Spec.Timeouts.Initialize
	if limit == 0 {
		limit = DefaultInitialize
	}
	// One limit for all candidates together, because the caller waits for all of them.
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w within %v", ErrInitializeTimeout, limit))
	defer cancel()
	// A candidate may be on PATH and not work: rustup's proxy without the component exits with "Unknown binary".
	var failed *startError
	for _, c := range plan.Candidates {
		s, err := startOne(ctx, o, c)
		if err == nil {
			given := release
			s.work.Go(func() {
				<-s.Done()
				if s.hooks.Close != nil {
					s.hooks.Close()
				}
				given()
			})
			release = func() {}
			return s, nil
		}
		failed = err
		tried = append(tried, fmt.Sprintf("%s: %v", c.Path, err))
		// Without time, or on a machine that is short of something, the next candidate fails as well.
		if ctx.Err() != nil || process.Shortage(err) != "" {
			break
		}
		o.Log.Warn("starting a server", "server_id", o.Spec.ID, "command", c.Path, "error", err)
	}
	// The error names everything that was tried; the last words are those of the last candidate.
	return nil, launch.Failed(o.Spec, tried, failed.tail, failed)
}

// ErrInitializeTimeout is behind the error of a start that took longer than the server's initialize_timeout_ms.
var ErrInitializeTimeout = errors.New("no answer to initialize")

// startError is why one candidate did not come up.
type startError struct {
	err  error
	exit string   // how its process ended by itself; "" when it did not
	tail []string // of its stderr
	said string   // the line of its stderr that says why
	// the beginning of what it wrote to stdout, when no message was in it; else ""
	foreign string
}

func (e *startError) Error() string {
	text := e.err.Error()
	// How the process ended says more than the broken connection that follows from it.
	if e.exit != "" {
		text = e.exit
	}
	// A program that is none of LSP may end well, and with nothing on stderr.
	if e.foreign != "" {
		text = fmt.Sprintf("it does not speak LSP: it wrote %q to stdout, which is no message (%s)", e.foreign, text)
	}
	if e.said != "" {
		text += " (" + e.said + ")"
	}
	return text
}

// Unwrap lets the caller see a shortage of the machine, or the end of the time, behind the words.
func (e *startError) Unwrap() error { return e.err }

// startOne starts one candidate and shakes hands with it. A process that does not come up is ended before it returns.
func startOne(ctx context.Context, o Options, c launch.Candidate) (*Server, *startError) {
	dir := o.Root
	if o.Spec.Cwd != "" {
		dir = o.Spec.Cwd
	}
	proc, err := process.Spawn(c.Path, c.Args, dir, o.environment)
	if err != nil {
		return nil, &startError{err: err}
	}
	s := newServer(o, proc, c.Path)
	// Reading begins before anything is written: a server that writes much at its start would block on a full pipe.
	s.open(wire.Options{Request: s.requests.answer, Notification: s.requests.hear, Trace: traceOf(o.Trace)})
	// Changes from now on are told; what the server reads at its start is at least as new.
	for _, folder := range s.folders.list {
		if err = s.folders.track(ctx, folder); err != nil {
			break
		}
	}
	if err == nil {
		err = s.handshake(ctx)
	}
	if err == nil {
		return s, nil
	}
	failed := &startError{err: err}
	// The stream ends a moment before the process is reaped, so its exit is waited for; a process that lives on is
	// abandoned and has none.
	if closed := (*wire.ClosedError)(nil); errors.As(err, &closed) && proc.Gone(brokenTime) {
		failed.exit = proc.Exit()
	}
	s.abandon()
	// After abandon, so that what the process wrote at its end is there.
	failed.foreign = s.wire.Foreign()
	failed.tail, failed.said = proc.Stderr.Tail(5), proc.Stderr.Reason()
	return nil, failed
}

// clientCapabilities is what lspi tells every server that it can do. Data, because configuration is laid over it as
// data; a test holds it to the types of the specification.
//
//go:embed client_capabilities.json
var clientCapabilities []byte

// initializeParams are LSP's InitializeParams. The capabilities and options are free-form here because configuration
// may add what no specification knows.
type initializeParams struct {
	// nil, with which no server watches for its client: another process of that number, or none, may be where the
	// server runs (bwrap --unshare-pid, a container), and Node's servers then end at once. lspi's end closes their
	// standard input.
	ProcessID             *int              `json:"processId"`
	ClientInfo            clientInfo        `json:"clientInfo"`
	Locale                string            `json:"locale"`
	RootPath              string            `json:"rootPath"`
	RootURI               uri.URI           `json:"rootUri"`
	Capabilities          map[string]any    `json:"capabilities"`
	InitializationOptions map[string]any    `json:"initializationOptions,omitempty"`
	WorkspaceFolders      []workspaceFolder `json:"workspaceFolders"`
}

// clientInfo is LSP's ClientInfo; lspi tells no version.
type clientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// initializeResult is decoded loosely: a provider or a version of the wrong type must not cost the whole server.
type initializeResult struct {
	Capabilities map[string]json.RawMessage `json:"capabilities"`
	ServerInfo   struct {
		Name    json.RawMessage `json:"name"`
		Version json.RawMessage `json:"version"`
	} `json:"-"`
}

// parseInitialize reads the answer to initialize.
func parseInitialize(raw json.RawMessage) (initializeResult, error) {
	var result initializeResult
	err := json.Unmarshal(raw, &result)
	var rest struct {
		ServerInfo json.RawMessage `json:"serverInfo"`
	}
	if err == nil && json.Unmarshal(raw, &rest) == nil {
		// Apart from the rest, because it is only shown.
		_ = json.Unmarshal(rest.ServerInfo, &result.ServerInfo)
	}
	return result, err
}

// text is a JSON string, or what else stands there as it is.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// handshake is initialize and initialized (LSP 3.17, lifecycle messages), then the settings.
func (s *Server) handshake(ctx context.Context) error {
	params, err := s.initializeParams()
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := s.wire.Call(ctx, "initialize", params, &raw); err != nil {
		return err
	}
	result, err := parseInitialize(raw)
	if err != nil {
		return contract.Errorf(contract.KindServerStartFailed, contract.Facts{"server_id": s.spec.ID},
			"reading the answer of %s to initialize: %w", s.spec.ID, err)
	}
	// Capabilities and encoding are set before initialized is sent: from then on the server may send requests whose
	// answers need them.
	s.capabilities.set(result.Capabilities)
	s.encoding = source.ParseEncoding(s.capabilities.text("positionEncoding"))
	s.info.Name, s.info.Version = text(result.ServerInfo.Name), text(result.ServerInfo.Version)
	if means := s.spec.Readiness; means.Waits && means.Announces > 0 {
		s.health.ready.expect(means.Announces)
	}
	if err := s.wire.Notify(ctx, "initialized", struct{}{}); err != nil {
		return err
	}
	// Before the settings, as the row says: right behind initialized.
	for _, method := range s.spec.Notify {
		if err := s.wire.Notify(ctx, method, nil); err != nil {
			return err
		}
	}
	// The settings are sent besides being answered to workspace/configuration, because some servers never ask for them.
	if len(s.settings) == 0 {
		return nil
	}
	return s.wire.Notify(ctx, "workspace/didChangeConfiguration", map[string]any{"settings": s.settings})
}

// initializeParams lays what the row and the configuration say over what lspi tells every server.
func (s *Server) initializeParams() (*initializeParams, error) {
	var caps map[string]any
	if err := json.Unmarshal(clientCapabilities, &caps); err != nil {
		return nil, fmt.Errorf("reading lspi's own client capabilities: %w", err)
	}
	// A copy: the options of the server stay as they were given, and the folder of the project file is looked for
	// anew at the next start.
	options := maps.Clone(s.options)
	if p := s.spec.Project; p != nil && p.Option != "" {
		if dir := s.projects.Folder(s.folders.root); dir != "" {
			options = spec.Merge(options, map[string]any{p.Option: cmp.Or(s.projects.told, dir)})
		}
	}
	return &initializeParams{
		ClientInfo: clientInfo{Name: "lspi"},
		Locale:     "en",
		// rootPath and rootUri are deprecated in LSP 3.17 in favour of workspaceFolders; older servers know only these.
		RootPath:              s.folders.root,
		RootURI:               uri.File(s.folders.root),
		Capabilities:          spec.Merge(caps, s.spec.Capabilities),
		InitializationOptions: options,
		WorkspaceFolders:      s.folders.workspaceFolders(),
	}, nil
}

// Launcher is what is particular about starting the processes of one server, one after the other: it prepares each
// of them and makes its [Hooks]. What it keeps it may keep over the processes. One start at a time uses it.
type Launcher interface {
	// Prepare is called before each process is started, with what it will be started with, which Prepare may
	// change. ctx is that of the start.
	Prepare(ctx context.Context, p *launch.Plan)
	// NewHooks makes the hooks of the process that was prepared last; never nil. The server has not shaken hands yet
	// and must not be asked.
	NewHooks(s *Server) *Hooks
}

// NewHooks makes the hooks of a server whose processes need no preparation. It is a [Launcher].
type NewHooks func(*Server) *Hooks

// Prepare does nothing.
func (NewHooks) Prepare(context.Context, *launch.Plan) {}

// NewHooks calls f.
func (f NewHooks) NewHooks(s *Server) *Hooks { return f(s) }
