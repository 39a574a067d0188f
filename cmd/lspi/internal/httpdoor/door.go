package httpdoor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"time"
)

// Options configure a [Door]. All of them are required.
type Options struct {
	Token  func() (string, error) // returns the bearer token that clients have to send
	MCP    http.Handler           // serves /mcp; gets requests whose body has been read completely
	Status func() any             // returns what /mcp/status sends as JSON
	Log    *slog.Logger
}

// Door serves HTTP at one address.
type Door struct {
	opt       Options
	name      string // the host name in the address that the user gave; "" for an IP address
	port      string
	socket    bool          // it listens at a Unix socket; then name and port are ""
	requests  chan struct{} // holds a value for each request with a body, at most maxRequests
	refused   refusals
	bodyLimit time.Duration
	listener  net.Listener
	server    *http.Server
}

// New returns the door for a listener of [Listen]. It accepts connections when Run is called.
func New(a Address, l net.Listener, o Options) *Door {
	d := &Door{opt: o, requests: make(chan struct{}, maxRequests), bodyLimit: bodyLimit, listener: newLimited(l)}
	d.socket = a.IsSocket()
	if !d.socket {
		_, d.port, _ = net.SplitHostPort(l.Addr().String())
	}
	if !a.literal() {
		d.name = a.host
	}
	d.server = &http.Server{
		Handler: d, ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug), // mistakes of clients, which anybody can make
	}
	return d
}

// Run serves until ctx ends, and then waits at most limit until the answers in flight are written. ctx does not end
// the handlers; the caller ends what they wait for.
func (d *Door) Run(ctx context.Context, limit time.Duration) error {
	served := make(chan error, 1)
	go func() { served <- d.server.Serve(d.listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving HTTP: %w", err)
	case <-ctx.Done():
	}
	left, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if d.server.Shutdown(left) != nil {
		_ = d.server.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving HTTP: %w", err)
	}
	return nil
}

// Refused returns how many requests were refused, by reason.
func (d *Door) Refused() map[string]int64 {
	d.refused.mu.Lock()
	defer d.refused.mu.Unlock()
	out := map[string]int64{}
	maps.Copy(out, d.refused.count)
	return out
}

// ServeHTTP is part of http.Handler.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The limit holds until the body is read. A refused request needs it too: net/http reads what is left of the body
	// after the answer, without a limit of its own.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d.bodyLimit))
	slow := patient{w}
	defer slow.extend() // for the end of the answer, which net/http writes
	w = slow
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if why := d.origin(r); why != nil {
		d.refuse(w, r, why)
		return
	}
	if r.URL.Path == "/mcp/health" {
		d.health(w, r)
		return
	}
	if r.URL.Path != "/mcp" && r.URL.Path != "/mcp/status" {
		d.refuse(w, r, &refusal{status: http.StatusNotFound, reason: "path",
			text: "there is nothing here; MCP is at /mcp"})
		return
	}
	if why := d.bearer(r); why != nil {
		d.refuse(w, r, why)
		return
	}
	d.inside(w, r)
}

// inside serves a request with the right token.
func (d *Door) inside(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 { // -1 when the length is not known
		select {
		case d.requests <- struct{}{}:
			defer func() { <-d.requests }()
		default:
			w.Header().Set("Retry-After", "5")
			d.refuse(w, r, &refusal{status: http.StatusServiceUnavailable, reason: "requests",
				text: "too many requests at a time"})
			return
		}
	}
	if why := d.body(w, r); why != nil {
		d.refuse(w, r, why)
		return
	}
	if r.URL.Path == "/mcp" {
		d.opt.MCP.ServeHTTP(w, r)
		return
	}
	if only(w, r, http.MethodGet) {
		writeJSON(w, d.opt.Status())
	}
}

func (d *Door) health(w http.ResponseWriter, r *http.Request) {
	if only(w, r, http.MethodGet) {
		writeJSON(w, up)
	}
}

// only reports whether a request has the method; it answers all others with an error.
func only(w http.ResponseWriter, r *http.Request, method string) bool {
	if r.Method == method {
		return true
	}
	w.Header().Set("Allow", method)
	http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	return false
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v)
}

// refuse answers with the reason and closes the connection, because the body may not have been read. The log gets the
// client's address and the reason, and nothing that the client sent.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, why *refusal) {
	if n, worth := d.refused.add(why.reason); worth {
		facts := []any{"reason", why.reason, "status", why.status, "from", r.RemoteAddr, "so_far", n}
		if why.err != nil {
			facts = append(facts, "error", why.err)
		}
		d.opt.Log.Warn("a request over HTTP was refused", facts...)
	}
	if why.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Connection", "close")
	http.Error(w, why.text, why.status)
}
