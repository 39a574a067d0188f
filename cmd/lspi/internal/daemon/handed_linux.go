package daemon

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"time"

	"lspi/cmd/lspi/internal/handover"
)

// Handed is a host that the shared process reads from and writes to itself, for its own process.
type Handed struct {
	in     *os.File
	offer  *handover.Offer
	remote *Remote // set by Give
}

// Hand prepares to give a host to the shared process; nil when its ends cannot be given.
func Hand(in io.Reader, out io.Writer) *Handed {
	from, ok := in.(*os.File)
	to, ok2 := out.(*os.File)
	if !ok || !ok2 {
		return nil
	}
	offer, err := handover.NewOffer(from, to)
	if err != nil {
		return nil
	}
	return &Handed{in: from, offer: offer}
}

// Give gives the host to the shared process, which was told that it comes ([Hello.Direct]). With an error, or without ok, nothing was read from it.
func (h *Handed) Give(r *Remote) (ok bool, err error) {
	h.remote = r
	deadline := time.Now().Add(helloLimit)
	err = h.offer.Send(r.UnixConn, deadline)
	var answer takenOver
	if err == nil {
		err = r.hear(&answer, deadline)
	}
	if h.offer.Revoke() {
		h.offer.Memory.Close()
		return false, err
	}
	return true, nil // without the line that says so it may have ended already, and what it has read is in the memory
}

// Close ends what nobody was given.
func (h *Handed) Close() { h.offer.Close() }

// wait waits until the shared process has ended the session. One that does not react while the host waits is ended. When ctx ends
// the shared process lets the host go. It returns what that had this process keep last ([Stream]).
func (h *Handed) wait(ctx context.Context, log *slog.Logger) json.RawMessage {
	defer h.remote.Close()
	ended := make(chan json.RawMessage, 1)
	go func() { ended <- h.remote.hearKept() }()
	ticker := time.NewTicker(hangsAfter / 3)
	defer ticker.Stop()
	m := h.offer.Memory
	var heard int64
	since := time.Now()
	for {
		select {
		case kept := <-ended:
			return kept
		case <-ctx.Done():
			return nil
		case now := <-ticker.C:
			if said := m.Said.Load(); said != heard || m.Open.Load() == 0 && !handover.Readable(h.in) {
				heard, since = said, now
			}
			if now.Sub(since) > hangsAfter && h.remote.Hangs(ctx) && ctx.Err() == nil {
				log.Warn("the process that serves this session does not react, and is ended")
				h.remote.kill() // until it has ended, which the connection tells, it may read from the host
				since = now
			}
		}
	}
}

// hearKept reads until the connection has ended, and returns what was to be kept last; nil for nothing.
func (c *Conn) hearKept() json.RawMessage {
	var last json.RawMessage
	for {
		var said keptMessage
		if err := c.hear(&said, time.Time{}); err != nil {
			_, _ = io.Copy(io.Discard, c)
			return last
		}
		if said.Keep != nil {
			last = said.Keep
		}
	}
}

// rest is what the shared process has left.
func (h *Handed) rest() (*rest, error) {
	m := h.offer.Memory
	defer m.Close()
	h.remote.stopped.Store(m.Stopped.Load())
	noted, behind, err := m.Rest()
	if err != nil {
		return nil, err
	}
	r := &rest{behind: behind, left: m.Left.Load(), gone: m.Gone.Load(), torn: m.Writing.Load() > handover.Whole, skipping: m.Skipping.Load()}
	begin := 0
	for i, c := range noted {
		switch c {
		case endOpen, endShake:
			noted[i] = '\n'
			r.lines = append(r.lines, restLine{noted[begin : i+1], c == endShake})
		case endDone:
		default:
			continue
		}
		begin = i + 1
	}
	return r, nil
}
