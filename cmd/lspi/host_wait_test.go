package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"lspi/lsp/lsptest"
)

// heard waits until a server was sent a method.
func (h *host) heard(rest string) error {
	file, method, _ := strings.Cut(rest, " ")
	return eventually(func() (bool, error) {
		events, err := lsptest.ReadEvents(file)
		return len(lsptest.Messages(events, method)) > 0, err
	})
}

// gone waits until every process that an events file names has ended.
func (h *host) gone(file string) error {
	events, err := lsptest.ReadEvents(file)
	if err != nil {
		return err
	}
	started := 0
	for _, e := range events {
		if e.PID == 0 {
			continue
		}
		started++
		if err := eventually(func() (bool, error) { return !alive(e.PID), nil }); err != nil {
			return fmt.Errorf("process %d (%s) is left: %w", e.PID, e.Kind, err)
		}
	}
	if started == 0 {
		return errors.New("no server was started, so this shows nothing")
	}
	return nil
}

func wantStarts(_ *host, rest string) error {
	file, want, _ := strings.Cut(rest, " ")
	events, err := lsptest.ReadEvents(file)
	n := 0
	for _, e := range events {
		if e.Kind == lsptest.EventStart {
			n++
		}
	}
	if err == nil && fmt.Sprint(n) != want {
		err = fmt.Errorf("%d starts", n)
	}
	return err
}

// eventually polls for something that cannot be waited for on a file descriptor.
func eventually(done func() (bool, error)) error {
	limit := time.After(hostLimit)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-limit:
			return errors.New("it did not come true")
		}
	}
}

// alive reports whether a process runs; a dead one that was not reaped yet does not.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || p.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}
