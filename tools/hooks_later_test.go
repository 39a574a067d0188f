//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/hooks"
)

// What a checker finds in another file when the time of the event that started it is over is told with the next event.
func TestHooksTellLaterWhatACheckerFinds(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) {
		specs[0].Diagnostics = spec.Diagnostics{Pull: true, Workspace: true,
			Check: &spec.Check{Notification: "run", Token: "check/", Title: "the check"}}
	}, nil, "a.w", "one\n", "b.w", "one\n")
	progress := func(kind string) lsptest.Action {
		return tell("$/progress",
			map[string]any{"token": "check/0", "value": map[string]any{"kind": kind, "title": "t"}})
	}
	found := tell("textDocument/publishDiagnostics", json.RawMessage(`{"uri":"file://`+s.dir+`/b.w","diagnostics":[
		{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"severity":1,"message":"wrong"}]}`))
	s.play(&lsptest.Script{Rules: []lsptest.Rule{
		{Method: "textDocument/diagnostic", Actions: []lsptest.Action{{Result: []byte(`{"items":[]}`)}}},
		{Method: "run", Actions: []lsptest.Action{progress("begin"), {DelayMS: 300}, found, progress("end")}},
	}})
	state, event := hooks.New(), &hooks.Event{Kind: hooks.AfterTool, Dir: s.dir}
	testkit.Must(t, state.Start(t.Context(), HookCall(s.Session)))
	s.write("a.w", "two\n")
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan hooks.Answer, 1)
	go func() {
		a, err := state.AfterChange(ctx, HookCall(s.Session), event)
		if err != nil {
			t.Log(err)
		}
		first <- a
	}()
	until(t, "the check", func() bool { return len(s.got(0, "run")) == 1 })
	cancel()
	if a := <-first; a.Text != "" || a.Owed != 1 {
		t.Errorf("the check is not over: %+v", a)
	}
	// One of the next events, that is: where the first ended early the next starts the check anew.
	until(t, "what the checker found", func() bool {
		a, err := state.AfterChange(t.Context(), HookCall(s.Session), event)
		testkit.Must(t, err)
		t.Logf("%+v", a)
		return strings.Contains(a.Text, "b.w (1)")
	})
	if a, err := state.AfterChange(t.Context(), HookCall(s.Session), event); err != nil || a.Text != "" || a.Owed != 0 {
		t.Errorf("it goes on: %+v, %v", a, err)
	}
}
