package watch

import "github.com/fsnotify/fsnotify"

// run owns the snapshot and the watches from Open to Close.
func (j *Journal) run() {
	defer close(j.done)
	defer j.watches.stop()
	defer j.releaseHold()
	j.begin()
	for {
		j.advance()
		select {
		case <-j.ctx.Done():
			return
		case <-j.kick:
		}
	}
}

// begin does the first walk. A file that exists is no change, so nothing is noted but files that changed since Open:
// a caller that reads the tree from then on may have read them before.
func (j *Journal) begin() {
	j.tree.first = true
	if j.watches.found == Events {
		j.watches.start()
	}
	j.tree.walk()
	j.tree.first = false
	j.log.Debug("first walk done", "root", j.root, "folders", len(j.tree.dirs), "mode", j.watches.found.String())
}

// advance does everything that needs no waiting: it applies the dirty paths, and begins or ends a barrier. Dirty
// paths of a closed listener come first, as they are older.
func (j *Journal) advance() {
	for j.ctx.Err() == nil {
		j.apply(j.watches.takeLeftover())
		b := j.watches.listener.take()
		j.apply(b.dirty)
		switch {
		// Some of the events before the token may be lost; the comparison makes up for all of them, so the barrier is
		// over.
		case b.fault != "":
			j.restart(b.fault)
			j.finish()
		// The events before the token were applied above, in this round or an earlier one.
		case b.arrived:
			j.confirm()
			j.finish()
		// No token comes: the barrier was begun while comparing, or events ended while it waited.
		case j.pending != nil && j.watches.comparing():
			j.compareTree()
			j.finish()
		// The dirty paths so far were applied before, so that little is left between them and the token.
		case j.pending == nil && j.beginPending():
			j.watches.sendToken() // while comparing it sends none, and the next round ends the barrier
		default:
			return
		}
	}
}

// confirm completes a barrier whose token has arrived, by looking at what changes without events.
func (j *Journal) confirm() {
	if j.watches.comparing() { // applying what came before the token made it fall back
		j.compareTree()
		return
	}
	if why := j.watches.misplaced(); why != "" {
		j.restart(why)
		return
	}
	j.tree.checkEventless()
	j.extras.check(j.history, j.watches)
}

// compareTree brings the snapshot up to date by a walk. When events were off only because the root did not exist, and
// it does now, they begin again.
func (j *Journal) compareTree() {
	if j.watches.rootReturned() {
		j.watches.start()
	}
	j.walk()
}

// restart replaces all watches and compares the tree once, when events were lost or watches are not on the folders at
// their paths. Events that the old listener still had are applied last: a walk can miss a write that left size and
// time as they were, the event does not.
func (j *Journal) restart(why string) {
	j.watches.restart(why)
	j.walk()
	j.apply(j.watches.takeLeftover())
}

// walk looks at everything that is tracked.
func (j *Journal) walk() {
	j.tree.recent.nextRound()
	j.tree.walk()
	j.extras.check(j.history, j.watches)
}

// apply brings everything up to date by where events point to.
func (j *Journal) apply(dirty map[string]fsnotify.Op) {
	j.extras.note(dirty)
	j.tree.apply(dirty)
}
