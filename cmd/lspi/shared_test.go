package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"runtime"
	"slices"
	"testing"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/internal/testkit"
)

// The shared process gets the whole environment of a session. A session with text that JSON cannot carry is not shared.
func TestHelloHasTheEnvironment(t *testing.T) {
	f := &sessionFlags{}
	s := newWiring(f, io.Discard)
	t.Setenv("LSPI_TEST_TEXT", "ü\n=<")
	h, err := s.hello(f)
	testkit.Must(t, err)
	if !slices.Equal(h.Environ, os.Environ()) || !slices.Contains(h.Environ, "LSPI_TEST_TEXT=ü\n=<") {
		t.Errorf("%d variables of %d", len(h.Environ), len(os.Environ()))
	}
	t.Setenv("LSPI_TEST_BYTES", "secret\xff")
	if _, err := s.hello(f); err == nil || err.Error() != `not UTF-8: "LSPI_TEST_BYTES"` {
		t.Errorf("bytes that are no text: %v", err)
	}
}

// The log of a session is kept as long as the session, and none is kept for commands and followers.
func TestLogsAreForgotten(t *testing.T) {
	d := newShared(io.Discard, userConfig(), false)
	d.command(t.Context(), &daemon.Hello{Command: commandDoctor, Session: "doctor", WorkDir: t.TempDir(),
		Environ: []string{"HOME=" + t.TempDir()}, Flags: []byte(`{"workspace_root":"/nowhere"}`)}, func(any) {})
	d.served["served"] = &servedSession{log: d.logOf("served")}
	d.forgetLog("served")
	if len(d.logs) != 1 || d.logs["served"] == nil {
		t.Errorf("logs are kept: %v", d.logs)
	}
}

// A process that a signal ends tells the relay of a session without a call under way that all is answered: what the
// host sends in that instant is for the next process, an edit too.
func TestSignalWhileNothingIsAsked(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("nothing is shared here")
	}
	dir, err := os.MkdirTemp("", "lspi") // short enough for a socket
	testkit.Must(t, err)
	defer os.RemoveAll(dir)
	place := daemon.Place{Dir: dir, Name: "place"}
	l, err := daemon.Listen(place)
	testkit.Must(t, err)
	d := newShared(io.Discard, userConfig(), false)
	ctx, signal := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.server.Run(ctx, l) }()
	c, _, err := daemon.Dial(t.Context(), place, daemon.Hello{Kind: daemon.KindMCP, Place: place.Name, Session: "s",
		WorkDir: dir, Environ: []string{"HOME=" + dir}, Flags: []byte(`{}`)})
	testkit.Must(t, err)
	defer c.Close()
	lines := bufio.NewReader(c)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"ping"}`} {
		_, err := io.WriteString(c, line+"\n")
		testkit.Must(t, err)
		_, err = lines.ReadString('\n')
		testkit.Must(t, err)
	}
	signal()
	rest, err := io.ReadAll(lines)
	testkit.Must(t, err)
	testkit.Equal(t, string(rest), `{"lspi_stops":true}`+"\n", "what the relay is told at the end")
	testkit.Equal(t, <-ended, context.Canceled, "why the process ends")
	d.server.Close()
}
