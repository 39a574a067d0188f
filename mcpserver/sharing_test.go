package mcpserver

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/catalogue"
	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/lsp/spec"
	"lspi/pool"
	"lspi/router"
	"lspi/workspace"
)

// Two hosts of one process over one workspace: rights, caps and what was told once are each host's own, and the server that the first
// has started answers the second. It ends with the last of them.
func TestTwoSessionsOverOneWorkspace(t *testing.T) {
	dir := testkit.Project(t, map[string]string{"a.w": strings.Repeat("def alpha\n", 100)})
	process := sessions.NewProcess(t)
	table := &router.Table{Workspace: dir, Specs: []spec.Spec{sessions.Fake(t, "words", `{"language":"words"}`)}}
	open := func(ctx context.Context) (*workspace.Workspace, error) {
		return process.Open("the same servers", table, pool.Options{Launcher: catalogue.Launcher})
	}
	var opened []*workspace.Session
	host := func(settings workspace.Settings) *mcp.ClientSession {
		settings.Warnings = []contract.Warning{{Kind: contract.WarnConfig, Message: "look at this"}}
		return connect(t, ServiceOptions{Settings: settings, Log: slog.New(slog.DiscardHandler),
			Open: func(ctx context.Context, _ []string) (*workspace.Session, error) {
				w, err := open(ctx)
				session := &workspace.Session{Workspace: w, Settings: settings}
				opened = append(opened, session)
				return session, err
			}}, nil)
	}
	sizes := map[bool]int{}
	for _, readOnly := range []bool{true, false} {
		settings := workspace.Settings{ReadOnly: readOnly}
		if readOnly {
			settings.MaxChars = 600
		}
		session := host(settings)
		list, err := session.ListTools(t.Context(), nil)
		testkit.Must(t, err)
		if slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "rename_symbol" }) == readOnly {
			t.Errorf("read-only is %v, and tools/list has the wrong tools", readOnly)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_document_symbols", Arguments: map[string]any{"file_path": "a.w"}})
		testkit.Must(t, err)
		raw, _ := json.Marshal(result.StructuredContent)
		if result.IsError || !strings.Contains(string(raw), "look at this") {
			t.Errorf("read-only is %v, and the first answer is %s", readOnly, raw)
		}
		sizes[readOnly] = len(raw)
		renamed := envelopeOf(t, session, "rename_symbol", map[string]any{"file_path": "a.w", "symbol_name": "alpha", "new_name": "beta", "line": 1})
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
	(&workspace.Session{Workspace: next}).Close()
}
