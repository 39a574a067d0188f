package watch

import "fmt"

// run owns the snapshot from Open to Close.
func (j *Journal) run() {
	defer close(j.done)
	defer j.stopEvents()
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

// begin does the first walk. That a file was there already is no change, so it notes nothing but files that
// changed since Open: whoever reads the tree from then on may have read them before.
func (j *Journal) begin() {
	j.first = true
	if j.mode == Events {
		j.startEvents()
	}
	j.walk()
	j.first = false
	j.log.Debug("first walk done", "root", j.root, "folders", len(j.dirs), "mode", j.mode.String())
}

// advance does all that can be done without waiting.
func (j *Journal) advance() {
	for j.ctx.Err() == nil {
		j.applyLeft()
		b := j.listener.take()
		j.apply(b.dirty)
		switch {
		case b.fault != "":
			j.restart(b.fault)
			j.finish()
		case b.arrived:
			j.confirm()
			j.finish()
		case j.pending != nil && j.listener == nil:
			j.compare()
			j.finish()
		case j.pending == nil && j.take():
			j.announce()
		default:
			return
		}
	}
}

// announce begins the pending barrier with a token behind the events of all that was done so far. When comparing there
// is none, and advance goes on by itself.
func (j *Journal) announce() {
	if j.listener == nil {
		return
	}
	err := j.listener.announce()
	if err != nil { // something that cleans up temporary folders took it, perhaps
		j.log.Debug("making the barrier's folder anew", "error", err)
		err = j.listener.renew()
	}
	if err != nil {
		j.fallBack(fmt.Sprintf("the barrier's file cannot be renamed: %v", err))
	}
}

// confirm ends a barrier whose token arrived, by looking at what no event tells of.
func (j *Journal) confirm() {
	if j.listener == nil { // it fell back on what came before the token
		j.compare()
		return
	}
	if why := j.distrust(); why != "" {
		j.restart(why)
		return
	}
	j.recent.turn()
	if j.outer.changed() {
		j.walk()
	}
	j.checkLinks()
	j.checkExtras()
}

// distrust tells why the watches may no longer be on what is at their paths; "" when they are.
func (j *Journal) distrust() string {
	if n, err := lstat(j.root); err != nil || n.id() != j.rootID {
		return "the root was removed or replaced"
	}
	for d, id := range j.mounts {
		if n, err := lstat(d.path); err != nil || n.id() != id {
			return "a mount changed: " + d.path
		}
	}
	return ""
}

// compare brings the snapshot up to date by walking. When only the root's absence kept events away, they begin again.
func (j *Journal) compare() {
	if n, err := lstat(j.root); j.away && err == nil && n.sort == folder {
		j.startEvents()
	}
	j.recent.turn()
	j.walk()
	j.checkExtras()
}
