package mcpclient

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// List is a list of a server.
type List[T any] struct {
	Items    []T
	Cached   bool      // an older list stands in, since the server is slow or down; Err says why
	Err      error     // nil unless Cached
	At       time.Time // when the server gave it
	Warnings []string  // what was left out or got another name, at most 100
}

// The bounds of one list.
const (
	maxPages    = 100
	maxItems    = 5000
	maxBytes    = 16 << 20
	maxWarnings = 100
)

// A list that the server calls outdated again and again is asked for once in each refreshPause, behind refreshBurst
// times at once.
const (
	refreshPause = time.Second
	refreshBurst = 3
)

// Tools are the tools of the server. It waits no longer than ctx; then, or when the server is down, the last list
// that is known stands in, of this process or of Options.Cache; when there is none the error says why. A list is
// asked for once per connection, and again when the server says that it changed.
func (c *Client) Tools(ctx context.Context) (List[Named[mcp.Tool]], error) { return c.tools.get(ctx) }

// Prompts are the prompts of the server; see Tools.
func (c *Client) Prompts(ctx context.Context) (List[Named[mcp.Prompt]], error) {
	return c.prompts.get(ctx)
}

// Resources are the resources of the server; see Tools.
func (c *Client) Resources(ctx context.Context) (List[Named[mcp.Resource]], error) {
	return c.resources.get(ctx)
}

// ResourceTemplates are the resource templates of the server; see Tools.
func (c *Client) ResourceTemplates(ctx context.Context) (List[Named[mcp.ResourceTemplate]], error) {
	return c.templates.get(ctx)
}

// listing is one list of a server. Its fields below are under Client.mu.
type listing[T any] struct {
	c       *Client
	kind    ListKind
	method  string
	member  string                                                         // of the result
	offered func(*mcp.ServerCapabilities) bool                             // whether the server is to be asked at all
	all     func(context.Context, *mcp.ClientSession) iter.Seq2[*T, error] // all pages
	parse   func([]json.RawMessage) ([]Named[T], []string)

	last    *snapshot[T] // the newest that is known
	of      *connection  // whose list last is; nil when it came from the cache
	stale   bool         // the server said that last is outdated
	loaded  bool         // the cache was looked into
	refresh *refresh     // under way; nil when none is
	wanted  bool         // somebody asked for it
	due     time.Time    // when refreshBurst is whole again
	given   string       // the digest of what was given out last; "" when nothing was
}

// snapshot is a list as a server gave it.
type snapshot[T any] struct {
	items    []Named[T]
	at       time.Time
	warnings []string
	digest   string
}

// refresh is one asking for a list. It belongs to the client: whoever waits for it may leave.
type refresh struct {
	done    chan struct{}
	over    bool  // under Client.mu; set with done
	err     error // set before done is closed
	waiting int   // under Client.mu
}

// nothing is what was given out when no list was known.
const nothing = "none"

// lists makes the four lists. Tools are asked for whatever the server declares: one that declares nothing has them at
// most.
func (c *Client) lists() {
	hasResources := func(caps *mcp.ServerCapabilities) bool { return caps.Resources != nil }
	c.tools = &listing[mcp.Tool]{c: c, kind: ToolList, method: "tools/list", member: "tools",
		offered: func(*mcp.ServerCapabilities) bool {
			return true
		},
		all: func(ctx context.Context, sdk *mcp.ClientSession) iter.Seq2[*mcp.Tool, error] {
			return sdk.Tools(ctx, nil)
		},
		parse: func(raw []json.RawMessage) ([]Named[mcp.Tool], []string) { return toolsOf(raw, c.spec.ID) }}
	c.prompts = &listing[mcp.Prompt]{c: c, kind: PromptList, method: "prompts/list", member: "prompts",
		offered: func(caps *mcp.ServerCapabilities) bool {
			return caps.Prompts != nil
		},
		all: func(ctx context.Context, sdk *mcp.ClientSession) iter.Seq2[*mcp.Prompt, error] {
			return sdk.Prompts(ctx, nil)
		},
		parse: func(raw []json.RawMessage) ([]Named[mcp.Prompt], []string) { return promptsOf(raw, c.spec.ID) }}
	c.resources = &listing[mcp.Resource]{c: c, kind: ResourceList, method: "resources/list", member: "resources",
		offered: hasResources,
		all: func(ctx context.Context, sdk *mcp.ClientSession) iter.Seq2[*mcp.Resource, error] {
			return sdk.Resources(ctx, nil)
		},
		parse: resourcesOf}
	c.templates = &listing[mcp.ResourceTemplate]{c: c, kind: TemplateList, method: "resources/templates/list",
		member: "resourceTemplates", offered: hasResources,
		all: func(ctx context.Context, sdk *mcp.ClientSession) iter.Seq2[*mcp.ResourceTemplate, error] {
			return sdk.ResourceTemplates(ctx, nil)
		},
		parse: templatesOf}
}

// lister is a listing of items of any type.
type lister interface {
	renew()
	status() ListStatus
}

func (c *Client) listings() []lister {
	return []lister{c.tools, c.prompts, c.resources, c.templates}
}

// known returns the items of the newest list. Client.mu is held.
func (l *listing[T]) known() []Named[T] {
	if l.last == nil {
		return nil
	}
	return l.last.items
}

func (l *listing[T]) get(ctx context.Context) (List[Named[T]], error) {
	c := l.c
	l.load()
	c.mu.Lock()
	l.wanted = true
	if l.fresh() {
		defer c.mu.Unlock()
		return l.give(nil)
	}
	r := l.ask(false)
	if r == nil {
		c.mu.Unlock()
		return List[Named[T]]{}, c.errorf(Closed, "the client is closed")
	}
	r.waiting++
	c.mu.Unlock()
	var err error
	select {
	case <-r.done:
	case <-ctx.Done():
		err = c.cancelled(ctx, l.method)
	case <-c.life.Done():
		err = c.errorf(Closed, "the client was closed")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.over {
		err = r.err // also when both came at once: then the list counts as given
	} else {
		r.waiting--
	}
	return l.give(err)
}

// fresh reports whether the newest list came from the live connection and the server has not called it outdated
// since. Client.mu is held.
func (l *listing[T]) fresh() bool {
	return l.last != nil && !l.stale && l.of != nil && l.of == l.c.live
}

// give returns the newest list, and notes that it was given out; err is why it is not fresh. Client.mu is held.
func (l *listing[T]) give(err error) (List[Named[T]], error) {
	if l.last == nil {
		l.given = nothing
		return List[Named[T]]{}, err
	}
	l.given = l.last.digest
	return List[Named[T]]{Items: l.last.items, Cached: err != nil, Err: err, At: l.last.at, Warnings: l.last.warnings},
		nil
}

// ask begins to ask the server, unless that is under way; nil when the client is closed. paced says that the server is
// why. Client.mu is held.
func (l *listing[T]) ask(paced bool) *refresh {
	if l.refresh != nil {
		return l.refresh
	}
	r := &refresh{done: make(chan struct{})}
	if !l.c.spawn(func() { l.run(r, paced) }) {
		return nil
	}
	l.refresh = r
	return r
}

// renew asks for a list again that somebody wanted, after a new connection was made. Client.mu is held.
func (l *listing[T]) renew() {
	if l.wanted && !l.fresh() {
		l.ask(true)
	}
}

// outdated notes that the server said the list has changed.
func (l *listing[T]) outdated() {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	l.stale = true
	l.renew()
}

// pace returns how long the next refresh that the server is the reason of has to wait. The server's notice may come
// before its answer is taken in or behind it, so that only the refreshes tell how often it sends one.
func (l *listing[T]) pace() time.Duration {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	now := time.Now()
	if l.due.Before(now) {
		l.due = now
	}
	wait := l.due.Add(-(refreshBurst - 1) * refreshPause).Sub(now)
	l.due = l.due.Add(refreshPause)
	return wait
}

// run asks for the list, and again while the server says that it changed meanwhile.
func (l *listing[T]) run(r *refresh, paced bool) {
	c := l.c
	for ; ; paced = true {
		if paced {
			if wait := l.pace(); wait > 0 {
				timer := time.NewTimer(wait)
				select {
				case <-timer.C:
				case <-c.life.Done():
					timer.Stop()
				}
			}
		}
		c.mu.Lock()
		wasStale := l.stale
		l.stale = false
		c.mu.Unlock()
		s, got, raw, err := l.fetch()
		if err == nil && c.opts.Cache != nil {
			l.store(raw, got.at)
		}
		c.mu.Lock()
		changed := l.take(r, s, got, err)
		l.stale = l.stale || wasStale && err != nil // nobody has the list that the server told of
		outdated := l.stale && err == nil && !c.closed
		if !outdated {
			l.refresh = nil
		} else {
			r = &refresh{done: make(chan struct{})} // for those who ask from now on
			l.refresh = r
		}
		c.mu.Unlock()
		if changed && c.host.Changed != nil {
			c.tell(telling{changed: l.kind})
		}
		if !outdated {
			return
		}
	}
}

// take takes over what a refresh brought, and reports whether the host has to hear of it, since the list that it was
// given out last is another one. Client.mu is held.
func (l *listing[T]) take(r *refresh, s *connection, got *snapshot[T], err error) (changed bool) {
	r.over, r.err = true, err
	close(r.done)
	if err != nil {
		return false
	}
	l.last, l.of = got, s
	changed = l.given != "" && l.given != got.digest
	if changed || r.waiting > 0 {
		l.given = got.digest
	}
	return changed
}

// fetch asks for all pages.
func (l *listing[T]) fetch() (*connection, *snapshot[T], []json.RawMessage, error) {
	c := l.c
	s, err := c.connection(c.life)
	if err != nil {
		return nil, nil, nil, err
	}
	raw, warnings, failed := l.pages(s)
	if failed != nil {
		return nil, nil, nil, failed
	}
	return s, l.snapshot(raw, warnings, time.Now()), raw, nil
}

func (l *listing[T]) snapshot(raw []json.RawMessage, warnings []string, at time.Time) *snapshot[T] {
	items, more := l.parse(raw)
	for _, w := range more {
		warnings = append(warnings, l.c.mask.Text(w)) // it quotes what the server has listed
	}
	if n := len(warnings) - maxWarnings; n > 0 {
		warnings = append(warnings[:maxWarnings:maxWarnings], fmt.Sprintf("and %d more", n))
	}
	sum := sha256.New()
	var compact bytes.Buffer
	for _, r := range raw { // compact, as the cache keeps them
		compact.Reset()
		_ = json.Compact(&compact, r)
		fmt.Fprintf(sum, "%d:", compact.Len())
		sum.Write(compact.Bytes())
	}
	return &snapshot[T]{items: items, at: at, warnings: warnings, digest: hex.EncodeToString(sum.Sum(nil))}
}

// errEnough is the cause that ends the paging of a list over its bounds.
var errEnough = errors.New("the list is over its bounds")

// pages asks for the pages of the list, up to its bounds.
func (l *listing[T]) pages(s *connection) (all []json.RawMessage, warnings []string, failed *Error) {
	c := l.c
	if !l.offered(s.info.caps) {
		return nil, nil, nil
	}
	ctx, cancel := context.WithTimeoutCause(c.life, c.spec.ListTimeout, errTimeout)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := &pending{method: l.method, enough: func() { stop(errEnough) }}
	defer s.tap.forget(p)
	var decoded []*T
	for item, err := range l.all(withPending(ctx, p), s.sdk) {
		switch w := answeredWith(err); {
		case err == nil:
			decoded = append(decoded, item)
		case w != nil && w.Code == jsonrpc.CodeMethodNotFound: // such as templates of a server that has resources
			return nil, nil, nil
		case context.Cause(ctx) != errEnough:
			return nil, nil, l.why(ctx, s, p, err)
		}
		if len(decoded) == maxItems {
			break
		}
	}
	all = l.asSent(p, decoded)
	if len(all) > maxItems || len(decoded) == maxItems || context.Cause(ctx) == errEnough {
		warnings = []string{fmt.Sprintf("%s has more than %d items, %d pages or %d MiB; the rest is left out",
			l.method, maxItems, maxPages, maxBytes>>20)}
	}
	return all[:min(len(all), maxItems)], warnings, nil
}

// asSent returns the items of all pages as they were sent. When the SDK took pages from its cache, the decoded items
// are encoded again.
func (l *listing[T]) asSent(p *pending, decoded []*T) (all []json.RawMessage) {
	sent := p.sent()
	for _, page := range sent[:min(len(sent), maxPages)] {
		var members map[string]json.RawMessage
		var items []json.RawMessage
		_ = json.Unmarshal(page, &members) // the SDK has decoded it before
		_ = json.Unmarshal(members[l.member], &items)
		all = append(all, items...)
	}
	if len(all) >= len(decoded) { // more, where the SDK left an item out
		return all
	}
	all = nil
	for _, item := range decoded {
		all = append(all, encoded(item))
	}
	return all
}

// why returns the error of a list that could not be had, and records a page that did not decode.
func (l *listing[T]) why(ctx context.Context, s *connection, p *pending, err error) *Error {
	if l.c.life.Err() == nil && context.Cause(ctx) == errTimeout {
		e := l.c.errorf(TimedOut, "%s: no answer in %v", l.method, l.c.spec.ListTimeout)
		e.Stderr = s.tail()
		return e
	}
	e := l.c.whyFailed(context.Background(), ctx, s, p, err)
	if sent := p.sent(); e.Kind == BadAnswer && len(sent) > 0 {
		l.c.undecoded(l.method, "", e.Message, sent[len(sent)-1])
	}
	return e
}
