package gateway

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/events"
	"lspi/tools/session"
)

// Options are what all servers of a session have in common.
type Options struct {
	Version string // of lspi
	Log     *slog.Logger
	Cache   mcpclient.Cache  // of lists; nil keeps none
	Events  *events.Recorder // nil records nothing
	// ListWait is how long a list waits for a server of which no list is known; 0 is 2 s.
	ListWait time.Duration
	// Root is the workspace, "" while it is not known; for a server that is an lspi without one. nil says none.
	Root func() string
	// Changed hears that the lists are others than they were. It may be called by several goroutines at a time, and
	// not after Close has returned.
	Changed func()
}

// listWait is the default of Options.ListWait.
const listWait = 2 * time.Second

// Servers are the other MCP servers of a session.
type Servers struct {
	opt    Options
	ctx    context.Context // of all work; ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // refreshes, and ends of servers; entered under mu while closed is not set

	mu     sync.Mutex
	closed bool                // guarded by mu
	host   *mcpclient.Host     // nil before Begin; guarded by mu
	level  mcp.LoggingLevel    // of log messages, "" as long as the host has not said one; guarded by mu
	wanted []session.MCPServer // guarded by mu
	all    map[string]*server  // by id, once they were begun; guarded by mu
	left   []*server           // those that are gone and that calls still have; guarded by mu
	// version grows whenever a list may be another one; guarded by mu.
	version int64
}

// server is one of them. Its fields are guarded by Servers.mu, unless they say otherwise.
type server struct {
	id     string            // not changed
	client *mcpclient.Client // not changed
	calls  int
	gone   bool // it ends with its last call
	// For each list a channel that is closed when one of the server is shown, if only that of an earlier process,
	// or could not be had in its time. The map is not changed.
	first map[mcpclient.ListKind]chan struct{}
	known map[mcpclient.ListKind]bool // the lists that have come, or are lent
	// lent are the lists that are those of the server which this one has replaced, so that a host does not hear of
	// tools that go and come back.
	lent   map[mcpclient.ListKind]bool
	digest string // of its configuration without secrets; not changed

	tools     []mcpclient.Named[mcp.Tool]
	prompts   []mcpclient.Named[mcp.Prompt]
	resources []mcpclient.Named[mcp.Resource]
	templates []mcpclient.Named[mcp.ResourceTemplate]
}

// New makes the servers of a session; there are none yet.
func New(o Options) *Servers {
	s := &Servers{opt: o, all: map[string]*server{}}
	s.opt.ListWait = cmp.Or(o.ListWait, listWait)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Set sets the servers of the configuration. A running server that is not among them, or that has another
// configuration now, ends when its calls have.
func (s *Servers) Set(wanted []session.MCPServer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = wanted
	if s.host != nil && !s.closed {
		s.reconcile()
	}
}

// Begin starts the servers; host is what the host of the session offers to each. Later calls do nothing.
func (s *Servers) Begin(host mcpclient.Host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.host != nil || s.closed {
		return
	}
	s.host = &host
	s.reconcile()
}

// reconcile begins the servers that are wanted and not there, and ends those that are there and not wanted. It needs
// mu.
func (s *Servers) reconcile() {
	usable := map[string]*session.MCPServer{}
	for i := range s.wanted {
		if w := &s.wanted[i]; w.Broken == "" {
			usable[w.ID] = w
		}
	}
	replaced := map[string]*server{}
	for id, have := range s.all {
		if w := usable[id]; w == nil || !have.client.Same(spec(w)) {
			replaced[id] = have
			delete(s.all, id)
			have.gone = true
			s.left = append(s.left, have)
			s.endUnused(have)
		}
	}
	for id, w := range usable {
		if s.all[id] == nil {
			s.start(w, replaced[id])
		}
	}
}

// spec returns a server's configuration as the client takes it.
func spec(w *session.MCPServer) *mcpclient.Spec { return (*mcpclient.Spec)(&w.MCPSpec) }

// start begins a server; before is the one that it replaces, nil for none. It needs mu.
func (s *Servers) start(w *session.MCPServer, before *server) {
	one := &server{id: w.ID, first: map[mcpclient.ListKind]chan struct{}{}, known: map[mcpclient.ListKind]bool{},
		lent: map[mcpclient.ListKind]bool{}, digest: spec(w).Digest()}
	for _, kind := range mcpclient.ListKinds {
		one.first[kind] = make(chan struct{})
	}
	host := *s.host
	host.Changed = func(kind mcpclient.ListKind) { s.refresh(one, kind) }
	client, err := mcpclient.New(*spec(w), host, mcpclient.Options{Version: s.opt.Version, Log: s.opt.Log,
		Cache: s.opt.Cache, Events: s.undecoded(w.ID)})
	if err != nil { // which the configuration has looked at
		s.opt.Log.Warn("an MCP server is not used", "mcp_server", w.ID, "error", err)
		return
	}
	one.client = client
	s.all[w.ID] = one
	if before != nil {
		one.borrow(before)
	}
	if s.level != "" {
		s.tellLevel(one)
	}
	s.work.Go(func() {
		// What is kept of an earlier time stands in at once: a host waits only for lists that nobody knows.
		s.read(0, one, nil, mcpclient.ListKinds...)
		early := s.knownOf(one)
		for _, kind := range early {
			close(one.first[kind])
		}
		s.read(s.opt.ListWait, one, func(kind mcpclient.ListKind) {
			if before != nil && before.digest != one.digest {
				s.giveBack(one, kind)
			}
			if !slices.Contains(early, kind) {
				close(one.first[kind])
			}
		}, mcpclient.ListKinds...)
	})
}

// borrow takes over the lists of the server that this one replaces, until its own come. Of one that differs in
// secrets only they stand in as those of an earlier time do, of any other one no longer than a list waits. It needs
// Servers.mu.
func (one *server) borrow(before *server) {
	one.tools, one.prompts, one.resources, one.templates = before.tools, before.prompts, before.resources,
		before.templates
	for kind := range before.known {
		one.known[kind], one.lent[kind] = true, true
	}
}

// giveBack takes out a list that is still lent.
func (s *Servers) giveBack(one *server, kind mcpclient.ListKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !one.lent[kind] {
		return
	}
	delete(one.lent, kind)
	delete(one.known, kind)
	switch kind {
	case mcpclient.ToolList:
		one.tools = nil
	case mcpclient.PromptList:
		one.prompts = nil
	case mcpclient.ResourceList:
		one.resources = nil
	case mcpclient.TemplateList:
		one.templates = nil
	}
	s.version++
}

// knownOf returns the lists of a server that have come.
func (s *Servers) knownOf(one *server) (out []mcpclient.ListKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range mcpclient.ListKinds {
		if one.known[kind] {
			out = append(out, kind)
		}
	}
	return out
}

// refresh reads a list again, in the background.
func (s *Servers) refresh(one *server, kind mcpclient.ListKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed && !one.gone {
		s.work.Go(func() { s.read(s.opt.ListWait, one, nil, kind) })
	}
}

// read reads lists side by side, each no longer than wait; what comes later is told by the client. over hears of
// each that was read, or could not be; nil hears nothing.
func (s *Servers) read(wait time.Duration, one *server, over func(mcpclient.ListKind), kinds ...mcpclient.ListKind) {
	ctx, cancel := context.WithTimeout(s.ctx, wait)
	defer cancel()
	var all sync.WaitGroup
	for _, kind := range kinds {
		all.Go(func() {
			switch kind {
			case mcpclient.ToolList:
				take(ctx, s, one, kind, one.client.Tools, &one.tools)
			case mcpclient.PromptList:
				take(ctx, s, one, kind, one.client.Prompts, &one.prompts)
			case mcpclient.ResourceList:
				take(ctx, s, one, kind, one.client.Resources, &one.resources)
			case mcpclient.TemplateList:
				take(ctx, s, one, kind, one.client.ResourceTemplates, &one.templates)
			}
			if over != nil {
				over(kind)
			}
		})
	}
	all.Wait()
	if s.ctx.Err() == nil {
		s.opt.Changed()
	}
}

// take stores a list that was given; one that cannot be had stays as it was.
func take[T any](ctx context.Context, s *Servers, one *server, kind mcpclient.ListKind,
	list func(context.Context) (mcpclient.List[T], error), into *[]T) {
	got, err := list(ctx)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	*into, one.known[kind] = got.Items, true
	delete(one.lent, kind)
	s.version++
}

// Version returns a number that is higher than before when a list may have changed.
func (s *Servers) Version() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Await waits for these lists of every server: until one is shown, if only that of an earlier time, or it is clear
// that there is none, or ctx ends, and no longer than a list waits.
func (s *Servers) Await(ctx context.Context, lists ...mcpclient.ListKind) {
	ctx, cancel := context.WithTimeout(ctx, s.opt.ListWait)
	defer cancel()
	for _, one := range s.inOrder() {
		for _, kind := range lists {
			select {
			case <-one.first[kind]:
			case <-ctx.Done():
				return
			}
		}
	}
}

// inOrder returns the servers in the order of the configuration.
func (s *Servers) inOrder() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*server
	for i := range s.wanted {
		if one := s.all[s.wanted[i].ID]; one != nil {
			out = append(out, one)
		}
	}
	return out
}

// use returns the server of an id, which does not end before giveBack is called; nil when there is none.
func (s *Servers) use(id string) (one *server, giveBack func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one = s.all[id]
	if one == nil || s.closed {
		return nil, func() {}
	}
	one.calls++
	return one, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		one.calls--
		s.endUnused(one)
	})
}

// endUnused ends a server that is gone and that no call has, in the background. It needs mu.
func (s *Servers) endUnused(one *server) {
	if one.gone && one.calls == 0 && !s.closed {
		s.left = slices.DeleteFunc(s.left, func(other *server) bool { return other == one })
		s.work.Go(one.client.Close)
	}
}

// Close ends all servers. The calls should have ended before.
func (s *Servers) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	all := slices.AppendSeq(s.left, maps.Values(s.all))
	s.mu.Unlock()
	s.cancel()
	var ends sync.WaitGroup
	for _, one := range all {
		ends.Go(one.client.Close)
	}
	ends.Wait()
	s.work.Wait()
}

// SetLevel sets the least level of the log messages of all servers, also of those that begin later. It waits until
// they know, or ctx ends, and no longer than a list would.
func (s *Servers) SetLevel(ctx context.Context, level mcp.LoggingLevel) {
	ctx, cancel := context.WithTimeout(ctx, s.opt.ListWait)
	defer cancel()
	var told []<-chan struct{}
	s.mu.Lock()
	s.level = level
	for _, one := range s.all {
		if !s.closed {
			told = append(told, s.tellLevel(one))
		}
	}
	s.mu.Unlock()
	for _, done := range told {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// tellLevel tells a server the level in the background. It needs mu.
func (s *Servers) tellLevel(one *server) (told <-chan struct{}) {
	level, done := s.level, make(chan struct{})
	s.work.Go(func() {
		defer close(done)
		if err := one.client.SetLevel(s.ctx, level); err != nil && s.ctx.Err() == nil {
			s.opt.Log.Info("setting the level of the log messages of an MCP server", "mcp_server", one.id, "error", err)
		}
	})
	return done
}

// RootsChanged tells all servers that the host's roots are others now.
func (s *Servers) RootsChanged() {
	for _, one := range s.inOrder() {
		one.client.RootsChanged()
	}
}

// Any reports whether the configuration has servers.
func (s *Servers) Any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.wanted) > 0
}

// ids returns the ids of the configured servers.
func (s *Servers) ids() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, w := range s.wanted {
		out = append(out, w.ID)
	}
	return out
}

// broken returns why a configured server cannot be used; "" for one that can.
func (s *Servers) broken(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.wanted, func(w session.MCPServer) bool { return w.ID == id }); i >= 0 {
		return s.wanted[i].Broken
	}
	return ""
}
