//go:build linux

package hosts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/session"
)

// variable names the hosts to run, with commas between them, or all.
const variable = "LSPI_HOSTS"

var update = flag.Bool("update", false, "write the generated parts of docs/hosts.md anew")

// The bounds of one host.
const (
	hostLimit   = 3 * time.Minute
	memoryLimit = 4 << 30 // of all its processes together
)

// questions are what the stand-in asks; want is what the model has to see of the answer, as it stands in both channels.
var questions = []question{
	{"references", "find_references", object{"file_path": "price.go", "symbol_name": "Net"},
		[]string{"order.go", "6:37 func Order(amount int) int { return Net(amount) }"}},
	{"outline", "get_document_symbols", object{"file_path": "price.go"}, []string{"Net:4", "Gross:6"}},
	{"search", "search_workspace_symbols", object{"query": "Gross"}, []string{"price.go", "Gross"}},
	{"diagnostics", "get_diagnostics", object{"file_path": "broken.go"}, []string{"undefined: Missing"}},
	{"hover", "hover", object{"file_path": "price.go", "symbol_name": "Net"},
		[]string{"func Net(amount int) int", "Net takes the tax off."}},
	{"rename preview", "rename_symbol", object{"file_path": "price.go", "line": 4, "symbol_name": "Net",
		"new_name": "Netto"}, []string{"4:6 func Netto(amount int) int", "preview_id"}},
	{"error", "find_definition", object{"file_path": "price.go", "symbol_name": "Nett"},
		[]string{"symbol_not_found", "Net", "find_definition"}},
	{"at the cap", "find_references", object{"file_path": "price.go", "symbol_name": "Gross", "max_results": 5000},
		[]string{"many00.go", "Continue where this answer stopped.", "offset"}},
}

// projectFiles are a module with one symbol that is used 4,000 times.
func projectFiles() map[string]string {
	files := map[string]string{
		"go.mod":    "module example.com/shop\n\ngo 1.24\n",
		"price.go":  "package shop\n\n// Net takes the tax off.\nfunc Net(amount int) int { return amount * 100 / 119 }\n\nfunc Gross(amount int) int { return amount * 119 / 100 }\n",
		"order.go":  "package shop\n\n// Order is in net amounts.\n//\n// And so on.\nfunc Order(amount int) int { return Net(amount) }\n",
		"broken.go": "package shop\n\nvar broken = Missing\n",
	}
	for i := range 40 {
		var b strings.Builder
		fmt.Fprintf(&b, "package shop\n\nvar many%02d = []int{\n", i)
		for j := range 100 {
			fmt.Fprintf(&b, "\tGross(%d), // \"the gross amount\" of number %d\n", j, j)
		}
		files[fmt.Sprintf("many%02d.go", i)] = b.String() + "}\n"
	}
	return files
}

// skillBegins is how the description of lspi's skill begins, which a host tells its model.
const skillBegins = "Use for questions about code that text search answers badly"

// seen is what a run of one host showed.
type seen struct {
	program      program
	version      string
	client       string // clientInfo.name
	toolName     string
	instructions bool
	success      string
	failure      string
	largest      int // characters of the answer at the cap
	got          map[int]string
	refused      []string
	written      string // the file that lspi setup wrote, from home on
	listed       string // what the host's own list says of lspi
	whole        int    // answers that the model got whole
}

func TestHosts(t *testing.T) {
	wanted := os.Getenv(variable)
	if wanted == "" {
		t.Skipf("%s=all runs the real hosts (make hosts)", variable)
	}
	binary := testkit.Program(t)
	var all []seen
	for _, p := range programs {
		if wanted != "all" && !slices.Contains(strings.Split(wanted, ","), p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			if one, ok := runHost(t, p, binary); ok {
				all = append(all, one)
			}
		})
	}
	measured(t, all, wanted == "all")
}

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

func runHost(t *testing.T, p program, binary string) (seen, bool) {
	launcher := filepath.Join(testkit.Dir(), "hosts", "bin", p.name)
	if _, err := os.Stat(launcher); err != nil {
		t.Skipf("not installed: scripts/hosts.sh %s", p.name)
	}
	s := newSession(t, binary)
	version := firstVersion(s.run(launcher, []string{"--version"}, nil))
	start := p.start(s)
	written := s.setup(p)
	if p.skill {
		s.run(filepath.Join(s.bin, "lspi"), []string{"setup", p.name, "--skill", "--yes"}, nil)
	}
	listed := "no such command"
	if p.list != nil {
		listed = listing(s.run(launcher, p.list, start.environment))
	}
	if p.setup != nil {
		s.run(launcher, p.setup(s), start.environment)
	}
	output := s.run(launcher, start.arguments, start.environment)
	m := s.model
	m.mu.Lock()
	defer m.mu.Unlock()
	one := seen{program: p, version: version, written: written, listed: listed,
		client: clientOf(t, filepath.Join(s.home, "lspi.log")), got: m.got,
		toolName: nameOf(m.tools, "find_references"), instructions: strings.Contains(m.system,
			"asks the project's real language servers")}
	for host := range m.refused {
		one.refused = append(one.refused, host)
	}
	slices.Sort(one.refused)
	if m.outputs {
		t.Logf("%s shows its model output schemas", p.name)
	}
	if len(m.got) < len(m.script) {
		t.Errorf("the model got %d of %d answers; it was asked %q\nits tools: %q\n%s", len(m.got), len(m.script),
			m.requests, slices.Sorted(maps.Keys(m.tools)), output)
		return one, false
	}
	if p.skill && !strings.Contains(m.system, skillBegins) {
		t.Error("its model was not told of the skill")
	}
	if p.list != nil && !strings.HasPrefix(listed, "listed") {
		t.Errorf("its list does not have lspi: %s", listed)
	}
	one.judge(t)
	return one, true
}

// newSession is a home and a project for one run.
func newSession(t *testing.T, binary string) *hostRun {
	t.Helper()
	s := &hostRun{TB: t, home: t.TempDir(), project: t.TempDir(), model: newModel(t, questions), limit: hostLimit}
	for name, text := range projectFiles() {
		testkit.Must(t, os.WriteFile(filepath.Join(s.project, name), []byte(text), 0o600))
	}
	for _, command := range [][]string{{"init", "-q"}, {"add", "."}} {
		git := exec.Command("git", command...)
		git.Dir = s.project
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git: %v\n%s", err, out)
		}
	}
	s.bin = filepath.Join(s.home, "bin")
	testkit.Must(t, os.MkdirAll(s.bin, 0o700))
	testkit.Must(t, os.Symlink(binary, filepath.Join(s.bin, "lspi")))
	run := filepath.Join(s.home, "run")
	testkit.Must(t, os.Mkdir(run, 0o700))
	s.environment = []string{"HOME=" + s.home, "PATH=" + s.bin + ":" + filepath.Join(testkit.Dir(), "hosts", "bin") +
		":" + filepath.Join(testkit.Dir(), "bin") + ":" + os.Getenv("PATH"),
		"XDG_CONFIG_HOME=" + filepath.Join(s.home, ".config"), "XDG_DATA_HOME=" +
			filepath.Join(s.home, ".local/share"), "XDG_RUNTIME_DIR=" + run,
		"XDG_CACHE_HOME=" + filepath.Join(s.home, ".cache"), "XDG_STATE_HOME=" + filepath.Join(s.home, ".local/state")}
	// Hosts start lspi as lspi setup wrote it; what this test needs besides is in the user's own configuration.
	s.write(".config/lspi/config.toml", "[logging]\nlevel = \"info\"\nfile = "+
		asJSON(filepath.Join(s.home, "lspi.log"))+"\n[[servers]]\nid = \"gopls\"\ncommand = "+
		asJSON(filepath.Join(testkit.Dir(), "bin", "gopls"))+"\n[servers.env]\nGOCACHE = "+asJSON(goEnv(t, "GOCACHE"))+
		"\nGOMODCACHE = "+asJSON(goEnv(t, "GOMODCACHE"))+
		"\nGOTOOLCHAIN = \"local\"\nGOFLAGS = \"-mod=mod\"\nGOPROXY = \"off\"\n")
	t.Cleanup(s.stopShared)
	return s
}

// setup configures the host with lspi setup, with all tools, and returns the file that was written. A second lspi setup
// must find nothing to do.
func (s *hostRun) setup(p program) string {
	s.Helper()
	lspi := filepath.Join(s.bin, "lspi")
	first := s.run(lspi, []string{"setup", p.name, "--yes", "--no-check", "--read-write"}, nil)
	_, rest, ok := strings.Cut(first, "set up in "+s.home)
	if !ok {
		s.Fatalf("lspi setup %s: %s", p.name, first)
	}
	testkit.Holds(s, s.run(lspi, []string{"setup", p.name, "--yes", "--no-check", "--read-write"}, nil),
		"already set up")
	return "~" + strings.Fields(rest)[0]
}

// listing returns what the host's own list of MCP servers says about lspi.
func listing(output string) string {
	for line := range strings.Lines(output) {
		if !strings.Contains(line, "lspi") {
			continue
		}
		switch lower := strings.ToLower(line); {
		case strings.Contains(lower, "disconnected"), strings.Contains(lower, "failed"):
			return "listed, not connected"
		case strings.Contains(lower, "connected"):
			return "listed, connected"
		}
		return "listed"
	}
	return "not listed"
}

// stopShared ends the shared process of the hosts of this session; hosts share by default.
func (s *hostRun) stopShared() {
	cmd := exec.Command(filepath.Join(s.bin, "lspi"), "daemon", "stop")
	cmd.Env = s.environment
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Errorf("stopping the shared process: %v: %s", err, out)
	} else {
		s.Logf("%s", out)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	testkit.Must(t, err)
	return strings.TrimSpace(string(out))
}

// run starts a program of the host in the project and returns what it prints. It ends with everything that it started.
func (s *hostRun) run(launcher string, arguments []string, more map[string]string) string {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), s.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, launcher, arguments...)
	cmd.Dir = s.project
	cmd.Env = append(slices.Clone(s.environment), "TERM=dumb", "NO_COLOR=1", "CI=1", "DO_NOT_TRACK=1",
		"HTTP_PROXY="+s.model.URL, "HTTPS_PROXY="+s.model.URL, "http_proxy="+s.model.URL, "https_proxy="+s.model.URL,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost", "NODE_OPTIONS=--max-old-space-size=2048")
	for key, value := range more {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return s.endRun(cmd.Process.Pid) }
	cmd.WaitDelay = 5 * time.Second
	testkit.Must(s, cmd.Start())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.bound(ctx, cmd.Process.Pid, cancel)
	}()
	err := cmd.Wait()
	if cause := context.Cause(ctx); cause != nil {
		s.Errorf("%s: %v", filepath.Base(launcher), cause)
	}
	cancel()
	<-watched
	_ = s.endRun(cmd.Process.Pid)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.Errorf("%s: %v", filepath.Base(launcher), err)
	}
	return out.String()
}

// bound ends a run that takes too much memory.
func (s *hostRun) bound(ctx context.Context, id int, end func()) {
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
			if used := memoryOf(id); used > memoryLimit {
				s.Errorf("its processes have %d MB", used>>20)
				end()
			}
		}
	}
}

// processesOf are those of a session of processes.
func processesOf(session int) (pids []int, pages int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range all {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		fields := strings.Fields(rest) // proc(5): state, ppid, pgrp, session, …; rss is the 24th of all
		if len(fields) < 22 || fields[3] != strconv.Itoa(session) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		n, _ := strconv.Atoi(fields[21])
		pids, pages = append(pids, pid), pages+n
	}
	return pids, pages
}

func memoryOf(session int) int {
	_, pages := processesOf(session)
	return pages * os.Getpagesize()
}

// endRun kills what is left of a run: its session of processes, and daemons that left it (Cline 3.0 starts one) but
// have the home of the run.
func (s *hostRun) endRun(session int) error {
	pids, _ := processesOf(session)
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		raw, err := os.ReadFile(file)
		if err == nil && slices.Contains(strings.Split(string(raw), "\x00"), "HOME="+s.home) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			pids = append(pids, pid)
		}
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return nil
}

var versionPattern = regexp.MustCompile(`\d+\.\d+\.\d+`)

func firstVersion(text string) string { return versionPattern.FindString(text) }

// clientOf is the name of the host as lspi logged it with the calls.
func clientOf(t *testing.T, log string) string {
	t.Helper()
	raw, err := os.ReadFile(log)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		var entry struct{ Msg, Host string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "call" {
			return entry.Host
		}
		if _, host, ok := strings.Cut(line, " host="); ok && strings.Contains(line, "msg=call") {
			return strings.Trim(strings.Fields(host)[0], `"`)
		}
	}
	return ""
}

// judge compares what the model got with lspi's answers and with the table of hosts.
func (o *seen) judge(t *testing.T) {
	t.Helper()
	for i, q := range questions {
		got := o.got[i]
		if !slices.ContainsFunc(q.want, func(want string) bool { return !strings.Contains(plain(got), plain(want)) }) {
			o.whole++
		}
		for _, want := range q.want {
			testkit.Holds(t, plain(got), plain(want), q.name, "the model did not get", want, "but", got)
		}
		switch q.name {
		case "references":
			o.success = channelsOf(got, "Complete answer of gopls")
		case "error":
			o.failure = channelsOf(got, "Next steps:")
		case "at the cap":
			o.largest = len([]rune(got))
		}
	}
	row := session.HostFacts(o.client)
	if !row.Known {
		t.Errorf("clientInfo.name %q is not in the table of hosts", o.client)
	}
	if row.Success != "" && !strings.HasPrefix(o.success, row.Success) || row.Failure != "" &&
		!strings.HasPrefix(o.failure, row.Failure) || row.Instructions != o.instructions {
		t.Errorf("the model was shown %s, of an error %s, instructions %v; the table has %+v", o.success, o.failure,
			o.instructions, row)
	}
}

// plain is a text without what JSON and its indentation add.
func plain(text string) string {
	return strings.NewReplacer(`\`, "", `"`, "", " ", "", "\n", "").Replace(text)
}

// channelsOf says which parts of a result a text has; whole is how its text begins where that is the whole answer.
func channelsOf(got, whole string) string {
	structured := strings.Contains(got, "schema_version")
	text := strings.Contains(got, whole) || strings.Contains(got, "2 references in 2 files.")
	result := strings.Contains(got, "structuredContent") && strings.Contains(got, `"content":[`)
	switch {
	case result:
		return session.ShowsResult
	case structured && text:
		return session.ShowsBoth
	case structured:
		return session.ShowsStructured
	case text:
		return session.ShowsText
	}
	return "nothing"
}
