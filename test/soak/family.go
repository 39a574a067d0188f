//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"lspi/internal/testkit"
)

// family is an lspi with all processes below it, read from /proc. It is used by one goroutine.
type family struct {
	root int
	seen []testkit.Process // every process that look has seen
}

// look records the processes below lspi and returns its children, and all.
func (f *family) look() (children, all []testkit.Process) {
	for _, p := range testkit.Tree(f.root) {
		if p.PID == f.root {
			continue
		}
		if !slices.ContainsFunc(f.seen, p.Is) {
			f.seen = append(f.seen, p)
		}
		all = append(all, p)
		if p.Parent == f.root {
			children = append(children, p)
		}
	}
	return children, all
}

// left waits, at most for limit, until all recorded processes have ended, and returns those that have not.
func (f *family) left(ctx context.Context, limit time.Duration) []string {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		var out []string
		for _, p := range testkit.Processes() {
			if slices.ContainsFunc(f.seen, p.Is) {
				out = append(out, p.String())
			}
		}
		if len(out) == 0 || !pause(ctx, 100*time.Millisecond) {
			slices.Sort(out)
			return out
		}
	}
}

// size is what the process lspi itself uses: open files, and resident memory.
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

// pause waits for d; false when ctx ended first.
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
