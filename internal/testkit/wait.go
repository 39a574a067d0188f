package testkit

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// Patience bounds every wait for something that has to happen. It is far longer than anything takes on a busy machine,
// so only a failing test waits that long.
const Patience = 2 * time.Minute

var errImpatient = errors.New("it did not come")

// Eventually polls until f returns true, and returns an error after within. It is for what another process does, which
// sends no signal to this one.
func Eventually(within time.Duration, f func() bool) error {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-tick.C:
		case <-deadline.C:
			return fmt.Errorf("%w within %v", errImpatient, within)
		}
	}
	return nil
}

// Wait polls until f returns true and ends the test after [Patience]; what names what was waited for.
func Wait(t testing.TB, what string, f func() bool) {
	t.Helper()
	if err := Eventually(Patience, f); err != nil {
		t.Fatalf("waited in vain for %s: %v", what, err)
	}
}
