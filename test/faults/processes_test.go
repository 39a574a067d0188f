//go:build linux

package faults

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"lspi/internal/testkit"
)

type process = testkit.Process

var tree = testkit.Tree

// marked returns the running processes with a variable in their environment. They have inherited it, whatever group,
// session or parent they have by now.
func marked(variable string) (out []process) {
	for _, p := range testkit.Processes() {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
		if err == nil && slices.Contains(strings.Split(string(raw), "\x00"), variable) && p.Alive() {
			out = append(out, p)
		}
	}
	return out
}

// servers are all processes that lspi has started, by its tree and by their environment.
func (h *host) servers() (out []process) {
	for _, p := range slices.Concat(tree(h.Cmd.Process.Pid), marked(h.marker)) {
		if p.PID != h.Cmd.Process.Pid && !slices.Contains(out, p) && p.State != "Z" {
			out = append(out, p)
		}
	}
	return out
}

// left waits until none of the processes lives, and names those that still do after a while.
func left(ps []process, within time.Duration) (out []process) {
	_ = testkit.Eventually(within, func() bool {
		out = slices.DeleteFunc(slices.Clone(ps), func(p process) bool { return !p.Alive() })
		return len(out) == 0
	})
	return out
}

// zombies are the children of lspi that it has not reaped.
func (h *host) zombies() (out []process) {
	for _, p := range testkit.Processes() {
		if p.Parent == h.Cmd.Process.Pid && p.State == "Z" {
			out = append(out, p)
		}
	}
	return out
}
