//go:build linux

package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// BenchmarkReferences is find_references of a function with 147 uses, warm.
func BenchmarkReferences(b *testing.B) {
	t := load(b)
	compare(b, t, "textDocument/references", "find_references", t.file, t.declared)
}

// BenchmarkDefinition is find_definition from a call in another package, warm.
func BenchmarkDefinition(b *testing.B) {
	t := load(b)
	compare(b, t, "textDocument/definition", "find_definition", t.call, t.called)
}

// compare asks the server, lspi in this process and the binary in turn.
func compare(b *testing.B, t target, method, tool, file string, at place) {
	d, session := goDirect(b, t.root), openSession(b, t.root)
	h, _ := startHost(b, testkit.Program(b), t.root)
	defer stop(b, h)
	params, arguments := d.at(file, at), at.in(file, nil)
	d.open(b, file) // as lspi does: gopls answers 20 times faster then
	var raw, inProcess, overMCP times
	ask := func() {
		raw.add(func() { d.ask(b, method, params) })
		inProcess.add(func() { run(b, session, tool, arguments) })
		overMCP.add(func() { h.Start(tool, arguments).Wait(b) })
	}
	for range 10 { // loads all three
		ask()
	}
	raw, inProcess, overMCP = nil, nil, nil
	for b.Loop() {
		ask()
	}
	b.ReportMetric(0, "ns/op") // of all three together: says nothing
	raw.report(b, "raw")
	inProcess.report(b, "lspi")
	overMCP.report(b, "mcp")
	b.ReportMetric(micros(inProcess.percentile(0.5)-raw.percentile(0.5)), "added-p50-µs")
}

// BenchmarkStart is the binary from its start to its answer to initialize.
func BenchmarkStart(b *testing.B) {
	t := load(b)
	program := testkit.Program(b)
	var all times
	for b.Loop() {
		h, took := startHost(b, program, t.root)
		all = append(all, took)
		stop(b, h)
	}
	b.ReportMetric(0, "ns/op")
	all.report(b, "start")
}

// BenchmarkMemory is what lspi itself holds with 10,000 files in the workspace, after it was asked about one of them.
func BenchmarkMemory(b *testing.B) {
	corpus(b) // for gopls
	h, _ := startHost(b, testkit.Program(b), tree(b, 500, 20))
	defer stop(b, h)
	h.Start("get_current_config", map[string]any{}).Wait(b)
	idle := resident(b, h.Cmd.Process.Pid, "VmRSS:")
	r := string(h.Start("find_references", map[string]any{"file_path": "p7/f3.go", "symbol_name": "F3"}).Wait(b))
	if !strings.Contains(r, `"completeness":"complete"`) {
		b.Fatal(r)
	}
	for b.Loop() { // once is enough
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(idle, "idle-MB")
	b.ReportMetric(resident(b, h.Cmd.Process.Pid, "VmRSS:"), "asked-MB")
	b.ReportMetric(resident(b, h.Cmd.Process.Pid, "VmHWM:"), "peak-MB")
}

// tree is a module of many packages.
func tree(b *testing.B, packages, files int) string {
	b.Helper()
	root, err := filepath.EvalSymlinks(b.TempDir())
	testkit.Must(b, err)
	write := func(path, text string) {
		testkit.Write(b, path, text)
	}
	write(filepath.Join(root, "go.mod"), "module example.com/many\n\ngo 1.24\n")
	for p := range packages {
		for f := range files {
			write(filepath.Join(root, fmt.Sprintf("p%d/f%d.go", p, f)),
				fmt.Sprintf("package p%d\n\n// F%d is number %d.\nfunc F%d() int { return %d }\n", p, f, f, f, f))
		}
	}
	return root
}

// resident is a line of /proc/PID/status in MB.
func resident(b testing.TB, pid int, key string) float64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip(err)
	}
	_, rest, _ := strings.Cut(string(raw), key)
	var kb float64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		b.Fatal(err)
	}
	return kb / 1024
}

// BenchmarkBytes counts what the model has to read: the list of tools, with and without output schemas, and the answer
// with all references and their lines.
func BenchmarkBytes(b *testing.B) {
	t := load(b)
	h, _ := startHost(b, testkit.Program(b), t.root)
	defer stop(b, h)
	list := h.Request("tools/list", map[string]any{}).Wait(b)
	var tools struct {
		Tools []map[string]json.RawMessage
	}
	testkit.Must(b, json.Unmarshal(list, &tools))
	for _, tool := range tools.Tools {
		delete(tool, "outputSchema")
	}
	lean, err := json.Marshal(tools.Tools)
	testkit.Must(b, err)
	var answer struct{ StructuredContent json.RawMessage }
	testkit.Must(b, json.Unmarshal(h.Start("find_references", t.declared.in(t.file, nil)).Wait(b), &answer))
	var body struct{ Total int }
	testkit.Must(b, json.Unmarshal(answer.StructuredContent, &body))
	for b.Loop() { // once is enough
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(tools.Tools)), "tools")
	b.ReportMetric(float64(len(list)), "tools-list-B")
	b.ReportMetric(float64(len(lean)), "without-output-B")
	b.ReportMetric(float64(body.Total), "references")
	b.ReportMetric(float64(len(answer.StructuredContent)), "references-B")
}
