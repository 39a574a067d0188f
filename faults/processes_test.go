//go:build linux

package faults

import (
	"bytes"
	"fmt"
	"lspi/internal/testkit"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one process of the machine. Its id alone may be another's later; with the time of its start it is not.
type process struct {
	pid, parent int
	group       int
	state       string
	started     string
	command     string
}

func (p process) String() string { return fmt.Sprintf("%d (%s)", p.pid, p.command) }

// look reads what /proc tells of a process (proc_pid_stat(5)).
func look(pid int) (p process, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, false
	}
	begin, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if begin < 0 || end < 0 {
		return p, false
	}
	fields := strings.Fields(string(raw[end+1:]))
	if len(fields) < 20 {
		return p, false
	}
	parent, _ := strconv.Atoi(fields[1])
	group, _ := strconv.Atoi(fields[2])
	return process{pid: pid, state: fields[0], parent: parent, group: group, started: fields[19], command: string(raw[begin+1 : end])}, true
}

// alive reports whether the process still runs. One that is dead and not yet reaped does not: an orphan is reaped by
// init, which may take its time.
func (p process) alive() bool {
	now, ok := look(p.pid)
	return ok && now.started == p.started && now.state != "Z" && now.state != "X"
}

func (p process) signal(s syscall.Signal) {
	if p.alive() {
		_ = syscall.Kill(p.pid, s)
	}
}

func (p process) kill() { p.signal(syscall.SIGKILL) }

// everyone is every process of the machine.
func everyone() (out []process) {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, e := range entries {
		pid, _ := strconv.Atoi(filepath.Base(e))
		if p, ok := look(pid); ok {
			out = append(out, p)
		}
	}
	return out
}

// marked are the processes that live and have a variable in their environment: whatever group, session or parent they
// have by now, they inherited it.
func marked(variable string) (out []process) {
	for _, p := range everyone() {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
		if err == nil && slices.Contains(strings.Split(string(raw), "\x00"), variable) && p.alive() {
			out = append(out, p)
		}
	}
	return out
}

// tree is a process and everything below it.
func tree(pid int) (out []process) {
	all := everyone()
	below := map[int]bool{pid: true}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if below[p.parent] && !below[p.pid] {
				below[p.pid], grown = true, true
			}
		}
	}
	for _, p := range all {
		if below[p.pid] {
			out = append(out, p)
		}
	}
	return out
}

// servers are all processes that lspi has started, by its tree and by their environment.
func (h *host) servers() (out []process) {
	for _, p := range slices.Concat(tree(h.cmd.Process.Pid), marked(h.marker)) {
		if p.pid != h.cmd.Process.Pid && !slices.Contains(out, p) && p.state != "Z" {
			out = append(out, p)
		}
	}
	return out
}

// left waits until none of the processes lives, and names those that still do after a while.
func left(ps []process, within time.Duration) (out []process) {
	_ = testkit.Eventually(within, func() bool {
		out = slices.DeleteFunc(slices.Clone(ps), func(p process) bool { return !p.alive() })
		return len(out) == 0
	})
	return out
}

// zombies are the children of lspi that it has not reaped.
func (h *host) zombies() (out []process) {
	for _, p := range everyone() {
		if p.parent == h.cmd.Process.Pid && p.state == "Z" {
			out = append(out, p)
		}
	}
	return out
}
