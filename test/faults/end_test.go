//go:build linux

package faults

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
)

const groupEnd = "lspi ends while a call runs"

// endTime is what an end of lspi may take until nothing is left of what it started; endSlack is what a busy machine
// adds.
const (
	endTime  = 5 * time.Second
	endSlack = 15 * time.Second
)

// ending is one way in which lspi ends.
type ending struct {
	*fault
	end func(h *host)
}

func endBy(name, always string, end func(h *host)) ending {
	return ending{&fault{group: groupEnd, name: name, servers: everyServer, always: always}, end}
}

func bySignal(s syscall.Signal) func(h *host) {
	return func(h *host) { _ = h.Cmd.Process.Signal(s) }
}

var endings = []ending{
	endBy("the host closes stdin", "", func(h *host) { _ = h.In.Close() }),
	endBy("SIGTERM", "", bySignal(syscall.SIGTERM)),
	endBy("SIGINT", "", bySignal(syscall.SIGINT)),
	endBy("SIGHUP", "", bySignal(syscall.SIGHUP)),
	endBy("SIGKILL", pyright, bySignal(syscall.SIGKILL)), // pyright is of several processes
	endBy("the host closes stdout", "", func(h *host) {
		_ = h.Out.Close()
		h.Request("tools/list", map[string]any{}) // the next thing to be written finds it closed
	}),
}

// However lspi ends, nothing is left of what it started. All servers run under one lspi, each with a project of its
// own.
func TestEnds(t *testing.T) {
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			var running []*project
			var entries []entry
			dir := testkit.TempDir(t)
			for _, p := range projects {
				if e.runs(p.server) {
					running = append(running, p)
					entries = append(entries, entry{project: p})
					p.create(t, filepath.Join(dir, p.server))
				}
			}
			h := startHost(t, dir, callTime, entries...)
			h.askAll(t, running)
			of := map[string][]process{}
			for _, p := range running {
				if of[p.server] = tree(h.status(p.server).PID); len(of[p.server]) == 0 {
					t.Fatalf("%s does not run", p.server)
				}
			}
			all := h.servers()
			h.start("find_references", running[0].questionIn(running[0].server))
			began := time.Now()
			e.end(h)
			rest := left(append(all, of[running[0].server]...), endTime+endSlack)
			rest = append(rest, slices.DeleteFunc(marked(h.marker), func(p process) bool {
				return slices.Contains(rest, p) || p.PID == h.Cmd.Process.Pid
			})...)
			took := time.Since(began)
			if err := testkit.Eventually(endTime+endSlack, func() bool { return closed(h.Exited) }); err != nil {
				t.Errorf("lspi lives on: %v", err)
			}
			for _, p := range running {
				t.Run(p.server, func(t *testing.T) {
					e.in(t, p.server, func(c *cell) {
						c.took = took
						c.nothingLeft(of[p.server], rest)
					})
				})
			}
			for _, p := range rest {
				t.Errorf("%v is left", p)
			}
		})
	}
}

// nothingLeft says whether some processes are among those that are left.
func (c *cell) nothingLeft(own, rest []process) {
	var names []string
	for _, p := range rest {
		if slices.Contains(own, p) {
			names = append(names, p.String())
		}
	}
	if len(names) == 0 {
		c.says("nothing is left")
		return
	}
	c.says("left: %s", strings.Join(names, ", "))
	c.breaks("left: %s", strings.Join(names, ", "))
}

// askAll asks every server at the same time and wants right answers.
func (h *host) askAll(t *testing.T, running []*project) {
	t.Helper()
	var asked []*pending
	for _, p := range running {
		asked = append(asked, h.start("find_references", p.questionIn(p.server)))
	}
	for i, a := range asked {
		if got := a.envelope(t); !got.OK {
			t.Fatalf("%s: %s", running[i].server, got.text)
		}
	}
}

// questionIn is the question where the project is in a folder of the workspace.
func (p *project) questionIn(folder string) map[string]any {
	q := p.question()
	q["file_path"] = folder + "/" + p.home
	return q
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
