package answer

import "lspi/contract"

// An attempt is one try to have a call answered by one server. A call may need several: the server crashes, reloads
// its project while it answers, or has to be shown more files first. Warnings and steps of an attempt whose answer
// is thrown away must not reach the host, so each attempt begins with a [Checkpoint] and may be rolled back to it.

// attempts counts the attempts of a call: how many have begun, and how many run now. A call may ask several servers
// at the same time, so more than one may run.
type attempts struct{ begun, running int }

// Checkpoint is what a call had said of its answer at one time: the length of its lists, since they
// only grow, and the values of the rest. Zero is no valid checkpoint; take one by [Call.BeginAttempt]
// or [Call.Checkpoint].
type Checkpoint struct {
	attempt         int  // the number of attempts begun, this one included
	alone           bool // no other attempt ran when this one began
	warnings, steps int
	truncated       bool
	whole           bool // no window had left out anything
	serverID        string
	claim           contract.Completeness
}

// BeginAttempt begins an attempt. The caller has to end it with [Call.EndAttempt], also when it fails
// or panics: an attempt that never ends makes all later ones of the call look concurrent, and these are
// then never rolled back.
func (c *Call) BeginAttempt() Checkpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts.begun++
	c.attempts.running++
	return c.checkpointLocked()
}

// EndAttempt ends an attempt. With keep false it takes back what was said during the attempt.
//
// Where another attempt ran at the same time nothing is taken back, because nobody can tell which of
// the two said what. The answer then has warnings too many: it claims less than it could, never more.
func (c *Call) EndAttempt(began Checkpoint, keep bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts.running--
	if keep || !began.alone || c.attempts.begun != began.attempt {
		return
	}
	c.restoreLocked(began)
}

// Checkpoint returns what the call has said so far, for [Call.Restore].
func (c *Call) Checkpoint() Checkpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.checkpointLocked()
}

// Restore takes back all that was said since the checkpoint. The caller makes sure that nothing else of
// the call runs meanwhile: what it said would be lost as well.
func (c *Call) Restore(at Checkpoint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restoreLocked(at)
}

// checkpointLocked is [Call.Checkpoint] for callers that hold c.mu.
func (c *Call) checkpointLocked() Checkpoint {
	return Checkpoint{c.attempts.begun, c.attempts.running == 1, len(c.warnings), len(c.steps), c.truncated,
		c.rest == nil, c.serverID, c.claim}
}

// restoreLocked is [Call.Restore] for callers that hold c.mu. Cutting the lists to their earlier length
// is enough: within an attempt warnings and steps are only appended, and [Call.Withdraw], which removes
// some, runs after the attempts.
func (c *Call) restoreLocked(at Checkpoint) {
	c.warnings, c.steps = c.warnings[:at.warnings], c.steps[:at.steps]
	c.truncated, c.serverID, c.claim = at.truncated, at.serverID, at.claim
	if at.whole {
		c.rest = nil
	}
}
