//go:build unix

package rustanalyzer

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
)

// A server that is slow to say what a source belongs to is asked once, by whoever asks first; about a source that
// it has not told of nothing is claimed, and what it says later on is there for the next call.
func TestMembershipIsAskedOnce(t *testing.T) {
	const above = methodParentModule
	list := func(uri string) lsptest.Action { return lsptest.Action{Result: json.RawMessage(uri)} }
	slow := []lsptest.Action{{DelayMS: 300}, list(`[{}]`)}
	script := &lsptest.Script{Rules: []lsptest.Rule{{Method: above, Contains: "a.w", Actions: slow},
		{Method: above, Contains: "b.w", Actions: slow},
		{Method: above, Contains: "c.w",
			Actions: []lsptest.Action{{Error: &lsptest.Error{Code: -32603, Message: "file not found"}}}}}}
	p := newProject(t, script, New, "a.w", "X\n", "b.w", "X\n", "c.w", "X\n")
	p.Spec.Unannounced = []string{above}
	s := p.Start()
	p.Must(s.Sync(t.Context()))
	sources := lsp.Because(lsp.NotOfProject, []string{p.Path("a.w"), p.Path("b.w"), p.Path("c.w")}, true)
	ask := func(ctx context.Context, sources []lsp.Uncovered) (outside, untold []string) {
		for _, u := range s.Hooks().OutsideProject(ctx, sources) {
			if u.Reason == lsp.MembershipUnknown {
				untold = append(untold, u.Path)
			} else {
				outside = append(outside, u.Path)
			}
		}
		return outside, untold
	}
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-short.Done()
	if outside, untold := ask(short, sources); len(outside) != 0 || len(untold) != 3 {
		t.Errorf("too late to ask: outside %v, untold %v", outside, untold)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if outside, _ := ask(soon, sources[:2]); len(outside) != 0 {
		t.Errorf("not told of, but outside: %v", outside)
	}
	for range 2 {
		outside, untold := ask(t.Context(), sources)
		if len(outside) != 1 || filepath.Base(outside[0]) != "c.w" || len(untold) != 0 {
			t.Errorf("outside %v, untold %v", outside, untold)
		}
	}
	testkit.Equal(t, p.Received(above), 3, "asked")
}
