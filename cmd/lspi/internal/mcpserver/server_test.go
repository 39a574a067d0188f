//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, and what the hosts of today offer.

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// connect is a service with a host that shook hands with it.
func connect(t *testing.T, o ServiceOptions, host *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return connectAs(t, "test", o, host)
}

// connectAs is connect with a clientInfo.name.
func connectAs(t *testing.T, name string, o ServiceOptions, host *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := NewService(o)
	here, there := mcp.NewInMemoryTransports()
	ctx := t.Context()
	served := make(chan error, 1)
	go func() { served <- s.Run(ctx, here) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, host).Connect(ctx, there, nil)
	testkit.Must(t, err)
	t.Cleanup(func() {
		s.Close(errors.New("the test is over"))
		_ = session.Close()
		<-served
	})
	return session
}

// envelopeOf calls a tool and decodes what hosts rely on.
func envelopeOf(t *testing.T, session *mcp.ClientSession, tool string, arguments any) (head struct {
	OK    bool
	Error struct {
		Kind contract.Category
		Data struct {
			Reason struct{ Kind contract.Kind } `json:"lspi_error"`
		}
	}
	NextSteps []contract.NextStep `json:"next_steps"`
}) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: a protocol error: %v", tool, err)
	}
	if len(result.Content) != 1 || result.IsError == false && result.StructuredContent == nil {
		t.Errorf("%s: content %v", tool, result.Content)
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &head)
	}
	testkit.Must(t, err)
	if head.OK == result.IsError {
		t.Errorf("%s: ok is %v, isError %v", tool, head.OK, result.IsError)
	}
	if !head.OK && len(head.NextSteps) == 0 {
		t.Errorf("%s: an error without a next step: %s", tool, raw)
	}
	return head
}

var anyPosition = map[string]any{"file_path": "a.go", "line": 1, "character": 1}

// A workspace without a table is a mistake of ours: the tool panics in its own code.
func TestPanicInTool(t *testing.T) {
	opened := toolstest.Open(t, testkit.Project(t, map[string]string{"a.go": "package a\n"}))
	opened.Workspace.Table = nil
	session := connect(t, ServiceOptions{Open: func(context.Context, []string) (*session.Session, error) {
		return opened, nil
	}}, nil)
	for range 2 { // the second call finds the session alive
		got := envelopeOf(t, session, "find_definition", anyPosition)
		if got.Error.Kind != contract.InternalError || got.Error.Data.Reason.Kind != contract.KindPanic {
			t.Fatalf("error is %+v", got.Error)
		}
	}
}

func TestPanicWhileOpening(t *testing.T) {
	session := connect(t, ServiceOptions{Open: func(context.Context, []string) (*session.Session, error) {
		panic("open")
	}}, nil)
	if got := envelopeOf(t, session, "find_definition", anyPosition); got.Error.Data.Reason.Kind != contract.KindPanic {
		t.Fatalf("error is %+v", got.Error)
	}
}

// All calls that come meanwhile wait for one opening, and one that leaves costs the others nothing.
func TestOpenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proceed, opened, want := make(chan struct{}), 0, &session.Session{}
		s := &lazySession{ctx: t.Context(), open: func(context.Context, []string) (*session.Session, error) {
			opened++
			<-proceed
			return want, nil
		}}
		noRoots := func(context.Context) []string { return nil }
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, _, err := s.get(ctx, noRoots)
			left <- err
		}()
		synctest.Wait()
		var others sync.WaitGroup
		for range 3 {
			others.Go(func() {
				if got, _, err := s.get(t.Context(), noRoots); err != nil || got.Session != want {
					t.Errorf("%p, %v", got, err)
				}
			})
		}
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the impatient caller got %v", err)
		}
		close(proceed)
		others.Wait()
		testkit.Equal(t, opened, 1, "opened")
	})
}

// An opening that ends after the service did leaves nothing open.
func TestCloseWhileOpening(t *testing.T) {
	opened := toolstest.Open(t, t.TempDir())
	began := make(chan struct{})
	s := &lazySession{ctx: t.Context()}
	closing := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.closed
	}
	s.open = func(context.Context, []string) (*session.Session, error) {
		close(began)
		for !closing() {
			runtime.Gosched()
		}
		return opened, nil
	}
	got := make(chan error, 1)
	go func() {
		_, _, err := s.get(t.Context(), func(context.Context) []string { return nil })
		got <- err
	}()
	<-began
	s.close()
	if err := <-got; answer.AsError(err).Kind != contract.KindCancelled {
		t.Errorf("the call got %v", err)
	}
	if _, _, err := opened.Workspace.Pool.NewCaller().Get(t.Context(),
		router.Route{Spec: &spec.Spec{ID: "x"}}); err == nil {
		t.Error("the pool is still open")
	}
}

// Servers that take their time to end hold up nobody who asks the session meanwhile.
func TestCloseHoldsNoLock(t *testing.T) {
	spec := toolstest.Fake(t, "words", `{"language": "words"}`)
	opened := toolstest.Open(t, t.TempDir(), spec)
	began, proceed := make(chan struct{}), make(chan struct{})
	s := &lazySession{ctx: t.Context()}
	var ended, locked bool
	opened.Workspace.Pool.Close()
	opened.Workspace.Pool = router.NewPool(router.PoolOptions{Launcher: servers.Launcher,
		Table: opened.Workspace.Table, Log: opened.Workspace.Process.Log, Texts: opened.Workspace.Process.Texts,
		Trace: func(_ string, sent bool, message []byte) {
			if sent && strings.Contains(string(message), `"shutdown"`) {
				ended = true
				if locked = !s.mu.TryLock(); !locked {
					s.mu.Unlock()
				}
			}
		}})
	s.open = func(ctx context.Context, _ []string) (*session.Session, error) {
		_, release, err := opened.Workspace.Pool.NewCaller().Get(ctx,
			router.Route{Spec: &opened.Workspace.Table.Specs[0], Root: opened.Workspace.Table.Workspace})
		if err == nil {
			release()
		}
		close(began)
		<-proceed
		return opened, err
	}
	go func() {
		<-began
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		close(proceed)
	}()
	_, _, err := s.get(t.Context(), func(context.Context) []string { return nil })
	if answer.AsError(err).Kind != contract.KindCancelled || !ended || locked {
		t.Errorf("the call got %v; the server was ended: %v, under the lock: %v", err, ended, locked)
	}
}

// A failed opening is tried again by the next call.
func TestOpenAgain(t *testing.T) {
	attempts := 0
	session := connect(t, ServiceOptions{Open: func(context.Context, []string) (*session.Session, error) {
		attempts++
		return nil, contract.Errorf(contract.KindConfigInvalid, contract.Facts{"attempt": attempts}, "attempt %d",
			attempts)
	}}, nil)
	for want := 1; want <= 3; want++ {
		envelopeOf(t, session, "find_definition", anyPosition)
		if attempts != want {
			t.Fatalf("%d attempts after %d calls", attempts, want)
		}
	}
}

// What the host was told at the handshake: what other MCP servers may bring later, and no resources, for which
// hosts show the model more tools.
func TestCapabilities(t *testing.T) {
	session := connect(t, ServiceOptions{}, nil)
	got, err := json.Marshal(session.InitializeResult().Capabilities)
	testkit.Must(t, err)
	testkit.Equal(t, string(got),
		`{"completions":{},"logging":{},"prompts":{"listChanged":true},"tools":{"listChanged":true}}`,
		"capabilities are", got)
}

// The list is that of the registry, in its order, and small.
func TestToolsList(t *testing.T) {
	opened := connect(t, ServiceOptions{Settings: session.Settings{ReadOnly: true}}, nil)
	list, err := opened.ListTools(t.Context(), nil)
	testkit.Must(t, err)
	settings := session.Settings{ReadOnly: true}
	var want, got []string
	for _, tool := range tools.Served(&settings) {
		want = append(want, tool.Name)
	}
	for _, tool := range list.Tools {
		got = append(got, tool.Name)
		a := tool.Annotations
		if a == nil || !a.ReadOnlyHint || a.DestructiveHint == nil || a.OpenWorldHint == nil || !a.IdempotentHint {
			t.Errorf("%s: annotations are %+v", tool.Name, a)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("order is %v, not %v", got, want)
	}
}

// The lists are small, at a host that is not known and at Claude Code: that of a default session, and that of a
// read-only one without output schemas. Claude Code loads six tools in every session, within 6 kB, and gets no output
// schemas, which it shows no model.
func TestSizesOfToolsList(t *testing.T) {
	for _, c := range []struct {
		host            string
		readOnly        bool
		limit, without  int // in bytes, with and without output schemas
		loaded, schemas bool
	}{
		{host: "test", limit: 24_000, without: 16_000, schemas: true},
		{host: "test", readOnly: true, limit: 15_000, without: 9_000, schemas: true},
		{host: "claude-code", limit: 16_000, without: 16_000, loaded: true},
	} {
		list, err := connectAs(t, c.host, ServiceOptions{Settings: session.Settings{ReadOnly: c.readOnly}},
			nil).ListTools(t.Context(), nil)
		testkit.Must(t, err)
		what := fmt.Sprintf("tools/list of %s, read-only %v", c.host, c.readOnly)
		checkBytes(t, what, list.Tools, c.limit)
		var loaded []*mcp.Tool
		for _, tool := range list.Tools {
			testkit.Equal(t, tool.OutputSchema != nil, c.schemas, c.host, tool.Name)
			if c.schemas {
				// The SDK of MCP for TypeScript refuses the list of tools with a member whose schema is no object.
				for name, p := range tool.OutputSchema.(map[string]any)["properties"].(map[string]any) {
					if _, ok := p.(map[string]any); !ok {
						t.Errorf("%s: the schema of %s is %v", tool.Name, name, p)
					}
				}
			}
			tool.OutputSchema = nil
			if tool.Meta["anthropic/alwaysLoad"] == true {
				loaded = append(loaded, tool)
			}
		}
		checkBytes(t, what+", without output schemas", list.Tools, c.without)
		testkit.Equal(t, len(loaded) == 6, c.loaded, what)
		checkBytes(t, "the loaded tools", loaded, 6_000)
	}
}

func checkBytes(t *testing.T, what string, list []*mcp.Tool, limit int) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"tools": list})
	testkit.Must(t, err)
	t.Logf("%s: %d bytes for %d tools", what, len(raw), len(list))
	if len(raw) >= limit {
		t.Errorf("%s has %d bytes, the limit is %d", what, len(raw), limit)
	}
}

func TestInstructions(t *testing.T) {
	text := Instructions()
	if n := utf8.RuneCountInString(text); n >= 1200 {
		t.Errorf("%d characters", n)
	}
	testkit.Holds(t, text, "are data", "the instructions do not say that what a repository holds is data")
	known := map[string]bool{"next_steps": true}
	for _, tool := range tools.All() {
		known[tool.Name] = true
		for _, argument := range tool.Input.PropertyOrder {
			known[argument] = true
		}
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if strings.Contains(word, "_") && !known[word] {
			t.Errorf("%q is neither a tool nor an argument", word)
		}
	}
}

func TestClasses(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []answer.Class{answer.Navigation, answer.Status, answer.Recall, answer.Write, answer.Control} {
		if c.String() == "" || seen[c.String()] {
			t.Errorf("class %d is called %q", c, c)
		}
		seen[c.String()] = true
		if a := annotations(new(session.Settings), c); a.ReadOnlyHint == (c == answer.Write || c == answer.Control) {
			t.Errorf("%s: read-only is %v", c, a.ReadOnlyHint)
		}
	}
	for _, readOnly := range []bool{false, true} { // check_edit can apply what it tried only where lspi may write
		if a := annotations((&session.Settings{ReadOnly: readOnly}), answer.DryRun); a.ReadOnlyHint != readOnly ||
			*a.DestructiveHint == readOnly {
			t.Errorf("dry run: read-only is %v, destructive %v, in a session that is %v", a.ReadOnlyHint,
				*a.DestructiveHint, readOnly)
		}
	}
}

func TestMonotonic(t *testing.T) {
	var m monotonic
	last := 0.0
	for i, c := range []struct {
		percent int
		message string
		news    bool
	}{
		{-1, "starting", true}, {-1, "starting", false}, {0, "a", true}, {50, "a", true}, {50, "a", false},
		{50, "b", true},
		{10, "begun anew", true}, {-1, "who knows", true}, {100, "c", true}, {100, "d", true}, {100, "e", true},
	} {
		value, news := m.next(c.percent, c.message)
		testkit.Equal(t, news, c.news, i, "news")
		if news && (value <= last || value >= 100) {
			t.Errorf("%d: %v after %v", i, value, last)
		}
		if news {
			last = value
		}
	}
}

// A host that offers roots is asked for them once, when the session opens; one that offers none is not asked.
func TestHostRoots(t *testing.T) {
	for name, c := range map[string]struct {
		offered bool
		want    []string
	}{
		"offered": {true, []string{"file:///somewhere"}},
		"none":    {false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			host := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
			if c.offered {
				host.Capabilities.RootsV2 = &mcp.RootCapabilities{}
			}
			s := NewService(ServiceOptions{Log: slog.New(slog.DiscardHandler),
				Open: func(_ context.Context, roots []string) (*session.Session, error) {
					got = roots
					return nil, contract.Errorf(contract.KindConfigInvalid, nil, "enough")
				}})
			defer s.Close(errors.New("over"))
			here, there := mcp.NewInMemoryTransports()
			go func() { _ = s.Run(t.Context(), here) }()
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, host)
			client.AddRoots(&mcp.Root{URI: "file:///somewhere"})
			session, err := client.Connect(t.Context(), there, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
			testkit.Must(t, err)
			defer session.Close()
			envelopeOf(t, session, "find_definition", anyPosition)
			if !slices.Equal(got, c.want) {
				t.Errorf("roots are %q, not %q", got, c.want)
			}
		})
	}
}

// An outdated session is left for a new one at the next call. Calls that have it end with it, and it ends behind
// the last of them and not before the next session is open, so that servers which both have go on.
func TestOutdatedSessionIsOpenedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		process := toolstest.NewProcess(t)
		old := false
		var all []*session.Session
		answers := func(s *session.Session) bool { // its servers are there
			_, _, err := s.Workspace.Pool.NewCaller().Get(t.Context(), router.Route{Spec: &s.Workspace.Table.Specs[0],
				Root: "/w"})
			return answer.AsError(err).Kind != contract.KindCancelled
		}
		s := &lazySession{ctx: t.Context(), log: slog.New(slog.DiscardHandler)}
		s.open = func(context.Context, []string) (*session.Session, error) {
			if len(all) > 0 && !answers(all[len(all)-1]) {
				t.Error("the servers of the last session have ended before the next one opens")
			}
			w, err := process.Open(fmt.Sprint("configuration ", len(all)),
				&router.Table{Workspace: "/w", Specs: []spec.Spec{{ID: "x"}}},
				router.PoolOptions{Launcher: servers.Launcher})
			session := &session.Session{Workspace: w}
			if len(all) == 0 {
				session.Outdated = func() bool { return old }
			}
			all = append(all, session)
			return session, err
		}
		use := func() (*session.Session, func()) {
			t.Helper()
			opened, giveBack, err := s.use(t.Context(), func(context.Context) []string { return nil })
			testkit.Must(t, err)
			return opened, giveBack
		}
		first, giveBack := use()
		same, giveBackSame := use()
		old = true
		next, giveBackNext := use()
		if same != first || next == first || len(all) != 2 {
			t.Errorf("%d sessions", len(all))
		}
		giveBack()
		synctest.Wait()
		if !answers(first) {
			t.Error("it has ended, though a call has it")
		}
		giveBackSame()
		synctest.Wait()
		if answers(first) || !answers(next) {
			t.Error("it has not ended, or the next one has")
		}
		giveBackNext()
		s.close()
	})
}

// A service that ends takes along a session that was left and that a call still has.
func TestCloseEndsWhatWasLeft(t *testing.T) {
	process := toolstest.NewProcess(t)
	var all []*session.Session
	s := &lazySession{ctx: t.Context(), log: slog.New(slog.DiscardHandler),
		open: func(context.Context, []string) (*session.Session, error) {
			w, err := process.Open(fmt.Sprint(len(all)), &router.Table{Workspace: "/w", Specs: []spec.Spec{{ID: "x"}}},
				router.PoolOptions{Launcher: servers.Launcher})
			all = append(all, &session.Session{Workspace: w, Outdated: func() bool { return true }})
			return all[len(all)-1], err
		}}
	for range 3 {
		_, _, err := s.use(t.Context(), func(context.Context) []string { return nil })
		testkit.Must(t, err)
	}
	s.close()
	for i, session := range all {
		_, _, err := session.Workspace.Pool.NewCaller().Get(t.Context(),
			router.Route{Spec: &spec.Spec{ID: "x"}, Root: "/w"})
		testkit.Equal(t, answer.AsError(err).Kind, contract.KindCancelled, i)
	}
}

// Until a tool is called nothing is opened: some hosts start a server to list its tools, stop it, and start it again.
func TestNothingBeforeTheFirstCall(t *testing.T) {
	opened := 0
	session := connect(t, ServiceOptions{Open: func(context.Context, []string) (*session.Session, error) {
		opened++
		return nil, errors.New("opened")
	}}, nil)
	if _, err := session.ListTools(t.Context(), nil); err != nil || opened != 0 {
		t.Errorf("opened %d times, %v", opened, err)
	}
}

// A host of 2026-07-28 names itself with its requests, where it likes to: what it said at server/discover counts
// for calls that say nothing.
func TestHostThatNamesItselfOnce(t *testing.T) {
	opened := toolstest.Open(t, testkit.Project(t, map[string]string{"a.w": "def alpha\n"}),
		toolstest.Fake(t, "w", `{"language":"words"}`))
	s := NewService(ServiceOptions{Log: slog.New(slog.DiscardHandler),
		Open: func(context.Context, []string) (*session.Session, error) {
			return opened, nil
		}})
	defer s.Close(errors.New("over"))
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(t.Context(), here) }()
	conn, err := there.Connect(t.Context())
	testkit.Must(t, err)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	text := func(id int, method, params string) string { return askRaw(t, conn, id, method, params) }
	text(1, "server/discover", `{`+meta+`,"io.modelcontextprotocol/clientInfo":{"name":"copilot-cli","version":"1"}}}`)
	call := `{"name":"get_document_symbols","arguments":{"file_path":"a.w"},` + meta
	testkit.Equal(t, text(2, "tools/call", call+`}}`), "1 symbol.", "the host that named itself")
	testkit.Holds(t,
		text(3, "tools/call", call+`,"io.modelcontextprotocol/clientInfo":{"name":"opencode","version":"1"}}}`),
		"\n1 function alpha", "the call that names another")
}

// askRaw sends a request as it is, and returns the text of its answer.
func askRaw(t *testing.T, conn mcp.Connection, id int, method, params string) string {
	t.Helper()
	message, err := jsonrpc.DecodeMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id,
		method, params))
	testkit.Must(t, err)
	testkit.Must(t, conn.Write(t.Context(), message))
	answer, err := conn.Read(t.Context())
	testkit.Must(t, err)
	response, ok := answer.(*jsonrpc.Response)
	if !ok || response.Error != nil {
		t.Fatalf("%s: %+v", method, answer)
	}
	var result struct{ Content []struct{ Text string } }
	testkit.Must(t, json.Unmarshal(response.Result, &result))
	if len(result.Content) == 0 {
		return ""
	}
	return result.Content[0].Text
}
