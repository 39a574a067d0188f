package mcpclient

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options are what a client needs beside its server and its host.
type Options struct {
	Version string       // of lspi, for clientInfo
	Log     *slog.Logger // nil logs nothing
	Cache   Cache        // nil keeps no lists
	Events  func(Event)  // hears what could not be decoded; must return soon; nil hears nothing

	InFlight   int           // calls at a time; 0 is 32
	Waiting    int           // calls that may wait for their turn; 0 is 256
	MaxMessage int           // bytes of one message of the server; 0 is 16 MiB
	Grace      time.Duration // how long each step of ending a server may take; 0 is 2 s

	// Dial connects to a server within this process, in the place of Command and URL; for tests.
	Dial func(context.Context) (io.ReadWriteCloser, error)
}

// Client is the client of one MCP server, for as long as its spec stays. See the package comment for its life.
type Client struct {
	spec Spec
	host Host
	opts Options
	log  *slog.Logger
	mask *Mask

	life  context.Context // ends with Close
	end   context.CancelCauseFunc
	begun sync.Once      // starts the goroutine that tells the host
	work  sync.WaitGroup // of everything that Close waits for

	slots   chan struct{} // a token for each call in flight
	waiting atomic.Int64
	tokens  atomic.Int64 // of progress
	asked   atomic.Int64 // requests of the server that are answered now
	dropped atomic.Int64 // of tellings

	tellings  tellings
	tools     *listing[mcp.Tool]
	prompts   *listing[mcp.Prompt]
	resources *listing[mcp.Resource]
	templates *listing[mcp.ResourceTemplate]

	mu         sync.Mutex
	closed     bool             // under mu
	live       *connection      // under mu; nil when there is none that may be asked
	starting   *start           // under mu; nil when none is under way
	backingOff bool             // under mu; the start under way waits
	failures   failures         // under mu
	starts     int              // under mu; successful ones
	info       *Info            // under mu; of the newest connection
	decodes    int              // under mu; what could not be decoded
	level      mcp.LoggingLevel // under mu; "" when none was set
	subscribed map[string]bool  // under mu; remote URIs
}

// New makes the client of a server; nothing is started. The spec has to pass Check.
func New(spec Spec, host Host, opts Options) (*Client, error) {
	if opts.Dial == nil {
		if err := spec.Check(); err != nil {
			return nil, err
		}
	}
	opts.InFlight = positive(opts.InFlight, 32)
	opts.Waiting = positive(opts.Waiting, 256)
	opts.MaxMessage = positive(opts.MaxMessage, mcp.DefaultMaxLineLength)
	opts.Grace = positive(opts.Grace, 2*time.Second)
	spec.StartTimeout = spec.timeout(spec.StartTimeout, defaultStart)
	spec.CallTimeout = spec.timeout(spec.CallTimeout, defaultCall)
	spec.ListTimeout = spec.timeout(spec.ListTimeout, defaultList)
	c := &Client{spec: spec, host: host, opts: opts, log: opts.Log, mask: NewMask(&spec),
		slots: make(chan struct{}, opts.InFlight), subscribed: map[string]bool{}}
	c.tellings.ready = make(chan struct{}, 1)
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.life, c.end = context.WithCancelCause(context.Background())
	c.lists()
	return c, nil
}

func positive[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// Spec is the spec of the server, masked.
func (c *Client) Spec() Spec { return c.spec.Masked() }

// Same says whether the client serves a spec, so that a new configuration needs no new one.
func (c *Client) Same(spec *Spec) bool {
	s := *spec
	s.StartTimeout = s.timeout(s.StartTimeout, defaultStart)
	s.CallTimeout = s.timeout(s.CallTimeout, defaultCall)
	s.ListTimeout = s.timeout(s.ListTimeout, defaultList)
	return s.Equal(&c.spec)
}

// Close ends the client: calls in flight fail with Closed, its server ends (stdin closed, then SIGTERM, then
// SIGKILL to the group), and its goroutines do. It takes at most some three times Options.Grace, and longer only
// while a function of the host does not return.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	live := c.live
	c.live = nil
	c.mu.Unlock()
	c.end(errClosed)
	if live != nil {
		live.stop(errClosed)
	}
	c.work.Wait()
}

// spawn runs f until Close; false when the client is closed already. c.mu is held.
func (c *Client) spawn(f func()) bool {
	if c.closed {
		return false
	}
	c.begun.Do(func() {
		c.work.Go(func() { c.tellHost(c.life) })
	})
	c.work.Go(f)
	return true
}

// undecoded tells of something that the server said and that cannot be decoded.
func (c *Client) undecoded(method, name, detail string, raw []byte) {
	c.mu.Lock()
	c.decodes++
	c.mu.Unlock()
	if c.opts.Events == nil {
		return
	}
	const most = 4 << 10
	shown := c.mask.JSON(slices.Clone(raw))
	if len(shown) > most || !json.Valid(shown) {
		shown, _ = json.Marshal(cut(c.mask.Part(string(raw[:min(len(raw), 4*most)])), most))
	}
	c.opts.Events(Event{Kind: "decode_failed", Method: method, Name: name, Detail: detail, Raw: shown})
}
