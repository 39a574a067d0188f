package answer

import "lspi/contract"

// An attempt is one try to have a call answered by a server. Servers crash, load anew and are still loading, so one
// call may need several, and what a void one has said of the answer is taken back.

// attempts counts those of a call. A call may ask several servers at the same time.
type attempts struct{ begun, running int }

// Checkpoint is what a call had said of its answer at one time.
type Checkpoint struct {
	attempt         int
	alone           bool // no other attempt ran
	warnings, steps int
	truncated       bool
	serverID        string
	claim           contract.Completeness
}

// BeginAttempt begins an attempt, which [Call.EndAttempt] ends.
func (c *Call) BeginAttempt() Checkpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts.begun++
	c.attempts.running++
	return c.checkpoint()
}

// EndAttempt ends an attempt, and takes back what was said during one that is void. Where another attempt ran at
// the same time nobody can tell which of them said what, and all stays: an answer may claim less than it could,
// never more.
func (c *Call) EndAttempt(began Checkpoint, keep bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts.running--
	if keep || !began.alone || c.attempts.begun != began.attempt {
		return
	}
	c.restore(began)
}

// Checkpoint is what the call has said so far.
func (c *Call) Checkpoint() Checkpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.checkpoint()
}

// Restore takes back all that was said since, while nothing else of the call runs.
func (c *Call) Restore(at Checkpoint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restore(at)
}

// checkpoint needs mu.
func (c *Call) checkpoint() Checkpoint {
	return Checkpoint{c.attempts.begun, c.attempts.running == 1, len(c.warnings), len(c.steps), c.truncated,
		c.serverID, c.claim}
}

// restore needs mu. Warnings and steps are only ever appended within an attempt, so those before it are a prefix.
func (c *Call) restore(at Checkpoint) {
	c.warnings, c.steps = c.warnings[:at.warnings], c.steps[:at.steps]
	c.truncated, c.serverID, c.claim = at.truncated, at.serverID, at.claim
}
