package testkit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// Host is an MCP host for lspi as a program, over stdio. It may be used concurrently.
type Host struct {
	testing.TB
	Cmd    *exec.Cmd
	In     io.WriteCloser // lspi's stdin
	Out    *os.File       // the other end of lspi's stdout, which [Host] reads
	Exited chan struct{}  // closed when lspi has ended

	mu      sync.Mutex
	next    int
	waiting map[string]chan json.RawMessage // by id; guarded by mu
	ended   error                           // why no more answers come; guarded by mu
}

// StartHost starts lspi and makes the handshake of MCP. The test calls [Host.Close].
func StartHost(t testing.TB, cmd *exec.Cmd) *Host {
	t.Helper()
	h := &Host{TB: t, Cmd: cmd, waiting: map[string]chan json.RawMessage{}, Exited: make(chan struct{})}
	var err error
	if h.In, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, w, err := os.Pipe() // not StdoutPipe, which Wait closes
	if err != nil {
		t.Fatal(err)
	}
	h.Out, cmd.Stdout = out, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	go func() {
		_ = cmd.Wait()
		close(h.Exited)
	}()
	go h.read()
	h.Request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "testkit", "version": "1"}}).Wait(t)
	h.Send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return h
}

// Close ends lspi as a host does, by closing its stdin, and kills it if that takes more than 20 s.
func (h *Host) Close() {
	_ = h.In.Close()
	select {
	case <-h.Exited:
	case <-time.After(20 * time.Second):
		_ = h.Cmd.Process.Kill()
		<-h.Exited
	}
	_ = h.Out.Close()
}

func (h *Host) read() {
	lines := bufio.NewReaderSize(h.Out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			h.end(fmt.Errorf("stdout ended: %w", err))
			return
		}
		var m struct {
			ID            json.RawMessage
			Method        string
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			h.Errorf("on stdout: %.200q", line)
			continue
		}
		if m.Error != nil {
			h.Errorf("refused: %.2000s", m.Error)
		}
		h.mu.Lock()
		if c := h.waiting[string(m.ID)]; c != nil && m.Method == "" {
			delete(h.waiting, string(m.ID))
			c <- m.Result
		}
		h.mu.Unlock()
	}
}

// end makes all pending requests fail.
func (h *Host) end(why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = why
	for id, c := range h.waiting {
		close(c)
		delete(h.waiting, id)
	}
}

// Send writes a message.
func (h *Host) Send(message map[string]any) {
	raw, err := json.Marshal(message)
	if err == nil {
		_, err = h.In.Write(append(raw, '\n'))
	}
	if err != nil {
		h.Errorf("writing to lspi: %v", err)
	}
}

// Pending is a request that was sent.
type Pending struct {
	Began  time.Time
	answer chan json.RawMessage
}

// Request sends a request.
func (h *Host) Request(method string, params any) *Pending {
	h.mu.Lock()
	h.next++
	id, p := h.next, &Pending{time.Now(), make(chan json.RawMessage, 1)}
	if h.ended != nil {
		close(p.answer)
	} else {
		h.waiting[fmt.Sprint(id)] = p.answer
	}
	h.mu.Unlock()
	h.Send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return p
}

// Wait waits for the result, at most [Patience]; without one it ends the test.
func (p *Pending) Wait(t testing.TB) json.RawMessage {
	t.Helper()
	select {
	case raw, ok := <-p.answer:
		if !ok {
			t.Fatal("lspi ended without an answer")
		}
		return raw
	case <-time.After(Patience):
		t.Fatal("no answer")
	}
	return nil
}

// Answered reports whether the answer has come and was not taken by Wait.
func (p *Pending) Answered() bool { return len(p.answer) > 0 }

// Start sends a call of a tool.
func (h *Host) Start(tool string, arguments map[string]any) *Pending {
	return h.Request("tools/call", map[string]any{"name": tool, "arguments": arguments})
}
