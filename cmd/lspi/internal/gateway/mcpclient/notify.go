package mcpclient

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// notifications sets the handlers of notifications. None of them waits for anyone, since the SDK runs one after the
// other.
func (c *Client) notifications(o *mcp.ClientOptions) {
	o.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { c.tools.outdated() }
	o.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) { c.prompts.outdated() }
	o.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) {
		c.resources.outdated()
		c.templates.outdated()
	}
	if c.host.Log != nil {
		o.LoggingMessageHandler = func(_ context.Context, r *mcp.LoggingMessageRequest) {
			c.tell(telling{log: r.Params})
		}
	}
	if c.host.ResourceUpdated != nil {
		o.ResourceUpdatedHandler = func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			if r.Params != nil && r.Params.URI != "" {
				c.tell(telling{updated: r.Params.URI})
			}
		}
	}
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

// deafen waits until the listener has heard the progress that came so far; it hears nothing after that.
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

// mailbox holds progress for the goroutine that passes it on. When more than maxProgress wait, the oldest is
// dropped: each says more than the ones before.
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
	log     *mcp.LoggingMessageParams
	updated string // a URI of the server
	changed ListKind
}

// tellings are what the host is still to be told. A host that is slow costs the oldest log messages; what is told
// already is not repeated.
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
		c.host.Log(LogMessage{string(t.log.Level), c.mask.Text(t.log.Logger), c.mask.JSON(encoded(t.log.Data))})
	case t.updated != "":
		c.host.ResourceUpdated(t.updated)
	case t.changed != "":
		c.host.Changed(t.changed)
	}
}
