package mcpserver

//lint:file-ignore SA1019 MCP 2026-07-28 deprecates roots, sampling and logs; hosts and servers of today use them.

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

// instructionsFile is what hosts show the model (MCP, InitializeResult.instructions): Codex CLI as the description
// of the tool namespace, Claude Code in the system prompt, cut at 2 KB.
//
//go:embed instructions.md
var instructionsFile string

// Instructions returns the text that MCP hosts show the model once per session.
func Instructions() string { return unwrapLines(instructionsFile) }

// ServiceOptions configure a [Service].
type ServiceOptions struct {
	Version string // of lspi
	// Settings decide tools/list until the session is open: hosts ask for the list at once, and it must not wait for
	// anything. Calls obey the settings of the session that Open returns, which may allow less.
	Settings session.Settings
	// Open opens the session. hostRoots are the host's roots, as paths or file URIs; nil when the host has none. The
	// first call of a tool calls Open, and so does the next one after a failure: the configuration may have been
	// repaired in between. ctx ends with the service.
	Open func(ctx context.Context, hostRoots []string) (*session.Session, error)
	// Bind chooses the workspace of the folder cwd as the one that Open opens; its error says why it cannot. It is
	// called again when the session is open, and then returns an error for every other workspace. nil unless the host
	// names its workspace with the tool bind_workspace (session.Settings.Binds).
	Bind func(cwd string) error
	// Listing reads the settings again that decide tools/list while no session is open; nil when they never change.
	Listing func() (session.Settings, error)
	// Watch calls refresh whenever a file that decides about the session may have changed, until stop is called. With
	// nil nothing is watched, and the next call notices a change.
	Watch func(refresh func()) (stop func())
	// Cache keeps the lists of other MCP servers; nil keeps none.
	Cache mcpclient.Cache
	// Warmup starts the servers that the workspace needs as soon as the handshake is over.
	Warmup bool
	Log    *slog.Logger
	Events *events.Recorder // nil records nothing; the caller closes it after the service

	sessionID func() string // returns the Mcp-Session-Id; nil unless the session is over HTTP
	listWait  time.Duration // gateway.Options.ListWait; tests set it
}

// Service serves the tools to one MCP host over any transport. Its owner calls Close, once.
type Service struct {
	opt ServiceOptions
	// ctx covers everything that the service does and ends with Close; the SDK's own contexts end with a request.
	ctx     context.Context
	cancel  context.CancelCauseFunc
	server  *mcp.Server
	list    *toolList
	prompts *promptList
	others  *gateway.Servers // other MCP servers
	showing sync.Mutex       // held while the lists are changed
	shown   atomic.Int64     // the version of the other servers' lists that the SDK shows
	// settings are those of the session once it is open; before that, those that calls obey which need no session.
	settings atomic.Pointer[session.Settings]
	listed   chan struct{} // closed when the SDK has all tools for the first time
	session  lazySession
	unwatch  func()     // ends Watch
	listing  sync.Mutex // held from reading settings to showing them, so that the settings read last are shown last
	warmOnce sync.Once  // guards the start of the warm-up
	seen     seen

	mu     sync.Mutex
	closed bool           // guarded by mu
	work   sync.WaitGroup // calls in flight and the warm-up; added to under mu, so that nothing starts after Close
}

// NewService returns a service that has started no server and opened no session.
func NewService(o ServiceOptions) *Service {
	s := &Service{opt: o, listed: make(chan struct{}), session: lazySession{open: o.Open, log: o.Log}}
	s.settings.Store(&o.Settings)
	s.others = gateway.New(gateway.Options{Version: o.Version, Log: o.Log, Cache: o.Cache, Events: o.Events,
		ListWait: o.listWait, Root: s.workspaceRoot, Changed: s.othersChanged})
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
	s.server.AddReceivingMiddleware(inFull, s.asSent, s.recorded, s.receive)
	s.server.AddSendingMiddleware(s.list.oncePerChange, passForm)
	go s.addTools()
	s.unwatch = func() {}
	if o.Watch != nil {
		s.unwatch = o.Watch(s.Refresh)
	}
	return s
}

// addTools writes the schemas of all tools. It runs beside the handshake, because it takes a quarter of the time that
// lspi needs to start.
func (s *Service) addTools() {
	defer close(s.listed)
	s.apply(&s.opt.Settings)
}

// apply makes settings the ones that the lists and the other MCP servers follow.
func (s *Service) apply(settings *session.Settings) {
	s.settings.Store(settings)
	s.others.Set(usable(settings))
	s.showLists()
}

// showLists gives the SDK the tools, prompts and resources that the present settings allow.
func (s *Service) showLists() {
	s.showing.Lock()
	defer s.showing.Unlock()
	settings, version := s.settings.Load(), s.others.Version()
	s.list.set(settings, s.offered(settings))
	s.prompts.set(settings, s.others)
	s.shown.Store(version) // read before the lists: what arrives in between is shown by the next call
}

// relist shows the tools that an opened session allows: configuration files of its workspace, which were not read
// before, may change the list.
func (s *Service) relist(session *session.Session) {
	<-s.listed
	s.listing.Lock()
	defer s.listing.Unlock()
	s.apply(&session.Settings)
}

// Refresh makes the service follow a changed configuration before the next call comes: it opens the session anew and
// notifies the host when the list of tools has changed. It waits for no call in flight.
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
	if now, err := s.opt.Listing(); err == nil { // on an error the list stays, and each call returns that error
		s.apply(&now)
	}
}

// Run serves one connection until the host ends it (nil), it breaks, or ctx ends. It returns when every call is
// answered. Calls do not end with ctx, so call Close before ending ctx.
func (s *Service) Run(ctx context.Context, t mcp.Transport) error {
	return s.server.Run(ctx, decodable{t, s.opt.Events})
}

// cancelLimit is how long Close waits for calls in flight to notice their cancellation before it ends their servers.
const cancelLimit = time.Second

// Close cancels the calls in flight, ends every server and returns when all have ended; a server may take seconds.
// Calls in flight and later ones answer with cause. Calls are cancelled first: one that saw its server end would
// report a crash.
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

// enter registers work that Close waits for; the caller calls work.Done. It returns false once the service is closed.
func (s *Service) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Add(1)
	return true
}

// both returns a context with the values of a that ends with a or with b, with the cause of the first to end.
func both(a, b context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(a)
	stop := context.AfterFunc(b, func() { cancel(context.Cause(b)) })
	return ctx, func() { stop(); cancel(nil) }
}

// mcpTool returns a tool as tools/list shows it. Claude Code hides the tools of MCP servers behind a search, except
// those with anthropic/alwaysLoad (2.1.121 and later).
func mcpTool(s *session.Settings, t *answer.Tool) *mcp.Tool {
	shown := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, Annotations: annotations(s, t.Class),
		InputSchema: tools.ListedInput(s, t),
	}
	if t.AlwaysLoad {
		shown.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	if s.Shape != session.ShapeOriginal { // the schemas are those of today's fields
		shown.OutputSchema = t.ListedOutput()
	}
	return shown
}

// Descriptions returns the tools that a configuration allows as tools/list shows them, in its order.
func Descriptions(s *session.Settings) []*mcp.Tool {
	var out []*mcp.Tool
	for _, t := range tools.Served(s) {
		out = append(out, mcpTool(s, t))
	}
	return out
}

// ProtocolVersions returns the versions of MCP that the SDK speaks, newest first.
func ProtocolVersions() []string { return mcp.SupportedProtocolVersions() }

// unwrapLines joins the lines of each paragraph: instructions.md is wrapped for people only.
func unwrapLines(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = tools.Unwrap(p)
	}
	return strings.Join(paragraphs, "\n")
}
