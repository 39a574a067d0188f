package lsptest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
)

// Start runs a script in process. A script may be started many times; each start is its next run. The caller has to
// Close the server.
func Start(script *Script) (*Server, error) {
	if err := script.check(); err != nil {
		return nil, err
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	log := new(lockedBuffer)
	run := int(script.runs.Add(1))
	s := newServer(script, run, &pipes{inR, outW}, inR, outW, log)
	s.log = log
	s.client = &clientEnd{inW, outR}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("starting a scripted server: %w", err)
	}
	s.record.add(Event{Kind: EventStart, Run: run, PID: os.Getpid(), Cwd: cwd})
	go s.serve()
	return s, nil
}

// Client returns the client's end of the server's stdin and stdout. Nothing is buffered: a write returns when it was
// read.
func (s *Server) Client() io.ReadWriteCloser { return s.client }

// Stderr returns what the server has written to stderr so far.
func (s *Server) Stderr() string { return s.log.String() }

// Wait blocks until the server has ended, and returns how.
func (s *Server) Wait() Exit {
	<-s.done
	return s.exit
}

// Close ends the server as a kill would, unless it has ended, and waits for its goroutines.
func (s *Server) Close() {
	s.end(Exit{Code: -1, Signal: "SIGKILL", Cause: "closed by the test"})
	<-s.done
}

// clientEnd is the client's end: a pipe to stdin and one from stdout.
type clientEnd struct {
	in  *io.PipeWriter
	out *io.PipeReader
}

func (c *clientEnd) Read(b []byte) (int, error)  { return c.out.Read(b) }
func (c *clientEnd) Write(b []byte) (int, error) { return c.in.Write(b) }
func (c *clientEnd) Close() error {
	c.in.Close()
	return c.out.Close()
}

// pipes is the host of a server in process: it dies by closing its pipes.
type pipes struct {
	in  *io.PipeReader
	out *io.PipeWriter
}

func (p *pipes) kill(string) error        { return nil }
func (p *pipes) spawn(Child) (int, error) { return 0, errUnsupported }
func (p *pipes) closeStdin() error        { return p.in.Close() }
func (p *pipes) closeStdout() error       { return p.out.Close() }

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer // guarded by mu
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
