//go:build unix

package router

import (
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

func all(*spec.Spec) bool { return true }

// What was never asked for has no place in the pool; what runs is ended, once, and the next call starts it again.
func TestPoolStop(t *testing.T) {
	p := newFixture(t, &lsptest.Script{Rules: []lsptest.Rule{rule("textDocument/hover", hang)}}, nil, "a.w", "X")
	if got := p.Stop(all); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	s, release, err := p.Get(t.Context(), p.route())
	testkit.Must(t, err)
	defer release()
	var group sync.WaitGroup
	group.Go(func() {
		_, err := s.Unverified().Hover(t.Context(), filepath.Join(p.dir, "a.w"),
			contract.Position{Line: 1, Character: 1})
		testkit.Equal(t, kindOf(err), contract.KindServerCrashed, "the call in flight:", err)
	})
	wait(t, "the question", func() bool { return len(lsptest.Messages(p.seen(), "textDocument/hover")) == 1 })
	if got := p.Stop(func(*spec.Spec) bool { return false }); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	first := p.pids()[0]
	got := p.Stop(all)
	group.Wait()
	if len(got) != 1 || got[0].State != "running" || got[0].PID != first || syscall.Kill(first, 0) == nil {
		t.Errorf("%+v, the process was %d", got, first)
	}
	if st := p.status(); st.State != "stopped" || st.Crashes != 0 || st.LastErr != nil {
		t.Errorf("%+v", st)
	}
	if got := p.Stop(all); len(got) != 1 || got[0].State != "stopped" || got[0].PID != 0 {
		t.Errorf("%+v", got)
	}
	if next := p.get(got[0].Route); next == s || len(p.pids()) != 2 {
		t.Errorf("processes %v", p.pids())
	}
}

// A start that hangs is ended at once, which is no failure, and who waited for it gets the next one.
func TestPoolStopDuringAStart(t *testing.T) {
	p := newFixture(t,
		&lsptest.Script{Rules: []lsptest.Rule{{Method: "initialize", Nth: 1, Actions: []lsptest.Action{hang}}}}, nil)
	var group sync.WaitGroup
	group.Go(func() {
		if _, _, err := p.Get(t.Context(), p.route()); err != nil && kindOf(err) != contract.KindCancelled {
			t.Errorf("%v", err)
		}
	})
	wait(t, "initialize", func() bool { return len(lsptest.Messages(p.seen(), "initialize")) == 1 })
	first := p.pids()[0]
	if got := p.Stop(all); len(got) != 1 || got[0].State != "starting" || syscall.Kill(first, 0) == nil {
		t.Errorf("%+v", got)
	}
	wait(t, "the next start", func() bool { return len(p.pids()) == 2 })
	if st := p.status(); st.Crashes != 0 || st.LastErr != nil {
		t.Errorf("%+v", st)
	}
	p.Close()
	group.Wait()
}

// A server that failed too often may be started again.
func TestPoolStopForgets(t *testing.T) {
	p := newFixture(t, &lsptest.Script{Rules: []lsptest.Rule{rule("textDocument/hover", die)}}, nil, "a.w", "X")
	for range crashBudget {
		_, _ = p.get(p.route()).Unverified().Hover(t.Context(), filepath.Join(p.dir, "a.w"),
			contract.Position{Line: 1, Character: 1})
	}
	if _, _, err := p.Get(t.Context(), p.route()); kindOf(err) != contract.KindServerDisabled {
		t.Fatalf("%v", err)
	}
	if got := p.Stop(all); len(got) != 1 || got[0].State != "disabled" || got[0].PID != 0 {
		t.Errorf("%+v", got)
	}
	p.get(p.route())
}

// Without a session nobody waits for what a server has still to say, and the server itself goes on.
func TestLeaveWarm(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, func(s *spec.Spec) {
		s.Readiness = spec.Readiness{Sign: spec.SignProgress}
	}, "a.w", "X")
	s := p.get(p.route())
	rest, err := s.Diagnostics().Finish(t.Context(), []string{filepath.Join(p.dir, "a.w")})
	testkit.Must(t, err)
	if _, state, _ := rest.Errors(t.Context()); state != lsp.RestRuns {
		t.Fatalf("state %v", state)
	}
	p.LeaveWarm()
	rest.Wait(t.Context())
	if _, state, left := rest.Errors(t.Context()); state != lsp.RestUnfinished ||
		strings.Contains(left, "not over after") {
		t.Errorf("state %v: %s", state, left)
	}
	if p.get(p.route()) != s {
		t.Error("the server has ended")
	}
}
