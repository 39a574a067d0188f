package testkit

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// Patience bounds every wait for something that has to come: far longer than anything takes on a busy machine. A
// test that passes never waits for so long.
const Patience = 2 * time.Minute

var errImpatient = errors.New("it did not come")

// Eventually polls until f is true: for what another process does, since no signal crosses that border.
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

// Wait is [Eventually] for what has to come true.
func Wait(t testing.TB, what string, f func() bool) {
	t.Helper()
	if err := Eventually(Patience, f); err != nil {
		t.Fatalf("waited in vain for %s: %v", what, err)
	}
}
