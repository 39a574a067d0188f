package watch

import "time"

// The event of a write names the path that was written. When a file has several names (hard links), it changes under
// the others too, and for these there is no event. So files with several names are looked at in each barrier.

// countLinks notes whether the file has other names.
func (j *Journal) countLinks(d *dir, name string, n node) {
	p := place{d.path, name}
	if n.sort != file || n.nlink < 2 {
		delete(j.links, p)
		return
	}
	if !j.links[p] {
		j.links[p] = true
		j.newLinks[n.ino] = true
	}
}

// findLinks finds the other names in the tree of files that got one: these had no event either.
func (j *Journal) findLinks() {
	if len(j.newLinks) == 0 {
		return
	}
	for _, d := range j.dirs {
		for name, s := range d.files {
			if j.newLinks[s.ino] {
				j.links[place{d.path, name}] = true
			}
		}
	}
	clear(j.newLinks)
}

// checkLinks looks at the files with several names.
func (j *Journal) checkLinks() {
	edge := time.Now().UnixNano() - j.window
	for p := range j.links {
		d := j.dirs[p.dir]
		n, err := lstat(p.path())
		if d == nil || err != nil { // its own event is on the way
			delete(j.links, p)
			continue
		}
		old, was := d.files[p.name]
		if was && n.sort == file && j.recent.differs(p.path(), old, n.stamp, edge) {
			j.put(d, p.name, n.stamp, Changed)
		}
		if n.nlink < 2 {
			delete(j.links, p)
		}
	}
}
