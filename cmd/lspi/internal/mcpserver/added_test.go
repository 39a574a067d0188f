package mcpserver

//lint:file-ignore SA1019 log messages are deprecated since 2026-07-28, and what the hosts of today have.

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/mcptest"
	"lspi/internal/testkit"
	"lspi/tools/session"
)

// A host that began without other MCP servers hears of the tools and prompts of one that is added.
func TestServerAddedLater(t *testing.T) {
	changed := make(chan struct{}, 100)
	host := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler:   func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { changed <- struct{}{} },
	})
	path, env := mcptest.Program("asks")
	settings := session.Settings{
		MCPServers: []session.MCPServer{{MCPSpec: session.MCPSpec{ID: "fake", Command: path, Env: env,
			Environ: os.Environ()}}}}
	session, service := servingWith(t, host, ServiceOptions{Listing: func() (session.Settings, error) {
		return settings, nil
	}})
	if declared := session.InitializeResult().Capabilities; declared.Prompts == nil || !declared.Prompts.ListChanged ||
		declared.Logging == nil || declared.Completions == nil {
		t.Fatalf("declared are %+v", declared)
	}
	lists := func() (tools, prompts int) {
		listed, err := session.ListTools(t.Context(), nil)
		testkit.Must(t, err)
		for _, tool := range listed.Tools {
			if _, ok := IsOthers(&settings, tool.Name); ok {
				tools++
			}
		}
		got, err := session.ListPrompts(t.Context(), nil)
		testkit.Must(t, err)
		return tools, len(got.Prompts)
	}
	if tools, prompts := lists(); tools+prompts != 0 {
		t.Errorf("at first there are %d tools and %d prompts", tools, prompts)
	}
	testkit.Must(t, session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}))
	service.Refresh()
	for tools, prompts := 0, 0; tools != 2 || prompts != 1; tools, prompts = lists() {
		select {
		case <-changed:
		case <-time.After(testkit.Patience):
			t.Fatalf("the host hears of %d tools and %d prompts", tools, prompts)
		}
	}
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fake__log"})
	testkit.Must(t, err)
	testkit.Equal(t, textOf(got), `{"level":"info"}`, "the level that was set before")
	_, err = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "fake__broken"})
	if err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("the server's answer about a prompt is %v", err)
	}
}
