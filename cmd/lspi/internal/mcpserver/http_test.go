//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, and what the hosts of today offer.

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// overHTTP serves sessions whose options make gives, and ends them with the test.
func overHTTP(t *testing.T, change func(*HTTPOptions)) (*HTTP, string) {
	t.Helper()
	o := HTTPOptions{MaxSessions: 8, Idle: time.Hour, Log: slog.New(slog.DiscardHandler),
		New: func() (ServiceOptions, func()) {
			return ServiceOptions{Log: slog.New(slog.DiscardHandler)}, func() {}
		}}
	change(&o)
	h := NewHTTP(o)
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close() // which ends the streams that the server waits for
		server.Close()
	})
	return h, server.URL
}

func dial(t *testing.T, url string, host *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, host).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url}, nil)
	testkit.Must(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// bindable are options of a service whose host binds a name, in a workspace that has a file of this name.
func bindable(t *testing.T, opened *atomic.Int64) func() (ServiceOptions, func()) {
	return func() (ServiceOptions, func()) {
		var mu sync.Mutex
		var wanted, have string
		settings := session.Settings{Binds: true}
		return ServiceOptions{Settings: settings, Log: slog.New(slog.DiscardHandler),
			Bind: func(cwd string) error {
				mu.Lock()
				defer mu.Unlock()
				if have != "" && have != cwd {
					return contract.Errorf(contract.KindWorkspaceAlreadySet,
						contract.Facts{"given": cwd, "workspace_root": have}, "it is %s", have)
				}
				wanted = cwd
				return nil
			},
			Open: func(_ context.Context, roots []string) (*session.Session, error) {
				mu.Lock()
				defer mu.Unlock()
				if wanted == "" && len(roots) > 0 {
					wanted = roots[0]
				}
				if wanted == "" {
					return nil, &session.SessionError{Settings: settings,
						Err: contract.Errorf(contract.KindWorkspaceNotSet, contract.Facts{"known": []string{"/one"}},
							"not set")}
				}
				name := wanted[strings.LastIndex(wanted, "/")+1:]
				s := toolstest.Open(t, testkit.Project(t, map[string]string{name + ".w": "def " + name + "\n"}),
					toolstest.Fake(t, "words", `{"language":"words"}`))
				have = wanted
				s.Settings.Binds, s.Settings.Preset = true, &session.Preset{Name: name}
				opened.Add(1)
				return s, nil
			}}, func() { opened.Add(-1) }
	}
}

// Two clients of one process have the workspaces that they bound, and a second one is refused.
func TestTwoWorkspacesOverHTTP(t *testing.T) {
	var opened atomic.Int64
	h, url := overHTTP(t, func(o *HTTPOptions) { o.New = bindable(t, &opened) })
	clients := map[string]*mcp.ClientSession{"one": dial(t, url, nil), "two": dial(t, url, nil)}
	for name, c := range clients {
		for _, tool := range []string{"get_document_symbols", "get_current_config", "list_servers"} {
			got := envelopeOf(t, c, tool, map[string]any{})
			if got.Error.Data.Reason.Kind != contract.KindWorkspaceNotSet && got.Error.Kind != contract.InvalidParams {
				t.Errorf("%s before a workspace is bound: %+v", tool, got.Error)
			}
			if tool != "get_document_symbols" &&
				(len(got.NextSteps) == 0 || got.NextSteps[0].Tool != "bind_workspace") {
				t.Errorf("%s offers %+v", tool, got.NextSteps)
			}
		}
		if got := envelopeOf(t, c, "bind_workspace", map[string]any{"cwd": "/" + name}); !got.OK {
			t.Fatalf("binding: %+v", got)
		}
	}
	for name, c := range clients {
		for other := range clients {
			got := envelopeOf(t, c, "get_document_symbols", map[string]any{"file_path": other + ".w"})
			if got.OK != (name == other) {
				t.Errorf("%s asks about %s: %+v", name, other, got)
			}
		}
		if got := envelopeOf(t, c, "bind_workspace", map[string]any{"cwd": "/" + name}); !got.OK {
			t.Errorf("binding again: %+v", got)
		}
		if got := envelopeOf(t, c, "bind_workspace",
			map[string]any{"cwd": "/three"}); got.Error.Data.Reason.Kind != contract.KindWorkspaceAlreadySet {
			t.Errorf("binding another: %+v", got)
		}
	}
	if all := h.Sessions(); len(all) != 2 || all[0].Host != "test" || all[0].Root == "" || all[0].Root == all[1].Root ||
		!slices.Contains([]string{"one", "two"}, all[0].Preset) || all[0].Preset == all[1].Preset || h.Calls() != 16 {
		t.Errorf("%+v, %d calls", all, h.Calls())
	}
	for _, c := range clients {
		testkit.Must(t, c.Close())
	}
	testkit.Must(t, testkit.Eventually(10*time.Second, func() bool {
		return opened.Load() == 0 && len(h.Sessions()) == 0
	}))
	if h.Calls() != 16 {
		t.Errorf("%d calls", h.Calls())
	}
}

// A host's roots are asked for on the stream of the call, so that it needs no other.
func TestRootsOverHTTP(t *testing.T) {
	var opened atomic.Int64
	_, url := overHTTP(t, func(o *HTTPOptions) { o.New = bindable(t, &opened) })
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{})
	client.AddRoots(&mcp.Root{URI: "file:///rooted"})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url,
		DisableStandaloneSSE: true}, nil)
	testkit.Must(t, err)
	defer session.Close()
	if got := envelopeOf(t, session, "get_document_symbols", map[string]any{"file_path": "rooted.w"}); !got.OK {
		t.Errorf("%+v", got)
	}
}

// Of several folders that are bound at once a session gets one.
func TestBindingAtOnce(t *testing.T) {
	var opened atomic.Int64
	_, url := overHTTP(t, func(o *HTTPOptions) { o.New = bindable(t, &opened) })
	c := dial(t, url, nil)
	var bound atomic.Int64
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if envelopeOf(t, c, "bind_workspace", map[string]any{"cwd": fmt.Sprintf("/n%d", i)}).OK {
				bound.Add(1)
			}
		})
	}
	all.Wait()
	if bound.Load() != 1 || opened.Load() != 1 {
		t.Errorf("%d were bound, %d opened", bound.Load(), opened.Load())
	}
}

// bind_workspace is there over HTTP alone.
func TestBindWorkspaceIsOfHTTP(t *testing.T) {
	lists := map[bool][]string{}
	for _, binds := range []bool{false, true} {
		settings := session.Settings{Binds: binds, Allow: []string{"hover"}}
		for _, tool := range Descriptions(&settings) {
			lists[binds] = append(lists[binds], tool.Name)
		}
	}
	// lspi itself, whatever the lists say
	about := []string{"hover", "get_current_config", "list_servers", "get_server_status"}
	if !slices.Equal(lists[false], about) || !slices.Equal(lists[true], append(about, "bind_workspace")) {
		t.Errorf("%v", lists)
	}
	session := connect(t, ServiceOptions{Open: func(context.Context, []string) (*session.Session, error) {
		return toolstest.Open(t, testkit.Project(t, nil)), nil
	}}, nil)
	got := envelopeOf(t, session, "bind_workspace", map[string]any{"cwd": "/one"})
	if got.Error.Data.Reason.Kind != contract.KindToolDisabled || len(got.NextSteps) != 1 ||
		got.NextSteps[0].Tool != "get_current_config" { // no key of the configuration brings it
		t.Errorf("%+v", got)
	}
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// asked is a request as a test writes it.
func asked(t *testing.T, method, url, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	testkit.Must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	testkit.Must(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	testkit.Must(t, err)
	return resp.StatusCode, resp.Header, string(raw)
}

// What is not as the transport has it is refused, and begins no session.
func TestMalformedOverHTTP(t *testing.T) {
	h, url := overHTTP(t, func(*HTTPOptions) {})
	status, header, _ := asked(t, http.MethodPost, url, hello)
	id := header.Get(sessionHeader)
	if status != http.StatusOK || len(id) < 26 {
		t.Fatalf("%d %v", status, header)
	}
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for _, c := range []struct {
		name, method, body string
		header             []string
		status             int
	}{
		{"a ping", "POST", ping, []string{sessionHeader, id}, 200},
		{"no session", "POST", ping, nil, 400},
		{"an empty session", "POST", ping, []string{sessionHeader, ""}, 400},
		{"an unknown session", "POST", ping, []string{sessionHeader, "guessed"}, 404},
		{"a stream of no session", "GET", "", nil, 400},
		{"a stream of an unknown session", "GET", "", []string{sessionHeader, "guessed"}, 404},
		{"the end of no session", "DELETE", "", nil, 400},
		{"the end of an unknown session", "DELETE", "", []string{sessionHeader, "guessed"}, 404},
		{"another method", "PUT", ping, []string{sessionHeader, id}, 405},
		{"what browsers ask before", "OPTIONS", "", nil, 405},
		{"HEAD", "HEAD", "", nil, 405},
		{"no JSON", "POST", "{{{{", nil, 400},
		{"no JSON in a session", "POST", "\x00\xff", []string{sessionHeader, id}, 400},
		{"nothing", "POST", "", nil, 400},
		{"JSON that is no message", "POST", `{"a":1}`, []string{sessionHeader, id}, 400},
		{"two messages", "POST", ping + ping, []string{sessionHeader, id}, 400},
		{"a batch", "POST", "[" + hello + "," + hello + "]", nil, 400},
		{"a batch in a session", "POST", "[" + ping + "]", []string{sessionHeader, id}, 400},
		{"an empty batch", "POST", "[]", []string{sessionHeader, id}, 400},
		{"deep nesting", "POST", strings.Repeat("[", 1<<20), nil, 400},
		{"a handshake that is a notification", "POST", strings.Replace(hello, `"id":1,`, "", 1), nil, 400},
		{"a long handshake", "POST", strings.Replace(hello, `"x"`, `"`+strings.Repeat("x", 1<<20)+`"`, 1), nil, 413},
		{"discovery of 2026-07-28", "POST", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`, nil,
			400},
		{"text", "POST", ping, []string{sessionHeader, id, "Content-Type", "text/plain"}, 415},
		{"a form", "POST", ping, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{"JSON with a charset", "POST", ping, []string{sessionHeader, id, "Content-Type",
			"application/json; charset=utf-8"}, 200},
		{"accepts JSON only", "POST", ping, []string{sessionHeader, id, "Accept", "application/json"}, 406},
		{"accepts everything", "POST", ping, []string{sessionHeader, id, "Accept", "*/*"}, 200},
		{"an unknown version", "POST", ping, []string{sessionHeader, id, "Mcp-Protocol-Version", "1999-01-01"}, 400},
		{"an unknown method", "POST", `{"jsonrpc":"2.0","id":3,"method":"no/such"}`, []string{sessionHeader, id}, 400},
	} {
		status, header, body := asked(t, c.method, url, c.body, c.header...)
		if status != c.status || (status == 405) != (header.Get("Allow") == "GET, POST, DELETE") {
			t.Errorf("%s: %d %v %s", c.name, status, header, body)
		}
		if n := len(h.Sessions()); n != 1 {
			t.Fatalf("%s: %d sessions", c.name, n)
		}
	}
	// Parameters that the SDK cannot decode are an envelope here, too.
	call := `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"hover","arguments":{},"_meta":7}}`
	if status, _, body := asked(t, http.MethodPost, url, call, sessionHeader, id); status != 200 ||
		!strings.Contains(body, "invalid_argument") {
		t.Errorf("%d %s", status, body)
	}
	if status, _, _ := asked(t, http.MethodDelete, url, "", sessionHeader, id); status != http.StatusNoContent ||
		len(h.Sessions()) != 0 {
		t.Errorf("%d, and %d sessions", status, len(h.Sessions()))
	}
	if status, _, _ := asked(t, http.MethodPost, url, ping, sessionHeader, id); status != http.StatusNotFound {
		t.Errorf("%d behind the end", status)
	}
}

// A thousand handshakes make as many sessions as there may be, and cost no more memory.
func TestThousandSessions(t *testing.T) {
	var live atomic.Int64
	h, url := overHTTP(t, func(o *HTTPOptions) {
		o.New = func() (ServiceOptions, func()) {
			live.Add(1)
			return ServiceOptions{Log: slog.New(slog.DiscardHandler)}, func() { live.Add(-1) }
		}
	})
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	begun, refused := 0, 0
	var first uint64
	for i := range 1000 {
		status, header, body := asked(t, http.MethodPost, url, hello)
		switch {
		case status == http.StatusOK && header.Get(sessionHeader) != "":
			begun++
		case status == http.StatusServiceUnavailable && header.Get("Retry-After") != "":
			refused++
		default:
			t.Fatalf("%d %v %s", status, header, body)
		}
		if i == 100 {
			first = heap()
		}
	}
	if begun != 8 || refused != 992 || live.Load() != 8 || len(h.Sessions()) != 8 {
		t.Errorf("%d begun, %d refused, %d services, %d sessions", begun, refused, live.Load(), len(h.Sessions()))
	}
	if grown := int64(heap()) - int64(first); grown > 4<<20 {
		t.Errorf("900 refusals cost %d bytes", grown)
	}
	h.Close()
	if live.Load() != 0 {
		t.Errorf("%d services are left", live.Load())
	}
	if status, _, _ := asked(t, http.MethodPost, url, hello); status != http.StatusServiceUnavailable {
		t.Errorf("%d behind the end", status)
	}
}

// Handshakes that come at once do not pass the limit, nor do those that fail keep a place.
func TestSessionsAtOnce(t *testing.T) {
	h, url := overHTTP(t, func(*HTTPOptions) {})
	for range 20 {
		if status, _, body := asked(t, http.MethodPost, url, strings.Replace(hello, `"capabilities":{}`,
			`"capabilities":7`, 1)); status == http.StatusServiceUnavailable {
			t.Fatalf("%d %s", status, body)
		}
	}
	if n := len(h.Sessions()); n != 0 {
		t.Errorf("%d sessions of handshakes that failed", n)
	}
	var all sync.WaitGroup
	var begun atomic.Int64
	for range 50 {
		all.Go(func() {
			if status, _, _ := asked(t, http.MethodPost, url, hello); status == http.StatusOK {
				begun.Add(1)
			}
		})
	}
	all.Wait()
	if begun.Load() != 8 {
		t.Errorf("%d sessions", begun.Load())
	}
}

// A session ends that nobody asks about; one whose client listens stays.
func TestIdleSessions(t *testing.T) {
	var ended atomic.Int64
	h, url := overHTTP(t, func(o *HTTPOptions) {
		o.Idle = time.Second // long enough for the stream to open
		o.New = func() (ServiceOptions, func()) {
			return ServiceOptions{Log: slog.New(slog.DiscardHandler)}, func() { ended.Add(1) }
		}
	})
	listening := dial(t, url, nil)
	_, header, _ := asked(t, http.MethodPost, url, hello)
	testkit.Must(t, testkit.Eventually(10*time.Second, func() bool {
		return ended.Load() == 1 && len(h.Sessions()) == 1
	}))
	if status, _, _ := asked(t, http.MethodGet, url, "", sessionHeader,
		header.Get(sessionHeader)); status != http.StatusNotFound {
		t.Errorf("the session that ended: %d", status)
	}
	testkit.Must(t, listening.Ping(t.Context(), nil))
}

// The calls under way are answered before the end, when there is time for it, and cancelled when there is none.
func TestEndOverHTTP(t *testing.T) {
	for _, patient := range []bool{true, false} {
		begun, goOn := make(chan struct{}), make(chan struct{})
		h, url := overHTTP(t, func(o *HTTPOptions) {
			o.New = func() (ServiceOptions, func()) {
				return ServiceOptions{Log: slog.New(slog.DiscardHandler),
					Open: func(ctx context.Context, _ []string) (*session.Session, error) {
						close(begun)
						select {
						case <-goOn:
							return nil, contract.Errorf(contract.KindWorkspaceNotFound, contract.Facts{"from": "here"},
								"there is none")
						case <-ctx.Done():
							return nil, context.Cause(ctx)
						}
					}}, func() {}
			}
		})
		c := dial(t, url, nil)
		kind := make(chan contract.Kind, 1)
		go func() {
			defer close(kind)
			kind <- envelopeOf(t, c, "find_definition", anyPosition).Error.Data.Reason.Kind
		}()
		<-begun
		ctx, cancel := context.WithCancelCause(t.Context())
		if !patient {
			cancel(errors.New("no time"))
		}
		finished := make(chan struct{})
		go func() {
			h.Finish(ctx)
			h.Close()
			close(finished)
		}()
		want := contract.KindCancelled
		if patient {
			want = contract.KindWorkspaceNotFound
			close(goOn)
		}
		if got := <-kind; got != want {
			t.Errorf("patient is %v, and the call ends with %s", patient, got)
		}
		<-finished
		cancel(nil)
	}
}
