package doctor

import (
	"context"
	"io"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/mcptest"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/session"
)

// lists are those of an MCP server with three tools, of which one has no schema, and a resource.
var lists = mcptest.Handlers{
	"tools/list": mcptest.Answer(
		`{"tools":[{"name":"a"},{"name":"b","inputSchema":{"type":"object"}},{"name":"c","inputSchema":{"type":"object"}}]}`),
	"prompts/list":             mcptest.Answer(`{"prompts":[]}`),
	"resources/list":           mcptest.Answer(`{"resources":[{"uri":"file:///x","name":"x"}]}`),
	"resources/templates/list": mcptest.Answer(`{"resourceTemplates":[]}`),
}

func listed(c *mcptest.Conn) { lists.Serve(c) }

// restless says that its tools have changed as soon as it has given them, as server-everything does, and takes half
// a second of fake time for its templates.
func restless(c *mcptest.Conn) {
	h := maps.Clone(lists)
	h["tools/list"] = func(c *mcptest.Conn, m mcptest.Message) {
		lists["tools/list"](c, m)
		c.Notify("notifications/tools/list_changed", "{}")
	}
	h["resources/templates/list"] = func(c *mcptest.Conn, m mcptest.Message) {
		time.AfterFunc(time.Second/2, func() { lists["resources/templates/list"](c, m) })
	}
	h.Serve(c)
}

// deaf is an MCP server that never answers.
func deaf(c *mcptest.Conn) {
	for _, ok := c.Next(); ok; _, ok = c.Next() {
	}
}

// silent is an MCP server that never gives its tools.
func silent(c *mcptest.Conn) {
	mcptest.Handlers{"tools/list": func(*mcptest.Conn, mcptest.Message) {}}.Serve(c)
}

// memory is a cache of lists.
type memory struct{ lists sync.Map }

func (m *memory) Load(key string) ([]byte, bool) {
	raw, ok := m.lists.Load(key)
	if !ok {
		return nil, false
	}
	return raw.([]byte), true
}

func (m *memory) Store(key string, raw []byte) { m.lists.Store(key, raw) }

// dialled makes clients of MCP servers that are scripts, by the id.
func dialled(scripts map[string]mcptest.Script, cache mcpclient.Cache) func(mcpclient.Spec) (*mcpclient.Client, error) {
	return func(spec mcpclient.Spec) (*mcpclient.Client, error) {
		o := mcpclient.Options{Cache: cache}
		if s := scripts[spec.ID]; s != nil {
			o.Dial = func(ctx context.Context) (io.ReadWriteCloser, error) { return mcptest.Dial(s)(ctx) }
		}
		return mcpclient.New(spec, mcpclient.Host{}, o)
	}
}

// states are the states of MCP servers by id.
func states(all []MCPServer) map[string]MCPState {
	out := map[string]MCPState{}
	for _, s := range all {
		out[s.ID] = s.State
	}
	return out
}

// Each MCP server of the configuration is started as a session starts it, and what is wrong with one is a warning
// with what to do. What a stranger's file adds is not started.
func TestMCPServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &memory{}
		c := &config.Config{MCPServers: map[string]*config.MCPServer{},
			UntrustedServers: []config.UntrustedServer{{ID: "stranger", File: "/w/lspi.toml",
				Command: "lspi trust /w/lspi.toml"}},
			Findings: []config.Finding{{Severity: config.SeverityWarning, Key: "mcp_servers.unset.args",
				Message: "the variable X in args is not set"}}}
		for _, id := range []string{"works", "deaf", "silent", "down", "gone", "unset", "odd", "out", "off"} {
			c.MCPServers[id] = &config.MCPServer{ID: id, File: "/home/config.toml"}
		}
		spec := func(id string) session.MCPSpec {
			return session.MCPSpec{ID: id, Command: "/gone/" + id, Args: []string{"--key", "hunter2-sesame"},
				Secrets: []string{"hunter2-sesame"}}
		}
		// An earlier process has kept the list of one that is down now.
		before, err := dialled(map[string]mcptest.Script{"down": listed}, kept)(mcpclient.Spec(spec("down")))
		testkit.Must(t, err)
		_, err = before.Tools(t.Context())
		testkit.Must(t, err)
		before.Close()

		wanted := []session.MCPServer{{MCPSpec: spec("works")}, {MCPSpec: spec("deaf")}, {MCPSpec: spec("silent")},
			{MCPSpec: spec("down")}, {MCPSpec: spec("gone")},
			{MCPSpec: spec("unset"), Broken: "the variable X in args is not set"}, {MCPSpec: spec("odd"), Broken: "set cwd"},
			{MCPSpec: spec("out"), LeftOut: true}}
		e := &examination{Options: Options{Config: c, MCPServers: wanted, MCPClient: dialled(map[string]mcptest.Script{
			"works": restless, "deaf": deaf, "silent": silent, "down": func(*mcptest.Conn) {}}, kept)}}
		got := e.askMCPServers(t.Context())()
		testkit.Diff(t, states(got), map[string]MCPState{"works": MCPWorks, "deaf": MCPFails, "silent": MCPFails,
			"down": MCPFails, "gone": MCPMissing, "unset": MCPNotUsable,
			"odd": MCPNotUsable, "out": MCPLeftOut, "off": MCPDisabled, "stranger": MCPUntrusted})

		for _, s := range got {
			testkit.Equal(t, s.Kept, s.ID == "down", s.ID, "a list of an earlier time stands in")
		}
		r := &Report{MCPServers: got}
		r.conclude()
		testkit.Equal(t, r.Warnings, 5,
			"deaf, silent, down, gone and odd; what is wrong with unset counts as a finding of its file")
		testkit.Equal(t, r.Notes, 1, "of the stranger's")
		testkit.Equal(t, r.OK, true, "what language servers do works all the same")
		var text strings.Builder
		testkit.Must(t, r.Text(&text, false))
		for _, says := range []string{
			"  ok       works  /gone/works --key ***", "scripted 1.2.3, started and gave its lists in ",
			"           2 tools, 0 prompts, 1 resource",
			"  warning  deaf: it does not work: no handshake within 1m0s",
			"→ Correct command, args or env in [mcp_servers.deaf] of /home/config.toml",
			"  warning  silent: it does not work: tools/list: ", "  warning  down: it does not work: ",
			"kept of an earlier time: 2 tools",
			`  warning  gone: the program "/gone/gone" is not there`, "→ Install the program.",
			"  warning  unset: it is not used: the variable X in args is not set",
			"  warning  odd: it is not used: set cwd",
			"  ok       out is not started: the preset in use leaves it out", "  ok       off is switched off",
			"  note     stranger: it is not started, because /w/lspi.toml adds it, which is not trusted\n           → lspi trust /w/lspi.toml",
		} {
			if !strings.Contains(text.String(), says) {
				t.Errorf("%q is not in\n%s", says, text.String())
			}
		}
		var brief strings.Builder
		testkit.Must(t, r.Brief(&brief, false))
		if told := brief.String(); !strings.Contains(told, "  warning  deaf: ") ||
			strings.Contains(told, "works  /gone") {
			t.Errorf("after a set-up is told:\n%s", told)
		}
		if strings.Contains(text.String(), "hunter2") {
			t.Errorf("a secret is told:\n%s", text.String())
		}
	})
}

// MCP servers that take their time are asked beside each other, and beside the language servers.
func TestMCPServersSideBySide(t *testing.T) {
	conf, _ := loaded(t, map[string]string{"a.py": ""})
	conf.MCPServers = map[string]*config.MCPServer{"a": {ID: "a"}, "b": {ID: "b"}}
	var n atomic.Int32
	all := make(chan struct{})
	meet := func() {
		if n.Add(1) == 3 {
			close(all)
		}
		<-all
	}
	slow := func(c *mcptest.Conn) { meet(); listed(c) }
	r := Examine(t.Context(),
		Options{Config: conf, Machine: facts{os: "darwin", servers: []string{"pyright"}}.machine(), Files: source.OS{},
			Probe:      meeting{meet},
			MCPServers: []session.MCPServer{{MCPSpec: session.MCPSpec{ID: "a"}}, {MCPSpec: session.MCPSpec{ID: "b"}}},
			MCPClient:  dialled(map[string]mcptest.Script{"a": slow, "b": slow}, nil)})
	testkit.Diff(t, states(r.MCPServers), map[string]MCPState{"a": MCPWorks, "b": MCPWorks})
	testkit.Equal(t, r.OK, true, "all works")
}

// meeting is a prober whose servers wait for others.
type meeting struct{ meet func() }

func (p meeting) Probe(context.Context, *spec.Spec, []string, Progress) Probed {
	p.meet()
	return Probed{}
}

func (meeting) Watching(context.Context) (bool, string) { return true, "" }
