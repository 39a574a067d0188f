package main

import (
	"bufio"
	"bytes"
	"log/slog"
	"os/exec"
	"strings"
	"testing"
	"time"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// BenchmarkStart is the time from the start of the process to its answer to initialize. The goal is 20 ms.
func BenchmarkStart(b *testing.B) {
	lspi, dir := testkit.Program(b), b.TempDir()
	for b.Loop() {
		began := time.Now()
		cmd := exec.Command(lspi, "mcp", "--share", "off", "--workspace-root", dir)
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		testkit.Must(b, cmd.Start())
		if _, err := in.Write([]byte(hello)); err != nil {
			b.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadBytes('\n'); err != nil {
			b.Fatal(err)
		}
		answered := time.Since(began)
		_ = in.Close()
		testkit.Must(b, cmd.Wait())
		b.ReportMetric(float64(answered.Microseconds())/1000, "ms-to-answer")
	}
}

// The log of LSP messages masks secrets in settings and keeps everything else.
func TestTraceHidesSecrets(t *testing.T) {
	var out bytes.Buffer
	l := &logs{log: slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	trace := l.trace()
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"initializationOptions":{"licenceKey":"hunter2","nested":{"auth":{"value":["hunter2"]}},"plain":"shown"}}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"gopls":{"env":{"GITHUB_TOKEN":"hunter2","GOFLAGS":"shown"}}}}}`,
		`{"jsonrpc":"2.0","id":7,"result":[{"password":"hunter2","plain":"shown","keyOrdering":false}]}`,
	} {
		out.Reset()
		trace("x", true, []byte(message))
		if text := out.String(); strings.Contains(text, "hunter2") || !strings.Contains(text, "shown") ||
			!strings.Contains(text, "<redacted>") {
			t.Error(text)
		}
	}
	out.Reset()
	trace("x", true, []byte(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"key":"a text"}}`))
	testkit.Holds(t, out.String(), "a text")
}

// The regular expressions of lspi's packages, which are compiled at their first use only, are well-formed.
func TestExpressions(t *testing.T) {
	if n := source.CompileAll(); n < 100 {
		t.Errorf("only %d expressions", n)
	}
}
