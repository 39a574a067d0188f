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

// Options are what stands behind the door. All are needed.
type Options struct {
	Token  func() (string, error) // the token that everybody has to know
	MCP    http.Handler           // at /mcp; requests have their whole body
	Status func() any             // at /mcp/status, as JSON
	Log    *slog.Logger
}

// Door serves HTTP at one address.
type Door struct {
	opt       Options
	name      string // that the user gave for the address; "" for a literal
	port      string
	requests  chan struct{} // one for each request with a body
	refused   refusals
	bodyLimit time.Duration
	listener  net.Listener
	server    *http.Server
}

// New makes the door of a listener by [Listen]; it accepts nobody yet.
func New(a Address, l net.Listener, o Options) *Door {
	d := &Door{opt: o, requests: make(chan struct{}, maxRequests), bodyLimit: bodyLimit, listener: newLimited(l)}
	_, d.port, _ = net.SplitHostPort(l.Addr().String())
	if !a.literal() {
		d.name = a.host
	}
	d.server = &http.Server{
		Handler: d, ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug), // strangers' mistakes
	}
	return d
}

// Run serves until ctx ends, and then until the answers under way are written, at most for limit. Whoever ends ctx
// ends what the handlers wait for, too.
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

// Refused is how many requests were refused, by reason.
func (d *Door) Refused() map[string]int64 {
	d.refused.mu.Lock()
	defer d.refused.mu.Unlock()
	out := map[string]int64{}
	maps.Copy(out, d.refused.count)
	return out
}

// ServeHTTP is part of http.Handler.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// From here on until the body is read: net/http reads what is left of one when a request was answered without
	// it, however long that takes.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d.bodyLimit))
	slow := patient{w}
	defer slow.again() // for the end of the answer, which net/http writes
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

// inside is for who knows the token.
func (d *Door) inside(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 { // -1 for one that is not known
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

// only answers every other method.
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

// refuse answers without having read the body, and ends the connection. The log gets where it came from and why,
// and nothing that the client said.
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
