//go:build unix

package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

const sample = "def Load\n  Parse Load\ndef Parse\n"

var load = at(1, 5) // of the definition in sample

func words(rules ...lsptest.Rule) *lsptest.Script {
	return &lsptest.Script{Language: "words", Rules: rules}
}

func (f *fake) starts() (pids []int) {
	for _, e := range f.seen() {
		if e.Kind == lsptest.EventStart {
			pids = append(pids, e.PID)
		}
	}
	return pids
}

// gone checks that no process of the list is left.
func gone(t testing.TB, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		wait(t, fmt.Sprintf("the end of process %d", pid), func() bool { return !running(pid) })
	}
}

// running reports whether a process is there and no zombie: an orphan is reaped by init, which may take its time.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestServerAnswers(t *testing.T) {
	f := newFake(t, words(), "a.w", sample, "b.w", "Load\n")
	s := f.start()
	places, err := s.Unverified().References(t.Context(), f.path("a.w"), load, true)
	f.must(err)
	var got []string
	for _, p := range places {
		got = append(got, fmt.Sprintf("%s:%d:%d %s", filepath.Base(p.Path), p.Range.Start.Line,
			p.Range.Start.Character, p.Line))
	}
	testkit.Equal(t, strings.Join(got, ", "), "a.w:1:5 def Load, a.w:2:9   Parse Load, b.w:1:1 Load")
	s.Close()
	s.Close()
	gone(t, f.starts()...)
	if got := f.got(); !slices.Equal(got, []string{"textDocument/didOpen", "textDocument/references"}) {
		t.Errorf("it received %v", got)
	}
	end := f.seen()[len(f.seen())-1]
	if end.Kind != lsptest.EventEnd || end.Cause != "exit notification" {
		t.Errorf("it ended by %+v", end)
	}
	if _, err := s.Unverified().References(t.Context(), f.path("a.w"), load,
		true); kindOf(err) != contract.KindServerCrashed || facts(t, err)["exit"] != "stopped by lspi" ||
		!errors.Is(err, ErrStopped) {
		t.Errorf("after Close: %v", err)
	}
	if err := s.Sync(t.Context()); kindOf(err) != contract.KindServerCrashed {
		t.Errorf("Sync after Close: %v", err)
	}
}

func TestStartErrors(t *testing.T) {
	exit := func(n int) *int { return &n }
	for _, c := range []struct {
		name    string
		script  *lsptest.Script
		limit   time.Duration
		message string
		tail    string
	}{
		{"exits at once", &lsptest.Script{OnStart: []lsptest.Action{{Stderr: "first\nerror: Unknown binary 'x'\n"},
			{Exit: exit(1)}}}, 0,
			"starting fake: exit status 1 (error: Unknown binary 'x')", "error: Unknown binary 'x'"},
		{"exits with a stack trace",
			&lsptest.Script{
				OnStart: []lsptest.Action{{Stderr: "error: Unknown binary 'x'\n\nStack backtrace:\n   0: main\n"},
					{Exit: exit(1)}}}, 0,
			"starting fake: exit status 1 (error: Unknown binary 'x')", "   0: main"},
		{"never answers",
			&lsptest.Script{Rules: []lsptest.Rule{rule("initialize", lsptest.Action{Stderr: "thinking\n"},
				lsptest.Action{Hang: true})}},
			300 * time.Millisecond, "starting fake: initialize: no answer to initialize within 300ms (thinking)",
			"thinking"},
		{"refuses", &lsptest.Script{Rules: []lsptest.Rule{rule("initialize", refusal(-32002, "no licence"))}}, 0,
			"starting fake: initialize: no licence (code -32002)", ""},
		{"answers nonsense", &lsptest.Script{Rules: []lsptest.Rule{rule("initialize", result("hello"))}}, 0,
			"starting fake: reading the answer of fake to initialize: json: cannot unmarshal", ""},
		{"is killed", &lsptest.Script{Rules: []lsptest.Rule{rule("initialize", lsptest.Action{Kill: "SIGKILL"})}}, 0,
			"starting fake: signal: killed", ""},
		{"speaks something else", &lsptest.Script{OnStart: []lsptest.Action{{Stdout: "{\"id\":1}\nusage: fake\n"},
			{Exit: new(int)}}}, 0,
			"starting fake: it does not speak LSP: it wrote \"{\\\"id\\\":1}\" to stdout, which is no message (exit status 0)",
			""},
		{"closes its output and lives on",
			&lsptest.Script{IgnoreEOF: true,
				Rules: []lsptest.Rule{rule("initialize", lsptest.Action{CloseStdout: true},
					lsptest.Action{Hang: true})}}, 0,
			"starting fake: initialize: connection ended: EOF", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, c.script)
			f.spec.Timeouts.Initialize = c.limit
			f.spec.Install = []spec.Install{{Command: "get fake"}}
			_, err := Start(t.Context(), f.options())
			if kindOf(err) != contract.KindServerStartFailed || !strings.HasPrefix(err.Error(), c.message) {
				t.Fatalf("%v, want %s", err, c.message)
			}
			tail := facts(t, err)["stderr_tail"].([]string)
			if c.tail != "" && (len(tail) == 0 || tail[len(tail)-1] != c.tail) {
				t.Errorf("stderr_tail %q", tail)
			}
			if tried := facts(t, err)["tried"].([]string); len(tried) != 1 ||
				!strings.HasPrefix(tried[0], f.spec.Commands[0].Name+": ") {
				t.Errorf("tried %q", tried)
			}
			gone(t, f.starts()...)
		})
	}
}

// A rustup proxy without its component exits at once: the next candidate is tried, and what was tried is told only when
// none works.
func TestStartTriesTheNextCandidate(t *testing.T) {
	bad := &lsptest.Script{OnStart: []lsptest.Action{{Stderr: "no component\n"}, {Exit: new(int)}}}
	f := newFake(t, words(), "a.w", sample)
	proxy := newFake(t, bad)
	f.spec.Commands = append([]spec.Command{{Name: "lspi-test-no-such-program"}, proxy.spec.Commands[0]},
		f.spec.Commands[0])
	s := f.start()
	if len(proxy.starts()) != 1 || len(f.starts()) != 1 {
		t.Errorf("%d proxies, %d servers", len(proxy.starts()), len(f.starts()))
	}
	s.Close()
	f.spec.Commands = f.spec.Commands[:2]
	_, err := Start(t.Context(), f.options())
	tried, _ := facts(t, err)["tried"].([]string)
	if kindOf(err) != contract.KindServerStartFailed || len(tried) != 2 ||
		tried[0] != "lspi-test-no-such-program: not found" ||
		!strings.HasSuffix(tried[1], ": exit status 0 (no component)") {
		t.Errorf("%v; tried %q", err, tried)
	}
	f.spec.Commands = f.spec.Commands[:1]
	_, err = Start(t.Context(), f.options())
	if tried, _ := facts(t, err)["tried"].([]string); kindOf(err) != contract.KindServerNotInstalled ||
		len(tried) != 1 ||
		facts(t, err)["command"] != "lspi-test-no-such-program" {
		t.Errorf("%v", err)
	}
}

func TestStartIsCancelled(t *testing.T) {
	f := newFake(t,
		&lsptest.Script{IgnoreEOF: true, Rules: []lsptest.Rule{rule("initialize", lsptest.Action{Hang: true})}})
	ctx, cancel := context.WithCancelCause(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := Start(ctx, f.options()); kindOf(err) != contract.KindServerStartFailed ||
			!strings.Contains(err.Error(), "enough") {
			t.Errorf("%v", err)
		}
	})
	wait(t, "initialize", func() bool { return len(lsptest.Messages(f.seen(), "initialize")) == 1 })
	cancel(errors.New("enough"))
	group.Wait()
	gone(t, f.starts()...)
}

// A crash answers all calls in flight at once, with how it ended and its last words.
func TestCrash(t *testing.T) {
	f := newFake(t, words(
		rule("textDocument/hover", lsptest.Action{Hang: true}),
		rule("textDocument/definition", lsptest.Action{Stderr: "panic: oh\ngoroutine 1 [running]:\n"},
			lsptest.Action{Kill: "SIGKILL"}),
	), "a.w", sample)
	s := f.start()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, err := s.Unverified().Hover(t.Context(), f.path("a.w"), load)
			e := facts(t, err)
			if kindOf(err) != contract.KindServerCrashed || e["exit"] != "signal: killed" ||
				fmt.Sprint(e["stderr_tail"]) != "[panic: oh goroutine 1 [running]:]" ||
				!strings.HasSuffix(err.Error(), "its last words: panic: oh") {
				t.Errorf("%v %v", err, e)
			}
		})
	}
	wait(t, "the questions", func() bool { return len(lsptest.Messages(f.seen(), "textDocument/hover")) == 8 })
	_, err := s.Unverified().Locate(t.Context(), MethodDefinition, f.path("a.w"), load)
	testkit.Equal(t, kindOf(err), contract.KindServerCrashed, err)
	group.Wait()
	<-s.Done()
	if s.Closed() || kindOf(s.CrashError()) != contract.KindServerCrashed {
		t.Errorf("closed %v, %v", s.Closed(), s.CrashError())
	}
	for _, err := range []error{s.Sync(t.Context()), s.AddFolder(t.Context(), "/x")} {
		testkit.Equal(t, kindOf(err), contract.KindServerCrashed, "after the crash:", err)
	}
	s.Close() // which comes too late to be the reason
	if err := s.CrashError(); errors.Is(err, ErrStopped) || facts(t, err)["exit"] != "signal: killed" {
		t.Errorf("closed after the crash: %v", err)
	}
}

// A server whose output ended is of no use, whatever its process does; the process is ended so that the next call gets
// a new one.
func TestOutputEnds(t *testing.T) {
	f := newFake(t, &lsptest.Script{Language: "words", IgnoreEOF: true, IgnoreTerm: true,
		Rules: []lsptest.Rule{rule("textDocument/hover", lsptest.Action{CloseStdout: true},
			lsptest.Action{Hang: true})}}, "a.w", sample)
	s := f.start()
	if _, err := s.Unverified().Hover(t.Context(), f.path("a.w"), load); kindOf(err) != contract.KindServerCrashed {
		t.Errorf("%v", err)
	}
	select {
	case <-s.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the process lives on")
	}
	if err := s.CrashError(); facts(t, err)["exit"] != "its output ended, the process was stopped" {
		t.Errorf("%v", err)
	}
	gone(t, f.starts()...)
}

// Neither a server that will not go nor what it started outlives Close, which is bounded.
func TestCloseIsBounded(t *testing.T) {
	child := lsptest.Action{SpawnChild: &lsptest.Child{Seconds: 600, HoldStdout: true}}
	for _, c := range []struct {
		name   string
		script *lsptest.Script
		limit  time.Duration
	}{
		{"obeys", words(), time.Second},
		{"refuses shutdown", words(rule("shutdown", refusal(-32601, "what?"))), time.Second},
		{"leaves a grandchild with its output", words(rule("initialize", child)), time.Second},
		{"ignores shutdown", words(rule("shutdown", lsptest.Action{Hang: true}),
			rule("exit", lsptest.Action{Hang: true})), 3 * time.Second},
		{"ignores everything, with a grandchild", &lsptest.Script{Language: "words", IgnoreEOF: true, IgnoreTerm: true,
			Rules: []lsptest.Rule{
				rule("initialize", child), rule("shutdown", lsptest.Action{Hang: true}),
				rule("exit", lsptest.Action{Hang: true})}}, 5 * time.Second},
		{"reads no more", &lsptest.Script{Language: "words", IgnoreEOF: true, IgnoreTerm: true, Rules: []lsptest.Rule{
			rule("initialized", lsptest.Action{StopReading: true})}}, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, c.script, "a.w", sample)
			s := f.start()
			began := time.Now()
			s.Close()
			took := time.Since(began)
			// The machine may be busy; what is meant is that no step waits for what does not come.
			if took > c.limit+3*time.Second {
				t.Errorf("it took %v", took)
			}
			pids := f.starts()
			for _, e := range f.seen() {
				if e.Kind == lsptest.EventChild {
					pids = append(pids, e.PID)
				}
			}
			gone(t, pids...)
		})
	}
}

// A server that writes into the project when it is asked to shut down is not asked, and one that has nothing to save is
// not waited for.
func TestShutdown(t *testing.T) {
	for kind, wants := range map[spec.Shutdown]string{
		spec.ShutdownSaves: "shutdown exit", spec.ShutdownWrites: "", spec.ShutdownWaits: "shutdown exit",
	} {
		f := newFake(t, words(), "a.w", "X\n")
		if kind == spec.ShutdownWaits { // for less than what others get; then it ends without exit
			status := 0
			f = newFake(t, words(rule("shutdown", lsptest.Action{DelayMS: 1400}, lsptest.Action{Exit: &status})), "a.w",
				"X\n")
		}
		f.spec.Shutdown = kind
		f.start().Close()
		var seen []string
		for _, e := range f.seen() {
			if e.Method == "shutdown" || e.Method == "exit" {
				seen = append(seen, e.Method)
			}
		}
		testkit.Equal(t, strings.Join(seen, " "), wants, kind)
	}
}

// Calls in flight do not keep a server from being closed, nor does closing keep them waiting.
func TestCloseDuringCalls(t *testing.T) {
	f := newFake(t, words(rule("textDocument/hover", lsptest.Action{Hang: true})), "a.w", sample)
	s := f.start()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if _, err := s.Unverified().Hover(t.Context(), f.path("a.w"),
				load); kindOf(err) != contract.KindServerCrashed || facts(t, err)["exit"] != "stopped by lspi" {
				t.Errorf("%v", err)
			}
		})
	}
	group.Go(func() { s.Ready(t.Context(), time.Minute, nil) })
	wait(t, "the questions", func() bool { return len(lsptest.Messages(f.seen(), "textDocument/hover")) == 4 })
	for range 3 {
		group.Go(s.Close)
	}
	group.Wait()
}

// A request has its own limit, and the server is told that nobody waits any more.
func TestRequestTimeout(t *testing.T) {
	f := newFake(t, words(rule("textDocument/hover", lsptest.Action{DelayMS: 60_000})), "a.w", sample)
	f.spec.Timeouts = spec.Timeouts{Request: time.Hour,
		Requests: map[string]time.Duration{MethodHover: 100 * time.Millisecond}}
	s := f.start()
	_, err := s.Unverified().Hover(t.Context(), f.path("a.w"), load)
	if kindOf(err) != contract.KindRequestTimeout || facts(t, err)["method"] != MethodHover {
		t.Fatalf("%v", err)
	}
	if ms, _ := facts(t, err)["ms"].(int64); ms < 100 || ms > 20_000 {
		t.Errorf("facts %v", facts(t, err))
	}
	wait(t, "the cancellation", func() bool { return len(lsptest.Messages(f.seen(), "$/cancelRequest")) == 1 })
	asked := lsptest.Messages(f.seen(), MethodHover)[0]
	if got := lsptest.Messages(f.seen(), "$/cancelRequest")[0]; string(got.Params) != `{"id":`+string(asked.ID)+`}` {
		t.Errorf("%s for request %s", got.Params, asked.ID)
	}
	if _, err := s.Unverified().Locate(t.Context(), MethodDefinition, f.path("a.w"), load); err != nil {
		t.Errorf("the next question: %v", err)
	}
}

// Who ends a call is told as that: the host's cancellation with whatever cause, and the call's deadline with its own.
func TestCallEndsByItsContext(t *testing.T) {
	f := newFake(t, words(rule("textDocument/hover", lsptest.Action{Hang: true})), "a.w", sample)
	s := f.start()
	if _, err := s.docs.Open(t.Context(), f.path("a.w")); err != nil {
		t.Fatal(err)
	}
	late := fmt.Errorf("%w: the call's 1ms are over", context.DeadlineExceeded)
	for _, c := range []struct {
		name string
		ctx  func() (context.Context, func())
		want contract.Kind
	}{
		{"cancelled", func() (context.Context, func()) {
			return context.WithCancel(t.Context())
		}, contract.KindCancelled},
		{"cancelled with a cause", func() (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(t.Context())
			return ctx, func() { cancel(errors.New("the host went")) }
		}, contract.KindCancelled},
		{"out of time", func() (context.Context, func()) {
			return timedOut(context.WithTimeout(t.Context(), time.Millisecond))
		}, contract.KindRequestTimeout},
		{"out of time with a cause", func() (context.Context, func()) {
			return timedOut(context.WithTimeoutCause(t.Context(), time.Millisecond, late))
		}, contract.KindRequestTimeout},
		{"cancelled because out of time", func() (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(t.Context())
			return ctx, func() { cancel(late) }
		}, contract.KindRequestTimeout},
	} {
		for name, ask := range map[string]func(context.Context) error{
			"a request": func(ctx context.Context) error {
				_, err := s.Unverified().Hover(ctx, f.path("a.w"), load)
				return err
			},
			"the turn": func(ctx context.Context) error {
				release, err := s.docs.Lock(t.Context())
				if err != nil {
					return err
				}
				defer release()
				return s.Sync(ctx)
			},
		} {
			ctx, end := c.ctx()
			timer := time.AfterFunc(20*time.Millisecond, end)
			if err := ask(ctx); kindOf(err) != c.want {
				t.Errorf("%s, %s: %v, want %s", c.name, name, err, c.want)
			}
			timer.Stop()
			end()
		}
	}
}

// timedOut has a context end by its deadline and by nothing else: on a busy machine two timers that are both late may
// run in any order, and the cancellation would come first.
func timedOut(ctx context.Context, cancel func()) (context.Context, func()) {
	return ctx, func() { <-ctx.Done(); cancel() }
}

func TestOutdatedAnswersAreAskedAgain(t *testing.T) {
	once := func(method string, a lsptest.Action) lsptest.Rule { // what an earlier rule took does not count
		return lsptest.Rule{Method: method, Nth: 1, Actions: []lsptest.Action{a}}
	}
	f := newFake(t, words(
		once(MethodHover, refusal(-32801, "content modified")),
		once(MethodHover, refusal(-32802, "later")),
		once(MethodHover, refusal(-32800, "cancelled")),
		once(MethodDefinition, refusal(-32603, "oh")),
		rule(MethodReferences, refusal(-32801, "content modified")),
		rule(MethodDocumentDiag,
			lsptest.Action{Error: &lsptest.Error{Code: -32802, Message: "no",
				Data: raw(`{"retriggerRequest":false}`)}}),
	), "a.w", sample)
	f.spec.Timeouts.Requests = map[string]time.Duration{MethodReferences: 150 * time.Millisecond}
	s := f.start()
	h, err := s.Unverified().Hover(t.Context(), f.path("a.w"), load)
	if err != nil || h == nil || len(lsptest.Messages(f.seen(), MethodHover)) != 4 {
		t.Errorf("%v %v", h, err)
	}
	if _, err := s.Unverified().Locate(t.Context(), MethodDefinition, f.path("a.w"),
		load); kindOf(err) != contract.KindRequestFailed {
		t.Errorf("%v", err)
	} else if e := (*contract.Error)(nil); !errors.As(err, &e) || e.Code != -32603 ||
		e.Message != "fake refused textDocument/definition: oh" {
		t.Errorf("%+v", e)
	}
	if _, err := s.Unverified().References(t.Context(), f.path("a.w"), load,
		true); kindOf(err) != contract.KindRequestTimeout {
		t.Errorf("%v", err)
	}
	if _, err := s.RequestRaw(t.Context(), MethodDocumentDiag,
		map[string]any{}); kindOf(err) != contract.KindRequestFailed ||
		len(lsptest.Messages(f.seen(), MethodDocumentDiag)) != 1 {
		t.Errorf("%v", err)
	}
	if _, err := s.Unverified().Types(t.Context(), MethodSupertypes,
		HierarchyItem{raw: raw(`{}`)}); kindOf(err) != contract.KindRequestUnsupported {
		t.Errorf("%v", err)
	}
}

// A server that says that it has not taken in a change yet is asked again, and not for ever.
func TestALaggingServerIsAskedAgain(t *testing.T) {
	f := newFake(t, words(
		lsptest.Rule{Method: MethodHover, Nth: 1, Actions: []lsptest.Action{refusal(-32603, "no such source yet: a.w")}},
		rule(MethodDefinition, refusal(-32603, "no such source yet: a.w")),
	), "a.w", sample)
	f.spec.Lags = "no such source yet"
	s := f.start()
	h, err := s.Unverified().Hover(t.Context(), f.path("a.w"), load)
	if err != nil || h == nil || len(lsptest.Messages(f.seen(), MethodHover)) != 2 {
		t.Errorf("%v %v", h, err)
	}
	if _, err := s.Unverified().Locate(t.Context(), MethodDefinition, f.path("a.w"),
		load); kindOf(err) != contract.KindRequestFailed {
		t.Errorf("%v", err)
	}
	testkit.Equal(t, len(lsptest.Messages(f.seen(), MethodDefinition)), 1+lagAttempts, "definition")
}

// The server's own requests are answered while it is asked, whatever they are; it goes on by the answers.
func TestServersOwnRequests(t *testing.T) {
	ask := func(method string, params any) lsptest.Action {
		m := message(method, params)
		m.Await = true
		return lsptest.Action{Request: m}
	}
	f := newFake(t, words(rule("textDocument/hover",
		ask("workspace/configuration", map[string]any{"items": []any{map[string]any{"section": "fake.a"}}}),
		ask("window/workDoneProgress/create", map[string]any{"token": 1}),
		ask("workspace/applyEdit", map[string]any{"edit": map[string]any{}}),
		ask("x/unknown", nil),
	)), "a.w", sample)
	f.spec.Settings = map[string]any{"fake": map[string]any{"a": 7}}
	s := f.start()
	if h, err := s.Unverified().Hover(t.Context(), f.path("a.w"), load); err != nil || h == nil {
		t.Fatalf("%v %v", h, err)
	}
	var got []string
	for _, e := range f.seen() {
		if e.Kind == lsptest.EventResponse {
			got = append(got, string(e.Result)+e.Error)
		}
	}
	if want := `[7] null {"applied":false,"failureReason":"lspi applies no edits on a server's own request"} `; !strings.HasPrefix(strings.Join(got, " "), want) || len(got) != 4 || !strings.Contains(got[3], "x/unknown") {
		t.Errorf("%q", got)
	}
	settings := lsptest.Messages(f.seen(), "workspace/didChangeConfiguration")
	if len(settings) != 1 || string(settings[0].Params) != `{"settings":{"fake":{"a":7}}}` {
		t.Errorf("settings %v", settings)
	}
}

// A folder is made known once, also when many ask for it at the same time.
func TestAddFolder(t *testing.T) {
	f := newFake(t, words(), "a/x.w", "def X\n", "b/y.w", "X\n")
	f.spec.SharedFolders = true
	o := f.options()
	o.Root = f.path("a")
	s, err := Start(t.Context(), o)
	f.must(err)
	defer s.Close()
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			for _, dir := range []string{f.path("a"), f.path("b")} {
				if err := s.AddFolder(t.Context(), dir); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	places, err := s.Unverified().References(t.Context(), f.path("a/x.w"), at(1, 5), true)
	if err != nil || len(places) != 2 {
		t.Errorf("%v %v", places, err)
	}
	added := lsptest.Messages(f.seen(), "workspace/didChangeWorkspaceFolders")
	if len(added) != 1 || !strings.Contains(string(added[0].Params), `"added":[{"uri":"file://`+f.path("b")+
		`","name":"b"}],"removed":[]`) {
		t.Errorf("%v", added)
	}
	// One that was given up is not known.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	release, err := s.docs.Lock(t.Context())
	f.must(err)
	defer release()
	if err := s.AddFolder(ctx, f.path("c")); kindOf(err) != contract.KindCancelled || s.folders.has(f.path("c")) {
		t.Errorf("%v", err)
	}
}

// 20 MB on stderr and a flood of log messages neither block the server nor stay in memory.
func TestFloods(t *testing.T) {
	f := newFake(t, words(rule("textDocument/hover",
		lsptest.Action{StderrBytes: 20 << 20}, lsptest.Action{LogMessages: 20_000},
		lsptest.Action{Stderr: "the end\n"})), "a.w", sample)
	f.log = silent(nil).log
	s := f.start()
	if h, err := s.Unverified().Hover(t.Context(), f.path("a.w"), load); err != nil || h == nil {
		t.Fatalf("%v %v", h, err)
	}
	wait(t, "the last line", func() bool { return slices.Contains(s.proc.Stderr.Tail(1), "the end") })
	if kept := len(s.proc.Stderr.Text()); kept > 16<<10 {
		t.Errorf("%d bytes are kept", kept)
	}
}
