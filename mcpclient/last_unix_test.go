//go:build unix

package mcpclient_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
	"lspi/mcpclient"
	"lspi/mcpclient/mcptest"
)

// lastWords is a server that waits for several calls, answers them all, and is gone.
func lastWords(c *mcptest.Conn) {
	var held []mcptest.Message
	with(mcptest.Handlers{"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
		switch mcptest.ToolName(m) {
		case "echo":
			c.Result(m, `{"content":[]}`)
			return
		case "more":
			return
		}
		if held = append(held, m); len(held) < 20 {
			return
		}
		var all []string
		for _, m := range held {
			all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, m.ID, strings.Repeat("x", 2000)))
		}
		c.Line(strings.Join(all, "\n"))
		os.Exit(0)
	}}).Serve(c)
}

// What a server has answered before it ends counts.
func TestLastWords(t *testing.T) { eachWay(t, testLastWords) }

func testLastWords(t *testing.T) {
	for range 20 {
		c := program(t, "last words", func(_ *spec, _ *host, o *opts) { o.InFlight = 2000 })
		testkit.Must(t, echo(t.Context(), c))
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if _, err := callTool(t.Context(), c, mcpclient.Call{Name: "held"}); err != nil {
					t.Error(err)
				}
			})
		}
		for range 1000 { // of which some may find that nobody reads any more
			c.Start(mcpclient.Call{Name: "more"}, func(*mcpclient.Result[mcp.CallToolResult], error) {})
			runtime.Gosched()
		}
		all.Wait()
		c.Close()
	}
}
