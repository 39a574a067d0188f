//go:build unix

package adapter

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"lspi/lsp"
	"lspi/lsp/lsptest"
)

// A server that is slow to say what a source belongs to is asked once, by whoever asks first; about a source that it has not told of
// nothing is claimed, and what it says later on is there for the next call.
func TestMembershipIsAskedOnce(t *testing.T) {
	const above = "fake/parentModule"
	list := func(uri string) lsptest.Action { return lsptest.Action{Result: json.RawMessage(uri)} }
	slow := []lsptest.Action{{DelayMS: 300}, list(`[{}]`)}
	script := &lsptest.Script{Rules: []lsptest.Rule{{Method: above, Contains: "a.w", Actions: slow}, {Method: above, Contains: "b.w", Actions: slow},
		{Method: above, Contains: "c.w", Actions: []lsptest.Action{{Error: &lsptest.Error{Code: -32603, Message: "file not found"}}}}}}
	s, path, seen := scripted(t, script, func(spec *lsp.Spec) {
		spec.Unannounced = []string{above}
		spec.Build = &lsp.Build{Rules: lsp.BuildModules, Asks: above}
	}, "a.w", "X\n", "b.w", "X\n", "c.w", "X\n")
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	paths := []string{path("a.w"), path("b.w"), path("c.w")}
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-short.Done()
	if outside, untold := OfNoProject(short, s, paths); len(outside) != 0 || len(untold) != 3 {
		t.Errorf("too late to ask: outside %v, untold %v", outside, untold)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if outside, _ := OfNoProject(soon, s, paths[:2]); len(outside) != 0 {
		t.Errorf("not told of, but outside: %v", outside)
	}
	for range 2 {
		outside, untold := OfNoProject(t.Context(), s, paths)
		if len(outside) != 1 || filepath.Base(outside[0]) != "c.w" || len(untold) != 0 {
			t.Errorf("outside %v, untold %v", outside, untold)
		}
	}
	if got := seen(above); got != 3 {
		t.Errorf("asked %d times, want 3", got)
	}
}
