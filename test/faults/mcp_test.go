//go:build linux

package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"lspi/internal/mcptest"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

const groupMCP = "Another MCP server behind lspi"

// mcpFault is what another MCP server does, whose id is bad; one that is well, good, stands beside it.
type mcpFault struct {
	*fault
	script string // of mcpScripts
	wants  string // the shape of the first answer
	second string // of the next one
}

func mcpServer(name, wants, second string) mcpFault {
	return mcpFault{&fault{group: groupMCP, name: name, servers: []string{scripted}}, name,
		wants, second}
}

// further is a row that runs with LSPI_FAULTS=all.
func further(f mcpFault) mcpFault {
	f.nightly = true
	return f
}

// limit is that of a call: short where it is waited for, else what a flood takes on a busy machine.
func (f mcpFault) limit() time.Duration {
	if f.wants == mcpTimedOut || f.wants == mcpNotStarted {
		return mcpLimit
	}
	return 30 * time.Second
}

// mcpLimit is how long a call may take that is not answered.
const mcpLimit = 2 * time.Second

// Shapes of answers.
const (
	mcpRight    = "right"
	mcpTimedOut = "mcp_server_timeout"
	mcpRefused  = "mcp_server_refused (bad_answer)"
	// What has not started, or not said its tools.
	mcpNotStarted = "mcp_server_unavailable (start_failed)"
	mcpAsText     = "the JSON that was sent, as text"
)

var mcpFaults = []mcpFault{
	mcpServer("an MCP server ends before the handshake", "mcp_server_unavailable (start_failed)",
		"mcp_server_unavailable (start_failed)"),
	mcpServer("an MCP server ends during the handshake", "mcp_server_unavailable (start_failed)",
		"mcp_server_unavailable (start_failed)"),
	mcpServer("an MCP server ends in a call", "mcp_server_unavailable (died)", mcpRight),
	mcpServer("an MCP server does not answer the handshake", mcpNotStarted, mcpNotStarted),
	mcpServer("an MCP server does not answer a list", mcpNotStarted, mcpNotStarted),
	mcpServer("an MCP server does not answer a call", mcpTimedOut, mcpRight),
	// as many say that the list has changed
	further(mcpServer("an MCP server sends 100,000 log messages before the answer", mcpRight, mcpRight)),
	mcpServer("an MCP server writes 100 MB to stderr before the answer", mcpRight, mcpRight),
	mcpServer("an MCP server prints lines of garbage before the answer", mcpRight, mcpRight),
	mcpServer("an MCP server answers with 50 MB", mcpRefused, mcpRight),
	mcpServer("an MCP server answers with content that is none", mcpAsText, mcpRight),
	mcpServer("an MCP server answers with another structure than its schema says", mcpRight, mcpRight),
	mcpServer("an MCP server lists schemas that are none", mcpRefused, mcpRefused),
	mcpServer("an MCP server says without end that its list has changed", mcpRight, mcpRight),
}

const mcpTools = `{"tools":[{"name":"echo","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`

const mcpNoContent = `{"content":[{"text":"right"},7,null]}`

const mcpAnswer = `{"content":[{"type":"text","text":"right"}]}`

// mcpHandlers answer correctly, except for the methods in more.
func mcpHandlers(more mcptest.Handlers) mcptest.Handlers {
	h := mcptest.Handlers{"tools/list": mcptest.Answer(mcpTools), "tools/call": mcptest.Answer(mcpAnswer)}
	for method, f := range more {
		h[method] = f
	}
	return h
}

// once does something in the first call of the life of a program, which is what file says, and answers rightly from
// then on.
func once(do func(c *mcptest.Conn, m mcptest.Message)) mcptest.Script {
	return func(c *mcptest.Conn) {
		mcpHandlers(mcptest.Handlers{"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
			f, err := os.OpenFile(os.Getenv("LSPI_FAULTS_ONCE"), os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				c.Result(m, mcpAnswer)
				return
			}
			_ = f.Close()
			do(c, m)
		}}).Serve(c)
	}
}

// mark adds a mark to the file of the program.
func mark() {
	if f, err := os.OpenFile(os.Getenv("LSPI_FAULTS_ONCE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString("x")
		_ = f.Close()
	}
}

func nothing(*mcptest.Conn, mcptest.Message) {}

// mcpScripts are what the servers do, by the names of the faults.
var mcpScripts = map[string]mcptest.Script{
	"good": mcpHandlers(nil).Serve,
	// never answers
	"counts": mcpHandlers(mcptest.Handlers{"tools/call": func(*mcptest.Conn, mcptest.Message) { mark() }}).Serve,
	mcpMortal.name: mcpHandlers(mcptest.Handlers{"notifications/initialized": func(*mcptest.Conn, mcptest.Message) {
		mark()
		os.Exit(3)
	}}).Serve,
	"an MCP server ends before the handshake": func(*mcptest.Conn) {},
	"an MCP server ends during the handshake": mcpHandlers(mcptest.Handlers{"initialize": func(*mcptest.Conn,
		mcptest.Message) {
		os.Exit(3)
	}}).Serve,
	"an MCP server ends in a call":                once(func(*mcptest.Conn, mcptest.Message) { os.Exit(3) }),
	"an MCP server does not answer the handshake": mcpHandlers(mcptest.Handlers{"initialize": nothing}).Serve,
	"an MCP server does not answer a list":        mcpHandlers(mcptest.Handlers{"tools/list": nothing}).Serve,
	"an MCP server does not answer a call":        once(nothing),
	"an MCP server sends 100,000 log messages before the answer": once(func(c *mcptest.Conn, m mcptest.Message) {
		for i := range 100_000 {
			c.Notify("notifications/message", fmt.Sprintf(`{"level":"info","data":"message %d"}`, i))
		}
		c.Result(m, mcpAnswer)
	}),
	"an MCP server writes 100 MB to stderr before the answer": once(func(c *mcptest.Conn, m mcptest.Message) {
		line := []byte(strings.Repeat("x", 1<<10) + "\n")
		for range 100 << 10 {
			_, _ = os.Stderr.Write(line)
		}
		c.Result(m, mcpAnswer)
	}),
	"an MCP server prints lines of garbage before the answer": once(func(c *mcptest.Conn, m mcptest.Message) {
		c.Line("Starting the server…\nsegfault? \x00\x01\n\n{\"a\":\n[]\n7")
		c.Result(m, mcpAnswer)
	}),
	"an MCP server answers with 50 MB": once(func(c *mcptest.Conn, m mcptest.Message) {
		c.Result(m, `{"content":[{"type":"text","text":"`+strings.Repeat("x", 50<<20)+`"}]}`)
	}),
	"an MCP server answers with content that is none": once(func(c *mcptest.Conn, m mcptest.Message) {
		c.Result(m, mcpNoContent)
	}),
	"an MCP server answers with another structure than its schema says": mcpHandlers(mcptest.Handlers{
		"tools/list": mcptest.Answer(
			`{"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["a"]}}]}`),
		"tools/call": mcptest.Answer(`{"content":[{"type":"text","text":"right"}],"structuredContent":[1,2]}`)}).Serve,
	"an MCP server lists schemas that are none": mcpHandlers(mcptest.Handlers{
		"tools/list": mcptest.Answer(
			`{"tools":[{"name":"echo","inputSchema":"none","outputSchema":7},{"name":7},null]}`)}).Serve,
	"an MCP server says without end that its list has changed": mcpHandlers(
		mcptest.Handlers{"notifications/initialized": func(c *mcptest.Conn, _ mcptest.Message) {
			go func() {
				for range 50_000 {
					c.Notify("notifications/tools/list_changed", "{}")
				}
			}()
		}}).Serve,
}

// listTime is what a list waits for a server that is slow.
const listTime = 2 * time.Second

// Whatever another MCP server does, tools/list is answered in time, calls of other servers are answered, and no process
// is left.
func TestMCPServers(t *testing.T) {
	for _, f := range mcpFaults {
		t.Run(f.name, func(t *testing.T) {
			f.in(t, scripted, func(c *cell) {
				r := withMCP(c, f.script, testkit.TempDir(c), f.limit())
				c.again()
				r.mcpList(c)
				wants := map[bool]string{true: f.wants, false: f.second}
				for _, first := range []bool{true, false} {
					call := r.start("bad__echo", map[string]any{})
					r.mcpOthers(c)
					got, took := mcpShape(c, call)
					c.says("%s", got)
					if got != wants[first] {
						c.breaks("the answer is %s, not %s", got, wants[first])
					}
					c.inTimeOf(took, f.limit()+callSlack)
				}
				c.measured()
				all := r.servers()
				r.Close()
				if rest := left(all, endTime+endSlack); len(rest) > 0 {
					c.breaks("left: %v", rest)
				}
			})
		})
	}
}

// withMCP starts lspi with a language server and two MCP servers: bad, which plays a script, and good. Each has a
// file in own of its id for what it wants to keep over its starts.
func withMCP(c *cell, script, own string, limit time.Duration) *running {
	c.Helper()
	var more strings.Builder
	for id, script := range map[string]string{"bad": script, "good": "good"} {
		path, env := mcptest.Program(script)
		fmt.Fprintf(&more, "[mcp_servers.%s]\ncommand = %q\ncall_timeout_ms = %d\nenv = {LSPI_FAULTS_ONCE = %q", id,
			path, limit.Milliseconds(), own+"/"+id)
		for name, value := range env {
			fmt.Fprintf(&more, ", %s = %q", name, value)
		}
		more.WriteString("}\n")
	}
	return wordsProject.run(c, callTime, entry{script: &lsptest.Script{Language: "words"}, quiet: true,
		more: more.String()})
}

var mcpShared = &fault{group: groupMCP, name: "the shared process is killed while an MCP server works on a call",
	servers: []string{scripted}}

// A call of an MCP server may have had effects when the shared process was killed: lspi does not repeat it, and tells
// the host that the outcome is unknown.
func TestMCPSharedKilled(t *testing.T) {
	mcpShared.in(t, scripted, func(c *cell) {
		calls := testkit.TempDir(c) + "/calls"
		path, env := mcptest.Program("counts")
		var more strings.Builder
		fmt.Fprintf(&more, "[mcp_servers.bad]\ncommand = %q\nenv = {LSPI_FAULTS_ONCE = %q", path, calls)
		for name, value := range env {
			fmt.Fprintf(&more, ", %s = %q", name, value)
		}
		more.WriteString("}\n")
		u := wordsProject.user(c, entry{project: wordsProject, script: &lsptest.Script{Language: "words"},
			more: more.String()})
		h := u.host(as{})
		p := u.sharedBy([]*host{h})
		call := h.start("bad__echo", map[string]any{})
		made := func() string { raw, _ := os.ReadFile(calls); return string(raw) }
		if err := testkit.Eventually(testkit.Patience, func() bool { return made() != "" }); err != nil {
			c.Fatal("the call was not made")
		}
		c.again()
		p.Kill()
		got, took := mcpShape(c, call)
		c.measured()
		c.says("%s", got)
		c.inTimeOf(took, callTime)
		u.right(h.call("find_references", u.project.question()))
		if got != "call_interrupted" || made() != "x" {
			c.breaks("it is %s, and was made so often: %s", got, made())
		}
	})
}

// inTimeOf notes what took longer than it may.
func (c *cell) inTimeOf(took, limit time.Duration) {
	if took > limit {
		c.breaks("it took %v", took)
	}
}

// mcpList lists the tools: those of the server that is well are there, in the time that a list has.
func (h *host) mcpList(c *cell) {
	p := h.Request("tools/list", map[string]any{})
	raw := p.Wait(c)
	c.inTimeOf(time.Since(p.Began), listTime+callSlack)
	if !strings.Contains(string(raw), `"good__echo"`) || !strings.Contains(string(raw), `"find_references"`) {
		c.breaks("the list lacks tools: %.300s", raw)
	}
}

// mcpOthers asks the language server and the MCP server that are well.
func (r *running) mcpOthers(c *cell) {
	c.right(r.call("find_references", r.project.question()), r.truth)
	if got, took := mcpShape(c, r.start("good__echo", map[string]any{})); got != mcpRight || took > callSlack {
		c.breaks("another MCP server answered %s in %v", got, took)
	}
}

// mcpReason is what an error about an MCP server says.
type mcpReason struct {
	Kind, Reason string
	RetryAfter   int `json:"retry_after_ms"`
}

// mcpShape is the reason of an error, or whether a result is the right one.
func mcpShape(c *cell, p *pending) (shape string, took time.Duration) {
	raw := p.Wait(c)
	took = time.Since(p.Began)
	var r struct {
		Content           []struct{ Text string }
		StructuredContent struct {
			Error struct {
				Data struct {
					Reason mcpReason `json:"lspi_error"`
				}
			}
		}
	}
	_ = json.Unmarshal(raw, &r) // structuredContent may be of any form
	reason := r.StructuredContent.Error.Data.Reason
	switch {
	case reason.Reason != "":
		return reason.Kind + " (" + reason.Reason + ")", took
	case reason.Kind != "":
		return reason.Kind, took
	case len(r.Content) > 0 && r.Content[0].Text == mcpRight:
		return mcpRight, took
	case len(r.Content) > 0 && r.Content[0].Text == mcpNoContent:
		return mcpAsText, took
	}
	return fmt.Sprintf("%.200s", raw), took
}
