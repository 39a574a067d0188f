package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"lspi/cmd/lspi/internal/handover"
)

// direct is the connection of a session whose host this process reads from and writes to itself. What the host waits for is noted in the memory
// that its own process has as well, so that this one can go on with another process.
type direct struct {
	conn *Conn // with the process that the host has started, which says nothing and hears what it is to keep; its end is the end of both
	host *handover.Host

	reading sync.Mutex // held by Read
	writing sync.Mutex // held while a line is written to the host

	mu       sync.Mutex
	closed   bool                 // guarded by mu
	kept     []*keptLine          // in their order, with some that are done; guarded by mu
	open     map[string]*keptLine // by the ids of the requests in them that have no answer; guarded by mu
	gone     map[string]bool      // of them those that the host has cancelled; guarded by mu
	after    map[string]func()    // of them those whose answer somebody waits for; guarded by mu
	sets     map[string]setting   // of them those that are settings; guarded by mu
	set      settings[*keptLine]  // those that were answered and are in effect; guarded by mu
	hello    *keptLine            // the last line of initialize; guarded by mu
	greeted  *keptLine            // the last line of notifications/initialized; guarded by mu
	needed   int                  // bytes of the kept lines that are not done; guarded by mu
	returned int                  // bytes of the memory that Read has returned; Read's own
	begun    int                  // of them those up to the line that is not whole yet; Read's own

	close func() error // once
}

// keptLine is a line of the host that the next process has to know.
type keptLine struct {
	at, end int         // in the memory
	waits   int         // requests in it without an answer
	shake   bool        // of the handshake, or of a setting in effect: it is needed for as long as the host is there
	with    []*keptLine // cancellations of what is in it
	batch   bool
	done    bool
}

// How a line in the memory ends. JSON has no such bytes.
const (
	endOpen  = '\n' // as the host has sent it
	endDone  = 1    // nobody needs it any more
	endShake = 2    // it was dealt with, and the next process needs it: of the handshake, or a setting in effect
)

// takeOver receives the host's own ends behind the first lines. With an error the session goes on over this connection.
func (c *Conn) takeOver() (Stream, error) {
	if c.in.Buffered() > 0 {
		return nil, errors.New("the host was sent with its messages")
	}
	host, err := handover.Take(c.UnixConn, time.Now().Add(helloLimit))
	if sayErr := c.say(takenOver{err == nil}, time.Now().Add(helloLimit)); err == nil && sayErr != nil {
		host.Close()
		host.Memory.Close()
		return nil, sayErr
	}
	if err != nil {
		return nil, err
	}
	d := &direct{conn: c, host: host, open: map[string]*keptLine{}, gone: map[string]bool{}, after: map[string]func(){},
		sets: map[string]setting{}, set: settings[*keptLine]{}}
	d.close = sync.OnceValue(d.giveBack)
	go func() {
		_, _ = io.Copy(io.Discard, c) // until the host's process has ended, or this session
		d.leave()
	}()
	return d, nil
}

// leave ends reading from the host, and writing to it.
func (d *direct) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.closed = true
		d.host.Close()
	}
}

func (d *direct) hasLeft() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// giveBack gives the host back to its own process, which goes on with it unless the host has left.
func (d *direct) giveBack() error {
	d.leave()
	d.reading.Lock()
	defer d.reading.Unlock()
	d.writing.Lock()
	defer d.writing.Unlock()
	d.host.Memory.Close()
	return d.conn.Close()
}

// Close is part of [io.Closer].
func (d *direct) Close() error { return d.close() }

// Read is part of [io.Reader]: the end of the input is that of the host, or of its process.
func (d *direct) Read(p []byte) (int, error) {
	d.reading.Lock()
	defer d.reading.Unlock()
	if d.hasLeft() {
		return 0, io.EOF
	}
	m := d.host.Memory
	if d.returned == len(m.Bytes()) {
		if err := d.makeRoom(); err != nil {
			return 0, err
		}
		switch n, err := m.Fill(d.host.In); {
		case n > 0:
		case errors.Is(err, os.ErrClosed):
			return 0, io.EOF
		case errors.Is(err, io.EOF):
			m.Left.Store(true)
			return 0, io.EOF
		default:
			// A socket tells so of a host that has ended with something unread; it does it once, and who reads next sees the end.
			m.Left.Store(!errors.Is(err, os.ErrDeadlineExceeded))
			return 0, err
		}
	}
	n := copy(p, m.Bytes()[d.returned:])
	fresh := p[:n]
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		i := bytes.IndexByte(fresh, '\n')
		if i < 0 {
			break
		}
		fresh = fresh[i+1:]
		end := d.returned + i + 1
		d.returned = end
		d.note(end)
		d.begun = end
	}
	d.returned += len(fresh)
	return n, nil
}

const (
	least = 8 << 10 // how much Read has room for
	much  = 1 << 20 // from how much memory on it is given back as soon as most of it is not needed
)

// makeRoom throws away what is not needed any more when there is little room, or much memory.
func (d *direct) makeRoom() error {
	m := d.host.Memory
	d.mu.Lock()
	defer d.mu.Unlock()
	part := d.returned - d.begun // of a line
	if size := len(m.Bytes()) + m.Room(); m.Room() >= least && (size <= much || d.needed+part > size/8) {
		return nil
	}
	if m.Skipping.Load() || part > maxLine {
		m.Skipping.Store(true) // whoever reads it refuses it
		part = 0
	}
	var spans []handover.Span
	kept, at := d.kept[:0], 0
	for _, k := range d.kept {
		if k.done {
			continue
		}
		spans = append(spans, handover.Span{From: k.at, To: k.end})
		kept = append(kept, k)
	}
	spans = append(spans, handover.Span{From: d.returned - part, To: d.returned})
	if err := m.Move(spans, d.needed, least+part+d.needed); err != nil {
		return err
	}
	clear(d.kept[len(kept):])
	d.kept = kept
	for _, k := range kept {
		k.at, k.end, at = at, at+k.end-k.at, at+k.end-k.at
	}
	d.begun, d.returned = at, at+part
	return nil
}

// note keeps a line that ends before end for as long as it is needed. It needs mu.
func (d *direct) note(end int) {
	m := d.host.Memory
	skipped := m.Skipping.Swap(false) // before the line is noted, or a line behind it would be thrown away
	m.Noted(end)                      // before the line is marked: behind what is noted lines end as the host has sent them
	if skipped {
		m.Mark(end-1, endDone)
		return
	}
	line := m.Bytes()[d.begun:end]
	heads := headsOf(line)
	k := &keptLine{at: d.begun, end: end, batch: len(heads) > 1}
	d.needed += len(line)
	for _, h := range heads {
		switch {
		case h.isCall():
			d.noteCall(k, h, line)
		case h.Method == "notifications/initialized":
			d.replace(&d.greeted, k)
		case h.Method == "notifications/cancelled":
			d.noteCancel(k, line)
		}
	}
	if k.waits > 0 || k.shake {
		d.kept = append(d.kept, k)
	}
	if k.waits == 0 {
		d.finish(k)
	}
}

// noteCall notes a request in a line. It needs mu.
func (d *direct) noteCall(k *keptLine, h head, line []byte) {
	id := h.key()
	if d.open[id] != nil {
		return // whoever reads it refuses it
	}
	d.open[id] = k
	k.waits++
	d.host.Memory.Open.Add(1)
	switch {
	case h.Method == "initialize":
		d.replace(&d.hello, k)
	case isSetting(h.Method):
		d.noteSetting(k, h, line)
	}
}

// replace keeps a line of the handshake instead of one before it. It needs mu.
func (d *direct) replace(was **keptLine, k *keptLine) {
	if old := *was; old != nil && old != k {
		d.release(old)
	}
	*was, k.shake = k, true
}

// noteCancel keeps a cancellation for as long as the request that it names. It needs mu.
func (d *direct) noteCancel(k *keptLine, line []byte) {
	id := cancelledID(line)
	of := d.open[id]
	if of == nil || d.gone[id] {
		return
	}
	d.gone[id] = true
	if of != k {
		of.with = append(of.with, k)
		k.waits++
	}
}

// finish marks a line that waits for nothing. It needs mu.
func (d *direct) finish(k *keptLine) {
	mark := byte(endDone)
	if k.shake {
		mark = endShake
	} else {
		k.done = true
		d.needed -= k.end - k.at
	}
	d.host.Memory.Mark(k.end-1, mark)
	for _, with := range k.with {
		if with.waits--; with.waits == 0 {
			d.finish(with)
		}
	}
	k.with = nil
}

// cancelledID is the id of the request that a notification cancels.
func cancelledID(line []byte) string {
	var n struct {
		Params struct {
			ID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	_ = json.Unmarshal(line, &n)
	return idKey(n.Params.ID)
}

// Write writes a line to the host. One that answers what the host has cancelled is left out (MCP 2025-11-25, Cancellation: "not send a
// response").
func (d *direct) Write(line []byte) (int, error) {
	d.writing.Lock()
	defer d.writing.Unlock()
	heads := headsOf(line)
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return 0, os.ErrClosed
	}
	unwanted := len(heads) == 1 && heads[0].isResponse() && d.gone[heads[0].key()] // of a batch the host waits for the others
	requests, after := d.answer(heads, line)
	d.mu.Unlock()
	if !unwanted {
		if n, err := d.tell(line); err != nil {
			return n, err
		}
	}
	d.answered(requests)
	for _, f := range after {
		f()
	}
	return len(line), nil
}

// tell writes to the host. It needs writing.
func (d *direct) tell(line []byte) (int, error) {
	m := d.host.Memory
	m.Writing.Store(int64(len(line)))
	n, err := d.host.Out.Write(line)
	if err == nil || n == 0 {
		m.Writing.Store(0)
		m.Said.Add(1)
	}
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, os.ErrClosed) {
		m.Gone.Store(true)
	}
	return n, err
}

// answeredRequest is a request that was answered.
type answeredRequest struct {
	in   *keptLine
	sets *setting // nil when it is none, or was refused
}

// answer takes requests off that are answered now, since the host may use their ids again as soon as it has the answer. It returns them, which the memory
// has as open up to then, and what is to be done then. It needs mu.
func (d *direct) answer(heads []head, line []byte) (requests []answeredRequest, after []func()) {
	for _, h := range heads {
		id := h.key()
		k := d.open[id]
		if !h.isResponse() || k == nil {
			continue
		}
		q := answeredRequest{in: k}
		if s, ok := d.sets[id]; ok && !refused(line, id) {
			q.sets = &s
		}
		requests = append(requests, q)
		if f := d.after[id]; f != nil {
			after = append(after, f)
		}
		delete(d.open, id)
		delete(d.gone, id)
		delete(d.after, id)
		delete(d.sets, id)
	}
	return requests, after
}

// answered notes that the host has the answers to these requests.
func (d *direct) answered(requests []answeredRequest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range requests {
		d.host.Memory.Open.Add(-1)
		if q.sets != nil {
			d.setBy(q.in, *q.sets)
		}
		if q.in.waits--; q.in.waits == 0 {
			d.finish(q.in)
		}
	}
}

// AfterAnswer is part of [Stream].
func (d *direct) AfterAnswer(id string, f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id = idKey(json.RawMessage(id)); d.open[id] != nil {
		d.after[id] = f
	}
}

// Keep is part of [Stream].
func (d *direct) Keep(what func() json.RawMessage) { d.conn.Keep(what) }

// Stops is part of [Stream].
func (d *direct) Stops() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.host.Memory.Stopped.Store(true)
	}
}

// SetReadDeadline is part of [Stream].
func (d *direct) SetReadDeadline(t time.Time) error { return d.host.In.SetDeadline(t) }

// SetWriteDeadline is part of [Stream].
func (d *direct) SetWriteDeadline(t time.Time) error { return d.host.Out.SetDeadline(t) }
