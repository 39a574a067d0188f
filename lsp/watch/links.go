package watch

import "time"

// The event of a write names the path that was written. When a file has several names (hard links), it changes under
// the others too, and for these there is no event. So files with several names are looked at in each barrier.

// countLinks notes whether the file has other names.
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

// findLinks finds the other names in the tree of files that got one: these had no event either.
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

// lookWithoutEvents looks at what changes without events of its own: ignore files outside of the tree, and files
// with several names.
func (t *tree) lookWithoutEvents() {
	t.recent.turn()
	if t.outer.changed() {
		t.walk()
	}
	t.checkLinks()
}

// checkLinks looks at the files with several names.
func (t *tree) checkLinks() {
	edge := time.Now().UnixNano() - t.watches.window
	for p := range t.links {
		d := t.dirs[p.dir]
		n, err := lstat(p.path())
		if d == nil || err != nil { // its own event is on the way
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
