package main

import (
	"context"
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

	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools"
	"lspi/tools/session"
)

// number is that of a variable, or few.
func number(name string, few int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return few
}

// TestRandomReloads edits the configuration at random while callers ask, and wants each answer to be explained by a
// configuration that was in effect during the call: LSPI_RELOADS=1000 edits in the place of a few,
// LSPI_RELOADS_SEED another order of them.
func TestRandomReloads(t *testing.T) {
	before := goleak.IgnoreCurrent()
	edits, seed := number("LSPI_RELOADS", 20), number("LSPI_RELOADS_SEED", 13)
	t.Run("sessions", func(t *testing.T) {
		t.Run("own process", func(t *testing.T) {
			t.Parallel()
			newReloadRun(t, seed).play(edits, ownSession)
		})
		t.Run("shared process", func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
				t.Skip("nothing is shared here")
			}
			newReloadRun(t, seed+1).play(edits, sharedSession)
		})
	})
	if err := goleak.Find(before, goleak.IgnoreTopFunction("lspi/lsp/process.startSpawner.func1")); err != nil {
		t.Error(err)
	}
}

// reloadRun is a home with a workspace, and a session there.
type reloadRun struct {
	t       *testing.T
	r       *rand.Rand
	dir     string
	environ []string
	program string // of the servers
	session *mcp.ClientSession

	world  reloadWorld // the writer's
	rev    int         // the writer's
	epochs []reloadEpoch
	seen   map[int]bool // the epochs that answers have named: nothing before them goes on
	delays map[string][]time.Duration
	kept   int // servers that went on over an edit, as they had to

	gate  sync.RWMutex // closed while nobody calls
	mu    sync.Mutex
	calls []reloadCall // guarded by mu
}

func newReloadRun(t *testing.T, seed int) *reloadRun {
	x := &reloadRun{t: t, r: rand.New(rand.NewPCG(uint64(seed), 13)), delays: map[string][]time.Duration{},
		seen: map[int]bool{}}
	x.dir = testkit.Project(t, map[string]string{"ws/.git/x": "", "ws/a.one": "def one\n  one\n",
		"ws/a.two": "def two\n", "ws/a.three": "def three\n"})
	for i, name := range []string{"one1", "one2", "two", "three"} {
		script := fmt.Sprintf(
			`{"language": "words", "events_file": %q, "rules": [{"method": "textDocument/hover", "actions": [{"result": {"contents": "script %d"}}]}]}`,
			filepath.Join(x.dir, name+".events"), i+1)
		testkit.Write(t, filepath.Join(x.dir, name+".json"), script)
	}
	if x.program = os.Getenv("LSPI_TEST_FAKELS"); x.program == "" {
		var err error
		x.program, err = exec.LookPath("fakels") // this binary, as TestMain has it
		testkit.Must(t, err)
	}
	testkit.Must(t, os.Mkdir(filepath.Join(x.dir, "run"), 0o700))
	// The environment of the test is that of others that run beside it.
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "LSPI_") && !strings.HasPrefix(name, "CODEX") &&
			!strings.HasPrefix(name, "CLAUDE") && !strings.HasPrefix(name, "GEMINI") {
			x.environ = append(x.environ, v)
		}
	}
	x.environ = append(x.environ, "HOME="+x.dir, "XDG_CONFIG_HOME="+x.dir+"/.config", "XDG_STATE_HOME="+x.dir+
		"/.state", "XDG_CACHE_HOME="+x.dir+"/.cache",
		"XDG_RUNTIME_DIR="+x.dir+"/run", "GORACE=atexit_sleep_ms=0")
	return x
}

func (x *reloadRun) getenv(name string) string { return spec.Variable(x.environ, name) }

func (x *reloadRun) root() string     { return filepath.Join(x.dir, "ws") }
func (x *reloadRun) userPath() string { return filepath.Join(x.dir, ".config", "lspi", "config.toml") }
func (x *reloadRun) projectPath() string {
	return filepath.Join(x.root(), ".lspi", "config.toml")
}
func (x *reloadRun) presetPath(name string) string {
	return filepath.Join(x.dir, ".config", "lspi", "presets", name+".toml")
}

func (x *reloadRun) store() trust.Store {
	return trust.Open(trust.User{Getenv: x.getenv, Home: x.dir})
}

// ownSession is lspi mcp in this process.
func ownSession(x *reloadRun) (end func()) {
	s := newWiring(&sessionFlags{workspaceRoot: x.root()}, io.Discard)
	s.options.Environ = x.environ
	s.process.EditDir = filepath.Join(x.dir, "edit")
	l, err := s.listing()
	testkit.Must(x.t, err)
	service := s.service(l)
	here, there := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- service.Run(context.Background(), here) }()
	x.connect(there)
	return func() {
		service.Close(errors.New("the test is over"))
		_ = x.session.Close()
		<-served
		s.watcher.Close()
		s.process.Close()
	}
}

// sharedSession is lspi mcp whose servers are those of the shared process.
func sharedSession(x *reloadRun) (end func()) {
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("lspi", args...)
		if program := os.Getenv("LSPI_TEST_PROGRAM"); program != "" {
			cmd = exec.Command(program, args...)
		}
		cmd.Env = append(slices.Clone(x.environ), "LSPI_SHARE=auto")
		cmd.Dir = x.dir
		return cmd
	}
	x.connect(&mcp.CommandTransport{Command: command("mcp", "--workspace-root", x.root())})
	return func() {
		if out, err := command("daemon", "status").CombinedOutput(); err != nil ||
			!strings.Contains(string(out), x.root()) {
			x.t.Errorf("nothing is shared: %v, %s", err, out)
		}
		testkit.Must(x.t, x.session.Close())
		if out, err := command("daemon", "stop").CombinedOutput(); err != nil {
			x.t.Errorf("stopping the shared process: %v, %s", err, out)
		}
	}
}

func (x *reloadRun) connect(transport mcp.Transport) {
	var err error
	x.session, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(),
		transport, nil)
	testkit.Must(x.t, err)
}

// reloadCallers is how many ask all the time.
const reloadCallers = 3

func (x *reloadRun) play(edits int, start func(*reloadRun) (end func())) {
	x.write(x.userPath(), x.someUser())
	end := start(x)
	x.askNow(reloadQuestions[0]) // the first call reads what there is, half written or not
	x.calls = nil
	x.epoch(reloadEpoch{world: x.world, what: "the first", began: time.Now(), done: time.Now()})
	ctx, stop := context.WithCancel(context.Background())
	var callers sync.WaitGroup
	for i := range reloadCallers {
		callers.Go(func() { x.keepAsking(ctx, rand.New(rand.NewPCG(uint64(i), 13))) })
	}
	for n := range edits {
		if x.t.Failed() {
			break
		}
		x.edit()
		switch {
		case n == edits-1 || n%10 == 9:
			x.takesEffect("while others call")
			x.listAndCallsAgree()
			x.onlyItsServersRun()
		case x.r.IntN(3) == 0:
			x.takesEffect("while others call")
		case x.r.IntN(5) == 0:
			x.inSilence()
		case x.r.IntN(2) == 0:
			x.staysWarm()
		default:
			x.pause(time.Duration(x.r.IntN(450)) * time.Millisecond)
		}
	}
	stop()
	callers.Wait()
	end()
	x.nothingIsLeft()
	x.judge()
}

func (x *reloadRun) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
}

func (x *reloadRun) keepAsking(ctx context.Context, r *rand.Rand) {
	for ctx.Err() == nil {
		x.ask(reloadQuestions[r.IntN(len(reloadQuestions))])
		x.pause(time.Duration(r.IntN(20)) * time.Millisecond)
	}
}

// ask notes an answer. No call may fail in any other way than by an envelope, or take for ever.
func (x *reloadRun) ask(q *reloadQuestion) {
	x.gate.RLock()
	defer x.gate.RUnlock()
	x.askNow(q)
}

func (x *reloadRun) askNow(q *reloadQuestion) (said string) {
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
	defer cancel()
	c := reloadCall{question: q, began: time.Now()}
	var err error
	if c.said, err = q.ask(ctx, x.session); err != nil {
		x.t.Error(err)
	}
	c.ended = time.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.calls = append(x.calls, c)
	return c.said
}

// reloadPatience is far longer than a change takes on a busy machine.
const reloadPatience = 20 * time.Second

// takesEffect waits until answers are those of the world that is on disk, and notes how long that took.
func (x *reloadRun) takesEffect(how string) {
	q := reloadQuestions[0]
	k := len(x.epochs) - 1
	var want []string
	if w := &x.epochs[k].world; w.broken() {
		for _, fallback := range x.fallbacks() {
			want = append(want, q.expected(w, fallback))
		}
	} else {
		want = []string{q.expected(w, nil)}
	}
	var said string
	if err := testkit.Eventually(reloadPatience, func() bool {
		said = x.askNow(q)
		return slices.ContainsFunc(want, func(w string) bool { return q.explains(w, said) })
	}); err != nil {
		x.t.Errorf("%s never takes effect: %q is not in %q", x.epochs[k].what, said, want)
	}
	x.delays[how] = append(x.delays[how], time.Since(x.epochs[k].done))
	x.seen[k] = !x.epochs[k].world.broken() && strings.HasPrefix(said, "revisions")
}

// fallbacks are the worlds that may go on while the last one is broken.
func (x *reloadRun) fallbacks() []*reloadWorld {
	j := reloadJudge{epochs: x.epochs, proven: make([]time.Time, len(x.epochs))}
	for k := range j.epochs {
		if x.seen[k] {
			j.proven[k] = j.epochs[k].done
		}
	}
	return j.fallbacks(len(x.epochs) - 1)
}

// inSilence edits while nobody calls: hosts that only list tools see the change, too.
func (x *reloadRun) inSilence() {
	x.takesEffect("while others call")
	x.gate.Lock()
	defer x.gate.Unlock()
	before := x.world.list()
	x.edit()
	last := &x.epochs[len(x.epochs)-1]
	want := last.world.list()
	if last.world.broken() || slices.Equal(before, want) {
		return
	}
	var got []string
	if err := testkit.Eventually(reloadPatience, func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
		defer cancel()
		var err error
		if got, err = listedTools(ctx, x.session); err != nil {
			x.t.Error(err)
		}
		return slices.Equal(got, want)
	}); err != nil {
		x.t.Errorf("%s does not change the list of tools while nobody calls: it is %q, not %q", last.what, got, want)
	}
	x.delays["while nobody calls"] = append(x.delays["while nobody calls"], time.Since(last.done))
}

// refused are the kinds of errors of tools that are not there.
var refused = []contract.Kind{contract.KindToolDisabled, contract.KindReadOnly, contract.KindNotAllowedByPreset,
	contract.KindUnknownTool}

// listAndCallsAgree calls every tool under every name that it has or had: those that are listed, and no others, are
// there. Nothing changes meanwhile.
func (x *reloadRun) listAndCallsAgree() {
	w := &x.epochs[len(x.epochs)-1].world
	if w.broken() && slices.ContainsFunc(x.fallbacks(), func(fallback *reloadWorld) bool {
		return !w.goesOn(fallback)
	}) {
		return // nothing answers, for another reason
	}
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
	defer cancel()
	list, err := listedTools(ctx, x.session)
	testkit.Must(x.t, err)
	if !w.broken() && !slices.Equal(list, w.list()) {
		x.t.Errorf("the tools are %q, not %q", list, w.list())
	}
	names := map[string]string{}
	for _, t := range tools.All() {
		names[t.Name] = t.Name
	}
	for _, old := range session.OriginalTools() {
		now, _ := session.OriginalTool(old)
		names[old], names[strings.ToUpper(old)] = now, now
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var a reloadAnswer
		testkit.Must(x.t, callTool(ctx, x.session, name, map[string]any{"no": "argument"}, &a))
		if listed := slices.Contains(list, names[name]); listed == slices.Contains(refused, a.kind()) {
			x.t.Errorf("%s is %s; that %s is listed is %v", name, a.kind(), names[name], listed)
		}
	}
}

// started are the processes of a server that have been started.
func (x *reloadRun) started(server string) (pids []int) {
	events, err := lsptest.ReadEvents(filepath.Join(x.dir, server+".events"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		x.t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == lsptest.EventStart {
			pids = append(pids, e.PID)
		}
	}
	return pids
}

// onlyItsServersRun waits until no server runs that the world on disk does not have, and none twice.
func (x *reloadRun) onlyItsServersRun() {
	w := &x.epochs[len(x.epochs)-1].world
	if w.broken() {
		return
	}
	for server, there := range map[string]bool{
		"one1":  w.server("one") == "" && w.user.one == 1,
		"one2":  w.server("one") == "" && w.user.one == 2,
		"two":   w.server("two") == "",
		"three": w.server("three") == "",
	} {
		var running []int
		if err := testkit.Eventually(testkit.Patience, func() bool {
			running = slices.DeleteFunc(x.started(server), func(pid int) bool { return !alive(pid) })
			return len(running) == 0 || there && len(running) == 1
		}); err != nil {
			x.t.Errorf("%s: %d run, and that it is configured is %v", server, len(running), there)
		}
	}
}

func (x *reloadRun) nothingIsLeft() {
	for _, server := range []string{"one1", "one2", "two", "three"} {
		started := x.started(server)
		x.t.Logf("%s was started %d times", server, len(started))
		for _, pid := range started {
			testkit.Wait(x.t, "the end of "+server, func() bool { return !alive(pid) })
		}
	}
}

func (x *reloadRun) judge() {
	j := reloadJudge{epochs: x.epochs, calls: x.calls}
	j.prove()
	wrong, unsure := 0, 0
	for i := range j.calls {
		c := &j.calls[i]
		if _, unknown := j.wanted(c); unknown {
			unsure++
		}
		for _, what := range []string{j.explain(c), j.distrusted(c)} {
			if what == "" {
				continue
			}
			if wrong++; wrong <= 5 {
				x.t.Error(what)
			}
		}
	}
	x.t.Logf("%d servers went on over an edit", x.kept)
	x.t.Logf("%d answers while the disk had %d states; %d unexplained, %d not judged because a file was left half written", len(j.calls), len(j.epochs), wrong, unsure)
	for _, how := range slices.Sorted(maps.Keys(x.delays)) {
		all := slices.Sorted(slices.Values(x.delays[how]))
		at := func(percent int) time.Duration { return all[(len(all)-1)*percent/100].Round(time.Millisecond) }
		x.t.Logf("in effect %s: %d changes, median %v, 90 %% %v, 99 %% %v, at most %v", how, len(all), at(50), at(90),
			at(99), at(100))
	}
}
