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

// HTTPOptions configure an [HTTP]. All of them are required.
type HTTPOptions struct {
	// New returns the options for the service of a new session; ended is called when that session has ended completely.
	New         func() (o ServiceOptions, ended func())
	MaxSessions int
	Idle        time.Duration // a session ends after so long without a request
	Log         *slog.Logger
}

// HTTP serves MCP's streamable HTTP (2025-11-25, Transports), with a [Service] for each MCP session. Package httpdoor
// stands before it: it checks who the client is and bounds the body. HTTP begins, counts and ends the sessions itself,
// because the SDK keeps any number of them and lets every message begin one (go-sdk 1.8.0).
type HTTP struct {
	opt HTTPOptions
	sdk *mcp.StreamableHTTPHandler

	mu       sync.Mutex
	closed   bool                      // guarded by mu
	starting int                       // sessions that are not in the map yet; guarded by mu
	sessions map[string]*clientSession // by Mcp-Session-Id; guarded by mu
	messages underWay                  // POST requests
	calls    int64                     // of sessions that have ended; guarded by mu
	work     sync.WaitGroup            // sessions; added to under mu while closed is not set
}

// clientSession is the session of one client.
type clientSession struct {
	id      string
	service *Service
	since   time.Time
	end     func(cause error) // ends the service and the connection; returns, to every caller, when both have ended
	answers underWay          // POST requests whose answer is being written
	// requests counts the requests of the session, open streams included; the timer idle runs while it is 0. Both are
	// guarded by HTTP.mu.
	requests int
	idle     *time.Timer
}

// The causes of a session's end.
var (
	errDeleted  = errors.New("the client has ended the session")
	errUnused   = errors.New("the client sent no request for a while")
	errBroken   = errors.New("the handshake failed, or the connection broke")
	errNoClient = errors.New("lspi is shutting down")
)

// maxHello bounds an initialize request, in bytes: what a client says of itself there is kept as long as its session.
const maxHello = 64 << 10

// sessionHeader is the header in which clients name their session.
const sessionHeader = "Mcp-Session-Id"

// answerLimit is how long a client may take to read the answers of calls that the end of its session cancelled.
const answerLimit = 2 * time.Second

// NewHTTP returns a handler without sessions. Its owner calls Close.
func NewHTTP(o HTTPOptions) *HTTP {
	h := &HTTP{opt: o, sessions: map[string]*clientSession{}}
	// Package httpdoor does the two checks that are turned off here.
	h.sdk = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return r.Context().Value(sessionKey{}).(*clientSession).service.server
	}, &mcp.StreamableHTTPOptions{Logger: quiet(o.Log), DisableLocalhostProtection: true, MaxRequestBodyBytes: -1})
	return h
}

// sessionKey is the key of the *clientSession in the context of a request.
type sessionKey struct{}

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

// Finish waits until no POST request is under way, or ctx ends. From its call on no session begins. Call Close next.
func (h *HTTP) Finish(ctx context.Context) {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.messages.wait(ctx)
}

// post serves one JSON-RPC message, which begins a session or belongs to the session id.
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
	// The body has to be one message: the SDK would ignore what follows it, and MCP 2025-06-18 removed batches.
	if err != nil || !json.Valid(body) {
		http.Error(w, "the body is not one JSON-RPC message", http.StatusBadRequest)
		return
	}
	request, _ := message.(*jsonrpc.Request)
	if request != nil && request.Method == "tools/call" && request.IsCall() {
		if fault := faultIn(request.Params); fault != "" { // see decodable
			request.Params = decodableParams(request.Params, fault)
			body, _ = jsonrpc.EncodeMessage(request) // cannot fail: it was JSON
		}
	}
	if request != nil && withID(request, h.eventsOf(id)) {
		body, _ = jsonrpc.EncodeMessage(request) // cannot fail: it was JSON
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case id != "":
		h.inSession(id, w, r)
	case request != nil && request.Method == "initialize" && request.IsCall():
		if len(body) > maxHello {
			http.Error(w, "the initialize request is too large", http.StatusRequestEntityTooLarge)
			return
		}
		h.begin(w, r)
	default:
		// This also refuses server/discover of 2026-07-28, which has no sessions: clients then fall back to initialize.
		http.Error(w, sessionHeader+" is missing, and only initialize begins a session", http.StatusBadRequest)
	}
}

// eventsOf returns the recorder of a session; nil when there is no such session or it records nothing.
func (h *HTTP) eventsOf(id string) *events.Recorder {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		return s.service.opt.Events
	}
	return nil
}

// accepts reports whether the Accept header allows a media type; parameters such as q are ignored.
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

// begin serves an initialize request in a new session.
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

// inSession serves a request of the session id.
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

// pass hands a request to the SDK, and ends the session when the SDK has no connection for it afterwards.
func (h *HTTP) pass(s *clientSession, w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		defer s.answers.begin()()
	}
	h.sdk.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, s)))
	for range s.service.server.Sessions() {
		return
	}
	s.end(errBroken)
}

// enter adds a session with one request, for which the caller calls leave. It returns nil when there are MaxSessions
// already, or h is closed.
func (h *HTTP) enter() *clientSession {
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
	s := h.newSession() // not under mu: it may read files
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

// newSession makes a session with one request. Whoever calls end first ends it; others wait for that, so that every
// caller of end knows that the session has ended.
func (h *HTTP) newSession() *clientSession {
	o, ended := h.opt.New()
	s := &clientSession{id: rand.Text(), since: time.Now(), requests: 1}
	o.sessionID = func() string { return s.id }
	s.service = NewService(o)
	over := make(chan struct{})
	var once sync.Once
	s.end = func(cause error) {
		once.Do(func() {
			defer h.work.Done()
			defer close(over)
			h.forget(s)
			s.service.Close(cause) // before session.Close below, which waits for calls in flight
			for session := range s.service.server.Sessions() {
				// Once its Close has begun the SDK writes no answers, not even those of calls that have ended (go-sdk
				// 1.8.0); so they are waited for here.
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

// forget removes a session that ends from the map and keeps its count of calls.
func (h *HTTP) forget(s *clientSession) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, s.id)
	s.idle.Stop()
	h.calls += s.service.Calls()
}

// leave ends one request of a session; after the last one the idle timer starts.
func (h *HTTP) leave(s *clientSession) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.requests--
	if s.requests == 0 && h.sessions[s.id] == s {
		s.idle.Reset(h.opt.Idle)
	}
}

// unused ends a session whose idle timer fired, unless a request has come since.
func (h *HTTP) unused(s *clientSession) {
	h.mu.Lock()
	busy := s.requests > 0
	h.mu.Unlock()
	if !busy {
		h.opt.Log.Info("a session over HTTP ends", "reason", errUnused, "host", s.service.Host())
		s.end(errUnused)
	}
}

// HTTPSession describes an open session, for lspi's status.
type HTTPSession struct {
	Host  string // the name in the handshake, escaped
	Root  string // "" until the workspace is known
	Since time.Time
	Calls int64
	// Preset is the name of the preset in use; "" for none.
	Preset string
}

// Sessions returns the open sessions, the oldest first.
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

// Calls returns how many calls of tools all sessions have made, ended sessions included.
func (h *HTTP) Calls() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.calls
	for _, s := range h.sessions {
		n += s.service.Calls()
	}
	return n
}

// Close ends all sessions and returns when they have ended completely; no session begins after it.
func (h *HTTP) Close() {
	h.mu.Lock()
	h.closed = true
	for _, s := range h.sessions {
		go s.end(errNoClient)
	}
	h.mu.Unlock()
	h.work.Wait()
}
