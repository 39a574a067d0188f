//go:build linux

package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// user has a project and hosts that share one process of lspi, which nobody else reaches: its folders are the
// user's own.
type user struct {
	*cell
	project *project
	dir     string // of the project
	truth   []string
	program string // lspi
	own     string // holds the configuration, the logs, lspi's state and, in run, the socket
	marker  string // in the environment of all that the user starts
	hosts   []*host
	stale   bool // a socket may be left, of a process that was killed without a next one
}

// user makes a user; when the test ends the shared process is stopped, and nothing may be left of what the user has
// started.
func (p *project) user(c *cell, entries ...entry) *user {
	c.Helper()
	testkit.Need(c, p.programs...)
	own, err := os.MkdirTemp("", "lspi-u") // short enough for a socket
	testkit.Must(c, err)
	u := &user{cell: c, project: p, dir: testkit.TempDir(c), program: testkit.Program(c), own: own}
	u.marker = "LSPI_FAULTS_TREE=" + filepath.Base(own)
	p.create(c, u.dir)
	u.truth = p.truth(c, u.dir)
	testkit.Must(c, os.CopyFS(own, os.DirFS(testkit.ClangdHome())))
	testkit.Must(c, os.Mkdir(u.path("run"), 0o700))
	if len(entries) == 0 {
		entries = []entry{{project: p}}
	}
	u.configure("config.toml", entries...)
	c.Cleanup(u.leave)
	return u
}

func (u *user) path(name string) string { return filepath.Join(u.own, name) }

// configure writes a configuration with these servers alone.
func (u *user) configure(name string, entries ...entry) {
	u.Helper()
	var config strings.Builder
	fmt.Fprintf(&config,
		"catalogue = false\ntrust = \"all\"\nenv_pass = [\"LSPI_FAULTS_TREE\"]\n[mcp]\ncall_timeout_ms = %d\n",
		callTime.Milliseconds())
	for _, e := range entries {
		e.write(u, &config)
	}
	write(u, u.path(name), config.String(), 0o600)
}

// environ is that of the user's programs. The race detector's reports of the shared process go to files: it has no
// stderr.
func (u *user) environ(variables ...string) []string {
	env := append(os.Environ(), u.marker, "LSPI_SHARE=auto", "XDG_CONFIG_HOME="+u.own, "XDG_STATE_HOME="+u.own,
		"XDG_RUNTIME_DIR="+u.path("run"),
		"GORACE=atexit_sleep_ms=0 log_path="+u.path("race"))
	for name, value := range u.project.env {
		env = append(env, name+"="+value)
	}
	return append(env, variables...)
}

// as are the ways in which one host differs from the others.
type as struct {
	program, config string // "" is as the others have it
	flags, env      []string
}

// host starts one more host, which has answered right.
func (u *user) host(o as) *host {
	u.Helper()
	h := u.greet(o)
	u.right(h.call("find_references", u.project.question()))
	return h
}

// greet starts one more host, which has shaken hands.
func (u *user) greet(o as) *host {
	u.Helper()
	h := u.newHost()
	u.hosts = append(u.hosts, h)
	u.connect(h, o)
	return h
}

func (u *user) newHost() *host {
	return &host{log: u.path(fmt.Sprintf("log%d", len(u.hosts))), errs: &lockedBuffer{}, marker: u.marker}
}

// connect starts the process of a host, and shakes hands.
func (u *user) connect(h *host, o as) {
	u.Helper()
	if o.program == "" {
		o.program = u.program
	}
	if o.config == "" {
		o.config = "config.toml"
	}
	cmd := exec.Command(o.program,
		append([]string{"mcp", "--workspace-root", u.dir, "--config", u.path(o.config), "--log-level", "debug",
			"--log-file", h.log}, o.flags...)...)
	cmd.Env, cmd.Stderr = u.environ(o.env...), h.errs
	h.Host = testkit.StartHost(u, cmd)
}

// together starts hosts of which each has answered right and knows that it shares one process with the others,
// which is returned.
func (u *user) together(n int) ([]*host, process) {
	u.Helper()
	var hosts []*host
	for range n {
		hosts = append(hosts, u.host(as{}))
	}
	return hosts, u.sharedBy(hosts)
}

// sharedBy is the process that all of these hosts share.
func (u *user) sharedBy(hosts []*host) process {
	u.Helper()
	pid := 0
	for _, h := range hosts {
		s := h.sharing()
		if !s.Shared || pid != 0 && s.PID != pid {
			u.cell.Fatalf("a host is served by %+v, and others by %d", s, pid)
		}
		pid = s.PID
	}
	p, ok := testkit.ProcessOf(pid)
	if !ok {
		u.cell.Fatalf("no process %d", pid)
	}
	return p
}

// sharing is what a host is told of the process that serves it.
func (h *host) sharing() sharing {
	h.Helper()
	return h.call("get_server_status", map[string]any{}).Sharing
}

// right makes sure that an answer is the whole truth.
func (u *user) right(a *reply) {
	u.Helper()
	if a = u.complete(a); a != nil {
		u.breaks("%s", a.wrong(u.truth))
	}
}

// complete is nil when an answer is the whole truth, perhaps after the server has loaded the project.
func (u *user) complete(a *reply) *reply {
	u.inTime(a, callTime)
	if a.wrong(u.truth) == "" {
		return nil
	}
	return a
}

// answered waits for calls, each of which has to be right; it says how many were.
func (u *user) answered(calls []*pending) {
	u.Helper()
	right := 0
	for _, p := range calls {
		if a := u.complete(p.envelope(u)); a == nil {
			right++
		} else {
			u.breaks("%s", a.wrong(u.truth))
		}
	}
	u.says("%d of %d right", right, len(calls))
}

// again asks every host once more.
func (u *user) again(hosts []*host) {
	u.Helper()
	for _, h := range hosts {
		u.right(h.call("find_references", u.project.question()))
	}
}

// run runs a command of lspi, and returns what it printed and whether it was content.
func (u *user) run(args ...string) (string, error) {
	cmd := exec.Command(u.program, args...)
	cmd.Env, cmd.Dir = u.environ(), u.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// daemonStatus is what lspi daemon status tells of one shared process.
type daemonStatus struct {
	PID      int
	Retired  bool
	Ending   bool
	Sessions []struct{ PID int }
	Roots    []struct {
		Servers []struct {
			State string
			PID   int
		}
	}
	Socket string
}

// servers are the processes of the servers that run.
func (d daemonStatus) servers() (out []int) {
	for _, r := range d.Roots {
		for _, s := range r.Servers {
			if s.PID != 0 {
				out = append(out, s.PID)
			}
		}
	}
	return out
}

// status is what lspi daemon status tells.
func (u *user) status() []daemonStatus {
	u.Helper()
	out, _ := u.run("daemon", "status", "--json") // it fails where none runs
	var s struct{ Processes []daemonStatus }
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		u.cell.Fatalf("%v\n%s", err, out)
	}
	return s.Processes
}

// leave ends what the user has started, in the way that a user does, and makes sure that nothing is left.
func (u *user) leave() {
	defer func() {
		for _, p := range marked(u.marker) {
			p.Kill()
		}
		_ = os.RemoveAll(u.own)
	}()
	for _, h := range u.hosts {
		if h.Host != nil {
			h.Close()
		}
	}
	if out, err := u.run("daemon", "stop"); err != nil {
		u.Errorf("stopping the shared process: %v\n%s", err, out)
	}
	if rest := u.left(); len(rest) > 0 {
		u.Errorf("left of a user who has gone: %v", rest)
	}
	if sockets, _ := filepath.Glob(u.path("run/lspi/*.sock")); !u.stale && slices.ContainsFunc(sockets, isSocket) {
		u.Errorf("left: %v", sockets)
	}
	for _, h := range u.hosts {
		if text := h.errs.String(); strings.Contains(text, "panic:") {
			u.Errorf("lspi said:\n%s", text)
		}
	}
	races, _ := filepath.Glob(u.path("race*"))
	for _, path := range races {
		text, _ := os.ReadFile(path)
		u.Errorf("%s:\n%s", filepath.Base(path), text)
	}
}

// left are the user's processes that are still there a while later.
func (u *user) left() (rest []process) {
	_ = testkit.Eventually(endTime+endSlack, func() bool { rest = marked(u.marker); return len(rest) == 0 })
	return rest
}

// isSocket tells lspi's own from what a stranger has put there.
func isSocket(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSocket != 0
}

// servers are the processes of all servers of the user, with those that they have started.
func (u *user) servers() (out []process) {
	for _, d := range u.status() {
		for _, pid := range d.servers() {
			out = append(out, tree(pid)...)
		}
	}
	return out
}

// nothingOf makes sure that processes are gone.
func (u *user) nothingOf(before ...process) {
	if rest := left(before, endTime+endSlack); len(rest) > 0 {
		u.breaks("left: %v", rest)
	}
}

// oneAgain makes sure that hosts that lost their process share one again, and says so.
func (u *user) oneAgain(hosts []*host) {
	u.Helper()
	for _, h := range hosts[1:] {
		if a, b := h.sharing(), hosts[0].sharing(); !a.Shared || a.PID != b.PID {
			u.breaks("hosts are served by %+v and %+v", a, b)
			return
		}
	}
	u.says("one process again")
}

// inFlight makes calls at every host, of which none is answered yet: all of them wait for a server that is stopped.
func (u *user) inFlight(hosts []*host, each int) (calls []*pending) {
	u.Helper()
	const method = "textDocument/references"
	r := &running{host: hosts[0], cell: u.cell, project: u.project, truth: u.truth}
	at, before := r.at(), r.sent(method)
	u.cell.stop(r.victims())
	for _, h := range hosts {
		for range each {
			calls = append(calls, h.start("find_references", at))
		}
	}
	if err := testkit.Eventually(testkit.Patience, func() bool {
		return r.sent(method) >= before+len(calls)
	}); err != nil {
		u.cell.Fatalf("%d of %d requests were sent", r.sent(method)-before, len(calls))
	}
	return calls
}

// within notes what took longer than it may.
func (u *user) within(what string, began time.Time, limit time.Duration) {
	if took := time.Since(began); took > limit+callSlack {
		u.breaks("%s took %v", what, took)
	}
}

// atBoth runs a fault at its servers, at the same time as the tests that are parallel.
func atBoth(t *testing.T, f *fault, do func(c *cell, p *project)) {
	t.Parallel()
	eachAtOnce(t, f, do)
}

// sharedFaults are the rows about the shared process, in the order of the document.
var sharedFaults = func() []*fault {
	all := []*fault{sharedKilled, sharedTerminated, sharedCrashed, sharedStopped, sharedEnded, editsKilled, hostKilled,
		tenStarts, otherOld, otherEnvironment, otherSettings,
		otherRights, socketDeleted, folderDeleted, folderUnwritable, diskFull, logFull}
	for _, s := range strangers {
		all = append(all, s.fault)
	}
	return all
}()
