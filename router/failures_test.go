package router

import (
	"errors"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
)

func TestCrashBudget(t *testing.T) {
	now := time.Now()
	var f failures
	for i := range crashBudget {
		if wait := f.retryAfter(now); wait != 0 {
			t.Fatalf("after %d crashes: waits %v", i, wait)
		}
		f.record(errors.New("exit status 2"), now)
	}
	testkit.Equal(t, f.retryAfter(now), crashWindow, "waits")
	var e *contract.Error
	if err := f.disabled("fake", now); !errors.As(err, &e) || e.Kind != contract.KindServerDisabled {
		t.Errorf("disabled: %v", err)
	}
	if err := f.disabled("fake", now.Add(crashWindow+time.Second)); err != nil {
		t.Errorf("after the window: %v", err)
	}
}

// Calls for a server that is not installed must not get slower with each call.
func TestMissingProgramIsNoCrash(t *testing.T) {
	now := time.Now()
	var f failures
	for range 3 * crashBudget {
		f.record(contract.Errorf(contract.KindServerNotInstalled, nil, "not there"), now)
	}
	if err, delay := f.disabled("fake", now), f.backOff(now); err != nil || delay != 0 {
		t.Errorf("disabled %v, delay %v", err, delay)
	}
	if f.last == nil || !f.lastAt.Equal(now) {
		t.Errorf("last error %v at %v", f.last, f.lastAt)
	}
}
