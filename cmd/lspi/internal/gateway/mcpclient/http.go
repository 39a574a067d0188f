package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// overHTTP returns the SDK's client of streamable HTTP. Its connection cannot be wrapped: the SDK tells it what was
// agreed on by a method that only its own types have (go-sdk 1.8.0, clientConnection). So the tap sees the messages
// on their way through net/http.
func (s *connection) overHTTP() mcp.Transport {
	c := s.c
	open := &sockets{}
	base := &http.Transport{Proxy: c.proxy(), ForceAttemptHTTP2: true, MaxIdleConns: 8,
		IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		DialContext: open.dial}
	s.after = func() {
		open.closeAll()
		base.CloseIdleConnections()
	}
	return &mcp.StreamableClientTransport{
		Endpoint:     c.spec.URL,
		HTTPClient:   &http.Client{Transport: &tripper{s.tap, base}, CheckRedirect: c.checkRedirect},
		MaxEventSize: c.opts.MaxMessage + eventRoom,
	}
}

// sockets are the connections of one session. Closing them ends every request of it: the SDK's notice that a call
// is cancelled, and the end of a session, wait up to 5 s for a server that does not answer (go-sdk 1.8.0).
type sockets struct {
	mu     sync.Mutex
	open   map[net.Conn]bool // under mu
	closed bool              // under mu
}

// socket is one of them.
type socket struct {
	net.Conn
	of *sockets
}

func (s *sockets) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext(ctx, network,
		address)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return nil, errGone
	}
	if s.open == nil {
		s.open = map[net.Conn]bool{}
	}
	s.open[conn] = true
	return &socket{conn, s}, nil
}

func (c *socket) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c.Conn)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

func (s *sockets) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for conn := range s.open {
		_ = conn.Close()
	}
}

// eventRoom is how much longer than its message an event may be: its id, its type and the names of its fields.
const eventRoom = 4 << 10

// tripper sends the requests of one session with its headers, and lets the tap see the messages of both directions.
type tripper struct {
	tap  *tap
	base *http.Transport
}

var errRedirected = errors.New("the server redirects to another one")

// checkRedirect refuses to take the headers, which hold secrets, to another server.
func (c *Client) checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > 5 || r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
		return errRedirected
	}
	return nil
}

func (t *tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	c, p := t.tap.c, pendingOf(r.Context())
	r, id, err := t.outgoing(r)
	if err != nil {
		return nil, err
	}
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		if r.Context().Err() == nil && r.Method == http.MethodPost {
			p.failedWith(0, errors.New(c.mask.Text(withoutURL(err))))
		}
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		if r.Method == http.MethodPost {
			p.failedWith(resp.StatusCode, nil)
		}
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, int64(c.opts.MaxMessage)), resp.Body}
		return resp, nil
	}
	switch media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); media {
	case "text/event-stream":
		resp.Body = &events{ReadCloser: resp.Body, tap: t.tap, limit: c.opts.MaxMessage}
	case "application/json":
		if r.Method == http.MethodPost && id.IsValid() {
			t.whole(resp, id)
		}
	}
	return resp, nil
}

// withoutURL returns the text of an error without the URL that net/http puts before it, which may hold a secret.
func withoutURL(err error) string {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}

// outgoing returns a request with the headers of the spec, and the id of the call in it.
func (t *tripper) outgoing(r *http.Request) (_ *http.Request, id jsonrpc.ID, err error) {
	c := t.tap.c
	out := r.Clone(r.Context())
	for name, value := range c.spec.Headers {
		out.Header.Set(name, value)
	}
	if c.spec.Token != "" && out.Header.Get("Authorization") == "" {
		out.Header.Set("Authorization", "Bearer "+c.spec.Token)
	}
	if r.Method != http.MethodPost || r.Body == nil {
		return out, id, nil
	}
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return nil, id, err
	}
	out.Body = io.NopCloser(bytes.NewReader(body))
	if m, err := jsonrpc.DecodeMessage(body); err == nil {
		t.tap.sending(r.Context(), m)
		if r, ok := m.(*jsonrpc.Request); ok {
			id = r.ID
		}
	}
	return out, id, nil
}

// whole reads an answer that is one message. One that cannot be read becomes an error of its call; the SDK would end
// the session, and with it the other calls.
func (t *tripper) whole(resp *http.Response, id jsonrpc.ID) {
	limit := t.tap.c.opts.MaxMessage
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	_ = resp.Body.Close()
	m, unread := jsonrpc.DecodeMessage(body)
	switch {
	case err != nil:
		m = unreadable(id, codeLost, "the answer ended before its end")
	case len(body) > limit:
		t.tap.noMessage(body[:headBytes], fmt.Sprintf("a message of more than %d bytes", limit))
		m = unreadable(id, codeUnreadable, tooLarge(limit))
	case unread != nil:
		t.tap.noMessage(body, "an answer that is no message")
		m = unreadable(id, codeUnreadable, "the answer is no message of JSON-RPC")
	default:
		t.tap.received(m)
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return
	}
	text, _ := jsonrpc.EncodeMessage(m) // of texts
	resp.Body = io.NopCloser(bytes.NewReader(text))
	resp.ContentLength = int64(len(text))
	resp.Header.Del("Content-Length")
}

// events is the body of an event stream, of which the tap sees each message before the SDK does. What the SDK
// cannot read ends the session.
type events struct {
	io.ReadCloser
	tap   *tap
	limit int

	line  []byte // of which the end has not come
	data  []byte // of the event
	other bool   // the event is none of a message
}

func (e *events) Read(b []byte) (int, error) {
	n, err := e.ReadCloser.Read(b)
	rest := b[:n]
	for {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if len(e.line)+len(e.data)+len(line) <= e.limit+eventRoom { // else the SDK refuses the event
			e.line = append(e.line, line...)
		}
		if whole || err != nil {
			e.field(bytes.TrimSuffix(e.line, []byte("\r")))
			e.line = nil
		}
		if !whole {
			break
		}
		rest = after
	}
	if err != nil {
		e.field(nil) // as the SDK does at the end of a stream
	}
	return n, err
}

// field reads one line of the stream; an empty one ends an event.
func (e *events) field(line []byte) {
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, bytes.TrimSpace(data)...)
		return
	}
	if name, ok := bytes.CutPrefix(line, []byte("event:")); ok {
		e.other = string(bytes.TrimSpace(name)) != "message"
	}
	if len(line) > 0 {
		return
	}
	if m, err := jsonrpc.DecodeMessage(e.data); err == nil && !e.other {
		e.tap.received(m)
	} else if len(e.data) > 0 && !e.other {
		e.tap.noMessage(e.data, "an event that is no message")
	}
	e.data, e.other = nil, false
}
