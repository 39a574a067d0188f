//go:build linux

package faults

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"lspi/internal/mcptest"
	"lspi/internal/testkit"
)

// mcpFlood is an MCP server that sends far too much before or as its answer, the first time.
type mcpFlood struct {
	*fault
	script mcptest.Script
	wants  string // the shape of the answer
	limit  int    // MB by which lspi's resident memory may grow at its peak
}

func mcpFloods(name string, limit int, wants string, flood func(*mcptest.Conn, mcptest.Message)) mcpFlood {
	return mcpFlood{&fault{group: groupMemory, name: name + ", at the peak", servers: []string{scripted},
		nightly: testkit.Raced}, once(flood), wants, limit}
}

// maxMCPMessage is the largest message of an MCP server that is read, in MB.
const maxMCPMessage = 16

// A message is read up to its limit and thrown away behind it; one that is just small enough is held several times:
// as it came, decoded, and cut. Seen: 0, 8, 0, 86 to 122, and 44 to 59 MB.
var memoryFloodsMCP = []mcpFlood{
	mcpFloods("an MCP server sends 100,000 log messages", 24, mcpRight, func(c *mcptest.Conn, m mcptest.Message) {
		for i := range 100_000 {
			c.Notify("notifications/message", fmt.Sprintf(`{"level":"info","data":"message %d"}`, i))
		}
		c.Result(m, mcpAnswer)
	}),
	mcpFloods("an MCP server sends 100 MB of progress", 32, mcpRight, func(c *mcptest.Conn, m mcptest.Message) {
		message := strings.Repeat("x", 1<<20)
		for i := range 100 {
			c.Notify("notifications/progress", fmt.Sprintf(`{"progressToken":1,"progress":%d,"message":%q}`, i,
				message))
		}
		c.Result(m, mcpAnswer)
	}),
	mcpFloods("an MCP server writes 100 MB to stderr", 16, mcpRight, func(c *mcptest.Conn, m mcptest.Message) {
		line := []byte(strings.Repeat("x", 1<<10) + "\n")
		for range 100 << 10 {
			_, _ = os.Stderr.Write(line)
		}
		c.Result(m, mcpAnswer)
	}),
	mcpFloods("an MCP server answers with 15 MB", 250, "cut", func(c *mcptest.Conn, m mcptest.Message) {
		c.Result(m, `{"content":[{"type":"text","text":"`+strings.Repeat("x", (maxMCPMessage-1)<<20)+`"}]}`)
	}),
	mcpFloods("an MCP server answers with 50 MB", 100, mcpRefused, func(c *mcptest.Conn, m mcptest.Message) {
		c.Result(m, `{"content":[{"type":"text","text":"`+strings.Repeat("x", 50<<20)+`"}]}`)
	}),
}

func init() {
	for _, f := range memoryFloodsMCP {
		mcpScripts[f.name] = f.script
	}
}

// lspi bounds the memory for a flood of an MCP server while it lasts, as for one of a language server.
func TestMCPFloodMemory(t *testing.T) {
	for _, f := range memoryFloodsMCP {
		t.Run(f.name, func(t *testing.T) {
			f.in(t, scripted, func(c *cell) {
				r := withMCP(c, f.name, testkit.TempDir(c), callTime)
				r.mcpList(c)
				r.mcpOthers(c)
				before := peak(c, r.Cmd.Process.Pid)
				got, _ := mcpShape(c, r.start("bad__echo", map[string]any{}))
				grown := peak(c, r.Cmd.Process.Pid) - before
				c.measured()
				if strings.Contains(got, "xxx") { // and not as long as it was sent: a host shows less
					got = "cut"
				}
				c.says("less than %d MB more; %s", f.limit, got)
				if grown >= f.limit && !testkit.Raced {
					c.breaks("%d MB more", grown)
				}
				if got != f.wants {
					c.breaks("the answer is %s", got)
				}
				if got, _ := mcpShape(c, r.start("bad__echo", map[string]any{})); got != mcpRight {
					c.breaks("the next answer is %s", got)
				}
				r.mcpOthers(c)
			})
		})
	}
}
