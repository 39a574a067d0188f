package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"lspi/contract"
	"lspi/lsp/wire"
)

// Request sends one request within the server's time limit for it. An answer that the server calls outdated
// (ContentModified, LSP 3.17, "the content of a document got modified") or takes back (ServerCancelled) is asked for
// again: rust-analyzer gives the first after every change on disk.
func (c *Connection) Request(ctx context.Context, method string, params, result any) error {
	if !c.Offers(method) {
		return contract.Errorf(contract.KindRequestUnsupported,
			contract.Facts{"server_id": c.spec.ID, "method": method}, "%s does not offer %s", c.spec.ID, method)
	}
	return c.requestUnoffered(ctx, method, params, result)
}

// requestUnoffered is [Connection.Request] for a request that a server answers although it may not offer it ([spec.FirstErrors]).
func (c *Connection) requestUnoffered(ctx context.Context, method string, params, result any) error {
	began := time.Now()
	// The caller's ctx is kept as outer: whether it was the limit of this request or the caller that gave up decides below what the wait
	// means.
	limit := c.requestLimit(method)
	outer := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: %v", context.DeadlineExceeded, limit))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	// The end of the server ends the request at once, with a cause that explain turns into the error of a crash.
	defer context.AfterFunc(c.life, func() { end(errEnded) })()
	for attempt := 0; ; attempt++ {
		err := c.wire.Call(ctx, method, params, result)
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
		if !outdated(ctx, err) {
			return timed(c.explain(ctx, method, err), began)
		}
		// The time ended between two attempts: the error is that of the time, because "content modified" says nothing about the request.
		if !BackOff(ctx, attempt) {
			return timed(c.explain(ctx, method, context.Cause(ctx)), began)
		}
	}
}

// unanswered is after how long without an answer a server is suspected when somebody gives a request up.
const unanswered = 5 * time.Second

// timed adds to an error of time how long it was.
func timed(err error, began time.Time) error {
	if e := (*contract.Error)(nil); errors.As(err, &e) && e.Kind == contract.KindRequestTimeout {
		e.Facts["ms"] = time.Since(began).Milliseconds()
	}
	return err
}

// The most precise setting wins: that of the method, that of the server, the default.
func (c *Connection) requestLimit(method string) time.Duration {
	if d, ok := c.spec.Timeouts.Requests[method]; ok {
		return d
	}
	if c.spec.Timeouts.Request > 0 {
		return c.spec.Timeouts.Request
	}
	return DefaultRequest
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
	var out json.RawMessage
	if err := c.Request(ctx, method, params, &out); err != nil {
		return nil, err
	}
	if string(out) == "null" {
		return nil, nil
	}
	return out, nil
}

// Undecodable is the error for an answer that is not what the specification says. The answer itself goes to the log: it may be megabytes.
func (c *Connection) Undecodable(method string, raw json.RawMessage, err error) error {
	c.log.Debug("undecodable answer", "method", method, "raw", Cut(string(raw), 2000))
	return contract.Errorf(contract.KindRequestFailed, contract.Facts{"server_id": c.spec.ID, "method": method},
		"reading the answer of %s to %s: %w", c.spec.ID, method, err)
}
