package testkit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Process is a process of the machine. An id may be used again by another process, so the time of the start is part of
// its identity.
type Process struct {
	PID, Parent int
	Group       int
	State       string
	Started     string // clock ticks since the boot
	Command     string
}

func (p Process) String() string { return fmt.Sprintf("%d (%s)", p.PID, p.Command) }

// ProcessOf reads what /proc tells of a process (proc_pid_stat(5)).
func ProcessOf(pid int) (p Process, ok bool) {
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
	return Process{PID: pid, State: fields[0], Parent: parent, Group: group, Started: fields[19],
		Command: string(raw[begin+1 : end])}, true
}

// Is reports whether q is the same process, perhaps in another state.
func (p Process) Is(q Process) bool { return p.PID == q.PID && p.Started == q.Started }

// Alive reports whether the process still runs. A dead process that was not reaped yet does not: init may take its time
// to reap an orphan.
func (p Process) Alive() bool {
	now, ok := ProcessOf(p.PID)
	return ok && now.Is(p) && now.State != "Z" && now.State != "X"
}

// Signal sends a signal to the process, unless another process has its id by now.
func (p Process) Signal(s syscall.Signal) error {
	if !p.Alive() {
		return os.ErrProcessDone
	}
	return syscall.Kill(p.PID, s)
}

// Kill kills the process.
func (p Process) Kill() { _ = p.Signal(syscall.SIGKILL) }

// Processes returns all processes of the machine.
func Processes() (out []Process) {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, e := range entries {
		pid, _ := strconv.Atoi(filepath.Base(e))
		if p, ok := ProcessOf(pid); ok {
			out = append(out, p)
		}
	}
	return out
}

// Tree returns a process and its descendants.
func Tree(pid int) []Process {
	all := Processes()
	below := map[int]bool{pid: true}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if below[p.Parent] && !below[p.PID] {
				below[p.PID], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(all, func(p Process) bool { return !below[p.PID] })
}
