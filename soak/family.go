//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one process for good: numbers come back, a number with its time of start does not.
type process struct {
	pid   int
	start string // in ticks since the boot
}

// family are lspi and the processes below it, from /proc. It is used by one goroutine.
type family struct {
	root int
	seen map[process]string // every process that was seen, with its command
}

type kin struct {
	process
	parent  int
	command string
}

// processes lists what runs.
func processes() (out []kin) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		raw, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue
		}
		open, end := strings.IndexByte(string(raw), '('), strings.LastIndexByte(string(raw), ')')
		fields := strings.Fields(string(raw[end+1:]))
		if open < 0 || len(fields) < 20 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		parent, _ := strconv.Atoi(fields[1])
		out = append(out, kin{process{pid, fields[19]}, parent, string(raw[open+1 : end])})
	}
	return out
}

// look notes what lspi started and returns its children and all below it.
func (f *family) look() (children, all []kin) {
	running := processes()
	below := map[int]bool{f.root: true}
	for grown := true; grown; {
		grown = false
		for _, k := range running {
			if below[k.parent] && !below[k.pid] {
				below[k.pid], grown = true, true
			}
		}
	}
	for _, k := range running {
		if k.pid == f.root || !below[k.pid] {
			continue
		}
		f.seen[k.process] = k.command
		all = append(all, k)
		if k.parent == f.root {
			children = append(children, k)
		}
	}
	return children, all
}

// left waits until all that was seen is gone, at most for limit, and names what is not.
func (f *family) left(ctx context.Context, limit time.Duration) []string {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		var out []string
		for _, k := range processes() {
			if command, ok := f.seen[k.process]; ok {
				out = append(out, fmt.Sprintf("%s (%d)", command, k.pid))
			}
		}
		if len(out) == 0 || !pause(ctx, 100*time.Millisecond) {
			slices.Sort(out)
			return out
		}
	}
}

// size is how much lspi itself holds.
type size struct{ files, kilobytes int }

func (f *family) size() (s size) {
	dir := fmt.Sprint("/proc/", f.root)
	fds, _ := os.ReadDir(dir + "/fd")
	s.files = len(fds)
	raw, _ := os.ReadFile(dir + "/status")
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			s.kilobytes, _ = strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return s
}

// pause waits; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// signal sends one to a process of the family that is still the one that was seen.
func (k kin) signal(s syscall.Signal) error {
	if !slices.ContainsFunc(processes(), func(now kin) bool { return now.process == k.process }) {
		return os.ErrProcessDone
	}
	return syscall.Kill(k.pid, s)
}
