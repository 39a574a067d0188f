//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// scripted is a session over scripted servers.
type scripted struct {
	testing.TB
	*session.Session
	dir    string
	server []lsptest.Program
	change func([]spec.Spec)
}

// newScripted makes a session with one server for each script, or none yet for nil; the files are the workspace
// (path, text, path, text, …).
func newScripted(t testing.TB, change func([]spec.Spec), scripts []*lsptest.Script, files ...string) *scripted {
	t.Helper()
	s := &scripted{TB: t, dir: testkit.Project(t, testkit.Pairs(files...))}
	s.change = change
	if scripts != nil {
		s.play(scripts...)
	}
	return s
}

// play starts the session with its servers; for scripts that name the files of the workspace.
func (s *scripted) play(scripts ...*lsptest.Script) {
	s.Helper()
	var specs []spec.Spec
	for i, script := range scripts {
		s.server = append(s.server, lsptest.NewProgram(s.TB, script))
		specs = append(specs, toolstest.Scripted(fmt.Sprint("fake", i+1), s.server[i]))
	}
	if s.change != nil {
		s.change(specs)
	}
	s.Session = toolstest.Open(s.TB, s.dir, specs...)
}

func (s *scripted) write(rel, text string) {
	s.Helper()
	testkit.Write(s.TB, filepath.Join(s.dir, rel), text)
}

// got is what a server received of a method.
func (s *scripted) got(server int, method string) []lsptest.Event {
	s.Helper()
	return lsptest.Messages(s.server[server].Seen(s.TB), method)
}

// references asks for those of X, which a.w defines, and shows the answer in one line.
func (s *scripted) references() string {
	s.Helper()
	return s.brief(run(s.TB, s.Session, "find_references", map[string]any{"file_path": "a.w", "line": 1,
		"character": 5}))
}

func (s *scripted) brief(a reply) string {
	s.Helper()
	out := fmt.Sprint(a["server_id"], " ", a["completeness"], " ", a["total"])
	if e, ok := a["error"].(map[string]any); ok {
		reason := e["data"].(map[string]any)["lspi_error"].(map[string]any)
		out = fmt.Sprint(a["server_id"], " ", reason["kind"])
	}
	for _, w := range a["warnings"].([]any) {
		out += fmt.Sprint(" ", w.(map[string]any)["kind"])
	}
	if n := len(a["next_steps"].([]any)); n > 0 && a["ok"] == true {
		out += fmt.Sprintf(" (%d steps)", n)
	}
	return out
}

func (s *scripted) want(got, want string) {
	s.Helper()
	testkit.Equal(s, got, want)
}

func on(method string, actions ...lsptest.Action) lsptest.Rule {
	return lsptest.Rule{Method: method, Actions: actions}
}

// once is for the first message of the method that earlier rules left.
func once(method string, actions ...lsptest.Action) lsptest.Rule {
	return lsptest.Rule{Method: method, Nth: 1, Actions: actions}
}

func inRun(n int, r lsptest.Rule) lsptest.Rule {
	r.Run = n
	return r
}

func playing(rules ...lsptest.Rule) []*lsptest.Script {
	return []*lsptest.Script{{Language: "words", Rules: rules}}
}

func tell(method string, params any) lsptest.Action {
	return lsptest.Action{Notify: &lsptest.Message{Method: method, Params: lsptest.Raw(params)}}
}

func work(kind string) lsptest.Action {
	return tell("$/progress", map[string]any{"token": "t", "value": map[string]any{"kind": kind, "title": "Index",
		"percentage": 40}})
}

func refuse(code int) lsptest.Action {
	return lsptest.Action{Error: &lsptest.Error{Code: code, Message: "file not found"}}
}

var (
	hangs = lsptest.Action{Hang: true}
	dies  = lsptest.Action{Kill: "SIGKILL"}
	none  = lsptest.Action{Result: []byte("[]")}
)

// indexes makes the sign of a server that of the work in these tests.
func indexes(budget time.Duration) func([]spec.Spec) {
	return func(specs []spec.Spec) {
		for i := range specs {
			specs[i].Readiness = spec.Readiness{Sign: spec.SignProgress, Tokens: []string{"Index"}, Waits: true}
			specs[i].Timeouts.Warmup = budget
		}
	}
}

var two = []string{"a.w", "def X\n", "b.w", "X\n"}

// What an attempt says of its answer goes with the attempt, and a reload that began meanwhile makes it void.
func TestAskAgainAfterAReload(t *testing.T) {
	s := newScripted(t, indexes(time.Minute), playing(
		once(lsp.MethodReferences, work("begin"), none, lsptest.Action{DelayMS: 50}, work("end")),
	), two...)
	s.want(s.references(), "fake1 complete 2")
	testkit.Equal(t, len(s.got(0, lsp.MethodReferences)), 2, "asked")
}

// A server that begins anew each time it is asked is believed in the end, in part.
func TestAskReloadsForGood(t *testing.T) {
	s := newScripted(t, indexes(time.Minute), playing(
		on(lsp.MethodReferences, work("begin"), work("end"), lsptest.Action{Default: true}),
	), two...)
	s.want(s.references(), "fake1 partial 2 indexing (1 steps)")
	testkit.Equal(t, len(s.got(0, lsp.MethodReferences)), ask.MaxAttempts, "asked")
}

// A name that is not found because the server ended while it was looked for is looked for once more.
func TestAskForANameOfAServerThatDies(t *testing.T) {
	s := newScripted(t, nil, playing(inRun(1, on(lsp.MethodDefinition, dies))), two...)
	s.want(s.brief(run(t, s.Session, "find_references", map[string]any{"file_path": "b.w", "symbol_name": "X"})),
		"fake1 complete 2 server_restarted")
}

// A call goes on over any number of stops that somebody orders; a server that ends by itself is asked only so often.
func TestAskOverStops(t *testing.T) {
	const stops = ask.MaxAttempts + 1
	var rules []lsptest.Rule
	for n := range stops {
		rules = append(rules, inRun(n+1, on(lsp.MethodReferences, hangs)))
	}
	s := newScripted(t, nil, playing(rules...), two...)
	answered := make(chan string, 1)
	go func() { answered <- s.references() }()
	for n := range stops {
		testkit.Must(t, testkit.Eventually(testkit.Patience, func() bool {
			return len(s.got(0, lsp.MethodReferences)) > n
		}))
		s.Workspace.Pool.Stop(func(*spec.Spec) bool { return true })
	}
	s.want(<-answered, "fake1 complete 2 server_restarted")

	s = newScripted(t, nil, playing(on(lsp.MethodReferences, dies)), two...)
	s.want(s.references(), "fake1 server_crashed")
	testkit.Equal(t, len(s.got(0, lsp.MethodReferences)), ask.MaxAttempts, "asked")
}

// While it loads it is waited for; the host hears of it; when the budget is over the answer is partial.
func TestAskWaitsForReadiness(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget time.Duration
		rules  []lsptest.Rule
		want   string
	}{
		{"until it is ready", time.Minute,
			[]lsptest.Rule{on("textDocument/didOpen", work("begin"), lsptest.Action{DelayMS: 150}, work("end")),
				on("initialized", work("begin"))}, "fake1 complete 2"},
		{"until the budget is over", 50 * time.Millisecond, []lsptest.Rule{on("initialized", work("begin"))},
			"fake1 partial 2 indexing (1 steps)"},
		{"refused while it loads", 50 * time.Millisecond, []lsptest.Rule{on("initialized", work("begin")),
			on(lsp.MethodReferences, refuse(-32603))},
			"fake1 partial 0 indexing (1 steps)"},
		{"no answer while it loads", 50 * time.Millisecond, []lsptest.Rule{on("initialized", work("begin")),
			on(lsp.MethodReferences, hangs)},
			"fake1 partial 0 indexing (1 steps)"},
		{"refused when ready", time.Minute, []lsptest.Rule{on(lsp.MethodReferences, refuse(-32603))},
			"fake1 request_failed"},
		{"no answer when ready", time.Minute, []lsptest.Rule{on(lsp.MethodReferences, hangs)}, "fake1 request_timeout"},
		{"refused, then ready", 50 * time.Millisecond, []lsptest.Rule{on("initialized", work("begin")),
			once(lsp.MethodReferences, work("end"), refuse(-32603))}, "fake1 complete 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScripted(t, func(specs []spec.Spec) {
				indexes(c.budget)(specs)
				specs[0].Timeouts.Requests = map[string]time.Duration{lsp.MethodReferences: 300 * time.Millisecond}
			}, playing(c.rules...), two...)
			s.want(s.references(), c.want)
		})
	}
}

// The host hears what a call waits for: what the server says that it does, else which request it has not answered;
// and nothing behind the answer.
func TestTheHostHearsWhatIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		rules []lsptest.Rule
		tool  string
		want  string
	}{
		"the load": {[]lsptest.Rule{on("initialized", work("begin"))}, "find_references",
			"40 fake1: Index (1 s)"},
		"a request": {[]lsptest.Rule{on(lsp.MethodReferences, hangs)}, "find_references",
			"-1 fake1: waiting for textDocument/references (1 s)"},
		"a request that is reported": {[]lsptest.Rule{on(lsp.MethodReferences, work("begin"), hangs)},
			"find_references", "40 fake1: Index (1 s)"},
		"diagnostics": {[]lsptest.Rule{on(lsp.MethodDocumentDiag, hangs)}, "get_diagnostics",
			"-1 fake1: waiting for textDocument/diagnostic (1 s)"},
		"the start": {[]lsptest.Rule{on("initialize", hangs)}, "hover",
			"-1 fake1: waiting for its start (1 s)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, indexes(time.Minute), playing(c.rules...), two...)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			began, over := time.Now(), false
			var mu sync.Mutex
			var heard []string
			arguments := json.RawMessage(`{"file_path":"a.w","line":1,"character":5}`)
			if c.tool == "get_diagnostics" {
				arguments = json.RawMessage(`{"file_path":"a.w"}`)
			}
			Run(ctx, s.Session, nil, answer.Request{Tool: c.tool, Arguments: arguments,
				Progress: func(percent int, message string) {
					mu.Lock()
					defer mu.Unlock()
					if over {
						t.Error("progress behind the answer")
					}
					heard = append(heard, fmt.Sprint(percent, " ", message))
					if heard[len(heard)-1] == c.want || len(heard) == 40 {
						cancel()
					}
				}})
			mu.Lock()
			defer mu.Unlock()
			over = true
			if !slices.Contains(heard, c.want) || len(heard) > 1+int(2*time.Since(began).Seconds()) {
				t.Errorf("after %v the host has heard %q", time.Since(began), heard)
			}
		})
	}
}

// An outline needs no index at a server that says so: it is there at once, unless the server has no symbol yet.
func TestAskForAnOutlineWhileLoading(t *testing.T) {
	for _, c := range []struct {
		name  string
		early bool
		rules []lsptest.Rule
		want  string
	}{
		{"at once", true, nil, "fake1 complete 1"},
		{"not said of this server", false, nil, "fake1 partial 1 indexing (1 steps)"},
		{"none yet", true, []lsptest.Rule{once(lsp.MethodDocumentSymbol, none)}, "fake1 partial 1 indexing (1 steps)"},
		{"refused at first", true, []lsptest.Rule{once(lsp.MethodDocumentSymbol, refuse(-32603))},
			"fake1 partial 1 indexing (1 steps)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScripted(t, func(specs []spec.Spec) {
				indexes(50 * time.Millisecond)(specs)
				specs[0].Readiness.Outlines = c.early
			}, playing(append(c.rules, on("initialized", work("begin")))...), "a.w", "def Xy\n")
			s.want(s.brief(run(t, s.Session, "get_document_symbols", map[string]any{"file_path": "a.w"})), c.want)
		})
	}
}

// What a server does not know while it loads is not found yet: the call is to be repeated, and no other name is
// offered. A word that the file does not hold is not there.
func TestAskNotFoundWhileLoading(t *testing.T) {
	s := newScripted(t, indexes(50*time.Millisecond), playing(on("initialized", work("begin")),
		on(lsp.MethodDefinition, none), on(lsp.MethodWorkspaceSymbol, none)), "a.w", "def Xy\n", "b.w", "X\n")
	for _, c := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{"file_path": "a.w", "symbol_name": "Missing"}, "fake1 symbol_not_found indexing"},
		{map[string]any{"file_path": "b.w", "symbol_name": "X"}, "fake1 still_indexing indexing"},
		{map[string]any{"symbol_name": "X"}, "fake1 still_indexing indexing"},
		{map[string]any{"symbol_name": "Box::X"}, "fake1 still_indexing indexing"},
	} {
		a := run(t, s.Session, "find_references", c.arguments)
		s.want(s.brief(a), c.want)
		step := a["next_steps"].([]any)[0].(map[string]any)
		if step["message"] != "Repeat the call when fake1 has loaded more of the project." {
			t.Errorf("%v: first step %v", c.arguments, step)
		}
		if strings.Contains(c.want, "still") && strings.Contains(fmt.Sprint(a), "closest") {
			t.Errorf("%v", a)
		}
	}
	a := run(t, s.Session, "search_workspace_symbols", map[string]any{"query": "X"})
	s.want(s.brief(a), "fake1 partial 0 indexing (1 steps)")
}

// A server that became ready when the call's time was nearly over, and did not answer in what was left, is told as
// one that loads.
func TestAskOfAServerThatHasJustLoaded(t *testing.T) {
	for _, c := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{"symbol_name": "X"}, "fake1 still_indexing indexing"},
		{map[string]any{"symbol_name": "Box::X"}, "fake1 still_indexing indexing"},
		{map[string]any{"file_path": "a.w", "line": 1, "character": 5}, "fake1 partial 0 indexing (1 steps)"},
	} {
		t.Run(fmt.Sprint(c.arguments), func(t *testing.T) {
			t.Parallel() // each waits for 2.5 s
			s := newScripted(t, indexes(time.Minute),
				playing(on("initialized", work("begin"), lsptest.Action{DelayMS: 1600}, work("end")),
					on(lsp.MethodReferences, hangs), on(lsp.MethodWorkspaceSymbol, hangs)), two...)
			s.Settings.CallTimeout = 2500 * time.Millisecond
			a := run(t, s.Session, "find_references", c.arguments)
			s.want(s.brief(a), c.want)
			if step := firstOf(a, "next_steps"); !strings.HasPrefix(step["message"].(string), "Repeat the call when") ||
				strings.Contains(fmt.Sprint(a), "call_timeout_ms") {
				t.Errorf("the steps of %v", a)
			}
		})
	}
}

// A search that ends before every server answered says that first, and that it can be repeated.
func TestSearchEndsBeforeAllAnswered(t *testing.T) {
	words := toolstest.Fake(t, "words", `{"language":"words"}`)
	slow := toolstest.Fake(t, "slow",
		`{"language":"words","rules":[{"method":"workspace/symbol","actions":[{"hang":true}]}]}`, func(s *spec.Spec) {
			s.Languages = []spec.Language{{ID: "slow", Extensions: []string{"s"}}}
			s.Timeouts.Requests = map[string]time.Duration{lsp.MethodWorkspaceSymbol: 100 * time.Millisecond}
		})
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def Xab\n", "b.s": "def Xcd Missing\n"}), words,
		slow)
	raw, _ := json.Marshal(map[string]any{"query": "X"})
	r := Run(t.Context(), session, nil, answer.Request{Tool: "search_workspace_symbols", Arguments: raw})
	var a reply
	testkit.Must(t, json.Unmarshal(r.Structured, &a))
	first, step := firstOf(a, "warnings"), firstOf(a, "next_steps")
	if a["completeness"] != "partial" || foundNames(a) != "Xab@a.w:1 Xcd@b.s:1" || first["kind"] != "time_limit" ||
		step["tool"] != "search_workspace_symbols" ||
		!strings.Contains(r.Text, "The search is not finished; repeat it. So far: 2 matching symbols") {
		t.Errorf("%v\n%s", a, r.Text)
	}
	a = run(t, session, "hover", map[string]any{"symbol_name": "Missing"})
	if step := firstOf(a, "next_steps"); a.fault() != "request_timeout" || step["message"] != "Repeat the call." {
		t.Errorf("a name: %v", a)
	}
}

// A search does not wait longer than it says for a server that answers nothing, and the server is asked again by
// the step.
func TestSearchWaitsNoLonger(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def Xab\n"}), toolstest.Fake(t, "words",
		`{"language":"words","rules":[{"method":"workspace/symbol","nth":1,"actions":[{"hang":true}]}]}`,
		func(s *spec.Spec) {
			s.Freshness.QueryClosed = true
		}))
	// The server is started first: its start is not part of the 300 ms.
	run(t, session, "get_document_symbols", map[string]any{"file_path": "a.w"})
	a := run(t, session, "search_workspace_symbols", map[string]any{"query": "X", "wait_ms": 300})
	if a["ok"] != true || a["completeness"] != "partial" || firstOf(a, "warnings")["kind"] != "time_limit" ||
		fmt.Sprint(firstOf(a, "warnings")["servers"]) != "[words]" {
		t.Errorf("%v", a)
	}
	steps := a["next_steps"].([]any)
	last := steps[len(steps)-1].(map[string]any)["arguments"].(map[string]any)
	testkit.Equal(t, fmt.Sprint(last["wait_ms"]), "30000")
	a = run(t, session, "search_workspace_symbols", last)
	testkit.Equal(t, foundNames(a)+" "+fmt.Sprint(a["completeness"]), "Xab@a.w:1 complete")
}

// A search that has found nothing by the time that it gives by itself goes on: a server that loads has no answer yet.
func TestSearchWaitsForAFirstMatch(t *testing.T) {
	had := searchPatience
	searchPatience = time.Nanosecond
	defer func() { searchPatience = had }()
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def Xab\n"}), toolstest.Fake(t, "words",
		`{"language":"words"}`, func(s *spec.Spec) { s.Freshness.QueryClosed = true }))
	r := Run(t.Context(), session, nil, answer.Request{Tool: "search_workspace_symbols",
		Arguments: json.RawMessage(`{"query":"X"}`)})
	var a reply
	testkit.Must(t, json.Unmarshal(r.Structured, &a))
	if foundNames(a) != "Xab@a.w:1" || a["completeness"] == "partial" {
		t.Errorf("%v", a)
	}
}

// Calls in flight when the server crashes are answered by its successor.
func TestAskAfterACrash(t *testing.T) {
	s := newScripted(t, nil, playing(
		inRun(1, lsptest.Rule{Method: lsp.MethodReferences, Nth: 8, Actions: []lsptest.Action{dies}}),
		inRun(1, on(lsp.MethodReferences, hangs)),
	), two...)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { s.want(s.references(), "fake1 complete 2 server_restarted") })
	}
	group.Wait()
	testkit.Equal(t, len(s.got(0, "initialize")), 2)
}

// A server that dies of each question is given up with the error that says so, and is not started for ever.
func TestAskCrashesForGood(t *testing.T) {
	t.Parallel()
	s := newScripted(t, nil, playing(on(lsp.MethodReferences, lsptest.Action{Stderr: "ouch\n"}, dies)), two...)
	s.want(s.references(), "fake1 server_crashed")
	s.want(s.references(), "fake1 server_disabled server_restarted")
	s.want(s.references(), "fake1 server_disabled")
	testkit.Equal(t, len(s.got(0, "initialize")), 5)
}

// Files that only a new process reads: it is started, without a word, and asked.
func TestAskRestartsForAProjectFile(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) {
		specs[0].Freshness.RestartOn = []string{"pro.ject"}
	}, playing(), two...)
	s.want(s.references(), "fake1 complete 2")
	s.write("pro.ject", "1")
	s.want(s.references(), "fake1 complete 2")
	testkit.Equal(t, len(s.got(0, "initialize")), 2)
}

// The next server in order of preference is asked when one cannot, and is the one that is named.
func TestAskTheNextServer(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func([]spec.Spec)
		first  *lsptest.Script
		want   string
	}{
		{"not installed", func(s []spec.Spec) {
			s[0].Commands[0].Name = "lspi-test-no-such-program"
		}, &lsptest.Script{}, "fake2 complete 2"},
		{"configured, and not installed", func(s []spec.Spec) {
			s[0].Commands[0].Name, s[0].Commands[0].File, s[0].Commands[0].Line = "lspi-test-no-such-program",
				"/lspi.toml", 7
		}, &lsptest.Script{}, "fake1 command_not_found"},
		{"does not start", nil, &lsptest.Script{OnStart: []lsptest.Action{{Exit: new(int)}}}, "fake2 complete 2"},
		{"does not offer it", nil,
			&lsptest.Script{Language: "words", CapabilitiesPatch: []byte(`{"referencesProvider":null}`)},
			"fake2 complete 2"},
		{"has another role", func(s []spec.Spec) {
			s[0].Roles = spec.RoleDiagnostics
		}, playing()[0], "fake2 complete 2"},
		{"refuses", nil, playing(on(lsp.MethodReferences, refuse(-32603)))[0], "fake1 request_failed"},
		{"none is installed", func(s []spec.Spec) {
			s[0].Commands[0].Name, s[1].Commands[0].Name = "lspi-test-no-such-program", "lspi-test-no-such-program-2"
		}, &lsptest.Script{}, "fake1 server_not_installed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, c.change, []*lsptest.Script{c.first, playing()[0]}, two...)
			s.want(s.references(), c.want)
		})
	}
}

// The host's cancellation ends the call and reaches the server; the call's time is one for everything.
func TestAskEnds(t *testing.T) {
	s := newScripted(t, nil, playing(on(lsp.MethodReferences, lsptest.Action{DelayMS: 60_000})), two...)
	ctx, cancel := context.WithCancelCause(t.Context())
	raw, _ := json.Marshal(map[string]any{"file_path": "a.w", "line": 1, "character": 5})
	result := make(chan Result, 1)
	go func() { result <- Run(ctx, s.Session, nil, answer.Request{Tool: "find_references", Arguments: raw}) }()
	until(t, "the question", func() bool { return len(s.got(0, lsp.MethodReferences)) == 1 })
	cancel(errors.New("the host went"))
	var a reply
	testkit.Must(t, json.Unmarshal((<-result).Structured, &a))
	s.want(s.brief(a), "fake1 cancelled")
	// On a busy machine a short time is over before the server is asked.
	for limit := 200 * time.Millisecond; len(s.got(0, lsp.MethodReferences)) < 2; limit *= 2 {
		s.Session.Settings.CallTimeout = limit
		s.want(s.references(), "fake1 request_timeout")
	}
	until(t, "the cancellations", func() bool { return len(s.got(0, "$/cancelRequest")) == 2 })
}

// What void attempts said at the same time cannot be told apart: it stays, and the claim with it.
func TestVoidAttempts(t *testing.T) {
	c := answer.NewCall(session.Unopened(session.Settings{}, nil), known{}, answer.Request{})
	c.ClaimComplete()
	said := func() string { return fmt.Sprint(len(c.Warnings()), " ", c.Claim(), " ", c.ServerID()) }
	c.Warn(contract.WarnLineAdjusted, nil, "before")
	a := c.BeginAttempt()
	c.Warn(contract.WarnTruncated, nil, "in the first")
	c.AnsweredBy("x")
	c.EndAttempt(a, false)
	testkit.Equal(t, said(), "1 complete ")
	a = c.BeginAttempt()
	c.Warn(contract.WarnTruncated, nil, "in the second")
	c.EndAttempt(a, true)
	testkit.Equal(t, said(), "2 partial ")
	a, b := c.BeginAttempt(), c.BeginAttempt()
	c.Warn(contract.WarnServerLimit, nil, "whose?")
	c.EndAttempt(a, false)
	c.EndAttempt(b, false)
	testkit.Equal(t, said(), "3 partial ")
}

// What a server tells of a symbol by one file and its includes is not kept back in a large project until all files
// are indexed, where the row says how long to wait; the answer says that it may lack something. In a small one the
// index is waited for.
func TestHoverWhileAServerIndexes(t *testing.T) {
	for _, c := range []struct {
		files int
		rules []lsptest.Rule
		want  string
	}{
		{60, []lsptest.Rule{on("initialized", work("begin"))}, "fake1 partial <nil> indexing (1 steps)"},
		{2, []lsptest.Rule{on("initialized", work("begin"), lsptest.Action{DelayMS: 200}, work("end"))},
			"fake1 complete <nil>"},
	} {
		t.Run(fmt.Sprint(c.files), func(t *testing.T) {
			files := []string{"a.w", "def Xy\n"}
			for n := range c.files {
				files = append(files, fmt.Sprintf("b%d.w", n), "Xy\n")
			}
			s := newScripted(t, func(specs []spec.Spec) {
				indexes(time.Hour)(specs)
				specs[0].Readiness.Hover = time.Millisecond
			}, playing(c.rules...), files...)
			s.Settings.CallTimeout = time.Hour
			var group sync.WaitGroup
			group.Go(func() {
				s.want(s.brief(run(t, s.Session, "hover", map[string]any{"file_path": "a.w", "symbol_name": "Xy"})),
					c.want)
			})
			until(t, "the question", func() bool { return len(s.got(0, lsp.MethodHover)) > 0 })
			group.Wait()
		})
	}
}

// A mistyped folder is no file of a language without a server; the step leads to the folder that is there.
func TestMistypedFolder(t *testing.T) {
	s := newScripted(t, nil, playing(), "src/inner/a.w", "def X\n", "lib/v1.2/b.w", "def Y\n")
	for given, want := range map[string]string{"src/iner": "file_not_found src/inner",
		"scr/inner": "file_not_found src/inner", "inner/": "file_not_found src/inner", "scr": "file_not_found src",
		"lib/v1.3": "file_not_found lib/v1.2", "README": "file_not_found ", "src/a.zzz": "no_server_for_extension "} {
		a := run(t, s.Session, "get_document_symbols", map[string]any{"file_path": given})
		near := ""
		if step := firstOf(a, "next_steps"); step["tool"] == "get_document_symbols" {
			near = step["arguments"].(map[string]any)["file_path"].(string)
			if b := run(t, s.Session, "get_document_symbols", map[string]any{"file_path": near}); b["ok"] != true {
				t.Errorf("%s: the step fails: %v", given, b)
			}
		}
		equal(t, given, a.fault()+" "+near, want)
	}
}
