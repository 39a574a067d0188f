package watch

// run owns the snapshot and the watches from Open to Close.
func (j *Journal) run() {
	defer close(j.done)
	defer j.watches.stop()
	defer j.letGo()
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
	j.tree.first = true
	if j.watches.found == Events {
		j.watches.start()
	}
	j.tree.walk()
	j.tree.first = false
	j.log.Debug("first walk done", "root", j.root, "folders", len(j.tree.dirs), "mode", j.watches.found.String())
}

// advance does all that can be done without waiting.
func (j *Journal) advance() {
	for j.ctx.Err() == nil {
		j.tree.apply(j.watches.takeLeft())
		b := j.watches.listener.take()
		j.tree.apply(b.dirty)
		switch {
		case b.fault != "":
			j.restart(b.fault)
			j.finish()
		case b.arrived:
			j.confirm()
			j.finish()
		case j.pending != nil && j.watches.comparing():
			j.compare()
			j.finish()
		case j.pending == nil && j.take():
			j.watches.announce() // when comparing, the next round ends the barrier
		default:
			return
		}
	}
}

// confirm ends a barrier whose token arrived, by looking at what no event tells of.
func (j *Journal) confirm() {
	if j.watches.comparing() { // it fell back on what came before the token
		j.compare()
		return
	}
	if why := j.watches.distrust(); why != "" {
		j.restart(why)
		return
	}
	j.tree.lookWithoutEvents()
	j.extras.check(j.history, j.watches.window)
}

// compare brings the snapshot up to date by walking. When only the root's absence kept events away, they begin again.
func (j *Journal) compare() {
	if j.watches.returned() {
		j.watches.start()
	}
	j.walk()
}

// restart is for when events were lost or watches are not where they should be: new watches, and one comparison.
func (j *Journal) restart(why string) {
	j.watches.restart(why)
	j.walk()
	j.tree.apply(j.watches.takeLeft())
}

// walk looks at everything that is tracked.
func (j *Journal) walk() {
	j.tree.recent.turn()
	j.tree.walk()
	j.extras.check(j.history, j.watches.window)
}
