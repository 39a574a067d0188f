package pool

import (
	"errors"
	"slices"
	"time"

	"lspi/contract"
)

// The crash budget: this many crashes within the window end in an error instead of one more restart. The back-off
// doubles with each crash in the window.
const (
	crashBudget = 5
	crashWindow = 3 * time.Minute
	firstDelay  = 250 * time.Millisecond
)

// recordFailure records a crash or a failed start. A program that is not there counts for neither budget nor back-off: looking
// once more costs nothing, and it may have been installed meanwhile; nor does one that is not started because the workspace
// is not trusted. Pool.mu is held.
func (sl *slot) recordFailure(err error, now time.Time) {
	sl.lastErr, sl.lastErrAt = err, now
	if e := (*contract.Error)(nil); errors.As(err, &e) && (e.Kind == contract.KindServerNotInstalled || e.Kind == contract.KindCommandNotFound ||
		e.Kind == contract.KindRestricted || e.Kind == contract.KindSpecialFile) {
		return
	}
	sl.crashes = append(sl.recentCrashes(now), now)
}

func (sl *slot) recentCrashes(now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(sl.crashes), func(t time.Time) bool { return now.Sub(t) > crashWindow })
}

// crashError is a server_disabled error when the budget is used up. Pool.mu is held.
func (sl *slot) crashError(now time.Time) error {
	wait := sl.retryAfter(now)
	if wait == 0 {
		return nil
	}
	n := len(sl.recentCrashes(now))
	facts := contract.Facts{"server_id": sl.spec.ID, "crashes": n, "retry_after_ms": wait.Milliseconds()}
	if e, ok := sl.lastErr.(*contract.Error); ok && e.Facts["stderr_tail"] != nil {
		facts["stderr_tail"] = e.Facts["stderr_tail"]
	}
	return contract.Errorf(contract.KindServerDisabled, facts,
		"%s failed %d times within %v and is not started again for %v: %w",
		sl.spec.ID, n, crashWindow, wait.Round(time.Second), sl.lastErr)
}

// retryAfter is how long the server is not started again because its budget is used up; 0 when it may be. Pool.mu is
// held.
func (sl *slot) retryAfter(now time.Time) time.Duration {
	recent := sl.recentCrashes(now)
	if len(recent) < crashBudget {
		return 0
	}
	return max(crashWindow-now.Sub(recent[0]), time.Millisecond)
}

// backOff is how long the next start waits. Pool.mu is held.
func (sl *slot) backOff(now time.Time) time.Duration {
	n := len(sl.recentCrashes(now))
	if n <= 1 {
		return 0 // the first restart is immediate: calls in flight wait for it
	}
	return firstDelay << (n - 2)
}
