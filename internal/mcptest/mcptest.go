// Package mcptest plays MCP servers that do what real ones will not do on demand: they die, hang, flood, and lie. A
// script has the raw messages in its hands. It runs in process over pipes (Dial), or as a program of its own that
// the test binary plays (Program, Play).
package mcptest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
)

// Message is one message of the client.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// Conn is the server's end of a connection. Its methods may be called by several goroutines, Next by one.
type Conn struct {
	rw io.ReadWriteCloser
	in *bufio.Reader

	mu sync.Mutex // held while a line is written
}

// Next is the next message of the client; false when the client is gone, or the server closed the connection.
func (c *Conn) Next() (m Message, ok bool) {
	for {
		line, err := c.in.ReadBytes('\n')
		if json.Unmarshal(line, &m) == nil {
			return m, true
		}
		if err != nil {
			return m, false
		}
	}
}

// Line writes a line as it is.
func (c *Conn) Line(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.rw, text+"\n") // a client that is gone is seen by Next
}

// Result answers a request with raw JSON.
func (c *Conn) Result(m Message, raw string) {
	c.Line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, raw))
}

// Refuse answers a request with an error.
func (c *Conn) Refuse(m Message, code int, message string) {
	c.Line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, message))
}

// Notify sends a notification with raw params.
func (c *Conn) Notify(method, params string) {
	c.Line(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// Ask sends a request with raw params.
func (c *Conn) Ask(id int, method, params string) {
	c.Line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
}

// Close ends the connection from the server's side.
func (c *Conn) Close() { _ = c.rw.Close() }

// Script is what a server does from its start to its end.
type Script func(*Conn)

// Handlers answer methods; a method without one is refused as unknown, a notification without one is not answered.
type Handlers map[string]func(*Conn, Message)

// Hello is the result of initialize of a server with all capabilities.
const Hello = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"logging":{},"completions":{}},"serverInfo":{"name":"scripted","version":"1.2.3"}}`

// Serve answers by handlers until the client is gone. initialize and ping have answers, unless handlers have others.
func (h Handlers) Serve(c *Conn) {
	for {
		m, ok := c.Next()
		if !ok {
			return
		}
		f := h[m.Method]
		switch {
		case f != nil:
			f(c, m)
		case m.Method == "initialize":
			c.Result(m, Hello)
		case m.Method == "ping":
			c.Result(m, "{}")
		case m.Method != "" && m.ID != nil:
			c.Refuse(m, -32601, "unknown method "+m.Method)
		}
	}
}

// Answer is a handler that answers with raw JSON.
func Answer(raw string) func(*Conn, Message) {
	return func(c *Conn, m Message) { c.Result(m, raw) }
}

// ToolName is the name of the tool that a tools/call asks for.
func ToolName(m Message) string {
	var p struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(m.Params, &p)
	return p.Name
}

// Dial starts a script in process at each call, over a pipe that holds nothing: a write returns when it was read.
// When the script returns the server closes its end.
func Dial(s Script) func(context.Context) (io.ReadWriteCloser, error) {
	return func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go serve(s, theirs)
		return ours, nil
	}
}

func serve(s Script, rw io.ReadWriteCloser) {
	c := &Conn{rw: rw, in: bufio.NewReader(rw)}
	defer c.Close()
	s(c)
}

// variable names the script that a program plays.
const variable = "LSPI_MCPTEST_SCRIPT"

// Program is the environment in which the test binary, started as a program, plays the script of a name; its
// TestMain calls Play.
func Program(name string) (path string, env map[string]string) {
	path, _ = os.Executable()
	return path, map[string]string{variable: name}
}

// Play runs the script that this process was started for; false when it was started for none.
func Play(scripts map[string]Script) bool {
	name, played := os.LookupEnv(variable)
	if !played {
		return false
	}
	s, ok := scripts[name]
	if !ok { // a test binary that went on would run all of its tests
		fmt.Fprintf(os.Stderr, "there is no script %q\n", name)
		return true
	}
	Stdio(s)
	return true
}

// Stdio plays a script on stdin and stdout.
func Stdio(s Script) { serve(s, stdioPipe{os.Stdin, os.Stdout}) }

type stdioPipe struct{ in, out *os.File }

func (s stdioPipe) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s stdioPipe) Write(b []byte) (int, error) { return s.out.Write(b) }
func (s stdioPipe) Close() error                { return s.out.Close() }
