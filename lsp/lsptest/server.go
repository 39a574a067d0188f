package lsptest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// Exit is how a server ended.
type Exit struct {
	Code   int
	Signal string // "" unless it killed itself
	Cause  string // for people
}

// host is what the server runs in: a process of its own, or pipes in this one.
type host interface {
	kill(signal string) error // does not return if it worked on a process
	spawn(c Child) (pid int, err error)
	closeStdin() error
	closeStdout() error
}

// Server is a running script.
type Server struct {
	script *Script
	run    int
	host   host
	stream jsonrpc2.Stream // read by the loop alone; written through out
	out    *lockedWriter
	stderr io.Writer
	record *record
	client io.ReadWriteCloser // the other end; nil in an executable
	log    *lockedBuffer      // what went to stderr in process

	ctx    context.Context // ends with the server
	cancel context.CancelFunc
	ending sync.Once
	exit   Exit           // set before ctx ends
	wg     sync.WaitGroup // goroutines of actions
	done   chan struct{}  // closed when the loop and the goroutines of actions have ended

	mu sync.Mutex
	// mu guards what follows, down to docs.
	matched  map[*Rule]int                                          // how often Method and Contains have matched
	inFlight map[string]context.CancelFunc                          // requests of the client whose actions wait, by id
	awaited  map[string]chan<- struct{}                             // our requests, by id
	nextID   int64                                                  // of our next request
	shutdown bool                                                   // the client has asked for it
	docs     documents                                              // has its own lock
	answers  map[string]func(*Server, json.RawMessage) (any, error) // does not change
}

func newServer(script *Script, run int, h host, in io.Reader, out, stderr io.Writer) *Server {
	s := &Server{
		script:   script,
		run:      run,
		host:     h,
		out:      &lockedWriter{w: out},
		stderr:   stderr,
		record:   &record{news: make(chan struct{})},
		done:     make(chan struct{}),
		matched:  make(map[*Rule]int),
		inFlight: make(map[string]context.CancelFunc),
		awaited:  make(map[string]chan<- struct{}),
		answers:  answersOf(script.Language),
	}
	s.docs.files = make(map[string]*docState)
	s.docs.encoding = script.PositionEncoding
	s.stream = jsonrpc2.NewHeaderStream(struct {
		io.Reader
		io.Writer
		io.Closer
	}{in, s.out, io.NopCloser(nil)})
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// end ends the server, once.
func (s *Server) end(e Exit) {
	s.ending.Do(func() {
		s.exit = e
		s.record.add(Event{Kind: EventEnd, Cause: e.Cause})
		s.cancel()
		if s.client != nil {
			s.host.closeStdin()
			s.host.closeStdout()
		}
	})
}

// serve is the loop of the server.
func (s *Server) serve() {
	defer func() {
		s.wg.Wait()
		close(s.done)
	}()
	s.perform(&incoming{ctx: s.ctx, settled: true}, s.script.OnStart)
	for s.ctx.Err() == nil {
		m, _, err := s.stream.Read(s.ctx)
		if err != nil {
			s.inputEnded(err)
			return
		}
		switch m := m.(type) {
		case *jsonrpc2.Response:
			s.answered(m)
		case *jsonrpc2.Call:
			s.receive(m.Method(), m.ID(), m.Params())
		case *jsonrpc2.Notification:
			s.receive(m.Method(), jsonrpc2.ID{}, m.Params())
		}
	}
}

// inputEnded ends the server when its client has gone, or has written something that is not a message.
func (s *Server) inputEnded(err error) {
	if s.script.IgnoreEOF && s.client == nil {
		<-s.ctx.Done()
		return
	}
	s.end(Exit{Code: 1, Cause: "reading from the client: " + err.Error()})
}

// incoming is a message of the client while its actions are performed.
type incoming struct {
	method  string
	id      jsonrpc2.ID // not valid for a notification
	params  json.RawMessage
	ctx     context.Context // ends by $/cancelRequest, and with the server
	settled bool            // answered, or must not be: the default does not apply any more
}

func (s *Server) receive(method string, id jsonrpc2.ID, params []byte) {
	method = strings.Clone(method) // the library's, like the params, is overwritten by the next read
	m := &incoming{method: method, id: id, params: bytes.Clone(params), ctx: s.ctx}
	s.record.add(Event{Kind: EventMessage, Method: method, ID: rawID(id), Params: m.params})
	if method == "$/cancelRequest" {
		s.cancelRequest(m.params)
	}
	s.docs.observe(s, m)
	s.perform(m, s.actionsFor(m))
}

// actionsFor returns the actions of the first rule that matches.
func (s *Server) actionsFor(m *incoming) []Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.script.Rules {
		r := &s.script.Rules[i]
		if r.Method != m.method && r.Method != "*" || !bytes.Contains(m.params, []byte(r.Contains)) || r.Run != 0 &&
			r.Run != s.run {
			continue
		}
		if s.matched[r]++; r.Nth == 0 || r.Nth == s.matched[r] {
			return r.Actions
		}
	}
	return nil
}

// perform does the actions and then, unless they have settled the message, the default. From the first action that
// waits on, it does them in a goroutine.
func (s *Server) perform(m *incoming, actions []Action) {
	for i := range actions {
		if !actions[i].waits() {
			if s.act(m, &actions[i]) {
				continue
			}
			return
		}
		forget := s.remember(m)
		s.wg.Go(func() {
			defer forget()
			for j := i; j < len(actions); j++ {
				if !s.act(m, &actions[j]) {
					return
				}
			}
			s.settle(m)
		})
		return
	}
	s.settle(m)
}

// remember lets $/cancelRequest end m until forget is called.
func (s *Server) remember(m *incoming) (forget func()) {
	var cancel context.CancelFunc
	m.ctx, cancel = context.WithCancel(s.ctx)
	if !m.id.IsValid() {
		return cancel
	}
	key := string(rawID(m.id))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight[key] = cancel
	return func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.inFlight, key)
	}
}

// settle does the default, unless the actions have settled the message.
func (s *Server) settle(m *incoming) {
	if !m.settled && s.ctx.Err() == nil {
		s.byDefault(m)
	}
}

func (s *Server) cancelRequest(params json.RawMessage) {
	var p struct{ ID json.RawMessage }
	_ = json.Unmarshal(params, &p)
	s.mu.Lock()
	cancel := s.inFlight[string(p.ID)]
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// lockedWriter keeps messages and raw output of several goroutines apart.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
