package pool

import (
	"errors"
	"testing"
	"time"

	"lspi/contract"
	"lspi/lsp"
)

func TestCrashBudget(t *testing.T) {
	now := time.Now()
	sl := &slot{spec: &lsp.Spec{ID: "fake"}}
	for i := range crashBudget {
		if wait := sl.retryAfter(now); wait != 0 {
			t.Fatalf("after %d crashes: waits %v", i, wait)
		}
		sl.recordFailure(errors.New("exit status 2"), now)
	}
	if got := sl.retryAfter(now); got != crashWindow {
		t.Errorf("waits %v", got)
	}
	var e *contract.Error
	if err := sl.crashError(now); !errors.As(err, &e) || e.Kind != contract.KindServerDisabled {
		t.Errorf("allowed: %v", err)
	}
	if err := sl.crashError(now.Add(crashWindow + time.Second)); err != nil {
		t.Errorf("after the window: %v", err)
	}
}

// Calls for a server that is not installed must not get slower with each call.
func TestMissingProgramIsNoCrash(t *testing.T) {
	now := time.Now()
	sl := &slot{spec: &lsp.Spec{ID: "fake"}}
	for range 3 * crashBudget {
		sl.recordFailure(contract.Errorf(contract.KindServerNotInstalled, nil, "not there"), now)
	}
	if err, delay := sl.crashError(now), sl.backOff(now); err != nil || delay != 0 {
		t.Errorf("allowed %v, delay %v", err, delay)
	}
	if sl.lastErr == nil || !sl.lastErrAt.Equal(now) {
		t.Errorf("last error %v at %v", sl.lastErr, sl.lastErrAt)
	}
}
