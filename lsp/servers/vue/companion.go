package vue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.lsp.dev/uri"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/process"
	"lspi/lsp/servers/tsserver"
	"lspi/lsp/wire"
)

// program is how Vue's own server is started.
type program struct {
	launch.Candidate
	root        string
	environment []string
}

// companion is the process of Vue's own server beside one of typescript-language-server. It starts with the first
// question, is shown the document of each question for that alone, so that it keeps no text, and ends with the
// other process.
type companion struct {
	program
	server *lsp.Server

	turn     chan struct{}        // held by who asks; it owns version, and starts the process
	version  int                  // of the document shown last
	requests chan json.RawMessage // those to tsserver that are not answered yet

	mu     sync.Mutex
	proc   *process.Process // nil before the first question; guarded by mu
	wire   *wire.Conn       // guarded by mu
	closed bool             // guarded by mu
}

// maxRequests bounds the requests of Vue's server that wait for an answer of tsserver; one question makes a handful.
const maxRequests = 64

// stopTime is how long the process may take to end.
const stopTime = 200 * time.Millisecond

var errClosed = errors.New("the server has ended")

func newCompanion(s *lsp.Server, p program) *companion {
	return &companion{program: p, server: s, turn: make(chan struct{}, 1),
		requests: make(chan json.RawMessage, maxRequests)}
}

// ask asks about a document, with its text as it is now. A process that ends meanwhile is started once more.
func (c *companion) ask(ctx context.Context, method, path string, text *source.Text) (json.RawMessage, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, c.server.Failure(ctx, method, context.Cause(ctx))
	}
	answer, err := c.askOnce(ctx, method, path, text)
	if c.crashed(err) {
		answer, err = c.askOnce(ctx, method, path, text)
	}
	switch {
	case err == nil:
		return answer, nil
	case c.crashed(err): // which is no crash of the other process
		err = fmt.Errorf("%s ended: %v", filepath.Base(c.Path), err)
	}
	return nil, c.server.Failure(ctx, method, err)
}

// crashed reports whether an error is that the process has ended by itself.
func (c *companion) crashed(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.As(err, new(*wire.ClosedError)) && !c.closed && !c.server.Ended()
}

// askOnce shows the document for one question.
func (c *companion) askOnce(ctx context.Context, method, path string, text *source.Text) (json.RawMessage, error) {
	conn, err := c.running(ctx)
	if err != nil {
		return nil, err
	}
	c.version++
	document := map[string]any{"uri": uri.File(path), "languageId": "vue", "version": c.version, "text": text.Content()}
	if err := conn.Notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": document}); err != nil {
		return nil, err
	}
	identifier := map[string]any{"textDocument": map[string]any{"uri": uri.File(path)}}
	answer, err := c.call(ctx, conn, method, identifier)
	// Not by ctx, which may be over: the document must not stay open with this text.
	if closing := conn.Notify(context.WithoutCancel(ctx), "textDocument/didClose", identifier); err == nil {
		err = closing
	}
	return answer, err
}

// running is the connection to the process, which is started when there is none.
func (c *companion) running(ctx context.Context) (*wire.Conn, error) {
	c.mu.Lock()
	proc, conn := c.proc, c.wire
	c.mu.Unlock()
	if conn != nil {
		select {
		case <-conn.Done(): // it crashed
			end(proc, conn)
		default:
			return conn, nil
		}
	}
	return c.start(ctx)
}

// start starts the process and shakes hands with it.
func (c *companion) start(ctx context.Context) (*wire.Conn, error) {
	conn, err := c.spawn()
	if err != nil {
		return nil, err
	}
	_, err = c.call(ctx, conn, "initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": uri.File(c.root), "locale": "en",
		"workspaceFolders": []any{map[string]any{"uri": uri.File(c.root), "name": filepath.Base(c.root)}},
		// It asks for no settings where the client has none, and takes its defaults.
		"capabilities": map[string]any{"textDocument": map[string]any{
			"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true}, "diagnostic": map[string]any{},
		}},
	})
	if err == nil {
		err = conn.Notify(ctx, "initialized", map[string]any{})
	}
	if err != nil {
		c.mu.Lock()
		proc := c.proc
		c.mu.Unlock()
		end(proc, conn)
		return nil, err
	}
	return conn, nil
}

// spawn starts the process, unless the one that it belongs to has ended.
func (c *companion) spawn() (*wire.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	proc, err := process.Spawn(c.Path, c.Args, c.root, c.environment)
	if err != nil {
		return nil, err
	}
	for len(c.requests) > 0 { // of a process before
		<-c.requests
	}
	c.proc, c.wire = proc, wire.New(proc, wire.Options{Notification: c.hear})
	return c.wire, nil
}

// close ends the process. Questions in flight fail.
func (c *companion) close() {
	c.mu.Lock()
	c.closed = true
	proc, conn := c.proc, c.wire
	c.mu.Unlock()
	end(proc, conn)
}

func end(proc *process.Process, conn *wire.Conn) {
	if proc == nil {
		return
	}
	proc.Stop(stopTime)
	_ = conn.Close()
}

// call sends a request, and until its answer is there answers what Vue's server asks tsserver.
func (c *companion) call(ctx context.Context, conn *wire.Conn, method string, params any) (answer json.RawMessage,
	err error) {
	answered := make(chan error, 1)
	go func() { answered <- lsp.Send(ctx, conn, c.server.ID(), method, params, &answer) }()
	for {
		select {
		case err := <-answered: // at the end of ctx and of the process, too
			return answer, err
		case request := <-c.requests:
			c.passOn(ctx, conn, request)
		}
	}
}

// hear takes the notifications of Vue's server. It must not block.
func (c *companion) hear(method string, params json.RawMessage) {
	if method != "tsserver/request" {
		return
	}
	select {
	case c.requests <- append(json.RawMessage{}, params...):
	default: // the question goes on without an answer until its time is over
	}
}

// passOn has tsserver answer a request of Vue's server: [[id, command, arguments]], answered with [[id, body]]. One
// that tsserver does not answer has the body null, because Vue's server waits for each.
func (c *companion) passOn(ctx context.Context, conn *wire.Conn, params json.RawMessage) {
	var requests []json.RawMessage
	var request [3]json.RawMessage
	if json.Unmarshal(params, &requests) != nil || len(requests) == 0 || json.Unmarshal(requests[0], &request) != nil {
		return
	}
	var command string
	var body json.RawMessage
	if json.Unmarshal(request[1], &command) == nil {
		_ = tsserver.Ask(ctx, c.server, command, request[2], &body)
	}
	if len(body) == 0 {
		body = json.RawMessage("null")
	}
	_ = conn.Notify(ctx, "tsserver/response", [][]json.RawMessage{{request[0], body}})
}
