package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/mcptest"
	"lspi/internal/testkit"
)

// listed answers tools/list with tools of the given names.
func listed(names ...string) func(*mcptest.Conn, mcptest.Message) {
	return mcptest.Answer(toolList(names...))
}

func toolList(names ...string) string {
	var tools []string
	for _, n := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"<a> & b","inputSchema":{"type":"object"}}`, n))
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}

// show is a list in one line.
func show(l mcpclient.List[mcpclient.Named[mcp.Tool]], err error) string {
	var names []string
	for _, t := range l.Items {
		names = append(names, t.Exposed)
	}
	out := strings.Join(names, " ")
	if l.Cached {
		out += " (cached)"
	}
	if err != nil {
		out += " error " + string(mcpclient.KindOf(err))
	}
	return out
}

// memory is a cache in memory.
type memory map[string][]byte

func (m memory) Load(key string) ([]byte, bool) { v, ok := m[key]; return v, ok }
func (m memory) Store(key string, value []byte) { m[key] = value }
func cached(m mcpclient.Cache) func(*spec, *host, *opts) {
	return func(_ *spec, _ *host, o *opts) { o.Cache = m }
}

func changes(r *recorder[mcpclient.ListKind]) func(*spec, *host, *opts) {
	return func(_ *spec, h *host, _ *opts) { h.Changed = r.hear }
}

// within asks for the tools with so much patience.
func within(t *testing.T, c *mcpclient.Client, patience time.Duration) string {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return show(c.Tools(ctx))
}

// A slow server costs nobody more than his patience; what was missing is told when it comes, once, and only when it
// is another list.
func TestSlowList(t *testing.T) {
	slow := with(mcptest.Handlers{"tools/list": func(c *mcptest.Conn, m mcptest.Message) {
		go func() {
			<-time.After(10 * time.Second)
			c.Result(m, toolList("a", "b"))
		}()
	}}).Serve
	synctest.Test(t, func(t *testing.T) {
		var told recorder[mcpclient.ListKind]
		keep := memory{}
		c := inProcess(t, slow, changes(&told), cached(keep))
		testkit.Equal(t, within(t, c, 2*time.Second), " error cancelled", "first")
		synctest.Wait()
		testkit.Equal(t, len(told.heard()), 0, "told early")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		testkit.Equal(t, fmt.Sprint(told.heard()), "[tools]", "told")
		testkit.Equal(t, within(t, c, 0), "a b", "then")
		testkit.Equal(t, len(keep), 1, "kept")
		c.Close()

		// Another process: the kept list stands in, and nothing is told when the real one is the same.
		told = recorder[mcpclient.ListKind]{}
		c = inProcess(t, slow, changes(&told), cached(keep))
		testkit.Equal(t, within(t, c, 2*time.Second), "a b (cached)", "from the cache")
		testkit.Equal(t, c.Status().Lists[mcpclient.ToolList].Cached, true, "status")
		time.Sleep(20 * time.Second)
		testkit.Equal(t, within(t, c, 0), "a b", "then")
		testkit.Equal(t, len(told.heard()), 0, "told")
		c.Close()
	})
	synctest.Test(t, func(t *testing.T) { // who waits gets it and is told nothing
		var told recorder[mcpclient.ListKind]
		c := inProcess(t, slow, changes(&told))
		testkit.Equal(t, within(t, c, time.Minute), "a b", "waited")
		time.Sleep(time.Minute)
		testkit.Equal(t, len(told.heard()), 0, "told")
		c.Close()
	})
}

// list_changed is looked after at once; the host hears of it when the list is another one. A server that says it
// all the time is asked once a second.
func TestListChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told recorder[mcpclient.ListKind]
		var asked atomic.Int32
		var conn atomic.Pointer[mcptest.Conn]
		var now atomic.Pointer[string]
		set := func(names ...string) { l := toolList(names...); now.Store(&l) }
		set("a")
		chatty := false
		c := inProcess(t, with(mcptest.Handlers{"tools/list": func(c *mcptest.Conn, m mcptest.Message) {
			conn.Store(c)
			asked.Add(1)
			if chatty {
				c.Notify("notifications/tools/list_changed", `{}`)
			}
			c.Result(m, *now.Load())
		}}).Serve, changes(&told))
		testkit.Equal(t, within(t, c, time.Second), "a", "first")
		conn.Load().Notify("notifications/tools/list_changed", `{}`)
		synctest.Wait()
		testkit.Equal(t, fmt.Sprint(asked.Load(), told.heard()), "2 []", "the same list")
		set("a", "b")
		conn.Load().Notify("notifications/tools/list_changed", `{}`)
		synctest.Wait()
		testkit.Equal(t, fmt.Sprint(asked.Load(), told.heard()), "3 [tools]", "another list")
		testkit.Equal(t, within(t, c, 0), "a b", "then")
		chatty = true
		conn.Load().Notify("notifications/tools/list_changed", `{}`)
		time.Sleep(10 * time.Second)
		if n := asked.Load() - 3; n < 9 || n > 12 {
			t.Errorf("asked %d times in 10 s", n)
		}
		c.Close()
	})
}

// A list that is outdated stays so when the server, which lives on, cannot give the new one: it is marked, and asked
// for again.
func TestListFailsAfterItChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var conn atomic.Pointer[mcptest.Conn]
		var fails atomic.Bool
		names := []string{"a"}
		c := inProcess(t, with(mcptest.Handlers{"tools/list": func(c *mcptest.Conn, m mcptest.Message) {
			conn.Store(c)
			if fails.Load() {
				c.Refuse(m, -32603, "not now")
				return
			}
			c.Result(m, toolList(names...))
		}}).Serve)
		testkit.Equal(t, within(t, c, time.Second), "a", "first")
		fails.Store(true)
		conn.Load().Notify("notifications/tools/list_changed", `{}`)
		synctest.Wait()
		testkit.Equal(t, within(t, c, time.Second), "a (cached)", "while it fails")
		names = []string{"a", "b"}
		fails.Store(false)
		testkit.Equal(t, within(t, c, time.Second), "a b", "then")
		c.Close()
	})
}

// The list of a server that is down stands in, marked, with the reason; the next connection's list takes its place.
func TestListOfDeadServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told recorder[mcpclient.ListKind]
		down, tools := false, []string{"die"}
		script := mcptest.Script(func(conn *mcptest.Conn) {
			with(mcptest.Handlers{"tools/list": listed(tools...),
				"tools/call": func(c *mcptest.Conn, m mcptest.Message) {
					if mcptest.ToolName(m) == "die" {
						c.Close()
					} else {
						c.Result(m, `{"content":[]}`)
					}
				}}).Serve(conn)
		})
		c := inProcess(t, nil, changes(&told), func(_ *spec, _ *host, o *opts) {
			o.Dial = func(ctx context.Context) (io.ReadWriteCloser, error) {
				if down {
					return nil, errors.New("down")
				}
				return mcptest.Dial(script)(ctx)
			}
		})
		testkit.Equal(t, within(t, c, time.Second), "die", "first")
		down = true
		_, err := c.CallTool(t.Context(), mcpclient.Call{Name: "die"})
		wantKind(t, err, mcpclient.Died)
		l, err := c.Tools(t.Context())
		testkit.Equal(t, show(l, err), "die (cached)", "down")
		wantKind(t, l.Err, mcpclient.StartFailed)
		time.Sleep(time.Minute)
		down, tools = false, []string{"die", "more"}
		testkit.Must(t, echo(t.Context(), c)) // any need of the server renews the lists that were asked for
		synctest.Wait()
		testkit.Equal(t, fmt.Sprint(told.heard()), "[tools]", "told")
		testkit.Equal(t, within(t, c, 0), "die more", "again")
		c.Close()
	})
}

// All pages are followed, within bounds; what is no list is an error of its own.
func TestPages(t *testing.T) {
	for name, c := range map[string]struct {
		page  func(n int) string
		items int
		said  string
		kind  mcpclient.Kind
	}{
		"three": {func(n int) string {
			next := ""
			if n < 3 {
				next = fmt.Sprintf(`,"nextCursor":"%d"`, n+1)
			}
			return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]%s}`, n, next)
		}, 3, "", ""},
		"circle": {func(int) string { return `{"tools":[],"nextCursor":"x"}` }, 0, "100 pages", ""},
		"endless": {func(n int) string {
			return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"%d"}`, n, n+1)
		}, 100, "100 pages", ""},
		"many": {func(n int) string {
			names := make([]string, 3000)
			for i := range names {
				names[i] = fmt.Sprintf("t%d_%d", n, i)
			}
			return strings.TrimSuffix(toolList(names...), "}") + fmt.Sprintf(`,"nextCursor":"%d"}`, n+1)
		}, 5000, "more than 5000 items", ""},
		"null":      {func(int) string { return `{"tools":null}` }, 0, "", ""},
		"no member": {func(int) string { return `{}` }, 0, "", ""},
		"no list":   {func(int) string { return `{"tools":{"a":1}}` }, 0, "", mcpclient.BadAnswer},
		"no object": {func(int) string { return `[]` }, 0, "", mcpclient.BadAnswer},
		"lies": {func(int) string {
			return `{"tools":[null,7,{"name":"ok","inputSchema":{"type":"object"}}],"nextCursor":7}`
		}, 0, "",
			mcpclient.BadAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			pages := 0
			client := inProcess(t, with(mcptest.Handlers{"tools/list": func(conn *mcptest.Conn, m mcptest.Message) {
				pages++
				conn.Result(m, c.page(pages))
			}}).Serve)
			l, err := client.Tools(t.Context())
			testkit.Equal(t, mcpclient.KindOf(err), c.kind, "error")
			testkit.Equal(t, len(l.Items), c.items, "items")
			if !strings.Contains(strings.Join(l.Warnings, "\n"), c.said) {
				t.Errorf("warnings: %v", l.Warnings)
			}
			testkit.Must(t, echo(t.Context(), client))
		})
	}
}

// A server without tools, prompts or resources has empty lists, whether it says so or not.
func TestNoLists(t *testing.T) {
	c := inProcess(t,
		mcptest.Handlers{
			"initialize": mcptest.Answer(
				`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)}.Serve)
	l, err := c.Tools(t.Context())
	testkit.Equal(t, fmt.Sprint(len(l.Items), err, l.Cached), "0 <nil> false", "tools")
	p, err := c.Prompts(t.Context())
	testkit.Equal(t, fmt.Sprint(len(p.Items), err), "0 <nil>", "prompts")
	r, err := c.ResourceTemplates(t.Context())
	testkit.Equal(t, fmt.Sprint(len(r.Items), err), "0 <nil>", "templates")
}

// A tool is called by both of its names.
func TestExposedNames(t *testing.T) {
	c := inProcess(t, with(mcptest.Handlers{"tools/list": listed("a.b", "echo")}).Serve)
	testkit.Equal(t, within(t, c, time.Minute), "a_b echo", "tools")
	for _, name := range []string{"a.b", "a_b"} {
		if got := call(t, c, name, `{}`); !strings.Contains(got, `"name":"a.b"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lists")
	f := mcpclient.NewFolder(dir)
	if _, ok := f.Load("k"); ok {
		t.Error("something is there")
	}
	f.Store("k", []byte("1"))
	f.Store("k", []byte("2"))
	v, ok := f.Load("k")
	testkit.Equal(t, fmt.Sprintf("%s %v", v, ok), "2 true", "value")
	for _, bad := range []string{"", "../k", "a/b", "A", "k.json"} {
		f.Store(bad, []byte("x"))
		if _, ok := f.Load(bad); ok {
			t.Errorf("%q is a key", bad)
		}
	}
	f.Store("big", make([]byte, 5<<20))
	if _, ok := f.Load("big"); ok {
		t.Error("it keeps what is too large")
	}
	for i := range 250 {
		f.Store(fmt.Sprintf("k%d", i), []byte("x"))
	}
	entries, err := os.ReadDir(dir)
	testkit.Must(t, err)
	testkit.Equal(t, len(entries), 200, "files")
	if _, ok := f.Load("k249"); !ok {
		t.Error("the newest is gone")
	}
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "broken.json"), []byte("{"), 0o600))
	mcpclient.NewFolder(filepath.Join(dir, "k1.json")).Store("x", []byte("x")) // no folder: nothing happens
}

// A list that holds a secret is not kept.
func TestSecretsAreNotKept(t *testing.T) {
	keep := memory{}
	c := inProcess(t, with(mcptest.Handlers{"tools/list": listed("sesame-open")}).Serve, cached(keep),
		func(s *spec, _ *host, _ *opts) {
			s.Token = "sesame-open"
		})
	testkit.Equal(t, within(t, c, time.Minute), "sesame-open", "tools")
	c.Close()
	testkit.Equal(t, len(keep), 0, "kept")
}
