//go:build linux

package bench

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

var update = flag.Bool("update", false,
	"write docs/benchmarks.md anew, from all rows, or docs/benchmarks-shared.md where only that was measured")

func TestMain(m *testing.M) {
	if file := os.Getenv(echoEnv); file != "" {
		echo(file)
		return
	}
	if how := os.Getenv(proxyEnv); how != "" {
		os.Exit(proxy(how))
	}
	testkit.Path()
	before, began := loadAverage(), time.Now()
	code := testkit.Run(m)
	if code == 0 && *update {
		if err := writePages(here(before, time.Since(began))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// corpus is x/tools; without it, or without gopls, there is nothing to measure.
func corpus(b testing.TB) string {
	b.Helper()
	testkit.Need(b, "gopls")
	return testkit.Corpus(b, "x-tools")
}

// target is the function that is asked about: where it is declared, and where it is called.
type target struct {
	root       string
	file, call string
	declared   place
	called     place
}

type place struct{ line, character int } // from 1

func load(b testing.TB) target {
	t := target{root: corpus(b), file: "go/packages/packages.go", call: "cmd/callgraph/main.go"}
	t.declared = find(b, filepath.Join(t.root, t.file), "func ", "Load(")
	t.called = find(b, filepath.Join(t.root, t.call), "packages.", "Load(")
	return t
}

// find is the place of word behind before, in the first line that has both.
func find(b testing.TB, path, before, word string) place {
	b.Helper()
	raw, err := os.ReadFile(path)
	testkit.Must(b, err)
	for i, line := range strings.Split(string(raw), "\n") {
		if at := strings.Index(line, before+word); at >= 0 {
			return place{i + 1, at + len(before) + 1}
		}
	}
	b.Fatalf("no %s%s in %s", before, word, path)
	return place{}
}

func (p place) in(file string, more map[string]any) map[string]any {
	out := map[string]any{"file_path": file, "line": p.line, "character": p.character}
	for k, v := range more {
		out[k] = v
	}
	return out
}

// openSession opens lspi in this process on a workspace, with the whole catalogue.
func openSession(b testing.TB, root string) *session.Session {
	session := toolstest.Open(b, root, servers.Servers()...)
	session.Workspace.Process.Files = source.NewDiskCache()
	return session
}

// run asks through tools.Run and wants an answer for which nothing was loading: what the build leaves out, it says.
func run(b testing.TB, session *session.Session, tool string, arguments map[string]any) tools.Result {
	raw, err := json.Marshal(arguments)
	testkit.Must(b, err)
	r := tools.Run(context.Background(), session, nil, answer.Request{Tool: tool, Arguments: raw})
	if !r.OK || strings.Contains(string(r.Structured), `"indexing"`) {
		b.Fatalf("%s: %s", tool, r.Structured)
	}
	return r
}

// startHost starts the binary and shakes hands; took is the time from the start of the process to its answer. env
// is laid over the environment.
func startHost(b testing.TB, program, root string, env ...string) (h *testkit.Host, took time.Duration) {
	b.Helper()
	cmd := exec.Command(program, "mcp", "--workspace-root", root, "--trust", "all")
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	began := time.Now()
	h = testkit.StartHost(b, cmd)
	return h, time.Since(began)
}

// stop ends the binary as a host does.
func stop(b testing.TB, h *testkit.Host) {
	h.Close()
	if !h.Cmd.ProcessState.Success() {
		b.Errorf("lspi: %v", h.Cmd.ProcessState)
	}
}

// times are samples of one thing.
type times []time.Duration

func (t *times) add(f func()) {
	began := time.Now()
	f()
	*t = append(*t, time.Since(began))
}

// percentile is the smallest sample that p of all do not exceed.
func (t times) percentile(p float64) time.Duration {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

// median is the middle of the samples, with an even number of them that between the two.
func (t times) median() time.Duration {
	sorted, n := slices.Sorted(slices.Values(t)), len(t)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// report writes p50 and p99 of a name.
func (t times) report(b *testing.B, name string) {
	b.ReportMetric(micros(t.percentile(0.50)), name+"-p50-µs")
	b.ReportMetric(micros(t.percentile(0.99)), name+"-p99-µs")
}
