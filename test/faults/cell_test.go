//go:build linux

package faults

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fault is one row of the matrix.
type fault struct {
	group   string // the part of the document
	name    string // what is done; unique
	servers []string
	// The scripted server's cell runs with every change, unless nightly is set; cells of real servers run with
	// LSPI_FAULTS=all, but for the one of the server that always names. A real server is named by one fault at most.
	nightly bool
	always  string // a real server; "" for none
	// known says, by server, why the promise is broken there for now. A cell that keeps the promise all the same fails,
	// so that the entry is removed.
	known map[string]string
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

// runs reports whether the cell at a server runs in this mode.
func (f *fault) runs(server string) bool {
	if !slices.Contains(f.servers, server) {
		return false
	}
	return all || server == f.always || server == scripted && !f.nightly
}

// in runs a cell: do makes the fault and records what came back. A broken promise fails the test unless it is known. A
// cell that cannot be made (Fatal) has no outcome.
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

// measured ends the time that is reported for the cell.
func (c *cell) measured() { c.took = time.Since(c.began) }

// again restarts the time that is reported for the cell, after the preparations.
func (c *cell) again() { c.began = time.Now() }

// outcome returns what came back, in one line.
func (c *cell) outcome() string { return strings.Join(c.came, "; ") }

// verdict returns the outcome in the form of the document: ✓, or ✗ with the reason.
func (c *cell) verdict() string {
	if len(c.broken) == 0 {
		return "✓"
	}
	return "✗ " + c.fault.known[c.server]
}
