//go:build linux

package faults

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// fault is one row of the matrix.
type fault struct {
	group   string // the part of the document
	name    string // what is done; unique
	servers []string
	quick   []string // those of servers that always run; the others with LSPI_FAULTS=all
	// known says why the promise is broken at a server, where it is not mended yet. A cell that keeps it all the
	// same fails, so that nothing stays here longer than it is true.
	known map[string]string
}

// measured are the servers of quick for a cell that says how much memory lspi takes. With the race detector, which
// holds as much again and more for itself, nothing is measured, and other cells see what the answers are.
func measured(server string) []string {
	if testkit.Raced {
		return nil
	}
	return []string{server}
}

// cell is one fault at one server: what it sees is its outcome.
type cell struct {
	testing.TB
	fault  *fault
	server string

	began  time.Time
	took   time.Duration // set before record returns
	mu     sync.Mutex
	came   []string // what came back, in order; guarded by mu
	broken []string // how the promise was broken; guarded by mu
}

// outcomes are the cells that ran.
var (
	outcomesMu sync.Mutex
	outcomes   []*cell // guarded by outcomesMu while tests run
)

// runs reports whether a cell runs in this mode.
func (f *fault) runs(server string) bool {
	return slices.Contains(f.servers, server) && (all || slices.Contains(f.quick, server))
}

// in runs a cell: do makes the fault and says what came back. A promise that is broken fails the test, unless it is
// known to be. A cell that cannot be made (Fatal) has no outcome.
func (f *fault) in(t *testing.T, server string, do func(c *cell)) {
	t.Helper()
	if !f.runs(server) {
		t.Skip("runs with LSPI_FAULTS=all")
	}
	c := &cell{TB: t, fault: f, server: server, began: time.Now()}
	do(c)
	if c.took == 0 {
		c.took = time.Since(c.began)
	}
	why, known := f.known[server]
	switch {
	case len(c.broken) > 0 && !known:
		t.Errorf("%s at %s: %s; came back: %s", f.name, server, strings.Join(c.broken, "; "), c.outcome())
	case len(c.broken) == 0 && known:
		t.Errorf("%s at %s keeps the promise; it is marked as broken: %s", f.name, server, why)
	}
	outcomesMu.Lock()
	defer outcomesMu.Unlock()
	outcomes = append(outcomes, c)
}

// says adds to what came back.
func (c *cell) says(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came = append(c.came, fmt.Sprintf(format, args...))
}

// breaks notes that the promise is broken.
func (c *cell) breaks(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = append(c.broken, fmt.Sprintf(format, args...))
}

// measured ends the time of the cell: what comes after it is not the fault's.
func (c *cell) measured() { c.took = time.Since(c.began) }

// again begins the time of the cell anew: what came before was making ready.
func (c *cell) again() { c.began = time.Now() }

// outcome is what came back, in one line.
func (c *cell) outcome() string { return strings.Join(c.came, "; ") }

// verdict is how the document has it.
func (c *cell) verdict() string {
	if len(c.broken) == 0 {
		return "✓"
	}
	return "✗ " + c.fault.known[c.server]
}
