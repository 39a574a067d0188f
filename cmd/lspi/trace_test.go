package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// The log of the traffic has no secrets of settings, and the rest as it was.
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
		if text := out.String(); strings.Contains(text, "hunter2") || !strings.Contains(text, "shown") || !strings.Contains(text, "<redacted>") {
			t.Error(text)
		}
	}
	out.Reset()
	trace("x", true, []byte(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"key":"a text"}}`))
	if !strings.Contains(out.String(), "a text") {
		t.Error(out.String())
	}
}
