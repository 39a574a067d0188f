//go:build linux

package faults

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

const groupMemory = "What a flood takes of memory"

// flood is a server that sends far too much when it is asked for references the second time; the first was to see that
// it answers.
type flood struct {
	*fault
	action lsptest.Action
	limit  int // MB by which lspi's resident memory may grow at its peak
}

// floods makes a row that measures memory. The race detector takes as much memory again and more, so with it nothing is
// measured; other cells check the answers.
func floods(name string, limit int, action lsptest.Action) flood {
	return flood{&fault{group: groupMemory, name: name, servers: []string{scripted}, nightly: testkit.Raced},
		action, limit}
}

// stderr and log messages are dropped as they are read; an answer is held whole, and twice while its buffer grows.
// Seen: 1, 5 and 116 MB.
var memoryFloods = []flood{
	floods("100 MB on stderr, at the peak", 16, lsptest.Action{StderrBytes: 100 << 20}),
	floods("100,000 log messages, at the peak", 24, lsptest.Action{LogMessages: 100_000}),
	floods("an answer of 50 MB that is no list, at the peak", 200, lsptest.Action{ResultBytes: 50 << 20}),
}

// lspi bounds the memory for a flood while it lasts, and not only afterwards: the test reads the peak of the binary's
// resident memory, which the kernel keeps.
func TestFloodMemory(t *testing.T) {
	for _, f := range memoryFloods {
		t.Run(f.name, func(t *testing.T) {
			f.in(t, scripted, func(c *cell) {
				script := &lsptest.Script{Language: "words", IgnoreEOF: true, Rules: []lsptest.Rule{
					{Method: "textDocument/references", Nth: 2, Run: 1, Actions: []lsptest.Action{f.action}}}}
				r := wordsProject.run(c, callTime, entry{script: script, quiet: true})
				before := peak(c, r.Cmd.Process.Pid)
				a := r.call("find_references", r.project.question())
				grown := peak(c, r.Cmd.Process.Pid) - before
				c.measured()
				c.says("less than %d MB more", f.limit)
				if grown >= f.limit && !testkit.Raced { // the detector holds as much again and more for itself
					c.breaks("%d MB more", grown)
				}
				if lie := a.lies(r.truth); lie != "" {
					c.breaks("a lie: %s", lie)
				}
				c.right(r.call("find_references", r.project.question()), r.truth)
			})
		})
	}
}

// peak is the most that a process ever held, in MB (proc_pid_status(5), VmHWM).
func peak(t testing.TB, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	testkit.Must(t, err)
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	var kb int
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	return kb >> 10
}
