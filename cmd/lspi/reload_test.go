package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

const (
	// reloadLimit is how long a change may take until it is in effect (docs/configuration.md).
	reloadLimit = 500 * time.Millisecond
	// reloadQuiet is for how long a file may be half written, less what times of files are coarse by.
	reloadQuiet   = config.Quiet - 15*time.Millisecond
	reloadCallers = 3
)

// TestReloads changes what decides about a session at random: after each change the session that runs equals one that
// is opened anew. LSPI_RELOADS=1000 changes in the place of a few, LSPI_RELOADS_SEED another order of them. What a
// comparison cannot see holds besides: a call gives the answer from before or behind the change, also when it was
// under way; a server that both have goes on; others end; trust that is taken back counts at once; and a configuration
// with mistakes changes nothing.
func TestReloads(t *testing.T) {
	before := goleak.IgnoreCurrent()
	number := func(name string, few int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return few
	}
	few := 5
	if testkit.OwnServers() {
		few = 8
	}
	changes, seed := number("LSPI_RELOADS", few), number("LSPI_RELOADS_SEED", 13)
	t.Run("sessions", func(t *testing.T) {
		t.Run("own process", func(t *testing.T) {
			t.Parallel()
			newReloads(t, seed).play(changes, (*reloads).ownSession)
		})
		t.Run("shared process", func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
				t.Skip("nothing is shared here")
			}
			newReloads(t, seed+1).play(changes, (*reloads).sharedSession)
		})
	})
	if err := goleak.Find(before, goleak.IgnoreTopFunction("lspi/lsp/process.startSpawner.func1")); err != nil {
		t.Error(err)
	}
}

// reloads is a home with a workspace, and a session there.
type reloads struct {
	t       *testing.T
	r       *rand.Rand
	dir     string
	environ []string
	files   []*reloadFile
	session *mcp.ClientSession // that runs

	gate  sync.RWMutex // closed while nobody calls
	mu    sync.Mutex
	calls []reloadCall // guarded by mu
}

// reloadFile is a configuration file: one choice of each row, and a number that decides nothing.
type reloadFile struct {
	path   string
	number string
	rows   [][]string
	chosen []int
	there  bool
	count  int
}

func (f *reloadFile) text() string {
	text := fmt.Sprintf(f.number+"\n", f.count)
	for i, row := range f.rows {
		text += row[f.chosen[i]]
	}
	return text
}

// reloadQuestions are calls of tools that need a server: three that need one each, and others.
var reloadQuestions = []struct {
	tool, server string
	arguments    map[string]any
}{
	{"find_references", "one", map[string]any{"file_path": "a.one", "symbol_name": "one", "line": 1}},
	{"FIND_REFERENCES_AT", "one", map[string]any{"file_path": "a.one", "line": 1, "character": 5}},
	{"hover", "one", map[string]any{"file_path": "a.one", "symbol_name": "one", "line": 1}},
	{"hover", "two", map[string]any{"file_path": "a.two", "symbol_name": "two", "line": 1}}, // takes a while
	{"find_definition", "two", map[string]any{"file_path": "a.two", "symbol_name": "two", "line": 1}},
	{"find_type_definition", "three", map[string]any{"file_path": "a.three", "symbol_name": "three", "line": 1}},
	{"rename_symbol", "one", map[string]any{"file_path": "a.one", "symbol_name": "one", "line": 1, "new_name": "eins"}},
	{"stop_server", "", map[string]any{"server_id": "none"}},
	{"lsp:hover", "", nil},
	{"get_current_config", "", nil},
}

// what is compared of an answer: all that the configuration decides.
var reloadCompared = []string{"ok", "server_id", "total", "signature", "documentation", "error",
	"read_only", "trust", "context", "preset", "servers", "mcp", "config_ok", "config_sources", "tools", "limits"}

// reloadState is what a session is like: its tools, and the answers to all questions.
type reloadState struct {
	Tools   []string
	Answers []string
	pids    map[string]int // of its servers
}

// reloadCall is one answer.
type reloadCall struct {
	question     int
	said         string
	began, ended time.Time
}

// fakels is the scripted language server: the program that make test has built, else this binary, as TestMain has it.
func fakels(t testing.TB) string {
	t.Helper()
	if program := os.Getenv("LSPI_TEST_FAKELS"); program != "" {
		return program
	}
	program, err := exec.LookPath("fakels")
	testkit.Must(t, err)
	return program
}

func newReloads(t *testing.T, seed int) *reloads {
	x := &reloads{t: t, r: rand.New(rand.NewPCG(uint64(seed), 13))}
	x.dir = testkit.Project(t, map[string]string{"ws/.git/x": "", "ws/a.one": "def one\n  one\n",
		"ws/a.two": "def two\n", "ws/a.three": "def three\n"})
	program := fakels(t)
	server := func(id, script string, delay int) string {
		testkit.Write(t, filepath.Join(x.dir, script+".json"), fmt.Sprintf(`{"language": "words", "events_file": %q,`+
			`"rules": [{"method": "textDocument/hover", "actions": [{"delay_ms": %d}, {"result": {"contents": %q}}]}]}`,
			filepath.Join(x.dir, "events"), delay, script))
		return fmt.Sprintf("[[servers]]\nid = %q\nkind = \"generic\"\ncommand = %q\nargs = [%q]\nextensions = [%q]\n",
			id, program, filepath.Join(x.dir, script+".json"), id)
	}
	const broken = "no key = of this table\n"
	presetA := "[presets.a]\ntools = [\"get_*\", \"hover\", \"find_definition\"]\n"
	x.files = []*reloadFile{
		{path: ".config/lspi/config.toml", number: "catalogue = false\nmcp.call_timeout_ms = %d", count: 40_000, there: true,
			rows: [][]string{{"", "mcp.read_only = true\n"},
				{"", "mcp.preset = \"a\"\n", "mcp.preset = \"c\"\n", "mcp.preset = \"nowhere\"\n"},
				{"", "mcp.tools.allow = [\"find_references\", \"hover\", \"check_edit\"]\n", "mcp.tools.allow = []\n"},
				{"", "mcp.tools.exclude = [\"hover\", \"stop_server\"]\n"},
				{"", "[tools.find_references]\ninclude_declaration = false\n"},
				{presetA, presetA + "servers = [\"two\"]\n", "[presets.a]\nread_only = true\n", ""},
				{server("one", "one1", 1), server("one", "one2", 1), ""},
				// the adapter leaves out folders, as most rows of the catalogue do: what a journal follows is the same
				{server("two", "two", 250) + "adapter = \"ada-language-server\"\n", ""}, {"", broken}}},
		{path: ".config/lspi/presets/c.toml", number: "max_total_chars = %d", count: 20_000,
			rows: [][]string{{"", "tools = [\"get_*\", \"rename_symbol\"]\n", "tools = []\n"},
				{"", "servers = [\"one\", \"three\"]\n", "servers = [\"two\"]\n"}, {"", "read_only = true\n"}, {"", broken}}},
		{path: "ws/.lspi/config.toml", number: "mcp.output.max_total_chars_hard = %d", count: 1_000_000,
			rows: [][]string{{"", "mcp.read_only = true\n"}, {"", "mcp.tools.exclude = [\"hover\", \"find_definition\"]\n"},
				{server("three", "three", 1), ""}, {"", broken}}},
	}
	for _, f := range x.files {
		f.path, f.chosen = filepath.Join(x.dir, f.path), make([]int, len(f.rows))
	}
	testkit.Must(t, os.Mkdir(filepath.Join(x.dir, "run"), 0o700))
	for _, v := range os.Environ() { // of the test, which others run beside
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "LSPI_") && !strings.HasPrefix(name, "CODEX") &&
			!strings.HasPrefix(name, "CLAUDE") && !strings.HasPrefix(name, "GEMINI") {
			x.environ = append(x.environ, v)
		}
	}
	x.environ = append(x.environ, "HOME="+x.dir, "XDG_CONFIG_HOME="+x.dir+"/.config", "XDG_STATE_HOME="+x.dir+"/.state",
		"XDG_CACHE_HOME="+x.dir+"/.cache", "XDG_RUNTIME_DIR="+x.dir+"/run", "GORACE=atexit_sleep_ms=0")
	return x
}

func (x *reloads) root() string { return filepath.Join(x.dir, "ws") }

func (x *reloads) store() trust.Store {
	return trust.Open(trust.User{Getenv: func(name string) string { return spec.Variable(x.environ, name) }, Home: x.dir})
}

func (x *reloads) chance(percent int) bool { return x.r.IntN(100) < percent }

func (x *reloads) pause(d time.Duration) { <-time.After(d) }

func (x *reloads) wiring() *wiring {
	s := newWiring(&sessionFlags{workspaceRoot: x.root()}, io.Discard)
	s.options.Environ = x.environ
	s.process.EditDir = filepath.Join(x.dir, "edit")
	return s
}

// ownSession is lspi mcp in this process.
func (x *reloads) ownSession() (*mcp.ClientSession, func()) {
	s := x.wiring()
	l, err := s.listing()
	testkit.Must(x.t, err)
	service := s.service(l)
	here, there := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- service.Run(context.Background(), here) }()
	session := x.connect(there)
	return session, func() {
		service.Close(errors.New("the test is over"))
		_ = session.Close()
		<-served
		s.watcher.Close()
		s.process.Close()
	}
}

// sharedSession is lspi mcp whose servers are those of the shared process.
func (x *reloads) sharedSession() (*mcp.ClientSession, func()) {
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("lspi", args...)
		if program := os.Getenv("LSPI_TEST_PROGRAM"); program != "" {
			cmd = exec.Command(program, args...)
		}
		cmd.Env, cmd.Dir = append(slices.Clone(x.environ), "LSPI_SHARE=auto"), x.dir
		return cmd
	}
	session := x.connect(&mcp.CommandTransport{Command: command("mcp", "--workspace-root", x.root())})
	return session, func() {
		if out, err := command("daemon", "status").CombinedOutput(); err != nil || !strings.Contains(string(out), x.root()) {
			x.t.Errorf("nothing is shared: %v, %s", err, out)
		}
		testkit.Must(x.t, session.Close())
		if out, err := command("daemon", "stop").CombinedOutput(); err != nil {
			x.t.Errorf("stopping the shared process: %v, %s", err, out)
		}
	}
}

func (x *reloads) connect(transport mcp.Transport) *mcp.ClientSession {
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(),
		transport, nil)
	testkit.Must(x.t, err)
	return session
}

// call is the envelope of a call. No call may fail in any other way, or take for ever.
func (x *reloads) call(s *mcp.ClientSession, tool string, arguments map[string]any) (out map[string]any) {
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
	defer cancel()
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		x.t.Errorf("%s: %v", tool, err)
		return nil
	}
	out, _ = result.StructuredContent.(map[string]any)
	return out
}

// ask gives what is compared of the answer to a question.
func (x *reloads) ask(s *mcp.ClientSession, question int) string {
	q := reloadQuestions[question]
	answer := x.call(s, q.tool, q.arguments)
	maps.DeleteFunc(answer, func(key string, _ any) bool { return !slices.Contains(reloadCompared, key) })
	if refused, ok := answer["error"].(map[string]any); ok { // whose text has a time, or the way out
		data, _ := refused["data"].(map[string]any)
		reason, _ := data["lspi_error"].(map[string]any)
		answer["error"] = reason["kind"]
	}
	raw, err := json.Marshal(answer)
	testkit.Must(x.t, err)
	return string(raw)
}

func (x *reloads) list(s *mcp.ClientSession) (out []string) {
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
	defer cancel()
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		x.t.Error(err)
		return nil
	}
	for _, t := range list.Tools {
		out = append(out, t.Name)
	}
	return out
}

func (x *reloads) state(s *mcp.ClientSession) reloadState {
	out := reloadState{Tools: x.list(s), pids: map[string]int{}}
	for i := range reloadQuestions {
		out.Answers = append(out.Answers, x.ask(s, i))
	}
	running, _ := x.call(s, "get_server_status", nil)["servers"].([]any)
	for _, one := range running {
		server := one.(map[string]any)
		if pid, ok := server["pid"].(float64); ok {
			out.pids[server["server_id"].(string)] = int(pid)
		}
	}
	return out
}

// config is the answer of get_current_config.
func (s *reloadState) config() string { return s.Answers[len(s.Answers)-1] }

// opened is what a session is like that is opened now. One whose configuration has mistakes is as before, and says so.
func (x *reloads) opened(before *reloadState) (want reloadState, wrong bool) {
	c, err := x.wiring().load(nil)
	testkit.Must(x.t, err)
	if c.Err() == nil {
		session, end := x.ownSession()
		defer end()
		return x.state(session), false
	}
	want = reloadState{before.Tools, slices.Clone(before.Answers), before.pids}
	last := &want.Answers[len(want.Answers)-1]
	*last = strings.Replace(*last, `"config_ok":true`, `"config_ok":false`, 1)
	return want, true
}

func (x *reloads) play(changes int, start func(*reloads) (*mcp.ClientSession, func())) {
	testkit.Must(x.t, x.replace(x.files[0].path, x.files[0].text()))
	var end func()
	x.session, end = start(x)
	state := x.state(x.session)
	ctx, stop := context.WithCancel(context.Background())
	var callers sync.WaitGroup
	for i := range reloadCallers {
		callers.Go(func() { x.keepAsking(ctx, rand.New(rand.NewPCG(uint64(i), 13))) })
	}
	warm := 0
	for range changes {
		if x.t.Failed() {
			break
		}
		state = x.step(state, x.change, &warm)
	}
	stop()
	callers.Wait()
	end()
	testkit.Wait(x.t, "the end of all servers", func() bool { return len(x.running()) == 0 })
	x.t.Logf("a server went on over a change %d times", warm)
}

func (x *reloads) keepAsking(ctx context.Context, r *rand.Rand) {
	for ctx.Err() == nil {
		x.gate.RLock()
		c := reloadCall{question: r.IntN(len(reloadQuestions)), began: time.Now()}
		c.said = x.ask(x.session, c.question)
		c.ended = time.Now()
		x.mu.Lock()
		x.calls = append(x.calls, c)
		x.mu.Unlock()
		x.gate.RUnlock()
		x.pause(time.Duration(r.IntN(20)) * time.Millisecond)
	}
}

// reloadChange is what was done to the files.
type reloadChange struct {
	what        string
	began, done time.Time
	removed     bool   // a file is gone, which has no time of its own: two calls have to see that
	distrusted  bool   // trust in the workspace was taken back
	undo        func() // for a configuration with mistakes
}

// step changes something, and holds that the session follows.
func (x *reloads) step(before reloadState, change func() *reloadChange, warm *int) reloadState {
	silent := x.chance(20) // a host that only lists the tools sees the change, too
	if silent {
		x.gate.Lock()
	}
	c := change()
	if now := decodeConfig(x.ask(x.session, len(reloadQuestions)-1)); c.distrusted && now.Trust.Trusted {
		x.t.Errorf("behind %s the workspace is still trusted", c.what)
	}
	x.pause(reloadLimit)
	want, wrong := x.opened(&before)
	if silent {
		if err := testkit.Eventually(20*time.Second, func() bool {
			return slices.Equal(x.list(x.session), want.Tools)
		}); err != nil {
			x.t.Errorf("%s does not change the list of tools while nobody calls", c.what)
		}
	}
	if c.removed {
		x.ask(x.session, 0)
		x.pause(reloadLimit)
	}
	if !silent {
		x.gate.Lock()
	}
	got := x.state(x.session)
	testkit.Diff(x.t, [][]string{got.Tools, got.Answers}, [][]string{want.Tools, want.Answers}, c.what)
	x.judge(c, &before, &want)
	x.onlyItsServersRun(c, &got)
	*warm += x.goesOn(c, &before, &got)
	x.calls = nil
	x.gate.Unlock()
	if wrong && !x.t.Failed() {
		return x.step(got, func() *reloadChange {
			undone := x.timed(c.what+", and taken back", c.undo)
			undone.removed = true // or it may have been
			return undone
		}, warm)
	}
	return got
}

// judge holds that each call gave the answer of the session before or behind the change, and which of both where that
// is certain. What was half written for long may have been read.
func (x *reloads) judge(c *reloadChange, before, behind *reloadState) {
	if c.done.Sub(c.began) > reloadQuiet {
		return
	}
	for _, call := range x.calls {
		old, now := before.Answers[call.question], behind.Answers[call.question]
		early, late := call.ended.Before(c.began), !c.removed && call.began.After(c.done.Add(reloadLimit))
		if call.said != old && call.said != now || early && call.said != old || late && call.said != now {
			x.t.Errorf("%s: %s, %v to %v of it, said %s\nand not %s\nor %s", c.what, reloadQuestions[call.question].tool,
				call.began.Sub(c.began), call.ended.Sub(c.began), call.said, old, now)
		}
	}
}

// running are the processes of servers that live.
func (x *reloads) running() (pids []int) {
	events, err := lsptest.ReadEvents(filepath.Join(x.dir, "events"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		x.t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == lsptest.EventStart && alive(e.PID) {
			pids = append(pids, e.PID)
		}
	}
	return pids
}

func (x *reloads) onlyItsServersRun(c *reloadChange, s *reloadState) {
	if !slices.Contains(s.Tools, "get_server_status") {
		return
	}
	var running []int
	if err := testkit.Eventually(testkit.Patience, func() bool {
		running = x.running()
		return !slices.ContainsFunc(running, func(pid int) bool {
			return !slices.Contains(slices.Collect(maps.Values(s.pids)), pid)
		})
	}); err != nil {
		x.t.Errorf("behind %s the servers %v run, and the session has %v", c.what, running, s.pids)
	}
}

// configAnswer is what get_current_config says.
type configAnswer struct {
	Trust   struct{ Trusted bool }
	Servers []map[string]any
}

func decodeConfig(answer string) (c configAnswer) {
	_ = json.Unmarshal([]byte(answer), &c) // the zero value where the tool may not be called
	return c
}

// goesOn holds that a server is the same process where nothing that was said of it is another, and counts those.
func (x *reloads) goesOn(c *reloadChange, before, behind *reloadState) (warm int) {
	of := func(s *reloadState, id string) string {
		shown := decodeConfig(s.config())
		said := []any{shown.Trust.Trusted}
		for _, server := range shown.Servers {
			if server["server_id"] == id || server["id"] == id {
				said = append(said, server)
			}
		}
		for i, q := range reloadQuestions {
			if q.server == id && q.tool != "find_references" && q.tool != "FIND_REFERENCES_AT" {
				said = append(said, s.Answers[i])
			}
		}
		return fmt.Sprint(said...)
	}
	for id, pid := range before.pids {
		if now := behind.pids[id]; now != 0 && of(before, id) == of(behind, id) {
			if warm++; now != pid {
				x.t.Errorf("behind %s %s is process %d, and was %d", c.what, id, now, pid)
			}
		}
	}
	return warm
}
