//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"testing"

	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/answer"
)

// A check that nobody waits for any more begins while the next one is asked for, and is ended for it: its end is
// not that of the next one, which has other texts.
func TestDiagnosticsOfACheckAfterOneThatWasGivenUp(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) {
		specs[0].Diagnostics = spec.Diagnostics{Pull: true, Workspace: true,
			Check: &spec.Check{Notification: "run", Token: "check/", Title: "the check"}}
	}, nil, "a.w", "one\n")
	progress := func(kind string) lsptest.Action {
		return tell("$/progress",
			map[string]any{"token": "check/0", "value": map[string]any{"kind": kind, "title": "t"}})
	}
	found := tell("textDocument/publishDiagnostics", json.RawMessage(`{"uri":"file://`+s.dir+`/a.w","diagnostics":[
		{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":3}},"severity":1,"message":"wrong"}]}`))
	first := once("run", lsptest.Action{DelayMS: 300}, progress("begin"), progress("end"))
	s.play(&lsptest.Script{Rules: []lsptest.Rule{
		{Method: "textDocument/diagnostic", Actions: []lsptest.Action{{Result: []byte(`{"items":[]}`)}}},
		first, {Method: "run", Actions: []lsptest.Action{{DelayMS: 900}, progress("begin"), found, progress("end")}},
	}})
	arguments := json.RawMessage(`{"file_path":"a.w","wait":"all"}`)
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan Result, 1)
	go func() {
		given <- Run(ctx, s.Session, nil, answer.Request{Tool: "get_diagnostics", Arguments: arguments})
	}()
	until(t, "the check", func() bool { return len(s.got(0, "run")) == 1 })
	cancel()
	if r := <-given; r.OK {
		t.Errorf("the check was awaited: %s", r.Structured)
	}
	s.write("a.w", "one\ntwo\n")
	a := run(t, s.Session, "get_diagnostics", map[string]any{"file_path": "a.w", "wait": "all"})
	wantFound(t, a, "complete", "a.w: 2:1 error ")
}
