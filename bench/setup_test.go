package bench

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/answer"
	"lspi/catalogue"
	"lspi/disk"
	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/lsp/wire"
	"lspi/tools"
	"lspi/workspace"
)

func TestMain(m *testing.M) {
	testkit.Path()
	os.Exit(testkit.Run(m))
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
func openSession(b testing.TB, root string) *workspace.Session {
	session := sessions.Open(b, root, catalogue.Servers()...)
	session.Workspace.Process.Files = disk.NewCache()
	return session
}

// run asks through tools.Run and wants an answer for which nothing was loading: what the build leaves out, it says.
func run(b testing.TB, session *workspace.Session, tool string, arguments map[string]any) tools.Result {
	raw, err := json.Marshal(arguments)
	testkit.Must(b, err)
	r := tools.Run(context.Background(), session, nil, answer.Request{Tool: tool, Arguments: raw})
	if !r.OK || strings.Contains(string(r.Structured), `"indexing"`) {
		b.Fatalf("%s: %s", tool, r.Structured)
	}
	return r
}

// direct is gopls without lspi: the connection that lspi itself uses, and nothing around it.
type direct struct {
	*wire.Conn
	root string
}

type pipes struct {
	io.ReadCloser
	io.WriteCloser
}

func (p pipes) Close() error { return errors.Join(p.WriteCloser.Close(), p.ReadCloser.Close()) }

func startDirect(b testing.TB, root string) *direct {
	b.Helper()
	cmd := exec.Command("gopls")
	cmd.Dir = root
	in, err := cmd.StdinPipe()
	testkit.Must(b, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(b, err)
	testkit.Must(b, cmd.Start())
	d := &direct{root: root, Conn: wire.New(pipes{out, in}, wire.Options{Request: func(_ context.Context, method string, params json.RawMessage) (any, error) {
		var p struct{ Items []json.RawMessage }
		_ = json.Unmarshal(params, &p)
		if method == "workspace/configuration" {
			return make([]any, len(p.Items)), nil
		}
		return nil, nil
	}})}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = d.Close()
		_ = cmd.Wait()
	})
	d.ask(b, "initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": "file://" + root, "capabilities": map[string]any{"workspace": map[string]any{"configuration": true}},
		"workspaceFolders": []any{map[string]any{"uri": "file://" + root, "name": "x-tools"}},
	})
	testkit.Must(b, d.Notify(context.Background(), "initialized", struct{}{}))
	return d
}

func (d *direct) ask(b testing.TB, method string, params any) json.RawMessage {
	var answer json.RawMessage
	testkit.Must(b, d.Call(context.Background(), method, params, &answer))
	return answer
}

func (d *direct) open(b testing.TB, file string) {
	path := filepath.Join(d.root, file)
	text, err := os.ReadFile(path)
	if err == nil {
		err = d.Notify(context.Background(), "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": "file://" + path, "languageId": "go", "version": 1, "text": string(text)}})
	}
	testkit.Must(b, err)
}

// at are the params of a question about a place in a file that is ASCII before it.
func (d *direct) at(file string, p place) map[string]any {
	return map[string]any{
		"textDocument": map[string]any{"uri": "file://" + filepath.Join(d.root, file)},
		"position":     map[string]any{"line": p.line - 1, "character": p.character - 1},
		"context":      map[string]any{"includeDeclaration": true},
	}
}

// startHost starts the binary and shakes hands; took is the time from the start of the process to its answer.
func startHost(b testing.TB, program, root string) (h *testkit.Host, took time.Duration) {
	b.Helper()
	cmd := exec.Command(program, "mcp", "--workspace-root", root)
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

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// report writes p50 and p99 of a name.
func (t times) report(b *testing.B, name string) {
	b.ReportMetric(micros(t.percentile(0.50)), name+"-p50-µs")
	b.ReportMetric(micros(t.percentile(0.99)), name+"-p99-µs")
}
