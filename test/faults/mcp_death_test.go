//go:build linux

package faults

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"lspi/internal/testkit"
)

var mcpMortal = &fault{group: groupMCP, name: "an MCP server ends right after each handshake",
	servers: []string{scripted}}

// mcpTries is how often a server is started that fails each time, before it is left alone.
const mcpTries = 3

// lspi starts an MCP server that always ends after its handshake three times, each time after a longer pause, and then
// leaves it alone: calls fail at once and say when it may be tried again. Calls of other servers do not wait for it.
func TestMCPDiesEachTime(t *testing.T) {
	mcpMortal.in(t, scripted, func(c *cell) {
		own := testkit.TempDir(c)
		r := withMCP(c, mcpMortal.name, own, 30*time.Second)
		starts := func() int { raw, _ := os.ReadFile(own + "/bad"); return len(raw) }
		c.again()
		r.mcpList(c)
		died := func() (retryAfter int) {
			call := r.start("bad__echo", map[string]any{})
			var got struct {
				StructuredContent struct {
					Error struct {
						Data struct {
							Reason mcpReason `json:"lspi_error"`
						}
					}
				}
			}
			raw := call.Wait(c)
			c.inTimeOf(time.Since(call.Began), callSlack)
			reason := mcpReason{}
			if json.Unmarshal(raw, &got) == nil {
				reason = got.StructuredContent.Error.Data.Reason
			}
			if reason.Kind != "mcp_server_unavailable" || reason.Reason != "died" {
				c.breaks("the answer is %.300s", raw)
			}
			return reason.RetryAfter
		}
		r.mcpOthers(c)
		calls := 1
		for died() == 0 {
			if calls++; calls > mcpTries+1 { // each call starts it, but for one that finds another start under way
				c.Fatalf("it is not left alone after %d starts", starts())
			}
		}
		c.says("mcp_server_unavailable (died); left alone after %d starts", starts())
		if starts() != mcpTries {
			c.breaks("it was started %d times", starts())
		}
		r.mcpOthers(c)
		if died() == 0 || starts() != mcpTries {
			c.breaks("the call after that has no retry_after_ms, or started it again")
		}
		c.measured()
		all := r.servers()
		r.Close()
		if rest := left(all, endTime+endSlack); len(rest) > 0 {
			c.breaks("left: %v", rest)
		}
	})
}
