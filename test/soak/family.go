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

// family are lspi and the processes below it, from /proc. It is used by one goroutine.
type family struct {
	root int
	seen []testkit.Process // every process that was seen
}

// look notes what lspi started and returns its children and all below it.
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

// left waits until all that was seen is gone, at most for limit, and names what is not.
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
