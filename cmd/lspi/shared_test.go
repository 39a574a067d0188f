package main

import (
	"io"
	"os"
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
