//go:build linux

package faults

import (
	"cmp"

	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
)

const groupProcess = "A server ends, hangs or crashes again and again"

var (
	killed = &fault{group: groupProcess, name: "killed while 20 calls run",
		servers: everyServer}
	hung = &fault{group: groupProcess, name: "stopped (SIGSTOP), so that it answers nothing",
		servers: everyServer}
	orphaned = &fault{group: groupProcess, name: "only its launcher is killed",
		servers: everyServer, always: ts}
	looping = &fault{group: groupProcess, name: "killed after every start",
		servers: everyServer}
)

// callTime is the deadline of a call in the cells that run the binary; callSlack is what a busy machine may add.
const (
	callTime  = 40 * time.Second
	callSlack = 15 * time.Second
)

// running is a host whose server has answered once.
type running struct {
	*host
	*cell
	project *project
	truth   []string
}

// run starts lspi on a project of its own and makes sure that it answers right.
func (p *project) run(c *cell, timeout time.Duration, e entry) *running {
	c.Helper()
	testkit.Need(c, p.programs...)
	dir := testkit.TempDir(c)
	p.create(c, dir)
	e.project = p
	r := &running{host: startHost(c, dir, timeout, e), cell: c, project: p, truth: p.truth(c, dir)}
	// With a short time for requests, the first ones may be too slow on a busy machine.
	wrong := ""
	if err := testkit.Eventually(testkit.Patience, func() bool {
		wrong = r.call("find_references", p.question()).wrong(r.truth)
		return wrong == ""
	}); err != nil {
		c.Fatalf("before the fault: %s", wrong)
	}
	return r
}

// at returns the question with a position instead of a name, for which lspi sends the server a single request.
func (r *running) at() map[string]any {
	q := r.project.question()
	for _, place := range r.truth {
		parts := strings.Split(place, ":")
		if parts[0] != r.project.home {
			continue
		}
		delete(q, "symbol_name")
		q["line"], _ = strconv.Atoi(parts[1])
		q["character"], _ = strconv.Atoi(parts[2])
		return q
	}
	r.cell.Fatal("the definition is nowhere")
	return nil
}

// victims returns the processes of the server; the first is the one that lspi started.
func (r *running) victims() []process {
	pid := r.status(r.project.server).PID
	all := tree(pid)
	slices.SortStableFunc(all, func(a, b process) int { return cmp.Compare(distance(a, pid), distance(b, pid)) })
	if len(all) == 0 || all[0].PID != pid {
		r.cell.Fatalf("no process %d", pid)
	}
	return all
}

// stop stops the processes of a server that are in its process group, and returns when all of them stand still. Others
// go on: gopls starts a copy of itself in a session of its own that waits for the end of gopls (0.23.0).
func (c *cell) stop(victims []process) {
	for _, v := range victims {
		if v.Group != victims[0].PID {
			continue
		}
		_ = v.Signal(syscall.SIGSTOP)
		if err := testkit.Eventually(testkit.Patience, func() bool {
			now, ok := testkit.ProcessOf(v.PID)
			return !ok || now.State == "T"
		}); err != nil {
			c.Fatalf("%v goes on", v)
		}
	}
}

func distance(p process, pid int) int {
	if p.PID == pid {
		return 0
	}
	return 1
}

// inTime notes a call that took longer than it may.
func (c *cell) inTime(a *reply, limit time.Duration) {
	if a.took > limit+callSlack {
		c.breaks("a call took %v", a.took)
	}
}

// next asks once more, expects a right answer, and checks that none of the earlier processes is left.
func (r *running) next(before []process) {
	a := loaded(func() *reply { return r.call("find_references", r.project.question()) })
	r.cell.measured()
	// it may have begun before the end was noticed, and says so then
	r.says("next call: %s", cmp.Or(a.Completeness, a.Reason()))
	r.inTime(a, callTime)
	if wrong := a.wrong(r.truth); wrong != "" {
		r.breaks("the next call: %s", wrong)
	}
	r.gone(before)
}

// gone checks that none of the processes is left, and that lspi has reaped its children.
func (r *running) gone(before []process) {
	if rest := left(before, endTime+endSlack); len(rest) > 0 {
		r.breaks("left: %v", rest)
	}
	if err := testkit.Eventually(endTime+endSlack, func() bool { return len(r.zombies()) == 0 }); err != nil {
		r.breaks("zombies: %v", r.zombies())
	}
}

// All of the calls are in flight when the server dies: it is stopped first, so that it can answer none of them.
func TestKilledWhileCallsRun(t *testing.T) {
	each(t, killed, func(c *cell, p *project) {
		r := p.run(c, callTime, entry{})
		victims := r.victims()
		c.stop(victims)
		const method, calls = "textDocument/references", 20
		before := r.sent(method)
		var all []*pending
		for range calls {
			all = append(all, r.start("find_references", r.at()))
		}
		if err := testkit.Eventually(testkit.Patience, func() bool {
			return r.sent(method) >= before+calls
		}); err != nil {
			c.Fatalf("%d of %d requests were sent", r.sent(method)-before, calls)
		}
		c.again()
		victims[0].Kill()
		r.collect(all)
		r.next(victims)
	})
}

// collect waits for the answers of calls, each of which is right or says that the server crashed.
func (r *running) collect(all []*pending) {
	shapes := map[string]int{}
	for _, p := range all {
		a := p.envelope(r.cell)
		shapes[a.shape()]++
		r.inTime(a, callTime)
		if lie := a.lies(r.truth); lie != "" {
			r.breaks("a lie: %s", lie)
		}
		if !a.OK && a.Reason() != "server_crashed" {
			r.breaks("%s", a.wrong(r.truth))
		}
	}
	for shape, n := range shapes {
		r.says("%d × %s", n, shape)
	}
	slices.Sort(r.came)
}

// maxHung is how many calls may fail before a server that hangs has been ended.
const maxHung = 3

// lspi detects a server that no longer answers, and replaces it.
func TestHung(t *testing.T) {
	t.Parallel()
	eachAtOnce(t, hung, func(c *cell, p *project) {
		r := p.run(c, callTime, entry{timeout: 2 * time.Second})
		victims := r.victims()
		c.stop(victims)
		c.again()
		r.replaced(victims)
	})
}

// replaced asks until another server answers right; an answer has to say that the server was replaced. On a busy
// machine further calls may end before the new server has loaded the project.
func (r *running) replaced(before []process) {
	var a *reply
	said, wrong, calls := false, "", 0
	_ = testkit.Eventually(testkit.Patience, func() bool {
		calls++
		a = r.call("find_references", r.at())
		r.inTime(a, callTime)
		said = said || slices.Contains(a.Kinds(), "server_restarted") || a.Reason() == "server_crashed"
		if lie := a.lies(r.truth); lie != "" {
			r.breaks("a lie: %s", lie)
		}
		wrong = a.wrong(r.truth)
		return wrong == "" || calls >= maxHung && before[0].Alive()
	})
	r.cell.measured()
	if wrong != "" {
		r.says("%s", a.shape())
		r.breaks("after %d calls: %s", calls, wrong)
		return
	}
	r.says("replaced: %s", a.Completeness)
	if !said {
		r.breaks("that it was replaced is not said")
	}
	r.gone(before)
}

// launcher is a program that runs a server as its child, with a helper beside it that holds its output open.
func launcher(t testing.TB, p *project) entry {
	t.Helper()
	program, args := p.program(t)
	var words []string
	for _, a := range append([]string{program}, args...) {
		words = append(words, shell(a))
	}
	path := filepath.Join(testkit.TempDir(t), "launch.sh")
	write(t, path, "#!/bin/sh\nsleep 600 &\n"+strings.Join(words, " ")+"\nexit $?\n", 0o755)
	return entry{command: path}
}

// program is how a server is started.
func (p *project) program(t testing.TB) (string, []string) {
	t.Helper()
	c := p.spec(t, nil).Commands[0]
	path, err := exec.LookPath(c.Name)
	testkit.Must(t, err)
	return path, c.Args
}

func TestOnlyTheLauncherIsKilled(t *testing.T) {
	each(t, orphaned, func(c *cell, p *project) {
		r := p.run(c, callTime, launcher(c, p))
		victims := r.victims()
		if len(victims) < 3 || victims[0].Command != "launch.sh" {
			c.Fatalf("the launcher, its helper and the server: %v", victims)
		}
		c.again()
		victims[0].Kill()
		r.next(victims)
	})
}

// lastWords is what a server that crashes again and again says on stderr.
const lastWords = "these are the last words"

// lspi gives up a server that ends after each start; the error has the server's last words and says how to go on.
func TestCrashLoop(t *testing.T) {
	each(t, looping, func(c *cell, p *project) {
		program, args := p.program(c)
		words := []string{"exec", shell(program)}
		for _, a := range args {
			words = append(words, shell(a))
		}
		path := filepath.Join(testkit.TempDir(c), "launch.sh")
		write(c, path, "#!/bin/sh\necho "+lastWords+" >&2\n"+strings.Join(words, " ")+"\n", 0o755)
		dir := testkit.TempDir(c)
		p.create(c, dir)
		r := &running{host: startHost(c, dir, callTime, entry{project: p, command: path}), cell: c, project: p,
			truth: p.truth(c, dir)}
		stop := r.killEach()
		defer stop()
		c.again()
		// A call may still get its answer before the blow falls.
		var a *reply
		err := testkit.Eventually(testkit.Patience, func() bool {
			a = r.call("find_references", p.question())
			r.inTime(a, callTime)
			if lie := a.lies(r.truth); lie != "" {
				c.breaks("a lie: %s", lie)
			}
			return a.Reason() == "server_disabled"
		})
		c.measured()
		stop()
		c.says("%s", a.Reason()) // by chance the call in which it is given up says also that it was started again
		if err != nil {
			c.breaks("it is not given up: %s", a.shape())
			return
		}
		if a.Error.Data.Reason.Retry <= 0 || len(a.NextSteps) == 0 {
			c.breaks("how to go on is missing: %s", a.raw)
		}
		c.mentions(a, lastWords)
		r.gone(r.servers())
	})
}

// mentions makes sure that a model that sees only the text of an error reads some words.
func (c *cell) mentions(a *reply, words string) {
	if strings.Contains(a.text, words) {
		c.says("%q in the text", words)
	} else {
		c.breaks("%q is not in the text: %s", words, a.text)
	}
}

// killEach kills every server as soon as its launcher has become it, until stop is called.
func (r *running) killEach() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-done:
				return
			}
			for _, p := range testkit.Processes() {
				// A process that has just been made has the name of lspi, which make test calls lspi-race, before
				// it has that of the program.
				if p.Parent == r.Cmd.Process.Pid && p.Command != "launch.sh" && !strings.HasPrefix(p.Command, "lspi") {
					p.Kill()
				}
			}
		}
	}()
	stopped := false
	return func() {
		if !stopped {
			stopped = true
			close(done)
			<-ended
		}
	}
}

// each runs a fault at its servers, one after the other.
func each(t *testing.T, f *fault, do func(c *cell, p *project)) {
	f.at(t, func(*testing.T) {}, do)
}

// eachAtOnce runs a fault at its servers in parallel, for cells that mostly wait for a limit.
func eachAtOnce(t *testing.T, f *fault, do func(c *cell, p *project)) {
	f.at(t, (*testing.T).Parallel, do)
}

func (f *fault) at(t *testing.T, begin func(*testing.T), do func(c *cell, p *project)) {
	for _, server := range f.servers {
		t.Run(server, func(t *testing.T) {
			begin(t)
			f.in(t, server, func(c *cell) { do(c, projectOf(server)) })
		})
	}
}
