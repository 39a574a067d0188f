//go:build unix

package mcpclient_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
	"lspi/mcpclient"
)

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
