//go:build unix

package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"lspi/internal/events"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/wire"
)

// Each request to the server is recorded with what became of it, each repetition, too; recording changes no answer.
func TestRequestsAreRecorded(t *testing.T) {
	again := rule(MethodHover, refusal(wire.CodeContentModified, "modified"))
	again.Nth = 1
	s := inside(t, nil, &lsptest.Script{Rules: []lsptest.Rule{again,
		rule(MethodHover, result(map[string]any{"contents": "here"})),
		rule(MethodDefinition, refusal(-32803, "no")),
		rule(MethodReferences, lsptest.Action{Hang: true}),
		rule(MethodDeclaration, result(nil)),
		rule(MethodTypeDefinition, result(map[string]any{"uri": 7})),
	}})
	path := filepath.Join(t.TempDir(), "events")
	r := (&events.Files{}).Recorder()
	testkit.Must(t, r.Follow(events.Options{Path: path}))
	recorded, _ := r.Begin(t.Context(), events.Request{Host: "test", Method: "tools/call", Tool: "hover"})
	params := map[string]any{"a": 1}
	for _, ctx := range []context.Context{recorded, t.Context()} {
		var raw json.RawMessage
		testkit.Must(t, s.requestUnoffered(ctx, MethodHover, params, &raw))
		testkit.Equal(t, string(raw), `{"contents":"here"}`)
		testkit.Must(t, s.requestUnoffered(ctx, MethodHover, params, nil))
		if err := s.requestUnoffered(ctx, MethodDefinition, params, &raw); kindOf(err) != "request_failed" {
			t.Error(err)
		}
		raw = nil
		testkit.Must(t, s.requestUnoffered(ctx, MethodDeclaration, params, &raw))
		testkit.Equal(t, string(raw), "null")
		typed := &protocol.Hover{}
		testkit.Must(t, s.requestUnoffered(ctx, MethodDeclaration, params, typed))
		var decode *wire.DecodeError
		if err := Send(ctx, s.wire, "fake", MethodTypeDefinition, params, &protocol.Location{}); !errors.As(err,
			&decode) || decode.Method != MethodTypeDefinition {
			t.Error(err)
		}
		limited, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		if err := s.requestUnoffered(limited, MethodReferences, params, nil); kindOf(err) != "request_timeout" {
			t.Error(err)
		}
		cancel()
		if err := s.Undecodable(ctx, MethodHover, nil, errors.New("no hover")); kindOf(err) != "request_failed" {
			t.Error(err)
		}
	}
	r.Close()
	text, err := os.ReadFile(path)
	testkit.Must(t, err)
	var got []string
	for one := range strings.Lines(string(text)) {
		var e struct {
			Event, Method, Error, Reason string
			Code, Bytes                  int
		}
		testkit.Must(t, json.Unmarshal([]byte(one), &e))
		if e.Event == "server.request" {
			testkit.Equal(t, e.Bytes, len(`{"a":1}`))
			e.Bytes = 0
		}
		if e.Event == "decode.failed" && e.Method == MethodTypeDefinition {
			e.Reason = "of the decoder"
		}
		raw, _ := json.Marshal([]any{e.Event, strings.TrimPrefix(e.Method, "textDocument/"), e.Error, e.Reason, e.Code,
			e.Bytes})
		got = append(got, string(raw))
	}
	testkit.Diff(t, got, []string{
		`["host.request","tools/call","","",0,0]`,
		`["server.request","hover","","",0,0]`,
		`["server.error","hover","refused","",-32801,0]`,
		`["server.request","hover","","",0,0]`,
		`["server.response","hover","","",0,19]`,
		`["server.request","hover","","",0,0]`,
		`["server.response","hover","","",0,19]`,
		`["server.request","definition","","",0,0]`,
		`["server.error","definition","refused","",-32803,0]`,
		`["server.request","declaration","","",0,0]`,
		`["server.response","declaration","","",0,4]`,
		`["server.request","declaration","","",0,0]`,
		`["server.response","declaration","","",0,4]`,
		`["server.request","typeDefinition","","",0,0]`,
		`["decode.failed","typeDefinition","","of the decoder",0,9]`,
		`["server.error","typeDefinition","undecodable","",0,9]`,
		`["server.request","references","","",0,0]`,
		`["server.error","references","request_timeout","",0,0]`,
		`["decode.failed","hover","","no hover",0,0]`,
	})
}

// BenchmarkSend is a request as calls of tools make it, with nobody who records, and recorded.
func BenchmarkSend(b *testing.B) {
	s := inside(b, nil,
		&lsptest.Script{Rules: []lsptest.Rule{rule(MethodHover, result(map[string]any{"contents": "here"}))}})
	r := (&events.Files{}).Recorder()
	testkit.Must(b, r.Follow(events.Options{Path: filepath.Join(b.TempDir(), "events")}))
	b.Cleanup(r.Close)
	recorded, _ := r.Begin(b.Context(), events.Request{Host: "test", Method: "tools/call", Tool: "hover"})
	params := map[string]any{"textDocument": map[string]string{"uri": "file:///a.go"},
		"position": map[string]int{"line": 1, "character": 2}}
	var raw json.RawMessage
	for _, bench := range []struct {
		name string
		send func() error
	}{
		{"direct", func() error { return s.wire.Call(b.Context(), MethodHover, params, &raw) }},
		{"nobody", func() error { return s.send(b.Context(), MethodHover, params, &raw) }},
		{"recorded", func() error { return s.send(recorded, MethodHover, params, &raw) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				testkit.Must(b, bench.send())
			}
		})
	}
}
