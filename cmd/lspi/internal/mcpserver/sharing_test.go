//go:build unix

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// Two hosts of one process over one workspace: rights, caps and what was told once are each host's own, and the
// server that the first has started answers the second. It ends with the last of them.
func TestTwoSessionsOverOneWorkspace(t *testing.T) {
	dir := testkit.Project(t, map[string]string{"a.w": strings.Repeat("def alpha\n", 100)})
	process := toolstest.NewProcess(t)
	table := &router.Table{Workspace: dir, Specs: []spec.Spec{toolstest.Fake(t, "words", `{"language":"words"}`)}}
	open := func(ctx context.Context) (*session.Workspace, error) {
		return process.Open("the same servers", table, router.PoolOptions{Launcher: servers.Launcher})
	}
	var opened []*session.Session
	host := func(settings session.Settings) *mcp.ClientSession {
		settings.Warnings = []contract.Warning{{Kind: contract.WarnConfig, Message: "look at this"}}
		return connect(t, ServiceOptions{Settings: settings, Log: slog.New(slog.DiscardHandler),
			Open: func(ctx context.Context, _ []string) (*session.Session, error) {
				w, err := open(ctx)
				session := &session.Session{Workspace: w, Settings: settings}
				opened = append(opened, session)
				return session, err
			}}, nil)
	}
	sizes := map[bool]int{}
	for _, readOnly := range []bool{true, false} {
		settings := session.Settings{ReadOnly: readOnly}
		if readOnly {
			settings.MaxChars = 600
		}
		session := host(settings)
		list, err := session.ListTools(t.Context(), nil)
		testkit.Must(t, err)
		if slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool {
			return tool.Name == "rename_symbol"
		}) == readOnly {
			t.Errorf("read-only is %v, and tools/list has the wrong tools", readOnly)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_document_symbols",
			Arguments: map[string]any{"file_path": "a.w"}})
		testkit.Must(t, err)
		raw, _ := json.Marshal(result.StructuredContent)
		if result.IsError || !strings.Contains(string(raw), "look at this") {
			t.Errorf("read-only is %v, and the first answer is %s", readOnly, raw)
		}
		sizes[readOnly] = len(raw)
		renamed := envelopeOf(t, session, "rename_symbol", map[string]any{"file_path": "a.w", "symbol_name": "alpha",
			"new_name": "beta", "line": 1})
		if kind := renamed.Error.Data.Reason.Kind; (kind == contract.KindReadOnly) != readOnly {
			t.Errorf("read-only is %v, and a rename has the error %q", readOnly, kind)
		}
	}
	if sizes[true] > 700 || sizes[false] < 1000 {
		t.Errorf("the answers have %v bytes", sizes)
	}
	w := opened[0].Workspace
	running := w.Pool.Running()
	if opened[1].Workspace != w || len(running) != 1 || w.Pool.Status()[0].Restarts != 0 {
		t.Fatalf("%d servers run; the sessions have one workspace: %v", len(running), opened[1].Workspace == w)
	}
	opened[0].Close()
	if running[0].Closed() {
		t.Error("the server ended with the first session")
	}
	opened[1].Close()
	if !running[0].Closed() {
		t.Error("the server runs on behind the last session")
	}
	next, err := open(t.Context())
	if err != nil || next == w {
		t.Fatalf("opened again: the workspace whose servers have ended: %v, %v", next == w, err)
	}
	(&session.Session{Workspace: next}).Close()
}

// Ten hosts at once shake hands, ask and leave, in whatever order comes, some with another configuration of the
// tools or of another server: one process answers all of them, and none is left in the end.
func TestTenHostsHaveOneServer(t *testing.T) {
	dir := testkit.Project(t, map[string]string{"a.w": "def alpha\n"})
	process := toolstest.NewProcess(t)
	process.Linger = time.Hour
	script, err := lsptest.Parse([]byte(`{"language":"words"}`))
	testkit.Must(t, err)
	program := lsptest.NewProgram(t, script)
	visit := func(host int) {
		key := fmt.Sprint("configuration ", host%3)
		table := &router.Table{Workspace: dir, Specs: []spec.Spec{toolstest.Scripted("words", program),
			{ID: "other", Languages: []spec.Language{{ID: "other", Extensions: []string{"o"}}},
				Settings: map[string]any{"of": host % 3}}}}
		service := NewService(ServiceOptions{Log: slog.New(slog.DiscardHandler),
			Open: func(context.Context, []string) (*session.Session, error) {
				w, err := process.Open(key, table, router.PoolOptions{Launcher: servers.Launcher})
				return &session.Session{Workspace: w}, err
			}})
		here, there := mcp.NewInMemoryTransports()
		served := make(chan error, 1)
		go func() { served <- service.Run(t.Context(), here) }()
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there,
			nil)
		if err != nil {
			t.Error(err)
			return
		}
		for range 1 + host%3 {
			result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_definition",
				Arguments: map[string]any{"file_path": "a.w", "symbol_name": "alpha"}})
			if err != nil || result.IsError {
				t.Errorf("host %d: %v, %+v", host, err, result)
			}
		}
		service.Close(errors.New("the host leaves"))
		_ = client.Close()
		<-served
	}
	for range testkit.Times(1, 3) {
		var hosts sync.WaitGroup
		for host := range 10 {
			hosts.Go(func() { visit(host) })
		}
		hosts.Wait()
	}
	var pids []int
	for _, e := range program.Seen(t) {
		if e.Kind == lsptest.EventStart {
			pids = append(pids, e.PID)
		}
	}
	if status := process.Status(); len(pids) != 1 || len(status) != 1 || status[0].Sessions != 0 ||
		len(status[0].Servers) != 1 {
		t.Errorf("processes %v, open %+v", pids, status)
	}
	process.Close()
	for _, pid := range pids {
		testkit.Wait(t, "its end", func() bool { return syscall.Kill(pid, 0) != nil })
	}
}

// What a host has a server for alone is free as soon as it leaves, however long the server would still take for it.
func TestAHostThatLeavesFreesTheServer(t *testing.T) {
	dir := testkit.Project(t, map[string]string{"a.w": "def alpha\n"})
	process := toolstest.NewProcess(t)
	script, err :=
		lsptest.Parse(
			[]byte(`{"language":"words","rules":[{"method":"textDocument/diagnostic","nth":2,"actions":[{"hang":true}]}]}`))
	testkit.Must(t, err)
	program := lsptest.NewProgram(t, script)
	host := func(key string) (*Service, *mcp.ClientSession) {
		service := NewService(ServiceOptions{Log: slog.New(slog.DiscardHandler),
			Open: func(context.Context, []string) (*session.Session, error) {
				w, err := process.Open(key,
					&router.Table{Workspace: dir, Specs: []spec.Spec{toolstest.Scripted("words", program)}},
					router.PoolOptions{Launcher: servers.Launcher})
				return &session.Session{Workspace: w}, err
			}})
		here, there := mcp.NewInMemoryTransports()
		go func() { _ = service.Run(t.Context(), here) }()
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there,
			nil)
		testkit.Must(t, err)
		t.Cleanup(func() { service.Close(errors.New("over")); _ = client.Close() })
		return service, client
	}
	leaves, first := host("first")
	_, second := host("second")
	symbols := &mcp.CallToolParams{Name: "get_document_symbols", Arguments: map[string]any{"file_path": "a.w"}}
	// which shares the server from now on
	if result, err := second.CallTool(t.Context(), symbols); err != nil || result.IsError {
		t.Fatalf("%v, %+v", err, result)
	}
	var calls sync.WaitGroup
	calls.Go(func() {
		_, _ = first.CallTool(t.Context(),
			&mcp.CallToolParams{Name: "check_edit",
				Arguments: map[string]any{"edits": []any{map[string]any{"file_path": "a.w", "old_text": "alpha",
					"new_text": "beta"}}}})
	})
	testkit.Wait(t, "the trial", func() bool {
		return len(lsptest.Messages(program.Seen(t), "textDocument/diagnostic")) == 2
	})
	busy, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if result, err := second.CallTool(busy, symbols); err == nil && !result.IsError {
		t.Errorf("asked within the trial: %+v", result)
	}
	leaves.Close(errors.New("the host leaves"))
	result, err := second.CallTool(t.Context(), symbols)
	if raw, _ := json.Marshal(result); err != nil || result.IsError || !strings.Contains(string(raw), "alpha") ||
		strings.Contains(string(raw), "beta") {
		t.Errorf("%v, %s", err, raw)
	}
	calls.Wait()
}
