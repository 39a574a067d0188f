package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/lsp/wire"
)

// Request sends one request, within the caller's time, and within the server's limit for it where one is
// configured. An answer that the server calls outdated (ContentModified, LSP 3.17, "the content of a document got
// modified") or takes back (ServerCancelled) is asked for again: rust-analyzer gives the first after every change
// on disk.
func (c *Connection) Request(ctx context.Context, method string, params, result any) error {
	return c.requestWithin(ctx, c.requestLimit(ctx, method), method, params, result)
}

// requestWithin is [Connection.Request] with a limit of its own; 0 is none.
func (c *Connection) requestWithin(ctx context.Context, limit time.Duration, method string, params, result any) error {
	if !c.Offers(method) {
		return contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": c.spec.ID, "method": method}, "%s does not offer %s", c.spec.ID, method)
	}
	return c.exchange(ctx, limit, method, params, result)
}

// requestUnoffered is [Connection.Request] for a request that a server answers although it may not offer it
// ([spec.FirstErrors]).
func (c *Connection) requestUnoffered(ctx context.Context, method string, params, result any) error {
	return c.exchange(ctx, c.requestLimit(ctx, method), method, params, result)
}

// exchange sends a request until there is an answer, within a limit; 0 is none.
func (c *Connection) exchange(ctx context.Context, limit time.Duration, method string, params, result any) error {
	began := time.Now()
	defer c.waits(ctx, method)()
	// The caller's ctx is kept as outer: whether it was the limit of this request or the caller that gave up
	// decides below what the wait means.
	outer := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: %v", context.DeadlineExceeded, limit))
		defer cancel()
	}
	// A server that hangs is found while the caller has time for its successor's answer.
	defer c.suspectWhile(ctx)()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	// The end of the server ends the request at once, with a cause that explain turns into the error of a crash.
	defer context.AfterFunc(c.life, func() { end(errEnded) })()
	for attempt := 0; ; attempt++ {
		err := c.send(ctx, method, params, result)
		if err == nil {
			return nil
		}
		switch {
		case outer.Err() == nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
			// There is time left in which the successor of a server that hangs may answer.
			if !c.probe.lives(outer) {
				return c.crashed()
			}
		// The caller gave up. He is not held up for a verdict, but the server is probed for those who come after him.
		case ctx.Err() != nil && time.Since(began) > unanswered:
			c.probe.suspect()
		}
		// Anything but "ask again" is the answer.
		if !outdated(ctx, err) && !c.lags(attempt, err) && (result == nil || !c.early(method, err)) {
			return timed(outer, c.explain(ctx, method, err), began, limit)
		}
		// The time ended between two attempts: the error is that of the time, because "content modified" says
		// nothing about the request.
		if !BackOff(ctx, attempt) {
			return timed(outer, c.explain(ctx, method, context.Cause(ctx)), began, limit)
		}
	}
}

// send sends a request once, and records it where somebody records what is done for the request of a host.
func (c *Connection) send(ctx context.Context, method string, params, result any) error {
	return Send(ctx, c.wire, c.spec.ID, method, params, result)
}

// unanswered is after how long without an answer a server is suspected when somebody gives a request up.
const unanswered = 5 * time.Second

// timed adds to an error of time how long it was, and the limit when that was of the request and not of its caller.
func timed(caller context.Context, err error, began time.Time, limit time.Duration) error {
	if e := (*contract.Error)(nil); errors.As(err, &e) && e.Kind == contract.KindRequestTimeout {
		e.Facts["ms"] = time.Since(began).Milliseconds()
		if caller.Err() == nil {
			e.Facts["limit_ms"] = limit.Milliseconds()
		}
	}
	return err
}

// requestLimit is the configured limit of a request, the most precise one; 0 when there is none but the caller's
// time. A caller without any time has one, too.
func (c *Connection) requestLimit(ctx context.Context, method string) time.Duration {
	if d, ok := c.spec.Timeouts.Requests[method]; ok {
		return d
	}
	if _, bounded := ctx.Deadline(); c.spec.Timeouts.Request > 0 || bounded {
		return c.spec.Timeouts.Request
	}
	return unboundedRequest
}

// suspectAfter is after how long, and how often from then on, a server is probed that has not answered. One that
// works passes the probe.
const suspectAfter = 15 * time.Second

// suspectWhile has the server probed again and again while a request waits, until done is called.
func (c *Connection) suspectWhile(ctx context.Context) (done func()) {
	ended, end := context.WithCancel(ctx)
	var again func()
	again = func() {
		if ended.Err() == nil && c.life.Err() == nil {
			c.probe.suspect()
			time.AfterFunc(suspectAfter, again)
		}
	}
	first := time.AfterFunc(suspectAfter, again)
	return func() { first.Stop(); end() }
}

// outdated reports whether the answer only means that the request is to be sent again. RequestCancelled is that when we
// did not cancel.
// Such an answer is never passed on: to the host it would look as if the question was wrong.
func outdated(ctx context.Context, err error) bool {
	var r *wire.ResponseError
	if !errors.As(err, &r) {
		return false
	}
	switch r.Code {
	case wire.CodeContentModified:
		return true
	case wire.CodeRequestCancelled:
		return ctx.Err() == nil
	case wire.CodeServerCancelled:
		// LSP 3.17, DiagnosticServerCancellationData; other requests have no data and may be repeated.
		data := struct {
			Retrigger bool `json:"retriggerRequest"`
		}{true}
		return json.Unmarshal(r.Data, &data) != nil || data.Retrigger
	}
	return false
}

// lagAttempts bounds how often a request is repeated at a server that lags: that takes 1.1 s.
const lagAttempts = 10

// lags reports whether the server's words say that it has not taken in a change yet.
func (c *Connection) lags(attempt int, err error) bool {
	var r *wire.ResponseError
	return c.spec.Lags != "" && attempt < lagAttempts && errors.As(err, &r) && strings.Contains(r.Message, c.spec.Lags)
}

// firstMoments is how long after the handshake a server may not know a method yet that it offers.
const firstMoments = 2 * time.Second

// early reports whether a server refused a method as unknown that it offers, so soon after its start that it may
// just not have set it up: the request is then sent again, unless nobody reads the answer. Some servers take up
// requests before they have registered what answers them.
func (c *Connection) early(method string, err error) bool {
	var r *wire.ResponseError
	return errors.As(err, &r) && r.Code == wire.CodeMethodNotFound && c.capabilities.has(method) &&
		time.Since(c.capabilities.since()) < firstMoments
}

// BackOff waits a little longer at each attempt, at most a second, so that a server at work is not flooded; false when
// ctx ended, which is also the end of the server.
func BackOff(ctx context.Context, attempt int) bool {
	// The first repetition is at once; only a server whose state goes on changing is waited for.
	timer := time.NewTimer(min(time.Duration(attempt)*20*time.Millisecond, time.Second))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// RequestRaw is call with the answer as the server wrote it; null is an empty message.
func (c *Connection) RequestRaw(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return c.requestRawWithin(ctx, c.requestLimit(ctx, method), method, params)
}

// requestRawWithin is [Connection.RequestRaw] with a limit of its own; 0 is none.
func (c *Connection) requestRawWithin(ctx context.Context, limit time.Duration, method string, params any) (
	json.RawMessage, error) {
	var out json.RawMessage
	if err := c.requestWithin(ctx, limit, method, params, &out); err != nil {
		return nil, err
	}
	if string(out) == "null" {
		return nil, nil
	}
	return out, nil
}

// Waits are what the parts of a call wait for at the moment. The context of the call carries them, so that each
// wait is known without a word to whoever looks. Its methods may be called concurrently.
type Waits struct {
	mu  sync.Mutex
	all []*oneWait // guarded by mu; the oldest first
}

type oneWait struct {
	serverID, what string
	doing          func() (activity string, percent int) // what the server says that it does; nil when it says nothing
	began          time.Time
}

type waitsKey struct{}

// WithWaits is a context whose waits are noted.
func WithWaits(ctx context.Context) (context.Context, *Waits) {
	w := &Waits{}
	return context.WithValue(ctx, waitsKey{}, w), w
}

// Wait notes that what of a server is waited for, until done is called.
func Wait(ctx context.Context, serverID, what string) (done func()) {
	return note(ctx, &oneWait{serverID: serverID, what: what})
}

// waits is [Wait] for something that the server does.
func (c *Connection) waits(ctx context.Context, what string) (done func()) {
	return note(ctx, &oneWait{serverID: c.spec.ID, what: what, doing: c.doing})
}

// progress is [Wait] for work whose parts lspi counts.
func (c *Connection) progress(ctx context.Context, activity string, percent int) (done func()) {
	return note(ctx, &oneWait{serverID: c.spec.ID, doing: func() (string, int) { return activity, percent }})
}

func note(ctx context.Context, one *oneWait) (done func()) {
	w, _ := ctx.Value(waitsKey{}).(*Waits)
	if w == nil {
		return func() {}
	}
	one.began = time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, one)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all = slices.DeleteFunc(w.all, func(o *oneWait) bool { return o == one })
	}
}

// Now says of each server what is waited for since when, in its own words where it tells what it does; "" when
// nothing is. percent is that of the first, -1 when it does not tell.
func (w *Waits) Now() (percent int, message string) {
	w.mu.Lock()
	all := slices.Clone(w.all)
	w.mu.Unlock()
	percent = -1
	var parts []string
	seen := map[string]bool{}
	for _, one := range all {
		if seen[one.serverID] {
			continue
		}
		seen[one.serverID] = true
		text := "waiting for " + one.what
		if one.doing != nil {
			if activity, p := one.doing(); activity != "" {
				text = activity
				if len(parts) == 0 {
					percent = p
				}
			}
		}
		if n := int(time.Since(one.began).Seconds()); n > 0 {
			text += fmt.Sprintf(" (%d s)", n)
		}
		parts = append(parts, one.serverID+": "+text)
	}
	return percent, strings.Join(parts, "; ")
}
