package lsptest_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/wire"
)

func TestMain(m *testing.M) {
	if code, played := lsptest.Play(); played {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}

// parse reads a script, which must be right.
func parse(t *testing.T, script string) *lsptest.Script {
	t.Helper()
	s, err := lsptest.Parse([]byte(script))
	testkit.Must(t, err)
	return s
}

// session is a client of a server in process.
type session struct {
	*wire.Conn
	server *lsptest.Server

	mu   sync.Mutex
	seen []string // notifications and requests of the server
}

func start(t *testing.T, s *lsptest.Script) *session {
	t.Helper()
	server, err := lsptest.Start(s)
	testkit.Must(t, err)
	c := &session{server: server}
	c.Conn = wire.New(server.Client(), wire.Options{
		Notification: func(method string, params json.RawMessage) { c.saw(method, params) },
		Request: func(_ context.Context, method string, params json.RawMessage) (any, error) {
			c.saw("?"+method, params)
			return "fine", nil
		},
	})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return c
}

func (c *session) saw(method string, params json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, strings.TrimSpace(method+" "+string(params)))
}

func (c *session) heard() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.seen, "\n")
}

// call returns the answer as JSON, or the error as text.
func (c *session) call(t *testing.T, method string, params any) string {
	t.Helper()
	var raw json.RawMessage
	if err := c.Call(t.Context(), method, params, &raw); err != nil {
		return err.Error()
	}
	return string(raw)
}

// project writes files and returns their directory.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	testkit.Equal(t, got, want, what)
}
