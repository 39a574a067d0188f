package mcpclient

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// notification hears what the server tells, without waiting for anyone. What it returns goes on to the SDK, which answers the server's requests
// and has to hear that one is cancelled.
func (x *exchange) notification(method string, params json.RawMessage) jsonrpc.Message {
	c := x.c
	switch method {
	case "notifications/progress":
		x.hearProgress(params)
	case "notifications/message":
		if c.host.Log != nil {
			c.tell(telling{log: params})
		}
	case "notifications/tools/list_changed":
		c.tools.outdated()
	case "notifications/prompts/list_changed":
		c.prompts.outdated()
	case "notifications/resources/list_changed":
		c.resources.outdated()
		c.templates.outdated()
	case "notifications/resources/updated":
		var p struct {
			URI string `json:"uri"`
		}
		if c.host.ResourceUpdated != nil && json.Unmarshal(params, &p) == nil && p.URI != "" {
			c.tell(telling{updated: p.URI})
		}
	case "notifications/cancelled", "notifications/elicitation/complete", "notifications/subscriptions/acknowledged":
		return &jsonrpc.Request{Method: method, Params: params}
	}
	return nil
}

func (x *exchange) hearProgress(params json.RawMessage) {
	var p struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Total    float64         `json:"total"`
		Message  string          `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	token, err := strconv.ParseInt(strings.Trim(string(p.Token), `"`), 10, 64) // some send it back as a string
	if err != nil {
		return
	}
	call := x.byToken(token)
	if call == nil {
		return
	}
	call.showed()
	call.hear(Progress{p.Progress, p.Total, x.c.paths.ToLocal(p.Message)})
}

// hear has progress passed on to the listener, if there is one.
func (p *pending) hear(progress Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener == nil || p.deaf {
		return
	}
	if p.progress == nil {
		m := newMailbox()
		p.progress = m
		p.told.Go(func() { m.deliver(p.listener) })
	}
	p.progress.put(progress)
}

// deafen has the listener hear what has come, and nothing more.
func (p *pending) deafen() {
	p.mu.Lock()
	p.deaf = true
	m := p.progress
	p.mu.Unlock()
	if m != nil {
		m.close()
		p.told.Wait()
	}
}

// mailbox holds progress for the goroutine that passes it on. When more than maxProgress wait, the oldest is dropped: each says more than the
// ones before.
type mailbox struct {
	mu     sync.Mutex
	queue  []Progress // under mu
	closed bool       // under mu
	ready  chan struct{}
}

const maxProgress = 64

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

func (m *mailbox) put(p Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	if len(m.queue) == maxProgress {
		m.queue = m.queue[1:]
	}
	m.queue = append(m.queue, p)
	signal(m.ready)
}

func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	signal(m.ready)
}

// deliver passes progress on until the mailbox is closed and empty.
func (m *mailbox) deliver(f func(Progress)) {
	for {
		m.mu.Lock()
		queue, closed := m.queue, m.closed
		m.queue = nil
		m.mu.Unlock()
		for _, p := range queue {
			f(p)
		}
		if closed {
			return
		}
		if len(queue) == 0 {
			<-m.ready
		}
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// telling is one thing that the host is told.
type telling struct {
	log     json.RawMessage // params of notifications/message
	updated string          // a URI of the server
	changed ListKind
}

// tellings are what the host is still to be told. A host that is slow costs the oldest log messages; what is told already is not repeated.
type tellings struct {
	mu    sync.Mutex
	queue []telling // under mu
	logs  int       // under mu; in queue
	ready chan struct{}
}

const (
	maxLogs    = 256
	maxUpdates = 1024
)

// tell queues something for the host.
func (c *Client) tell(t telling) {
	q := &c.tellings
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case t.log != nil && q.logs == maxLogs:
		c.dropped.Add(1)
		for i := range q.queue {
			if q.queue[i].log != nil {
				q.queue = append(q.queue[:i], q.queue[i+1:]...)
				break
			}
		}
	case t.log != nil:
		q.logs++
	default:
		for _, other := range q.queue {
			if other.log == nil && other.updated == t.updated && other.changed == t.changed {
				return
			}
		}
		if len(q.queue)-q.logs == maxUpdates {
			c.dropped.Add(1)
			return
		}
	}
	q.queue = append(q.queue, t)
	signal(q.ready)
}

// tellHost passes on what is queued, in its order, until ctx ends.
func (c *Client) tellHost(ctx context.Context) {
	q := &c.tellings
	for {
		q.mu.Lock()
		var t telling
		some := len(q.queue) > 0
		if some {
			t, q.queue = q.queue[0], q.queue[1:]
			if t.log != nil {
				q.logs--
			}
		}
		q.mu.Unlock()
		if some {
			c.tellOne(t)
			continue
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
			return
		}
	}
}

func (c *Client) tellOne(t telling) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("a listener of an MCP server panicked", "server", c.spec.ID, "panic", p)
		}
	}()
	switch {
	case t.log != nil:
		var m struct {
			Level  string          `json:"level"`
			Logger string          `json:"logger"`
			Data   json.RawMessage `json:"data"`
		}
		if json.Unmarshal(t.log, &m) == nil {
			c.host.Log(LogMessage{m.Level, c.mask.Text(m.Logger), c.paths.In(c.mask.JSON(m.Data))})
		}
	case t.updated != "":
		c.host.ResourceUpdated(c.paths.ToLocal(t.updated))
	case t.changed != "":
		c.host.Changed(t.changed)
	}
}
