package lsptest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// waits reports whether the action takes time and must not block the loop. stop_reading is meant to block it.
func (a *Action) waits() bool {
	return a.DelayMS != 0 || a.AwaitPipe != "" || a.Request != nil && a.Request.Await
}

// act does an action, and reports whether the next one for the message follows.
func (s *Server) act(m *incoming, a *Action) (more bool) {
	switch {
	case a.Result != nil:
		s.reply(m, a.Result, nil)
	case a.ResultBytes != 0:
		s.reply(m, []byte(`"`+strings.Repeat("x", max(0, a.ResultBytes-2))+`"`), nil)
	case a.Error != nil:
		s.reply(m, nil, &jsonrpc2.Error{Code: jsonrpc2.Code(a.Error.Code), Message: a.Error.Message,
			Data: jsonrpc2.RawMessage(a.Error.Data)})
	case a.Default:
		s.settle(m)
	case a.Notify != nil:
		s.send(jsonrpc2.NewNotification(a.Notify.Method, jsonrpc2.RawMessage(a.Notify.Params)))
	case a.Request != nil:
		if answered := s.sendRequest(a.Request); a.Request.Await && !waited(s, m, answered) {
			return false
		}
	case a.DelayMS != 0:
		if !waited(s, m, time.After(time.Duration(a.DelayMS)*time.Millisecond)) {
			return false
		}
	case a.AwaitPipe != "":
		read := make(chan error, 1)
		go func() { // ends with the process when nobody writes
			_, err := os.ReadFile(a.AwaitPipe)
			s.complain("await_pipe", err)
			read <- err
		}()
		if !waited(s, m, read) {
			return false
		}
	case a.Hang:
		m.settled = true
		return false
	case a.StopReading, a.CloseStdin: // the loop ends without ending the server
		if a.CloseStdin {
			s.complain("close_stdin", s.host.closeStdin())
		}
		<-s.ctx.Done()
	case a.Exit != nil:
		s.end(Exit{Code: *a.Exit, Cause: fmt.Sprintf("exit %d", *a.Exit)})
	case a.Kill != "":
		s.complain("kill", s.host.kill(a.Kill))
		s.end(Exit{Code: -1, Signal: a.Kill, Cause: a.Kill})
	case a.CloseStdout:
		s.complain("close_stdout", s.host.closeStdout())
	default:
		s.output(m, a)
	}
	return s.ctx.Err() == nil
}

// output does the actions that write outside of the protocol, or start a child process.
func (s *Server) output(m *incoming, a *Action) {
	switch {
	case a.Stdout != "":
		_, _ = io.WriteString(s.out, m.expand(a.Stdout))
	case a.StdoutBase64 != "":
		b, err := base64.StdEncoding.DecodeString(a.StdoutBase64)
		s.complain("stdout_base64", err)
		_, _ = io.WriteString(s.out, m.expand(string(b)))
	case a.Frame != "":
		body := m.expand(a.Frame)
		_, _ = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	case a.Stderr != "":
		_, _ = io.WriteString(s.stderr, a.Stderr)
	case a.StderrBytes != 0:
		s.floodStderr(a.StderrBytes)
	case a.LogMessages != 0:
		for i := 0; i < a.LogMessages && s.ctx.Err() == nil; i++ {
			s.sendNotification("window/logMessage", map[string]any{"type": 3, "message": fmt.Sprintf("message %d", i+1)})
		}
	case a.SpawnChild != nil:
		pid, err := s.host.spawn(*a.SpawnChild)
		s.complain("spawn_child", err)
		s.record.add(Event{Kind: EventChild, PID: pid})
	}
}

// waited waits for a signal. When the client cancels the request meanwhile, it answers with that and returns false.
func waited[T any](s *Server, m *incoming, signal <-chan T) bool {
	select {
	case <-signal:
		return true
	case <-m.ctx.Done():
		if s.ctx.Err() == nil && !m.settled {
			s.reply(m, nil, errCancelled)
		}
		return false
	}
}

func (s *Server) floodStderr(bytes int) {
	line := strings.Repeat("e", 79) + "\n"
	for left := bytes; left > 0; left -= len(line) {
		if _, err := io.WriteString(s.stderr, line[max(0, len(line)-left):]); err != nil {
			break
		}
	}
}

// complain writes to stderr that an action failed.
func (s *Server) complain(action string, err error) {
	if err != nil {
		fmt.Fprintf(s.stderr, "fakels: %s: %v\n", action, err)
	}
}

// expand replaces ${id} by the id of the message.
func (m *incoming) expand(text string) string {
	id := string(rawID(m.id))
	if id == "" {
		id = "null"
	}
	return strings.ReplaceAll(text, "${id}", id)
}

// Raw returns v as JSON, for scripts written in Go. It panics when v has no JSON.
func Raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
