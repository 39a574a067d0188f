//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// sharedDocument is where the figures of BenchmarkShared are written.
const sharedDocument = "../../docs/benchmarks-shared.md"

// sharedOutcome is one figure of the page.
type sharedOutcome struct{ table, row, column, value string }

var sharedOutcomes []sharedOutcome

func noteShared(b *testing.B, table, row, column, format string, value any) {
	sharedOutcomes = append(sharedOutcomes, sharedOutcome{table, row, column, fmt.Sprintf(format, value)})
	if n, err := strconv.ParseFloat(fmt.Sprint(value), 64); err == nil {
		b.ReportMetric(n, strings.ReplaceAll(column, " ", "-"))
	}
}

// The tables of the page.
const (
	tableStarts = "starts"
	tableHosts  = "hosts"
	tableCalls  = "calls"
)

// hostsTogether is how many hosts ask one repository.
const hostsTogether = 10

// BenchmarkShared measures what the shared process brings and costs: -bench 'Shared/starts/gopls' selects.
func BenchmarkShared(b *testing.B) {
	b.Run("starts", func(b *testing.B) {
		for _, l := range benchLanguages[:3] {
			b.Run(l.row, func(b *testing.B) { measureStarts(b, l) })
		}
	})
	b.Run("hosts", measureHosts)
	b.Run("calls", measureCalls)
}

// sharing is a pair whose hosts share one process of their own, which ends with the benchmark.
func sharing(b *testing.B, l language) *pair {
	p := newPairOn(b, l, l.copied).fresh(b)
	runtime, err := os.MkdirTemp("", "lspi-bench") // short enough for a socket
	testkit.Must(b, err)
	p.env = append(p.env, "LSPI_SHARE=auto", "XDG_RUNTIME_DIR="+runtime)
	b.Cleanup(func() {
		stop := exec.Command(p.program, "daemon", "stop")
		stop.Env = append(os.Environ(), p.env...)
		if out, err := stop.CombinedOutput(); err != nil {
			b.Errorf("stopping the shared process: %v\n%s", err, out)
		}
		if left := processesOf(p.home() + "\x00"); len(left) > 0 {
			b.Errorf("processes are left: %v", left)
		}
		_ = os.RemoveAll(runtime)
	})
	return p
}

// measureStarts takes the time from the start of a host's process to its first answer that has all references.
func measureStarts(b *testing.B, l language) {
	p := sharing(b, l)
	arguments := p.arguments(b, p.asked)
	total := 0
	start := func(first bool) (*testkit.Host, time.Duration) {
		began := time.Now()
		h := p.startServed(b)
		for {
			a := p.call(b, h, "find_references", arguments)
			took := time.Since(began)
			if n := totalOf(b, a); n == total && total > 0 || first && !loading(a) {
				total = n
				return h, took
			}
		}
	}
	stays, took := start(true)
	noteShared(b, tableStarts, l.row, "first host", "%.0f", micros(took)/1e3)
	for _, column := range []string{"second host", "after a restart of its host"} {
		if column != "second host" {
			stop(b, stays) // so that each of the following is alone
		}
		var all times
		for range 7 {
			h, took := start(false)
			all = append(all, took)
			stop(b, h)
		}
		noteShared(b, tableStarts, l.row, column, "%.0f", micros(all.median())/1e3)
	}
	for b.Loop() { // one sample
	}
}

func totalOf(b *testing.B, a reply) int {
	b.Helper()
	var found struct{ Total int }
	testkit.Must(b, json.Unmarshal(a.structured, &found))
	return found.Total
}

// loading reports whether an answer says that it may lack something because the project is being loaded.
func loading(a reply) bool {
	return slices.ContainsFunc(a.Warnings, func(w struct{ Kind string }) bool { return w.Kind == "indexing" })
}

// measureHosts measures several hosts that ask about one repository, with and without sharing.
func measureHosts(b *testing.B) {
	l := benchLanguages[0]
	l.corpus, l.file = "cobra", "command.go"
	l.asked = spotOf{"command.go", "func (c *Command) ", "Execute("}
	for _, c := range []struct{ row, share string }{{"shared", "auto"}, {"each its own", "off"}} {
		p := sharing(b, l)
		p.env = append(p.env, "LSPI_SHARE="+c.share)
		var hosts []*testkit.Host
		for range hostsTogether {
			h := p.startServed(b)
			p.call(b, h, "find_references", p.arguments(b, p.asked))
			hosts = append(hosts, h)
		}
		testkit.Wait(b, "the hosts are at rest", atRest(hosts))
		pids := processesOf(p.home() + "\x00")
		servers, memory := 0, 0
		for _, pid := range pids {
			if strings.HasSuffix(nameOf(pid), "gopls") {
				servers++
			}
			memory += kilobytes(pid, "smaps_rollup", "Pss:")
		}
		noteShared(b, tableHosts, c.row, "processes", "%d", len(pids))
		noteShared(b, tableHosts, c.row, "of gopls", "%d", servers)
		noteShared(b, tableHosts, c.row, "memory MB", "%d", memory>>10)
		noteShared(b, tableHosts, c.row, "lspi mcp MB", "%.1f",
			float64(kilobytes(hosts[0].Cmd.Process.Pid, "status", "VmRSS:"))/1024)
		for _, h := range hosts {
			stop(b, h)
		}
	}
	for b.Loop() { // one sample
	}
}

// atRest becomes true when the processes of hosts have returned the memory that their start took, after some seconds.
func atRest(hosts []*testkit.Host) func() bool {
	last, since := 0, time.Now()
	return func() bool {
		sum := 0
		for _, h := range hosts {
			sum += kilobytes(h.Cmd.Process.Pid, "status", "VmRSS:")
		}
		if sum > last || sum < last*9/10 { // garbage comes and goes
			last, since = sum, time.Now()
		}
		return time.Since(since) > 4*time.Second
	}
}

// measureCalls asks one warm question through the shared process and in a process of the host's own, turn by turn.
func measureCalls(b *testing.B) {
	p := sharing(b, benchLanguages[0])
	shared := p.startServed(b)
	defer stop(b, shared)
	env := p.env
	p.env = append(slices.Clone(env), "LSPI_SHARE=off")
	own := p.startServed(b)
	defer stop(b, own)
	arguments := p.arguments(b, p.used)
	var through, within times
	const warm = 50
	for i := range warm + 1000 {
		a, o := p.call(b, shared, "find_definition", arguments), p.call(b, own, "find_definition", arguments)
		if i >= warm {
			through, within = append(through, a.took), append(within, o.took)
		}
	}
	for _, c := range []struct {
		row string
		t   times
	}{{"through the shared process", through}, {"in the host's own process", within}} {
		noteShared(b, tableCalls, c.row, "median ms", "%.2f", micros(c.t.median())/1e3)
		noteShared(b, tableCalls, c.row, "p99 ms", "%.2f", micros(c.t.percentile(0.99))/1e3)
	}
	noteShared(b, tableCalls, "added", "median ms", "%.2f", micros(through.median()-within.median())/1e3)
	noteShared(b, tableCalls, "added", "p99 ms", "%.2f", micros(through.percentile(0.99)-within.percentile(0.99))/1e3)
	for b.Loop() { // one sample
	}
}

// home is the entry of the environment that names the home folder, which servers get, too.
func (p *pair) home() string {
	i := slices.IndexFunc(p.env, func(entry string) bool { return strings.HasPrefix(entry, "HOME=") })
	return p.env[i]
}

// processesOf are the processes with a text in their environment.
func processesOf(mark string) (out []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if raw, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ")); err == nil &&
			bytes.Contains(raw, []byte(mark)) {
			out = append(out, pid)
		}
	}
	return out
}

func nameOf(pid int) string {
	link, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return link
}

// kilobytes is what stands behind a key in a file of /proc of a process; 0 when it has ended.
func kilobytes(pid int, file, key string) (n int) {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	_, rest, _ := strings.Cut(string(raw), key)
	_, _ = fmt.Sscan(rest, &n)
	return n
}

// sharedPage is the page.
func sharedPage(m machine) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# What sharing one process brings

Generated by `+"`make benchmarks-shared`"+` from one run of the package bench. Measured with %d cores, %s of memory, %s, %s; the load average before the
first row was %s; the run took %s.
`, m.cores, m.memory, m.system, m.goVersion, m.loadBefore, m.took)
	if m.busy() {
		b.WriteString(
			"Other programs ran at the same time: the figures are larger than on a machine that does nothing else.\n")
	}
	for _, t := range []struct{ name, title, words string }{
		{tableStarts, "First answers",
			"From the start of a host's `lspi mcp` to its first answer with all references, in milliseconds; the first host with empty caches, the others the median of 7. Behind a start with empty caches gopls still works for a while, which the next hosts share. " +
				"Goal: 50 ms for the second."},
		{tableHosts, fmt.Sprintf("%d hosts on one repository", hostsTogether),
			"cobra and gopls: each host has asked once. Memory is the sum of Pss of all processes, `lspi mcp` the resident " +
				"memory of one (goal: 12 MB when it is shared)."},
		{tableCalls, "A warm call",
			"find_definition on x/tools, 1,000 times each way, turn by turn, in milliseconds. Goal: 0.15 ms added at the median."},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", t.title, t.words)
		var columns, rows []string
		for _, o := range sharedOutcomes {
			if o.table == t.name && !slices.Contains(columns, o.column) {
				columns = append(columns, o.column)
			}
			if o.table == t.name && !slices.Contains(rows, o.row) {
				rows = append(rows, o.row)
			}
		}
		fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---:|", len(columns)))
		for _, row := range rows {
			fmt.Fprintf(&b, "| %s |", row)
			for _, column := range columns {
				i := slices.IndexFunc(sharedOutcomes, func(o sharedOutcome) bool {
					return o.table == t.name && o.row == row && o.column == column
				})
				value := "–"
				if i >= 0 {
					value = sharedOutcomes[i].value
				}
				fmt.Fprintf(&b, " %s |", value)
			}
			b.WriteString("\n")
		}
	}
	return b.Bytes()
}
