package watch

import "time"

// The event of a write names the path that was written. A file with several names (hard links) changes under the other
// names too, and these have no event. So each barrier looks at the files with several names.

// countLinks notes whether the file, seen as n, has other names.
func (t *tree) countLinks(d *dir, name string, n node) {
	p := place{d.path, name}
	if n.sort != file || n.nlink < 2 {
		delete(t.links, p)
		return
	}
	if !t.links[p] {
		t.links[p] = true
		t.newLinks[n.ino] = true
	}
}

// findLinks finds the other tracked names of files that got a further name: for these there was no event either.
func (t *tree) findLinks() {
	if len(t.newLinks) == 0 {
		return
	}
	for _, d := range t.dirs {
		for name, s := range d.files {
			if t.newLinks[s.ino] {
				t.links[place{d.path, name}] = true
			}
		}
	}
	clear(t.newLinks)
}

// checkEventless looks at what changes without events: ignore files outside of the tree, and files with several
// names.
func (t *tree) checkEventless() {
	t.recent.nextRound()
	if t.outer.stale() {
		t.walk()
	}
	t.checkLinks()
}

// checkLinks looks at the files with several names and notes those that changed.
func (t *tree) checkLinks() {
	edge := time.Now().UnixNano() - t.watches.window
	for p := range t.links {
		d := t.dirs[p.dir]
		n, err := lstat(p.path())
		if d == nil || err != nil { // its deletion has an event, which is on the way
			delete(t.links, p)
			continue
		}
		old, was := d.files[p.name]
		if was && n.sort == file && t.recent.differs(p.path(), old, n.stamp, edge) {
			t.put(d, p.name, n.stamp, Changed)
		}
		if n.nlink < 2 {
			delete(t.links, p)
		}
	}
}
