package mcpclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// overHTTP is the SDK's client of streamable HTTP. Its connection cannot be wrapped as that of a stream is: the SDK tells it what was agreed
// on by a method that only its own types have (go-sdk 1.8.0, clientConnection). So the messages are read on their way through net/http.
func (s *session) overHTTP() mcp.Transport {
	c := s.c
	open := &sockets{}
	base := &http.Transport{Proxy: c.proxy(), ForceAttemptHTTP2: true, MaxIdleConns: 8, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		DialContext: open.dial}
	s.after = func() {
		open.closeAll()
		base.CloseIdleConnections()
	}
	return &mcp.StreamableClientTransport{
		Endpoint:     c.spec.URL,
		HTTPClient:   &http.Client{Transport: &tripper{s.x, base}, CheckRedirect: c.checkRedirect},
		MaxEventSize: c.opts.MaxMessage + eventRoom,
	}
}

// sockets are the connections of one session. Closing them ends every request of it: the SDK's notice that a call is cancelled, and the end of a
// session, wait up to 5 s for a server that does not answer (go-sdk 1.8.0).
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
	conn, err := (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext(ctx, network, address)
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

// eventRoom is what an event is longer than its message.
const eventRoom = 4 << 10

// tripper sends the requests of one session with its headers, and lets the exchange read the messages of both directions.
type tripper struct {
	x    *exchange
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
	c, p := t.x.c, pendingOf(r.Context())
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
		resp.Body = newEvents(t.x, resp.Body, c.opts.MaxMessage)
	case "application/json":
		if r.Method == http.MethodPost && id.IsValid() {
			t.mend(resp, id)
		}
	}
	return resp, nil
}

// withoutURL is the text of an error without the URL that net/http puts before it.
func withoutURL(err error) string {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}

// outgoing is a request with the headers of the spec; id is that of the call in it.
func (t *tripper) outgoing(r *http.Request) (_ *http.Request, id jsonrpc.ID, err error) {
	c := t.x.c
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
	var e envelope
	if json.Unmarshal(body, &e) == nil && e.Method != nil {
		if n, ok := idOf(json.RawMessage(e.ID)); ok {
			id = n
			t.x.sending(r.Context(), id, *e.Method)
		}
	}
	return out, id, nil
}

// mend replaces the body of an answer by what the SDK is to see of it. What is no message becomes an error of the call, instead of one of the
// session.
func (t *tripper) mend(resp *http.Response, id jsonrpc.ID) {
	limit := t.x.c.opts.MaxMessage
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	_ = resp.Body.Close()
	var m jsonrpc.Message
	switch {
	case err != nil:
		m = &jsonrpc.Response{ID: id, Error: wireError(codeLost, "the answer ended before its end")}
	case len(body) > limit:
		t.x.c.undecoded("", "", fmt.Sprintf("a message of more than %d bytes", limit), body[:headBytes])
		m = &jsonrpc.Response{ID: id, Error: wireError(codeTooLarge, fmt.Sprintf("the answer is too large: more than %d MiB", limit>>20))}
	default:
		for _, got := range t.x.receive(body) {
			if r, ok := got.(*jsonrpc.Response); ok {
				m = r
			}
		}
		if m == nil {
			m = &jsonrpc.Response{ID: id, Error: wireError(codeUnreadable, "the answer is no message of JSON-RPC")}
		}
	}
	text := encode(m)
	resp.Body = io.NopCloser(bytes.NewReader(text))
	resp.ContentLength = int64(len(text))
	resp.Header.Del("Content-Length")
}

// Codes of errors that stand in for an answer that cannot be read. JSON-RPC leaves them to nobody.
const (
	codeTooLarge   = -32990
	codeUnreadable = -32991
	codeLost       = -32992
)

func wireError(code int64, message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: code, Message: message}
}

func encode(m jsonrpc.Message) []byte {
	if r, ok := m.(*jsonrpc.Response); ok && errors.Is(r.Error, errTooLarge) {
		r.Error = wireError(codeTooLarge, r.Error.Error())
	}
	text, _ := jsonrpc.EncodeMessage(m) // of what was decoded
	return text
}

// events is the body of an event stream whose messages go through the exchange. Ids, names and times of events stay as they are: the SDK goes on
// with a stream that broke from the last id.
type events struct {
	x     *exchange
	body  io.ReadCloser
	in    *bufio.Reader
	limit int

	out  bytes.Buffer // what Read has not given out yet
	rest bytes.Buffer // lines of the event that are no data
	data bytes.Buffer // of the event
	over bool         // data is over the limit and is not kept
	head []byte       // of data that is over the limit
	err  error        // why nothing comes behind out
}

func newEvents(x *exchange, body io.ReadCloser, limit int) *events {
	return &events{x: x, body: body, in: bufio.NewReader(body), limit: limit}
}

func (e *events) Close() error { return e.body.Close() }

func (e *events) Read(b []byte) (int, error) {
	for e.out.Len() == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.line()
	}
	return e.out.Read(b)
}

// line reads one line, or a part of one that is too long to be kept.
func (e *events) line() {
	var line []byte
	for {
		part, err := e.in.ReadSlice('\n')
		if room := e.limit + eventRoom - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		e.err = err
		break
	}
	line = bytes.TrimRight(line, "\r\n")
	name, value, colon := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) == 0:
		e.dispatch()
	case !colon || len(name) == 0: // a comment, or what the SDK would end the session for
	case string(name) == "data":
		e.add(bytes.TrimPrefix(value, []byte(" ")))
	case e.rest.Len() < eventRoom/2:
		e.rest.Write(line[:min(len(line), eventRoom/2)])
		e.rest.WriteByte('\n')
	}
	if e.err != nil && len(line) > 0 {
		e.dispatch() // as the SDK does at the end of a stream
	}
}

func (e *events) add(value []byte) {
	if e.over {
		return
	}
	if e.data.Len()+len(value) > e.limit {
		e.over = true
		e.head = bytes.Clone(e.data.Bytes()[:min(e.data.Len(), headBytes)])
		e.head = append(e.head, value[:min(len(value), headBytes-len(e.head))]...)
		return
	}
	if e.data.Len() > 0 {
		e.data.WriteByte('\n')
	}
	e.data.Write(value)
}

// dispatch writes the event out, with what the SDK is to see of its message.
func (e *events) dispatch() {
	rest := strings.Clone(e.rest.String())
	var messages []jsonrpc.Message
	if e.over {
		if m := e.x.tooLarge(e.head, nil, e.limit); m != nil {
			messages = []jsonrpc.Message{m}
		}
	} else if e.data.Len() > 0 {
		messages = e.x.receive(e.data.Bytes())
	}
	e.rest.Reset()
	e.data.Reset()
	e.over, e.head = false, nil
	if len(messages) == 0 && rest != "" {
		e.out.WriteString(rest + "\n")
	}
	for i, m := range messages {
		if i == 0 {
			e.out.WriteString(rest)
		}
		e.out.WriteString("data: ")
		e.out.Write(encode(m))
		e.out.WriteString("\n\n")
	}
}
