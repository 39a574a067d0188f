package mcpclient

//lint:file-ignore SA1019 roots, sampling and logs are deprecated since 2026-07-28; hosts and servers have them still.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/lsp/process"
)

// connection is one connection with the server: a process, or a session over HTTP. It is never used again after it
// ended.
type connection struct {
	c      *Client
	sdk    *mcp.ClientSession
	client *mcp.Client // of the SDK, for this connection alone
	tap    *tap
	stream *stream          // nil over HTTP
	proc   *process.Process // nil over HTTP and for Options.Dial
	close  func()           // ends a transport over a stream at once; nil over HTTP
	after  func()           // ends all requests over HTTP; nil over a stream
	info   *Info

	readySince time.Time // Client.mu

	once    sync.Once
	first   error         // set before lost is closed: what was seen first of the end
	lost    chan struct{} // closed when the connection can carry no more calls
	death   *Error        // set before gone is closed
	expired bool          // set before lost is closed: the server forgot the session, which is no failure
	gone    chan struct{} // closed when the process was reaped and why it ended is known
	stopped chan struct{} // closed when everything of it has ended
}

// Info is what a server says of itself in the handshake.
type Info struct {
	Name, Version string
	Protocol      string                  // the version that was agreed on
	caps          *mcp.ServerCapabilities // never nil
}

// handshakeVersion is the protocol that is offered. The newer 2026-07-28 begins without a handshake: servers that
// know only the handshake answer its first request with an error at best, and some end at any other first request.
const handshakeVersion = "2025-11-25"

// open starts the server and shakes hands.
func (c *Client) open() (*connection, *Error) {
	ctx, cancel := context.WithTimeoutCause(c.life, c.spec.StartTimeout, errTimeout)
	defer cancel()
	s, err := c.connect(ctx, handshakeVersion)
	if err != nil && err.Kind == StartFailed && (err.Code == jsonrpc.CodeMethodNotFound ||
		err.Code == mcp.CodeUnsupportedProtocolVersion) {
		s, err = c.connect(ctx, "") // a server of the newer protocol only
	}
	if err != nil {
		return nil, err
	}
	s.restore(ctx)
	return s, nil
}

// connect makes one connection.
func (c *Client) connect(ctx context.Context, version string) (*connection, *Error) {
	s := &connection{c: c, tap: &tap{c: c}, lost: make(chan struct{}), gone: make(chan struct{}),
		stopped: make(chan struct{})}
	transport, failed := s.transport(ctx)
	if failed != nil {
		return nil, failed
	}
	s.client = mcp.NewClient(&mcp.Implementation{Name: "lspi", Version: c.opts.Version}, c.sdkOptions())
	s.client.AddReceivingMiddleware(c.answers)
	hello := &pending{method: "initialize"}
	sdk, err := s.client.Connect(withPending(ctx, hello), transport,
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		failed := s.startFailed(ctx, hello, err)
		s.end(errGone)
		s.bury(nil)
		return nil, failed
	}
	s.sdk = sdk
	s.info = infoOf(sdk.InitializeResult())
	c.mu.Lock()
	ok := c.spawn(s.watch)
	c.mu.Unlock()
	if !ok {
		s.end(errClosed)
		s.bury(sdk)
		return nil, c.errorf(Closed, "the client was closed while the server started")
	}
	return s, nil
}

// transport starts the server's process, or says how its URL is reached.
func (s *connection) transport(ctx context.Context) (mcp.Transport, *Error) {
	c := s.c
	switch {
	case c.opts.Dial != nil:
		rw, err := c.opts.Dial(ctx)
		if err != nil {
			return nil, c.errorf(StartFailed, "connecting: %v", err)
		}
		return s.overStream(rw), nil
	case c.spec.URL != "":
		return s.overHTTP(), nil
	}
	path, err := c.Program()
	if err != nil {
		return nil, c.errorf(NotFound, "the program %q is not there: %v", outside(c.spec.Command), errors.Unwrap(err))
	}
	if c.spec.MakeCwd {
		if err := os.MkdirAll(c.spec.Cwd, 0o700); err != nil {
			return nil, c.errorf(StartFailed, "making the folder to start in: %v", err)
		}
	}
	s.proc, err = process.Spawn(path, c.spec.Args, c.spec.Cwd, c.environment())
	if err != nil {
		return nil, c.errorf(StartFailed, "starting %q: %v", outside(c.spec.Command), err)
	}
	return s.overStream(s.proc), nil
}

func (s *connection) overStream(rw io.ReadWriteCloser) mcp.Transport {
	s.stream = newStream(s.tap, rw, s.c.opts.MaxMessage, s.end)
	s.close = func() {
		_ = s.stream.Close()
		s.stream.done.Wait()
	}
	return s.stream
}

// infoOf reads the result of initialize, or of server/discover.
func infoOf(r *mcp.InitializeResult) *Info {
	info := &Info{Protocol: r.ProtocolVersion, caps: r.Capabilities}
	if info.caps == nil {
		info.caps = &mcp.ServerCapabilities{}
	}
	if who := r.ServerInfo; who != nil {
		info.Name, info.Version = cut(who.Name, 200), cut(who.Version, 200)
	}
	return info
}

// startFailed returns the error of a connection that was not made. What the server said comes before what the
// transport saw: it tells the user more.
func (s *connection) startFailed(ctx context.Context, hello *pending, err error) *Error {
	c := s.c
	status, broken := hello.failure()
	var e *Error
	switch {
	case c.life.Err() != nil:
		return c.errorf(Closed, "the client was closed while the server started")
	case status == 401 || status == 403:
		e = c.errorf(Unauthorized, "HTTP %d: the server wants other credentials (headers, token_env)", status)
		e.Code = status
	case context.Cause(ctx) == errTimeout:
		e = c.errorf(StartFailed, "no handshake within %v%s", c.spec.StartTimeout, s.tap.noise())
	case c.refusal(err) != nil:
		e = c.refusal(err)
		e.Kind, e.Message = StartFailed, "the handshake failed: "+e.Message
	case broken != nil:
		e = c.errorf(StartFailed, "connecting: %v", broken)
	case status != 0:
		e = c.errorf(StartFailed, "the handshake failed with HTTP %d", status)
		e.Code = status
	case connectionLost(err) && s.proc != nil && s.proc.Gone(exitWait):
		e = c.errorf(StartFailed, "the server ended (%s) before the handshake%s%s", s.proc.Exit(), s.reason(),
			s.tap.noise())
	default:
		e = c.errorf(StartFailed, "the handshake failed: %v%s", err, s.tap.noise())
	}
	e.Stderr = s.tail()
	return e
}

// reason returns what the server wrote to stderr last, as the end of a sentence.
func (s *connection) reason() told {
	if s.proc == nil {
		return ""
	}
	if r := s.proc.Stderr.Reason(); r != "" {
		return told(": " + s.c.mask.Part(r))
	}
	return ""
}

// tail returns the last lines that the server wrote to stderr, masked.
func (s *connection) tail() []string {
	if s.proc == nil {
		return nil
	}
	lines := s.proc.Stderr.Tail(tailLines)
	for i, l := range lines {
		lines[i] = s.c.mask.Part(l)
	}
	return lines
}

// end notes that the connection can carry no more calls, and why. It waits for nothing.
func (s *connection) end(err error) {
	s.once.Do(func() {
		s.first = err
		s.expired = errors.Is(err, mcp.ErrSessionMissing)
		close(s.lost)
	})
}

// forgotten reports whether the connection has ended because the server does not know its session. A call may have
// failed before that.
func (s *connection) forgotten() bool {
	select {
	case <-s.lost:
		return s.expired
	default:
		return false
	}
}

// watch waits for the end of the connection, and then ends all that belongs to it.
func (s *connection) watch() {
	ended := make(chan struct{})
	go func() {
		err := s.sdk.Wait()
		if err == nil {
			err = io.EOF
		}
		s.end(err)
		close(ended)
	}()
	var exit <-chan struct{}
	if s.proc != nil {
		exit = s.proc.Done()
	}
	select {
	case <-s.lost:
	case <-exit: // a child may still hold its stdout
		s.end(io.EOF)
	}
	s.bury(s.sdk)
	<-ended
	close(s.stopped)
}

// stop ends the connection from this side, and waits until it is gone.
func (s *connection) stop(err error) {
	s.end(err)
	<-s.stopped
}

// exitWait is how long a process whose stdout ended is waited for: it is reaped a little later.
const exitWait = time.Second

// bury ends what belongs to a connection that is lost: it says why it was, ends the process, the transport, and the
// SDK's session.
func (s *connection) bury(sdk *mcp.ClientSession) {
	c := s.c
	ours := s.first == errClosed
	if s.proc != nil && !ours {
		s.proc.Gone(exitWait) // its exit status says more than the end of its stdout
	}
	s.death = s.whyDead()
	c.mu.Lock()
	close(s.gone)
	c.buried(s)
	c.mu.Unlock()
	if s.proc != nil {
		s.proc.Stop(c.opts.Grace)
		if !ours {
			s.stream.drain()
		}
	}
	if s.close != nil {
		s.close()
	}
	if s.after != nil {
		impatient := time.AfterFunc(c.opts.Grace, s.after)
		defer s.after()
		defer impatient.Stop()
	}
	if sdk != nil {
		_ = sdk.Close()
	}
}

// whyDead returns the error of calls that were in flight when the connection was lost.
func (s *connection) whyDead() *Error {
	c := s.c
	if s.first == errClosed {
		return c.errorf(Closed, "the client was closed")
	}
	var e *Error
	switch {
	case s.expired:
		e = c.errorf(Died, "the server forgot the session")
	case s.proc == nil:
		e = c.errorf(Died, "the connection ended: %v", s.first)
	default:
		select {
		case <-s.proc.Done():
			e = c.errorf(Died, "the server ended (%s)%s", s.proc.Exit(), s.reason())
		default:
			e = c.errorf(Died, "the server closed its output%s", s.reason())
		}
	}
	e.Stderr = s.tail()
	return e
}

// maxSubscribed bounds the resources that are subscribed to again after a restart.
const maxSubscribed = 1000

// restore tells a new connection the log level and the subscriptions that the last one had.
func (s *connection) restore(ctx context.Context) {
	c := s.c
	c.mu.Lock()
	level := c.level
	uris := make([]string, 0, len(c.subscribed))
	for uri := range c.subscribed {
		uris = append(uris, uri)
	}
	c.mu.Unlock()
	if level != "" {
		if err := s.sdk.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: level}); err != nil {
			c.log.Debug("setting the level of logs again", "server", c.spec.ID, "error", c.mask.Text(fmt.Sprint(err)))
		}
	}
	for _, uri := range uris {
		if err := s.sdk.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
			c.log.Debug("subscribing again", "server", c.spec.ID, "error", c.mask.Text(fmt.Sprint(err)))
		}
	}
}
