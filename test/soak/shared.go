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

// hosts are the hosts of one soak: one with an lspi of its own, or several that share one process. Of these the
// shared process is the family, so that faults hit its servers. It is used by one goroutine, but for next.
type hosts struct {
	all     []*host
	program string
	root    string
	logFile string
	env     []string // of processes that share; nil when none do
	family  *family
	ended   int // hosts that were killed
	killed  int // shared processes that were
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

// find makes the shared process the family.
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

// What [faults.part] did, or has [hosts.mend] do.
const (
	killHost   = "kill a host"
	killShared = "kill the shared process"
)

// mend finds the process that took the place of the one that was killed, or kills a host and starts it again.
func (h *hosts) mend(ctx context.Context, victim int, words string) error {
	if words == killShared {
		h.killed++
		// which starts it, if nobody waited for an answer
		if a := h.all[0].call(ctx, "get_server_status", map[string]any{}); a.err != nil {
			return fmt.Errorf("behind the end of the shared process: %w", a.err)
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

// close ends all, and tells what of their processes is left some seconds later.
func (h *hosts) close(ctx context.Context) (left []string, err error) {
	h.family.look()
	var errs []error
	for _, one := range h.all {
		if h.env != nil { // the host that started the shared process has it as its child
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
		for _, p := range testkit.Tree(h.family.root) {
			if p.Alive() {
				left = append(left, p.String())
			}
		}
	}
	return append(left, h.family.left(ctx, 5*time.Second)...), errors.Join(errs...)
}
