package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/mcptest"
	"lspi/internal/testkit"
	"lspi/tools/session"
)

// toolsOfEnvironment is a server with the tools that LSPI_TOOLS names, which answer LSPI_ROUND. It gives no list
// while there is the file LSPI_SLOW.
func toolsOfEnvironment(c *mcptest.Conn) {
	mcptest.Handlers{
		"tools/list": func(c *mcptest.Conn, m mcptest.Message) {
			_ = testkit.Eventually(10*testkit.Patience, func() bool {
				_, err := os.Stat(os.Getenv("LSPI_SLOW"))
				return err != nil
			})
			var list []string
			for _, name := range strings.Fields(os.Getenv("LSPI_TOOLS")) {
				list = append(list, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
			}
			c.Result(m, `{"tools":[`+strings.Join(list, ",")+`]}`)
		},
		"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
			text, _ := json.Marshal(os.Getenv("LSPI_ROUND"))
			c.Result(m, `{"content":[{"type":"text","text":`+string(text)+`}]}`)
		},
	}.Serve(c)
}

// A server that is started anew, because its table has changed, is listed with its tools of before until its own
// list comes: a host hears of a change when there is one, once.
func TestServerIsReplaced(t *testing.T) {
	path, env := mcptest.Program("tools of the environment")
	wanted := func(tools, round string, args ...string) session.Settings {
		with := maps.Clone(env)
		with["LSPI_TOOLS"], with["LSPI_ROUND"] = tools, round
		return session.Settings{MaxChars: 100_000,
			MCPServers: []session.MCPServer{{MCPSpec: session.MCPSpec{ID: "fake", Command: path, Args: args, Env: with,
				Environ: os.Environ()}}}}
	}
	now := wanted("one two", "round-1")
	told := make(chan struct{}, 100)
	host := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
	})
	client, service := servingWith(t, host, ServiceOptions{Settings: now, listWait: forEver,
		Listing: func() (session.Settings, error) {
			return now, nil
		}})
	testkit.Equal(t, othersListed(t, client), "fake__one fake__two", "at first")
	changes := func() int64 {
		service.list.mu.RLock()
		defer service.list.mu.RUnlock()
		return service.list.changes
	}
	before := changes() // of which the host may hear beside the list that it has just read
	change := func(to session.Settings, round string) {
		now = to
		service.Refresh()
		got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "fake__one"})
		testkit.Must(t, err)
		testkit.Equal(t, textOf(got), round, "the server that was called")
	}
	change(wanted("one two", "round-2"), "round-2")
	testkit.Equal(t, othersListed(t, client), "fake__one fake__two", "with another environment")
	change(wanted("one two", "round-3", "another", "argument"), "round-3")
	testkit.Equal(t, othersListed(t, client), "fake__one fake__two", "with other arguments")
	testkit.Equal(t, changes(), before, "a list that is the same at the end is no news")

	change(wanted("one three", "round-4"), "round-4")
	for othersListed(t, client) != "fake__one fake__three" {
		<-told
	}
	now = session.Settings{}
	service.Refresh()
	for othersListed(t, client) != "" {
		<-told
	}
}

// The lists of a server that was another program do not stand in longer than a list waits; those of the same one
// do, as lists of an earlier time.
func TestListsOfAnotherProgramEnd(t *testing.T) {
	path, env := mcptest.Program("tools of the environment")
	mark := t.TempDir() + "/slow"
	env["LSPI_TOOLS"], env["LSPI_SLOW"] = "one", mark
	spec := session.MCPSpec{ID: "fake", Command: path, Env: env, Environ: os.Environ()}
	now := session.Settings{MaxChars: 100_000, MCPServers: []session.MCPServer{{MCPSpec: spec}}}
	told := make(chan struct{}, 100)
	host := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
	})
	opened, service := servingWith(t, host, ServiceOptions{Settings: now, Listing: func() (session.Settings, error) {
		return now, nil
	}})
	testkit.Equal(t, othersListed(t, opened), "fake__one", "at first")
	testkit.Write(t, mark, "")
	next := func(spec session.MCPSpec) {
		now = session.Settings{MaxChars: 100_000, MCPServers: []session.MCPServer{{MCPSpec: spec}}}
		service.Refresh()
	}
	spec.Env = maps.Clone(env)
	spec.Env["ANOTHER"] = "secret-value"
	next(spec)
	testkit.Equal(t, othersListed(t, opened), "fake__one", "of the same program")
	spec.Command += "-gone"
	next(spec)
	for othersListed(t, opened) != "" {
		<-told
	}
}
