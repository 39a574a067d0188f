package mcpserver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/internal/mcptest"
	"lspi/internal/testkit"
	"lspi/tools/session"
)

// slowWhenTold is a server that answers nothing while there is a file of the name that LSPI_SLOW says. One that
// began so has one tool more, and says by a file of that name and ".seen" that it did.
func slowWhenTold(c *mcptest.Conn) {
	slow := func() bool { _, err := os.Stat(os.Getenv("LSPI_SLOW")); return err == nil }
	tools := `{"name":"one","inputSchema":{"type":"object"}}`
	if slow() {
		tools += `,{"name":"two","inputSchema":{"type":"object"}}`
		_ = os.WriteFile(os.Getenv("LSPI_SLOW")+".seen", nil, 0o600)
	}
	if err := testkit.Eventually(10*testkit.Patience, func() bool { return !slow() }); err != nil {
		return
	}
	mcptest.Handlers{
		"tools/list": mcptest.Answer(`{"tools":[` + tools + `]}`),
		"tools/call": mcptest.Answer(`{"content":[{"type":"text","text":"called"}]}`),
	}.Serve(c)
}

// keptLists is a folder with lists of "slow when told", and what makes it slow.
type keptLists struct {
	cache *mcpclient.Folder
	mark  string
}

// A list never waits here, so that it cannot come late: it comes at once, or never.
const forEver = time.Hour

// host is that of a new session, which hears of another list by changed.
func (k keptLists) host(t *testing.T, callTimeout time.Duration) (client *mcp.ClientSession, changed chan struct{}) {
	t.Helper()
	path, env := mcptest.Program("slow when told")
	env["LSPI_SLOW"] = k.mark
	changed = make(chan struct{}, 100)
	host := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	client, _ = servingWith(t, host, ServiceOptions{Cache: k.cache, listWait: forEver,
		Settings: session.Settings{MaxChars: 100_000, MCPServers: []session.MCPServer{
			{MCPSpec: session.MCPSpec{ID: "fake", Command: path, Env: env, Environ: os.Environ(), StartTimeout: forEver,
				ListTimeout: forEver, CallTimeout: callTimeout}}}}})
	return client, changed
}

// othersListed are the tools of other servers in a list that has to come.
func othersListed(t *testing.T, session *mcp.ClientSession) string {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), testkit.Patience, errors.New("the list did not come"))
	defer cancel()
	list, err := session.ListTools(ctx, nil)
	testkit.Must(t, err)
	var names []string
	for _, tool := range list.Tools {
		if strings.HasPrefix(tool.Name, "fake__") {
			names = append(names, tool.Name)
		}
	}
	return strings.Join(names, " ")
}

// cachedStatus says whether the status marks a list as one of an earlier time.
func cachedStatus(t *testing.T, session *mcp.ClientSession) bool {
	t.Helper()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_server_status"})
	testkit.Must(t, err)
	said := shape(t, got.StructuredContent)
	if !strings.Contains(said, `"mcp_server":"fake"`) {
		t.Fatalf("the status lacks the server: %s", said)
	}
	return strings.Contains(said, `"cached":true`)
}

// The list of an earlier time stands in for that of a server that does not answer, marked, in the first list that a
// host reads, which waits for nothing. A call waits for the server, and the host hears of the server's own list
// when it is another one.
func TestKeptListStandsIn(t *testing.T) {
	k := keptLists{mcpclient.NewFolder(t.TempDir()), filepath.Join(t.TempDir(), "slow")}
	session, _ := k.host(t, testkit.Patience)
	if got := othersListed(t, session); got != "fake__one" {
		status, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_server_status"})
		t.Fatalf("the list has %q of the server, which it waits for where nothing is known: %v, %v", got,
			textOf(status), err)
	}
	testkit.Equal(t, cachedStatus(t, session), false, "marked")

	testkit.Write(t, k.mark, "")
	session, changed := k.host(t, 10*testkit.Patience)
	testkit.Equal(t, othersListed(t, session), "fake__one", "of an earlier time")
	testkit.Equal(t, cachedStatus(t, session), true, "marked")
	said := make(chan string)
	go func() {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fake__one"})
		if err != nil {
			said <- err.Error()
			return
		}
		said <- textOf(got)
	}()
	// else it would have one tool, as before
	testkit.Must(t, testkit.Eventually(testkit.Patience, func() bool {
		_, err := os.Stat(k.mark + ".seen")
		return err == nil
	}))
	testkit.Must(t, os.Remove(k.mark))
	testkit.Equal(t, <-said, "called", "the call")
	for othersListed(t, session) != "fake__one fake__two" {
		select {
		case <-changed:
		case <-time.After(testkit.Patience):
			t.Fatal("the host does not hear of the server's own list")
		}
	}
	testkit.Equal(t, cachedStatus(t, session), false, "marked")
}

// What a call has found out is in the list that a host reads behind it.
func TestListBehindACall(t *testing.T) {
	path, env := mcptest.Program("slow when told")
	env["LSPI_SLOW"] = filepath.Join(t.TempDir(), "slow")
	testkit.Write(t, env["LSPI_SLOW"], "")
	session, service := servingWith(t, fullHost(), ServiceOptions{listWait: time.Millisecond,
		Settings: session.Settings{MaxChars: 100_000, MCPServers: []session.MCPServer{
			{MCPSpec: session.MCPSpec{ID: "fake", Command: path, Env: env, Environ: os.Environ()}}}}})
	testkit.Equal(t, othersListed(t, session), "", "of a server that has said nothing")
	testkit.Must(t, os.Remove(env["LSPI_SLOW"]))
	service.showing.Lock() // so that nobody shows what the call finds out before the list is asked for
	goOn := sync.OnceFunc(service.showing.Unlock)
	defer goOn()
	said, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fake__one"})
	list := make(chan string, 1)
	go func() { list <- othersListed(t, session) }()
	got := ""
	select {
	case got = <-list: // which has not waited
	case <-time.After(300 * time.Millisecond):
		goOn()
		got = <-list
	}
	testkit.Must(t, err)
	testkit.Equal(t, textOf(said), "called", "the call")
	if !strings.HasPrefix(got, "fake__one") { // one that began while it was slow has another tool
		t.Errorf("the list has %q of the server that was called", got)
	}
}

// A call of a listed tool of a server that does not start says so.
func TestCallFromKeptList(t *testing.T) {
	k := keptLists{mcpclient.NewFolder(t.TempDir()), filepath.Join(t.TempDir(), "slow")}
	session, _ := k.host(t, testkit.Patience)
	testkit.Equal(t, othersListed(t, session), "fake__one", "of the server")
	testkit.Write(t, k.mark, "")
	session, _ = k.host(t, 100*time.Millisecond)
	testkit.Equal(t, othersListed(t, session), "fake__one", "of an earlier time")
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fake__one"})
	testkit.Must(t, err)
	testkit.Equal(t, got.IsError, true, "an error")
	if text := textOf(got); !strings.Contains(text, "mcp_server_unavailable") ||
		!strings.Contains(text, "the MCP server fake: the server has not started within 100ms") {
		t.Error(text)
	}
}
