//go:build linux

package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
)

// othersDocument has the figures of BenchmarkOthers in one of its sections.
const othersDocument = "../../docs/mcp-servers.md"

// The marks around that section.
const (
	othersBegin = "<!-- measured: make benchmarks-others -->\n"
	othersEnd   = "<!-- end of the measurement -->\n"
)

// othersRow is a line of the table there.
type othersRow struct {
	way string
	times
}

var othersInARow, othersRested, othersStarts []othersRow

// BenchmarkOthers measures what lspi adds to the call of a tool of another MCP server, echo of server-everything:
// by a client of the SDK directly, through programs that do nothing but pass the call on, through an lspi of the
// host's own, and through the shared process. Each has a server of its own. It calls in each way some times in a
// row, turn by turn; and once in each way, so that a program has done nothing for as long as the other ways take,
// and its code and data are no longer in the caches of the processor. Then it measures the time from the start of
// lspi to the list of tools.
func BenchmarkOthers(b *testing.B) {
	b.Run("calls", measureOtherCalls)
	b.Run("starts", measureOtherStarts)
}

// otherHome is an environment whose configuration has server-everything behind lspi, or no server.
func otherHome(b *testing.B, server bool) []string {
	b.Helper()
	testkit.Need(b, "mcp-server-everything")
	home := testkit.TempDir(b)
	text := ""
	if server {
		text = "[mcp_servers.everything]\ncommand = \"mcp-server-everything\"\n"
	}
	testkit.Write(b, filepath.Join(home, ".config/lspi/config.toml"), text)
	return []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" +
		filepath.Join(home, ".state"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"), "LSPI_CONFIG_PATH=", "CLAUDE_PROJECT_DIR="}
}

// plainHost connects a client of the SDK to a program, and is ended with the benchmark.
func plainHost(b *testing.B, env []string, program string, args ...string) *mcp.ClientSession {
	b.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	host, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).
		Connect(b.Context(), &mcp.CommandTransport{Command: cmd},
			&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	testkit.Must(b, err)
	return host
}

func measureOtherCalls(b *testing.B) {
	env, program, root := otherHome(b, true), testkit.Program(b), testkit.TempDir(b)
	runtime, err := os.MkdirTemp("", "lspi-bench") // short enough for a socket
	testkit.Must(b, err)
	env = append(env, "XDG_RUNTIME_DIR="+runtime)
	through := func(share string) *mcp.ClientSession {
		return plainHost(b, env, program, "mcp", "--workspace-root", root, "--share", share)
	}
	ways := []struct {
		way, tool string
		host      *mcp.ClientSession

		inARow, rested times
	}{
		{way: "directly", tool: "echo", host: plainHost(b, nil, "mcp-server-everything")},
		{way: "through a program that copies bytes", tool: "echo",
			host: plainHost(b, []string{proxyEnv + "=" + copiesBytes}, os.Args[0])},
		{way: "through a program of the SDK's server and client", tool: "echo",
			host: plainHost(b, []string{proxyEnv + "=" + usesSDK}, os.Args[0])},
		{way: "through lspi", tool: "everything__echo", host: through("off")},
		{way: "through the shared process", tool: "everything__echo", host: through("auto")},
	}
	defer func() {
		for _, w := range ways {
			_ = w.host.Close()
		}
		stop := exec.Command(program, "daemon", "stop")
		stop.Env = append(os.Environ(), env...)
		if out, err := stop.CombinedOutput(); err != nil {
			b.Errorf("stopping the shared process: %v\n%s", err, out)
		}
		_ = os.RemoveAll(runtime)
	}()
	call := func(w int) time.Duration {
		began := time.Now()
		got, err := ways[w].host.CallTool(b.Context(),
			&mcp.CallToolParams{Name: ways[w].tool, Arguments: map[string]any{"message": "hello"}})
		took := time.Since(began)
		if err != nil || got.IsError {
			b.Fatalf("%s: %+v, %v", ways[w].way, got, err)
		}
		return took
	}
	const row, rows, restedCalls = 50, 60, 2000
	for i := range rows + 6 {
		for w := range ways {
			for range row {
				if took := call(w); i >= 6 { // before, node compiles what it runs
					ways[w].inARow = append(ways[w].inARow, took)
				}
			}
		}
	}
	for range restedCalls {
		for w := range ways {
			ways[w].rested = append(ways[w].rested, call(w))
		}
	}
	for b.Loop() { // one sample; it forgets what was reported before
	}
	b.ReportMetric(0, "ns/op")
	for i, w := range ways {
		othersInARow, othersRested = append(othersInARow, othersRow{w.way, w.inARow}),
			append(othersRested, othersRow{w.way, w.rested})
		w.inARow.report(b, metricName(w.way))
		w.rested.report(b, metricName(w.way)+"-rested")
		if i > 0 {
			b.ReportMetric(micros(w.inARow.median()-ways[0].inARow.median()), metricName(w.way)+"-added-µs")
			b.ReportMetric(micros(w.rested.median()-ways[0].rested.median()), metricName(w.way)+"-rested-added-µs")
		}
	}
}

// measureOtherStarts takes the time from the start of lspi to the answer of tools/list.
func measureOtherStarts(b *testing.B) {
	program, root := testkit.Program(b), testkit.TempDir(b)
	start := func(env []string, want string) time.Duration {
		began := time.Now()
		host := plainHost(b, env, program, "mcp", "--workspace-root", root, "--share", "off")
		defer host.Close()
		has := func() bool {
			list, err := host.ListTools(b.Context(), nil)
			testkit.Must(b, err)
			return strings.HasPrefix(list.Tools[len(list.Tools)-1].Name, want)
		}
		whole, took := has(), time.Since(began)
		if !whole { // the server took longer than a list waits
			testkit.Wait(b, "the list has the server's tools", has)
		}
		return took
	}
	none := otherHome(b, false)
	var without, first, again times
	for range 10 {
		without = append(without, start(none, ""))
		env := otherHome(b, true)
		first = append(first, start(env, "everything__"))
		again = append(again, start(env, "everything__"))
	}
	othersStarts = []othersRow{{"without other servers", without}, {"with server-everything, whose list is not known",
		first}, {"with server-everything, whose list is kept", again}}
	for b.Loop() { // one sample; it forgets what was reported before
	}
	b.ReportMetric(0, "ns/op")
	for _, r := range othersStarts {
		b.ReportMetric(micros(r.median())/1e3, metricName(r.way)+"-ms")
	}
}

// metricName is a way as the name of a metric, which has no blanks.
func metricName(way string) string {
	return strings.NewReplacer(",", "", "'", "", " ", "-").Replace(way)
}

// writeOthers puts the figures into their section.
func writeOthers(m machine) error {
	raw, err := os.ReadFile(othersDocument)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(raw), othersBegin)
	_, after, ok2 := strings.Cut(rest, othersEnd)
	if !ok || !ok2 {
		return fmt.Errorf("%s lacks the marks around the measurement", othersDocument)
	}
	return os.WriteFile(othersDocument, []byte(before+othersBegin+othersSection(m)+othersEnd+after), 0o644)
}

func othersSection(m machine) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Measured with %d cores, %s, %s; the load average before was %s.", m.cores, m.system, m.goVersion,
		m.loadBefore)
	if m.busy() {
		b.WriteString(
			" Other programs ran at the same time: the figures are larger than on a machine that does nothing else.")
	}
	b.WriteString("\n\n")
	othersTable(&b, "calls of `echo` of server-everything in a row, in ms", othersInARow)
	b.WriteString("\n")
	othersTable(&b, "a call behind some milliseconds of rest, in ms", othersRested)
	b.WriteString("\n| from the start of lspi to the list of tools, in ms | median | longest |\n|---|---:|---:|\n")
	for _, r := range othersStarts {
		fmt.Fprintf(&b, "| %s | %.0f | %.0f |\n", r.way, micros(r.median())/1e3, micros(r.percentile(1))/1e3)
	}
	return b.String()
}

// othersTable is a table of calls; the first row is the one that the others are compared with.
func othersTable(b *bytes.Buffer, title string, rows []othersRow) {
	fmt.Fprintf(b,
		"| %s | fastest tenth | median | 95th percentile | added to the fastest tenth | added at the median |\n|---|---:|---:|---:|---:|---:|\n", title)
	for i, r := range rows {
		added := func(percentile float64) string {
			if i == 0 {
				return "–"
			}
			return fmt.Sprintf("%.2f", micros(r.percentile(percentile)-rows[0].percentile(percentile))/1e3)
		}
		fmt.Fprintf(b, "| %s | %.2f | %.2f | %.2f | %s | %s |\n", r.way, micros(r.percentile(0.1))/1e3,
			micros(r.percentile(0.5))/1e3,
			micros(r.percentile(0.95))/1e3, added(0.1), added(0.5))
	}
}
