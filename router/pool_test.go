//go:build unix

package router

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

func TestMain(m *testing.M) {
	if code, played := lsptest.Play(); played {
		os.Exit(code)
	}
	// The thread that starts processes lives as long as lspi.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("lspi/lsp/process.startSpawner.func1"))
}

// fixture is a pool over one scripted server.
type fixture struct {
	testing.TB
	*Pool
	dir    string
	table  *Table
	server lsptest.Program
}

func newFixture(t testing.TB, script *lsptest.Script, change func(*spec.Spec), files ...string) *fixture {
	t.Helper()
	p := &fixture{TB: t, dir: testkit.Project(t, testkit.Pairs(files...)), server: lsptest.NewProgram(t, script)}
	sp := spec.Spec{
		ID: "fake", Languages: []spec.Language{{ID: "words", Extensions: []string{"w"}}},
		Commands:  []spec.Command{{Name: p.server.Path, Args: []string{p.server.Script}}},
		Env:       p.server.Env,
		Readiness: spec.Readiness{Sign: spec.SignWaits}, Freshness: spec.Freshness{Watched: true},
	}
	if change != nil {
		change(&sp)
	}
	p.table = &Table{Workspace: p.dir, Specs: []spec.Spec{sp}}
	p.Pool = NewPool(PoolOptions{Table: p.table, Log: slog.New(slog.DiscardHandler), Texts: source.NewCache(1 << 20)})
	t.Cleanup(p.Close)
	return p
}

func (p *fixture) route(sub ...string) Route {
	return Route{Spec: &p.table.Specs[0], Root: filepath.Join(append([]string{p.dir}, sub...)...)}
}

// slot is that of a route; nil when there is none.
func (p *fixture) slot(r Route) *slot { return p.group.slots[p.keyOf(r)] }

// Get is for a caller of its own.
func (p *fixture) Get(ctx context.Context, r Route) (*lsp.Server, func(), error) {
	return p.NewCaller().Get(ctx, r)
}

// get is a server that is given back at once.
func (p *fixture) get(r Route) *lsp.Server {
	p.Helper()
	s, release, err := p.Get(p.Context(), r)
	testkit.Must(p, err)
	release()
	return s
}

func (p *fixture) seen() []lsptest.Event {
	p.Helper()
	return p.server.Seen(p)
}

func (p *fixture) pids() (pids []int) {
	for _, e := range p.seen() {
		if e.Kind == lsptest.EventStart {
			pids = append(pids, e.PID)
		}
	}
	return pids
}

func (p *fixture) status() ServerStatus {
	p.Helper()
	all := p.Status()
	if len(all) != 1 {
		p.Fatalf("%d servers", len(all))
	}
	return all[0]
}

var kindOf, wait = testkit.KindOf, testkit.Wait

func rule(method string, actions ...lsptest.Action) lsptest.Rule {
	return lsptest.Rule{Method: method, Actions: actions}
}

var hang, die = lsptest.Action{Hang: true}, lsptest.Action{Kill: "SIGKILL"}

// Who asks at the same time shares one process, also while it starts.
func TestPoolShares(t *testing.T) {
	p := newFixture(t, &lsptest.Script{Rules: []lsptest.Rule{rule("initialize", lsptest.Action{DelayMS: 100})}}, nil)
	var group sync.WaitGroup
	servers := make([]*lsp.Server, 20)
	for i := range servers {
		group.Go(func() { servers[i] = p.get(p.route()) })
	}
	group.Wait()
	for _, s := range servers {
		if s != servers[0] {
			t.Error("another server")
		}
	}
	testkit.Equal(t, len(p.pids()), 1)
	if st := p.status(); st.State != "running" || st.Server != servers[0] || st.Restarts != 0 ||
		p.slot(p.route()).inUse != 0 {
		t.Errorf("%+v", st)
	}
}

// Routes of one server with other roots are other processes, unless it shares folders.
func TestPoolByRoot(t *testing.T) {
	for _, shared := range []bool{false, true} {
		p := newFixture(t, &lsptest.Script{}, func(s *spec.Spec) { s.SharedFolders = shared })
		for _, sub := range []string{"b", "a"} {
			testkit.Must(t, os.Mkdir(filepath.Join(p.dir, sub), 0o755))
		}
		b, a := p.get(p.route("b")), p.get(p.route("a"))
		testkit.Equal(t, a == b, shared, "shared", a == b)
		if running := p.Running(); shared && len(running) != 1 || !shared && (len(running) != 2 || running[0] != a) {
			t.Errorf("shared %v: running %v", shared, running)
		}
	}
}

// Who is impatient leaves, with an error that says so; the start goes on.
func TestPoolImpatientCaller(t *testing.T) {
	p := newFixture(t, &lsptest.Script{Rules: []lsptest.Rule{rule("initialize", lsptest.Action{DelayMS: 400})}}, nil)
	late, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, errors.New("own words"))
	defer cancel()
	if _, _, err := p.Get(late, p.route()); kindOf(err) != contract.KindStillIndexing ||
		!strings.Contains(err.Error(), "fake is still starting") {
		t.Errorf("%v", err)
	}
	gone, leave := context.WithCancelCause(t.Context())
	leave(errors.New("the host went"))
	if _, _, err := p.Get(gone, p.route()); kindOf(err) != contract.KindCancelled {
		t.Errorf("%v", err)
	}
	if st := p.status(); st.State != "starting" {
		t.Errorf("%+v", st)
	}
	p.get(p.route())
	testkit.Equal(t, len(p.pids()), 1)
}

// A failed start is told to each caller that waited for it, and ends their waiting.
func TestPoolFailedStart(t *testing.T) {
	p := newFixture(t,
		&lsptest.Script{Rules: []lsptest.Rule{rule("initialize", lsptest.Action{Stderr: "no\n"},
			lsptest.Action{Exit: new(int)})}}, nil)
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if _, _, err := p.Get(t.Context(), p.route()); kindOf(err) != contract.KindServerStartFailed {
				t.Errorf("%v", err)
			}
		})
	}
	group.Wait()
	if st := p.status(); st.State != "failed" || kindOf(st.LastErr) != contract.KindServerStartFailed ||
		st.Crashes == 0 {
		t.Errorf("%+v", st)
	}
}

func TestPoolNotInstalled(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, func(s *spec.Spec) { s.Commands[0].Name = "lspi-test-no-such-program" })
	began := time.Now()
	for range 20 {
		if _, _, err := p.Get(t.Context(), p.route()); kindOf(err) != contract.KindServerNotInstalled {
			t.Fatalf("%v", err)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if st := p.status(); st.State != "missing" || st.Crashes != 0 {
		t.Errorf("%+v", st)
	}
}

// After a crash the next call gets a new process; too many end in an error that says when it is tried again.
func TestPoolCrashLoop(t *testing.T) {
	p := newFixture(t,
		&lsptest.Script{Rules: []lsptest.Rule{rule("textDocument/hover", lsptest.Action{Stderr: "ouch\n"}, die)}}, nil,
		"a.w", "X")
	for i := range crashBudget {
		s := p.get(p.route())
		_, err := s.Unverified().Hover(t.Context(), filepath.Join(p.dir, "a.w"),
			contract.Position{Line: 1, Character: 1})
		if kindOf(err) != contract.KindServerCrashed {
			t.Fatalf("question %d: %v", i, err)
		}
	}
	_, _, err := p.Get(t.Context(), p.route())
	var e *contract.Error
	if !errors.As(err, &e) || e.Kind != contract.KindServerDisabled || fmt.Sprint(e.Facts["stderr_tail"]) != "[ouch]" {
		t.Fatalf("%v", err)
	}
	if ms, _ := e.Facts["retry_after_ms"].(int64); ms <= 0 || ms > crashWindow.Milliseconds() {
		t.Errorf("facts %v", e.Facts)
	}
	if st := p.status(); st.State != "disabled" || st.Restarts != crashBudget-1 || st.RetryAfter <= 0 ||
		kindOf(st.LastErr) != contract.KindServerCrashed {
		t.Errorf("%+v", st)
	}
	testkit.Equal(t, len(p.pids()), crashBudget)
}

// Restart ends the process that it was given, once; the next one starts when it is gone.
func TestPoolRestart(t *testing.T) {
	p := newFixture(t,
		&lsptest.Script{IgnoreEOF: true, Rules: []lsptest.Rule{rule("shutdown", hang), rule("exit", hang),
			rule("textDocument/hover", hang)}}, nil, "a.w", "X")
	s, release, err := p.Get(t.Context(), p.route())
	testkit.Must(t, err)
	first := p.pids()[0]
	var group sync.WaitGroup
	group.Go(func() {
		_, err := s.Unverified().Hover(t.Context(), filepath.Join(p.dir, "a.w"),
			contract.Position{Line: 1, Character: 1})
		testkit.Equal(t, kindOf(err), contract.KindServerCrashed, err)
	})
	wait(t, "the question", func() bool { return len(lsptest.Messages(p.seen(), "textDocument/hover")) == 1 })
	for range 3 {
		group.Go(func() { p.Restart(s, true) })
	}
	wait(t, "the restart", s.Closed)
	next := p.get(p.route())
	if syscall.Kill(first, 0) == nil {
		t.Error("both run")
	}
	release()
	release()
	group.Wait()
	if next == s || len(p.pids()) != 2 || len(p.Running()) != 1 {
		t.Errorf("%d processes, running %v", len(p.pids()), p.Running())
	}
	if st := p.status(); st.Crashes != 0 || st.Restarts != 1 || st.State != "running" || p.slot(p.route()).inUse != 0 {
		t.Errorf("%+v", st)
	}
}

// A discarded server does not run any more when Discard returns, though nobody waited for what it was doing.
func TestPoolDiscard(t *testing.T) {
	p := newFixture(t,
		&lsptest.Script{IgnoreEOF: true, Rules: []lsptest.Rule{rule("shutdown", hang), rule("exit", hang)}}, nil,
		"a.w", "X")
	for range 6 { // where the pool learns of the end by itself, about one of so many was still listed
		s, release, err := p.Get(t.Context(), p.route())
		testkit.Must(t, err)
		release()
		p.Discard(s)
		if running := p.Running(); len(running) != 0 || !s.Ended() {
			t.Fatalf("running %v, ended %v", running, s.Ended())
		}
	}
	if st := p.status(); st.Crashes != 0 {
		t.Errorf("%+v", st)
	}
}

// Idle servers stop, those in use do not, and one that runs too long is replaced between calls.
func TestPoolIdle(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, func(s *spec.Spec) {
		s.Timeouts.Idle, s.Timeouts.Restart = time.Minute, time.Hour
	})
	s, release, err := p.Get(t.Context(), p.route())
	testkit.Must(t, err)
	now := time.Now()
	if got := p.takeIdle(now.Add(24 * time.Hour)); len(got) != 0 {
		t.Error("taken while in use")
	}
	release()
	if got := p.takeIdle(now.Add(30 * time.Second)); len(got) != 0 {
		t.Error("taken too early")
	}
	if got := p.takeIdle(now.Add(61 * time.Second)); len(got) != 1 || got[0] != s || len(p.Running()) != 0 ||
		p.status().State != "stopped" {
		t.Errorf("%v", got)
	}
	s.Close()
	p.table.Specs[0].Timeouts.Idle = 0
	s = p.get(p.route())
	if got := p.takeIdle(now.Add(24 * time.Hour)); len(got) != 1 || got[0] != s {
		t.Errorf("%v", got)
	}
	s.Close()
	if st := p.status(); st.Crashes != 0 || st.LastErr != nil {
		t.Errorf("%+v", st)
	}
}

// Close ends what runs and what starts, and who waits is told.
func TestPoolClose(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules []lsptest.Rule
		busy  bool
	}{
		{"nothing started", nil, false},
		{"during a start", []lsptest.Rule{rule("initialize", hang)}, true},
		{"running", nil, true},
		{"running and deaf", []lsptest.Rule{rule("shutdown", hang), rule("exit", hang)}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newFixture(t, &lsptest.Script{IgnoreEOF: true, Rules: c.rules}, nil)
			var group sync.WaitGroup
			if c.busy {
				group.Go(func() {
					if _, _, err := p.Get(t.Context(), p.route()); err != nil && kindOf(err) != contract.KindCancelled {
						t.Errorf("%v", err)
					}
				})
				wait(t, "initialize", func() bool { return len(lsptest.Messages(p.seen(), "initialize")) == 1 })
			}
			began := time.Now()
			p.Close()
			p.Close()
			group.Wait()
			if took := time.Since(began); took > 8*time.Second {
				t.Errorf("it took %v", took)
			}
			for _, pid := range p.pids() {
				wait(t, "the end", func() bool { return syscall.Kill(pid, 0) != nil })
			}
			if _, _, err := p.Get(t.Context(), p.route()); kindOf(err) != contract.KindCancelled {
				t.Errorf("after Close: %v", err)
			}
			if _, err := p.Journal(p.dir).Barrier(t.Context()); err == nil {
				t.Error("the journal lives")
			}
		})
	}
}

// A start that succeeds while the pool closes leaves nothing behind, whichever comes first.
func TestPoolCloseRacesWithStarts(t *testing.T) {
	for i := range 8 {
		p := newFixture(t, &lsptest.Script{}, nil)
		var group sync.WaitGroup
		group.Go(func() {
			if _, _, err := p.Get(t.Context(), p.route()); err != nil && kindOf(err) != contract.KindCancelled {
				t.Errorf("%v", err)
			}
		})
		wait(t, "the start", func() bool { return len(p.pids()) == 1 })
		if i%2 == 0 {
			wait(t, "initialize", func() bool { return len(lsptest.Messages(p.seen(), "initialize")) == 1 })
		}
		p.Close()
		group.Wait()
		wait(t, "the end", func() bool { return syscall.Kill(p.pids()[0], 0) != nil })
	}
}

// What is remembered of servers that ended is bounded; what still counts is kept.
func TestPoolForgets(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, func(s *spec.Spec) { s.Commands[0].Name = "lspi-test-no-such-program" })
	if _, _, err := p.Get(t.Context(), p.route("crashed")); err == nil {
		t.Fatal("started")
	}
	p.group.mu.Lock()
	p.slot(p.route("crashed")).failures.times = []time.Time{time.Now()}
	p.group.mu.Unlock()
	for i := range 2 * maxSlots {
		if _, _, err := p.Get(t.Context(), p.route(fmt.Sprint(i))); err == nil {
			t.Fatal("started")
		}
	}
	if n := len(p.Status()); n > maxSlots || p.slot(p.route("crashed")) == nil ||
		p.slot(p.route(fmt.Sprint(2*maxSlots-1))) == nil {
		t.Errorf("%d are remembered", n)
	}
}
