package lsptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
)

// Kinds of Event.
const (
	EventStart    = "start"
	EventMessage  = "message"  // a request or notification of the client
	EventResponse = "response" // the client's answer to a request of the server
	EventChild    = "child"    // a child was spawned
	EventEnd      = "end"      // there is none when the server was killed
)

// Event is something that the server has received or done.
type Event struct {
	Kind   string          `json:"kind"`
	Run    int             `json:"run,omitempty"`    // of a start: which run of the script, from 1
	PID    int             `json:"pid,omitempty"`    // of a start or child
	Args   []string        `json:"args,omitempty"`   // of a start: behind the script
	Cwd    string          `json:"cwd,omitempty"`    // of a start
	Method string          `json:"method,omitempty"` // of a message
	ID     json.RawMessage `json:"id,omitempty"`     // of a request or response; nil for a notification
	Params json.RawMessage `json:"params,omitempty"` // of a message; nil if there were none
	Result json.RawMessage `json:"result,omitempty"` // of a response
	Error  string          `json:"error,omitempty"`  // of a response
	Cause  string          `json:"cause,omitempty"`  // of an end
}

// record keeps events in memory, and in a file if there is one.
type record struct {
	mu     sync.Mutex
	events []Event       // guarded by mu
	news   chan struct{} // closed and replaced by each event; guarded by mu
	file   *os.File      // may be nil; written under mu, so that lines stay whole and in order
}

func (r *record) add(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	close(r.news)
	r.news = make(chan struct{})
	if r.file != nil {
		line, _ := json.Marshal(e)
		r.file.Write(append(line, '\n'))
	}
}

func (r *record) all() ([]Event, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events), r.news
}

// Events returns all events so far.
func (s *Server) Events() []Event {
	all, _ := s.record.all()
	return all
}

// Received returns the requests and notifications of the client so far: those of a method, or all for "".
func (s *Server) Received(method string) []Event { return Messages(s.Events(), method) }

// Messages returns the requests and notifications among events: those of a method, or all for "".
func Messages(events []Event, method string) []Event {
	var out []Event
	for _, e := range events {
		if e.Kind == EventMessage && (method == "" || e.Method == method) {
			out = append(out, e)
		}
	}
	return out
}

// errEnded says that what a test waits for cannot come any more.
var errEnded = errors.New("the scripted server has ended")

// Await waits for the nth message of a method, 1-based, and returns it. It fails when ctx ends or the server does.
func (s *Server) Await(ctx context.Context, method string, n int) (Event, error) {
	for {
		all, news := s.record.all()
		if got := Messages(all, method); len(got) >= n {
			return got[n-1], nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return Event{}, context.Cause(ctx)
		case <-s.done:
			if got := s.Received(method); len(got) >= n {
				return got[n-1], nil
			}
			return Event{}, fmt.Errorf("waiting for message %d of %s: %w", n, method, errEnded)
		}
	}
}

// ReadEvents reads an events file. A file that does not exist has none; an unfinished last line is left out.
func ReadEvents(path string) ([]Event, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var events []Event
	lines := bufio.NewScanner(bytes.NewReader(data[:bytes.LastIndexByte(data, '\n')+1]))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var e Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		events = append(events, e)
	}
	return events, lines.Err()
}
