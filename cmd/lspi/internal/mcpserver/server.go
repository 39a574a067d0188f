package mcpserver

//lint:file-ignore SA1019 roots, sampling and log messages are deprecated since 2026-07-28, and what the hosts and servers of today have.

import (
	"context"
	_ "embed"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway"
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/events"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// instructions is the playbook that hosts put before the model: Codex CLI as the description of the tool namespace,
// Claude Code in the system prompt, cut at 2 KB.
//
//go:embed instructions.md
var instructions string

// Instructions is the text that MCP hosts show to the model once per session.
func Instructions() string { return unwrapLines(instructions) }

// ServiceOptions are what a [Service] is made of.
type ServiceOptions struct {
	Version string // of lspi
	// Settings decide tools/list, which has to be the same from the first answer to the last and may wait for nothing.
	// Calls obey the settings of the session that Open gives, which may allow less.
	Settings session.Settings
	// Open opens the session once the host's roots are known (paths or file URIs; nil when the host has none). It
	// is called at the first call of a tool, and again at the next one after it failed: the configuration may have been
	// repaired meanwhile. Its ctx is the service's.
	Open func(ctx context.Context, hostRoots []string) (*session.Session, error)
	// Bind makes the workspace of a folder the one that Open opens; its error says why it is not. It is called
	// again when the session is open, and then has an error for every other workspace. nil where the host does not
	// say its workspace by a call (workspace.Settings.Binds).
	Bind func(cwd string) error
	// Listing reads anew the settings that decide tools/list while there is no session; nil when they never change.
	Listing func() (session.Settings, error)
	// Watch has refresh called when what decides about the session may have changed, until stop; nil watches
	// nothing: the next call looks.
	Watch func(refresh func()) (stop func())
	// Cache keeps the lists of other MCP servers; nil keeps none.
	Cache mcpclient.Cache
	// Warmup starts the servers that the workspace needs as soon as the host has shaken hands.
	Warmup bool
	Log    *slog.Logger
	Events *events.Recorder // nil records nothing; the caller closes it behind the service

	sessionID func() string // of its session over HTTP
	listWait  time.Duration // gateway.Options.ListWait; tests set it
}

// Service serves the tools to one MCP host over any transport. It outlives no session: whoever ends it calls Close.
type Service struct {
	opt ServiceOptions
	// of everything that the service does; ends with Close. The SDK's ends with a request only.
	ctx     context.Context
	cancel  context.CancelCauseFunc
	server  *mcp.Server
	list    *toolList
	prompts *promptList
	others  *gateway.Servers // other MCP servers
	showing sync.Mutex       // one change of the lists at a time
	shown   atomic.Int64     // the version of the other servers' lists that the SDK shows
	// that calls obey which need no session; those of the session once it is open
	settings atomic.Pointer[session.Settings]
	listed   chan struct{} // closed when the SDK has all tools for the first time
	session  lazySession
	unwatch  func()     // ends Watch
	listing  sync.Mutex // held while the settings of the list are made others: what was read last is what it shows
	greeted  sync.Once
	seen     seen

	mu     sync.Mutex
	closed bool           // guarded by mu
	work   sync.WaitGroup // calls in flight and the warm-up; entered under mu, so that nothing enters after Close
}

// NewService makes a service; it starts nothing.
func NewService(o ServiceOptions) *Service {
	s := &Service{opt: o, listed: make(chan struct{}), session: lazySession{open: o.Open, log: o.Log}}
	s.settings.Store(&o.Settings)
	s.others = gateway.New(gateway.Options{Version: o.Version, Log: o.Log, Cache: o.Cache, Events: o.Events,
		ListWait: o.listWait, Root: s.root, Changed: s.othersChanged})
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.session.ctx = s.ctx
	s.server = mcp.NewServer(
		&mcp.Implementation{Name: "lspi", Title: "lspi: answers of language servers", Version: o.Version},
		&mcp.ServerOptions{
			Instructions:            Instructions(),
			Logger:                  quiet(o.Log),
			GetSessionID:            o.sessionID,
			Capabilities:            capabilitiesFor(&o.Settings),
			CompletionHandler:       s.complete,
			SubscribeHandler:        s.subscribe,
			UnsubscribeHandler:      s.unsubscribe,
			RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) { s.others.RootsChanged() },
		})
	s.list = &toolList{server: s.server, handle: s.handle}
	s.prompts = &promptList{server: s.server, others: s.others}
	s.session.opened = s.relist
	s.server.AddReceivingMiddleware(s.asSent, s.recorded, s.receive)
	s.server.AddSendingMiddleware(s.list.oncePerChange, passForm)
	go s.addTools()
	s.unwatch = func() {}
	if o.Watch != nil {
		s.unwatch = o.Watch(s.Refresh)
	}
	return s
}

// addTools writes the schemas of all tools, which takes a quarter of a start, while the host is shaken hands with.
func (s *Service) addTools() {
	defer close(s.listed)
	s.apply(&s.opt.Settings)
}

// apply has the service follow these settings: its lists, and the other MCP servers.
func (s *Service) apply(settings *session.Settings) {
	s.settings.Store(settings)
	s.others.Set(usable(settings))
	s.showLists()
}

// showLists has the SDK show what the settings of now allow of what is known now.
func (s *Service) showLists() {
	s.showing.Lock()
	defer s.showing.Unlock()
	settings, version := s.settings.Load(), s.others.Version()
	s.list.set(settings, s.offered(settings))
	s.prompts.set(settings, s.others)
	s.shown.Store(version) // what has come meanwhile is shown with the next list
}

// relist has tools/list show what a session that was opened allows: files of the workspace may decide otherwise
// than what was known before.
func (s *Service) relist(session *session.Session) {
	<-s.listed
	s.listing.Lock()
	defer s.listing.Unlock()
	s.apply(&session.Settings)
}

// Refresh has the service follow a configuration that has changed, without waiting for the next call: the session
// is opened anew, and a host hears of another list of tools. It waits for no call.
func (s *Service) Refresh() {
	if !s.enter() {
		return
	}
	defer s.work.Done()
	<-s.listed
	if s.session.refresh() {
		return
	}
	if s.opt.Listing == nil {
		return
	}
	s.listing.Lock()
	defer s.listing.Unlock()
	if now, err := s.opt.Listing(); err == nil { // else the list stays as it is, and each call says why
		s.apply(&now)
	}
}

// Run serves one connection until the host ends it (nil), it breaks, or ctx ends. It returns when every call is
// answered, so that whoever ends ctx has to call Close before: ctx is not that of the calls.
func (s *Service) Run(ctx context.Context, t mcp.Transport) error {
	return s.server.Run(ctx, legible{t, s.opt.Events})
}

// cancelLimit is how long the calls in flight may take to hear that the service is closed, before their servers go.
const cancelLimit = time.Second

// Close ends the calls in flight and every server, and returns when all of it is over: after the seconds that a server
// may take to end. cause is what the calls in flight answer, and those that come later. The calls end first, or
// those that hear of their server's end before would say that it crashed.
func (s *Service) Close(cause error) {
	s.cancel(&closeCause{cause})
	s.unwatch()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		s.work.Wait()
		close(ended)
	}()
	limit := time.NewTimer(cancelLimit)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
	}
	s.session.close()
	<-ended
	s.others.Close()
}

// enter counts a piece of work that Close has to wait for; false when the service is closed.
func (s *Service) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Add(1)
	return true
}

// both is a context that ends with a or with b, with the cause of whichever ended first.
func both(a, b context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(a)
	stop := context.AfterFunc(b, func() { cancel(context.Cause(b)) })
	return ctx, func() { stop(); cancel(nil) }
}

// mcpTool is a tool as tools/list shows it.
func mcpTool(s *session.Settings, t *answer.Tool) *mcp.Tool {
	return &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, Annotations: annotations(s, t.Class),
		InputSchema:  mustRaw(tools.Advertised(tools.InputOf(s, t), tools.Unlisted(t)...)),
		OutputSchema: mustRaw(t.Output()),
	}
}

// Descriptions are the tools of a configuration as tools/list shows them, in their order.
func Descriptions(s *session.Settings) []*mcp.Tool {
	var out []*mcp.Tool
	for _, t := range tools.Served(s) {
		out = append(out, mcpTool(s, t))
	}
	return out
}

// ProtocolVersions are the versions of MCP that are spoken, newest first.
func ProtocolVersions() []string { return mcp.SupportedProtocolVersions() }

// unwrapLines joins the lines of each paragraph; the line breaks in the source are for people.
func unwrapLines(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = tools.Unwrap(p)
	}
	return strings.Join(paragraphs, "\n")
}
