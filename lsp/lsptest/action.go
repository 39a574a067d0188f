package lsptest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// kind is one kind of action: how to tell that it is meant, and what it does. do returns false when nothing more is to be
// done for the message.
type kind struct {
	name string
	set  func(a *Action) bool
	do   func(s *Server, m *incoming, a *Action) bool
}

// kinds is every kind of action.
var kinds []kind

func init() { // not in the declaration: the default action comes back here
	kinds = []kind{
		{"result", func(a *Action) bool { return a.Result != nil }, func(s *Server, m *incoming, a *Action) bool {
			s.reply(m, a.Result, nil)
			return true
		}},
		{"result_bytes", func(a *Action) bool { return a.ResultBytes != 0 }, func(s *Server, m *incoming, a *Action) bool {
			s.reply(m, []byte(`"`+strings.Repeat("x", max(0, a.ResultBytes-2))+`"`), nil)
			return true
		}},
		{"error", func(a *Action) bool { return a.Error != nil }, func(s *Server, m *incoming, a *Action) bool {
			s.reply(m, nil, &jsonrpc2.Error{Code: jsonrpc2.Code(a.Error.Code), Message: a.Error.Message, Data: jsonrpc2.RawMessage(a.Error.Data)})
			return true
		}},
		{"default", func(a *Action) bool { return a.Default }, func(s *Server, m *incoming, _ *Action) bool {
			s.settle(m)
			return true
		}},
		{"notify", func(a *Action) bool { return a.Notify != nil }, func(s *Server, _ *incoming, a *Action) bool {
			s.write(jsonrpc2.NewNotification(a.Notify.Method, jsonrpc2.RawMessage(a.Notify.Params)))
			return true
		}},
		{"request", func(a *Action) bool { return a.Request != nil }, (*Server).ask},
		{"delay_ms", func(a *Action) bool { return a.DelayMS != 0 }, (*Server).delay},
		{"hang", func(a *Action) bool { return a.Hang }, func(_ *Server, m *incoming, _ *Action) bool {
			m.settled = true
			return false
		}},
		{"stop_reading", func(a *Action) bool { return a.StopReading }, func(s *Server, _ *incoming, _ *Action) bool {
			<-s.ctx.Done()
			return false
		}},
		{"exit", func(a *Action) bool { return a.Exit != nil }, func(s *Server, _ *incoming, a *Action) bool {
			s.end(Exit{Code: *a.Exit, Cause: fmt.Sprintf("exit %d", *a.Exit)})
			return false
		}},
		{"kill", func(a *Action) bool { return a.Kill != "" }, func(s *Server, _ *incoming, a *Action) bool {
			if err := s.host.kill(a.Kill); err != nil {
				s.complain("kill", err)
			}
			s.end(Exit{Code: -1, Signal: a.Kill, Cause: a.Kill})
			return false
		}},
		{"close_stdout", func(a *Action) bool { return a.CloseStdout }, func(s *Server, _ *incoming, _ *Action) bool {
			s.complain("close_stdout", s.host.closeStdout())
			return true
		}},
		{"close_stdin", func(a *Action) bool { return a.CloseStdin }, (*Server).deafen},
		{"stdout", func(a *Action) bool { return a.Stdout != "" }, func(s *Server, m *incoming, a *Action) bool {
			_, _ = io.WriteString(s.out, m.expand(a.Stdout))
			return true
		}},
		{"stdout_base64", func(a *Action) bool { return a.StdoutBase64 != "" }, func(s *Server, m *incoming, a *Action) bool {
			b, err := base64.StdEncoding.DecodeString(a.StdoutBase64)
			s.complain("stdout_base64", err)
			_, _ = io.WriteString(s.out, m.expand(string(b)))
			return true
		}},
		{"frame", func(a *Action) bool { return a.Frame != "" }, func(s *Server, m *incoming, a *Action) bool {
			body := m.expand(a.Frame)
			_, _ = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
			return true
		}},
		{"stderr", func(a *Action) bool { return a.Stderr != "" }, func(s *Server, _ *incoming, a *Action) bool {
			_, _ = io.WriteString(s.stderr, a.Stderr)
			return true
		}},
		{"stderr_bytes", func(a *Action) bool { return a.StderrBytes != 0 }, (*Server).floodStderr},
		{"log_messages", func(a *Action) bool { return a.LogMessages != 0 }, func(s *Server, _ *incoming, a *Action) bool {
			for i := 0; i < a.LogMessages && s.ctx.Err() == nil; i++ {
				s.notify("window/logMessage", map[string]any{"type": 3, "message": fmt.Sprintf("message %d", i+1)})
			}
			return true
		}},
		{"spawn_child", func(a *Action) bool { return a.SpawnChild != nil }, func(s *Server, _ *incoming, a *Action) bool {
			pid, err := s.host.spawn(*a.SpawnChild)
			s.complain("spawn_child", err)
			s.record.add(Event{Kind: EventChild, PID: pid})
			return true
		}},
	}
}

// kinds is the kinds that are set in a.
func (a *Action) kinds() (set []*kind) {
	for i := range kinds {
		if kinds[i].set(a) {
			set = append(set, &kinds[i])
		}
	}
	return set
}

// waits reports whether the action takes time and must not hold up the loop. stop_reading is meant to.
func (a *Action) waits() bool { return a.DelayMS != 0 || a.Request != nil && a.Request.Await }

func (s *Server) act(m *incoming, a *Action) (more bool) {
	for _, k := range a.kinds() {
		if !k.do(s, m, a) || s.ctx.Err() != nil {
			return false
		}
	}
	return true
}

func (s *Server) ask(m *incoming, a *Action) bool {
	answered := s.request(a.Request)
	if !a.Request.Await {
		return true
	}
	select {
	case <-answered:
		return true
	case <-m.ctx.Done():
		return s.wasCancelled(m)
	}
}

func (s *Server) delay(m *incoming, a *Action) bool {
	timer := time.NewTimer(time.Duration(a.DelayMS) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-m.ctx.Done():
		return s.wasCancelled(m)
	}
}

// wasCancelled answers a request whose actions were waiting when the client cancelled it.
func (s *Server) wasCancelled(m *incoming) bool {
	if s.ctx.Err() == nil && !m.settled {
		s.reply(m, nil, errCancelled)
	}
	return false
}

// deafen closes stdin and lives on: the reading loop ends without ending the server.
func (s *Server) deafen(*incoming, *Action) bool {
	s.complain("close_stdin", s.host.closeStdin())
	<-s.ctx.Done()
	return false
}

func (s *Server) floodStderr(_ *incoming, a *Action) bool {
	line := strings.Repeat("e", 79) + "\n"
	for left := a.StderrBytes; left > 0; left -= len(line) {
		if _, err := io.WriteString(s.stderr, line[max(0, len(line)-left):]); err != nil {
			break
		}
	}
	return true
}

// complain says on stderr that an action did not work.
func (s *Server) complain(action string, err error) {
	if err != nil {
		fmt.Fprintf(s.stderr, "fakels: %s: %v\n", action, err)
	}
}

// expand puts the id of the message in place of ${id}.
func (m *incoming) expand(text string) string {
	id := string(rawID(m.id))
	if id == "" {
		id = "null"
	}
	return strings.ReplaceAll(text, "${id}", id)
}

// Raw is the JSON of v, for scripts written in Go. It panics if v has none.
func Raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
