package daemon

// How the lines of settings are kept for the next process.

// noteSetting notes what a request in a line sets. It needs mu.
func (d *direct) noteSetting(k *keptLine, h head, line []byte) {
	if k.batch {
		line = elementOf(line, h.ID)
	}
	if s := settingOf(h.Method, line); s != nil {
		d.sets[h.key()] = *s
	}
}

// setBy notes that a line was answered with a result for what it sets. Of a batch, which may set several things and take some of them back later, the
// line is not kept. It needs mu.
func (d *direct) setBy(k *keptLine, s setting) {
	length := k.end - k.at
	if k.batch {
		length = maxSetting + 1
	}
	was, kept := d.set.answered(s, k, length)
	k.shake = k.shake || kept
	if was != nil && was != k {
		d.release(was)
	}
}

// release keeps a line no longer than it waits for an answer. It needs mu.
func (d *direct) release(k *keptLine) {
	k.shake = false
	if k.waits == 0 {
		d.finish(k)
	}
}
