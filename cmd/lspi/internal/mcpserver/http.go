package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/events"
)

// HTTPOptions are what an [HTTP] is made of. All are needed.
type HTTPOptions struct {
	// New makes the options of the service of one more session; ended is called when all of the session is over.
	New         func() (o ServiceOptions, ended func())
	MaxSessions int
	Idle        time.Duration // after which a session ends that no request is about
	Log         *slog.Logger
}

// HTTP serves MCP's streamable HTTP (2025-11-25, Transports), with a [Service] for each MCP session. It wants
// requests with their whole body, from clients that may come in. The SDK keeps sessions without bound and lets
// every message begin one (go-sdk 1.8.0), so that sessions are counted, begun and ended here.
type HTTP struct {
	opt HTTPOptions
	sdk *mcp.StreamableHTTPHandler

	mu       sync.Mutex
	closed   bool                    // guarded by mu
	starting int                     // sessions that are not in the map yet; guarded by mu
	sessions map[string]*httpSession // by the id that clients send; guarded by mu
	messages underWay                // by POST
	calls    int64                   // of sessions that are over; guarded by mu
	work     sync.WaitGroup          // sessions; entered under mu while closed is not set
}

// httpSession is one client's.
type httpSession struct {
	id      string
	service *Service
	since   time.Time
	end     func(cause error) // once, with everything that it has; returns when that is over
	answers underWay          // of messages by POST
	// requests is how many are about it, streams that stand open among them; idle runs while there are none. Both
	// guarded by HTTP.mu.
	requests int
	idle     *time.Timer
}

// The causes of a session's end.
var (
	errDeleted  = errors.New("the client has ended the session")
	errUnused   = errors.New("nothing was heard of the client for a while")
	errBroken   = errors.New("the session was not begun, or broke")
	errNoClient = errors.New("lspi is shutting down")
)

// maxHello bounds what a client says of itself, in bytes, which is kept as long as its session.
const maxHello = 64 << 10

// sessionHeader is where clients name their session.
const sessionHeader = "Mcp-Session-Id"

// answerLimit is how long a client may take to read the answers of the calls that the end of its session has cancelled.
const answerLimit = 2 * time.Second

// NewHTTP makes a handler without sessions. Whoever ends it calls Close.
func NewHTTP(o HTTPOptions) *HTTP {
	h := &HTTP{opt: o, sessions: map[string]*httpSession{}}
	h.sdk = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return r.Context().Value(serverKey{}).(*httpSession).service.server
		// both are the door's
	}, &mcp.StreamableHTTPOptions{Logger: quiet(o.Log), DisableLocalhostProtection: true, MaxRequestBodyBytes: -1})
	return h
}

// serverKey is of the session in the context of a request.
type serverKey struct{}

// ServeHTTP is part of http.Handler.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ids := r.Header.Values(sessionHeader)
	switch {
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodDelete}, r.Method):
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	case len(ids) > 1:
		http.Error(w, "there is more than one "+sessionHeader, http.StatusBadRequest)
	case r.Method == http.MethodPost:
		defer h.messages.begin()()
		h.post(w, r, strings.Join(ids, ""))
	case strings.Join(ids, "") == "":
		http.Error(w, sessionHeader+" is missing", http.StatusBadRequest)
	default:
		h.inSession(ids[0], w, r)
	}
}

// Finish lets the calls under way end, until ctx ends; no session begins meanwhile. Close is to follow.
func (h *HTTP) Finish(ctx context.Context) {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.messages.wait(ctx)
}

// post serves a message: it begins a session, or is about one.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request, id string) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		http.Error(w, "Accept must have application/json and text/event-stream", http.StatusNotAcceptable)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	message, err := jsonrpc.DecodeMessage(body)
	// one message and nothing behind it, which the SDK does not read; a batch is none: 2025-06-18 took them out of MCP
	if err != nil || !json.Valid(body) {
		http.Error(w, "the body is not one JSON-RPC message", http.StatusBadRequest)
		return
	}
	request, _ := message.(*jsonrpc.Request)
	if request != nil && request.Method == "tools/call" && request.IsCall() {
		if fault := faultIn(request.Params); fault != "" { // see legible
			request.Params = legibleParams(request.Params, fault)
			body, _ = jsonrpc.EncodeMessage(request) // of what was JSON
		}
	}
	if request != nil && withID(request, h.eventsOf(id)) {
		body, _ = jsonrpc.EncodeMessage(request) // of what was JSON
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case id != "":
		h.inSession(id, w, r)
	case request != nil && request.Method == "initialize" && request.IsCall():
		if len(body) > maxHello {
			http.Error(w, "an initialize of this size begins no session", http.StatusRequestEntityTooLarge)
			return
		}
		h.begin(w, r)
	default:
		// Also for server/discover of 2026-07-28, which has no sessions: its clients then fall back to initialize.
		http.Error(w, sessionHeader+" is missing, and only initialize begins a session", http.StatusBadRequest)
	}
}

// eventsOf records the events of a session; nil when there is none.
func (h *HTTP) eventsOf(id string) *events.Recorder {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		return s.service.opt.Events
	}
	return nil
}

func accepts(r *http.Request, media string) bool {
	group, _, _ := strings.Cut(media, "/")
	for _, value := range r.Header.Values("Accept") {
		for one := range strings.SplitSeq(value, ",") {
			one, _, _ = strings.Cut(one, ";")
			if one = strings.ToLower(strings.TrimSpace(one)); one == media || one == group+"/*" || one == "*/*" {
				return true
			}
		}
	}
	return false
}

// begin serves the handshake of a new session.
func (h *HTTP) begin(w http.ResponseWriter, r *http.Request) {
	s := h.enter()
	if s == nil {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "there are too many sessions; end one, or come back later", http.StatusServiceUnavailable)
		return
	}
	defer h.leave(s)
	h.pass(s, w, r)
}

// inSession serves a request that is about a session.
func (h *HTTP) inSession(id string, w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	s := h.sessions[id]
	if s != nil {
		s.requests++
		s.idle.Stop()
	}
	h.mu.Unlock()
	if s == nil {
		http.Error(w, "there is no such session; it may have ended: initialize begins another", http.StatusNotFound)
		return
	}
	defer h.leave(s)
	if r.Method == http.MethodDelete {
		s.end(errDeleted)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.pass(s, w, r)
}

func (h *HTTP) pass(s *httpSession, w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		defer s.answers.begin()()
	}
	h.sdk.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, s)))
	for range s.service.server.Sessions() {
		return
	}
	s.end(errBroken) // the handshake failed, or the connection of the SDK broke
}

// enter makes one more session, with one request about it; nil when there are too many.
func (h *HTTP) enter() *httpSession {
	h.mu.Lock()
	full := h.closed || len(h.sessions)+h.starting >= h.opt.MaxSessions
	if !full {
		h.starting++
		h.work.Add(1)
	}
	h.mu.Unlock()
	if full {
		return nil
	}
	s := h.newSession() // not under the lock: it may read files
	h.mu.Lock()
	h.starting--
	h.sessions[s.id] = s
	closed := h.closed
	h.mu.Unlock()
	if closed {
		s.end(errNoClient)
		return nil
	}
	return s
}

func (h *HTTP) newSession() *httpSession {
	o, ended := h.opt.New()
	s := &httpSession{id: rand.Text(), since: time.Now(), requests: 1}
	o.sessionID = func() string { return s.id }
	s.service = NewService(o)
	over := make(chan struct{})
	var once sync.Once
	s.end = func(cause error) {
		once.Do(func() {
			defer h.work.Done()
			defer close(over)
			h.forget(s)
			s.service.Close(cause) // before the connection, which waits for the calls under way
			for session := range s.service.server.Sessions() {
				// From the beginning of its Close the SDK writes no answer any more, those of calls that have ended
				// neither (go-sdk 1.8.0).
				ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
				s.answers.wait(ctx)
				cancel()
				_ = session.Close()
			}
			ended()
		})
		<-over
	}
	s.idle = time.AfterFunc(h.opt.Idle, func() { h.unused(s) })
	s.idle.Stop()
	return s
}

func (h *HTTP) forget(s *httpSession) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, s.id)
	s.idle.Stop()
	h.calls += s.service.Calls()
}

// leave counts off one request about a session.
func (h *HTTP) leave(s *httpSession) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.requests--
	if s.requests == 0 && h.sessions[s.id] == s {
		s.idle.Reset(h.opt.Idle)
	}
}

// unused ends a session, unless a request came meanwhile.
func (h *HTTP) unused(s *httpSession) {
	h.mu.Lock()
	busy := s.requests > 0
	h.mu.Unlock()
	if !busy {
		h.opt.Log.Info("a session over HTTP ends", "reason", errUnused, "host", s.service.Host())
		s.end(errUnused)
	}
}

// HTTPSession is what is told of a session.
type HTTPSession struct {
	Host  string // by its handshake
	Root  string // "" before its workspace is known
	Since time.Time
	Calls int64
	// Preset is the one in use; "" for none.
	Preset string
}

// Sessions are those that are open, the oldest first.
func (h *HTTP) Sessions() []HTTPSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]HTTPSession, 0, len(h.sessions))
	for _, s := range h.sessions {
		out = append(out, HTTPSession{contract.EscapeText(s.service.Host()), s.service.Root(), s.since,
			s.service.Calls(), s.service.Preset()})
	}
	slices.SortFunc(out, func(a, b HTTPSession) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.Host, b.Host))
	})
	return out
}

// Calls is how many tools were called, over all sessions.
func (h *HTTP) Calls() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.calls
	for _, s := range h.sessions {
		n += s.service.Calls()
	}
	return n
}

// Close ends all sessions and returns when everything of them is over; from then on none begins.
func (h *HTTP) Close() {
	h.mu.Lock()
	h.closed = true
	for _, s := range h.sessions {
		go s.end(errNoClient)
	}
	h.mu.Unlock()
	h.work.Wait()
}
