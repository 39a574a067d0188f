//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"lspi/internal/testkit"
)

// hosts are the hosts of one soak: one with an lspi of its own, or several that share one process. It is used by one
// goroutine.
type hosts struct {
	all     []*host
	program string
	root    string
	logFile string
	env     []string // variables for hosts that share; nil for a single host
	family  *family  // of the shared process, else of the host's lspi, so that faults hit the servers
	ended   int      // hosts that were killed
	killed  int      // shared processes that were killed
}

// openHosts starts one host with an lspi of its own, or n that share one.
func openHosts(ctx context.Context, program, root, logFile, work string, n int) (*hosts, error) {
	h := &hosts{program: program, root: root, logFile: logFile}
	if n > 0 {
		dir, err := os.MkdirTemp("", "soak-run-") // short enough for a socket
		if err != nil {
			return nil, err
		}
		h.env = []string{"LSPI_SHARE=auto", "XDG_RUNTIME_DIR=" + dir, "XDG_STATE_HOME=" + filepath.Join(work, "state")}
	}
	for range max(n, 1) {
		one, err := startHost(ctx, program, root, logFile, h.env...)
		if err != nil {
			return h, err
		}
		h.all = append(h.all, one)
	}
	h.family = h.all[0].family
	return h, h.find(ctx)
}

// find waits until one shared process runs and makes it the family; it does nothing for a single host.
func (h *hosts) find(ctx context.Context) error {
	if h.env == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeLimit)
	defer cancel()
	for {
		cmd := exec.CommandContext(ctx, h.program, "status", "--json")
		cmd.Env = append(os.Environ(), h.env...)
		raw, _ := cmd.Output()
		var status struct{ Processes []struct{ PID int } }
		if json.Unmarshal(raw, &status) == nil && len(status.Processes) == 1 {
			h.family = &family{root: status.Processes[0].PID, seen: h.family.seen}
			return nil
		}
		if !pause(ctx, 100*time.Millisecond) {
			return fmt.Errorf("there is not one shared process: %s", raw)
		}
	}
}

// What [faults.part] did (killShared), or tells [hosts.mend] to do (killHost).
const (
	killHost   = "kill a host"
	killShared = "kill the shared process"
)

// mend finds the next shared process after one was killed, or kills the host victim and starts another in its place.
func (h *hosts) mend(ctx context.Context, victim int, words string) error {
	if words == killShared {
		h.killed++
		// If nobody waited for an answer, no host has started the next process yet; a call does.
		if a := h.all[0].call(ctx, "get_server_status", map[string]any{}); a.err != nil {
			return fmt.Errorf("after the end of the shared process: %w", a.err)
		}
		return h.find(ctx)
	}
	_ = h.all[victim].cmd.Process.Kill()
	_ = h.all[victim].session.Close()
	h.ended++
	one, err := startHost(ctx, h.program, h.root, h.logFile, h.env...)
	if err == nil {
		h.all[victim] = one
	}
	return err
}

// close ends all hosts and the shared process, and returns which processes still run some seconds later.
func (h *hosts) close(ctx context.Context) (left []string, err error) {
	h.family.look()
	var errs []error
	for _, one := range h.all {
		if h.env != nil { // the shared process may be a child of one of them, and ends below
			errs = append(errs, one.session.Close())
			continue
		}
		l, err := one.close(ctx)
		left, errs = append(left, l...), append(errs, err)
	}
	if h.env != nil {
		cmd := exec.CommandContext(ctx, h.program, "daemon", "stop")
		cmd.Env = append(os.Environ(), h.env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			errs = append(errs, fmt.Errorf("stopping the shared process: %w: %s", err, out))
		}
		// That waits until the system has closed the connections of the process, which it does a moment before the
		// process is gone.
		h.family.seen = append(h.family.seen, testkit.Tree(h.family.root)...)
	}
	return append(left, h.family.left(ctx, 5*time.Second)...), errors.Join(errs...)
}
