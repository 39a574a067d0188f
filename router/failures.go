package router

import (
	"errors"
	"slices"
	"time"

	"lspi/contract"
)

// The crash budget: a server that fails this often within the window is not started again before the window has
// passed; callers get an error instead of one more restart. The back-off doubles with each failure in the window.
const (
	crashBudget = 5
	crashWindow = 3 * time.Minute
	firstDelay  = 250 * time.Millisecond
)

// failures are the crashes and failed starts of one server. Group.mu guards those of a slot.
type failures struct {
	times  []time.Time // of the failures that count for the budget
	last   error       // nil when there was none
	lastAt time.Time
}

// record adds a crash or a failed start. Errors that a start would find again at once and at no cost count for
// neither budget nor back-off: a program that is not installed (it may be by the next call), a workspace that is not
// trusted, a special file among the sources.
func (f *failures) record(err error, now time.Time) {
	f.last, f.lastAt = err, now
	if e := (*contract.Error)(nil); errors.As(err, &e) && (e.Kind == contract.KindServerNotInstalled ||
		e.Kind == contract.KindCommandNotFound ||
		e.Kind == contract.KindRestricted || e.Kind == contract.KindSpecialFile) {
		return
	}
	f.times = append(f.recent(now), now)
}

// forget restores the full budget. The last error stays, since the status shows it.
func (f *failures) forget() { f.times = nil }

// recent returns the times of the failures within the window.
func (f *failures) recent(now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(f.times), func(t time.Time) bool { return now.Sub(t) > crashWindow })
}

// disabled returns a server_disabled error while the budget is used up, and nil when the server may be started.
func (f *failures) disabled(serverID string, now time.Time) error {
	wait := f.retryAfter(now)
	if wait == 0 {
		return nil
	}
	n := len(f.recent(now))
	facts := contract.Facts{"server_id": serverID, "crashes": n, "retry_after_ms": wait.Milliseconds()}
	if e, ok := f.last.(*contract.Error); ok && e.Facts["stderr_tail"] != nil {
		facts["stderr_tail"] = e.Facts["stderr_tail"]
	}
	return contract.Errorf(contract.KindServerDisabled, facts,
		"%s failed %d times within %v and is not started again for %v: %w",
		serverID, n, crashWindow, wait.Round(time.Second), f.last)
}

// retryAfter returns how long the used-up budget keeps the server off; 0 when it may be started.
func (f *failures) retryAfter(now time.Time) time.Duration {
	recent := f.recent(now)
	if len(recent) < crashBudget {
		return 0
	}
	return max(crashWindow-now.Sub(recent[0]), time.Millisecond)
}

// backOff returns how long the next start waits.
func (f *failures) backOff(now time.Time) time.Duration {
	n := len(f.recent(now))
	if n <= 1 {
		return 0 // the first restart is immediate: calls in flight wait for it
	}
	return firstDelay << (n - 2)
}
