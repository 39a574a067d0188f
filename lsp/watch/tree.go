package watch

import (
	"maps"
	"slices"
)

// dir is one folder of the snapshot. Which fields others than run may read, and how, is said in Journal.
type dir struct {
	path   string
	parent *dir             // nil at the root
	files  map[string]stamp // by name
	subs   map[string]*dir  // by name; nil while there are none

	// Only for run.
	id      inode
	access  uint64
	rules   *rules // that hold for what is in it
	kept    bool   // it was to be left out: only what Keep wants is tracked in it
	shut    bool   // it could not be listed
	watched bool   //
	round   uint64 // Journal.round when it was scanned last
}

// put enters the file into the snapshot and notes what happened.
func (j *Journal) put(d *dir, name string, s stamp, kind Kind) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if d.files == nil {
		d.files = make(map[string]stamp)
	}
	d.files[name] = s
	if j.first && s.changedAt() < j.opened-j.window {
		return
	}
	if j.first {
		kind = Changed // or created, which nobody can know
	}
	j.history.add(place{d.path, name}, kind)
}

// remove takes the file out of the snapshot.
func (j *Journal) remove(d *dir, name string, kind Kind) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(d.files, name)
	delete(j.links, place{d.path, name})
	j.history.add(place{d.path, name}, kind)
}

// enter adds a folder, empty still, to the snapshot.
func (j *Journal) enter(parent *dir, name string, n node, kept bool) *dir {
	d := &dir{path: j.root, parent: parent, kept: kept}
	if parent != nil {
		d.path = join(parent.path, name)
	}
	j.identify(d, n)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dirs[d.path] = d
	if parent == nil {
		return d
	}
	if parent.subs == nil {
		parent.subs = make(map[string]*dir)
	}
	parent.subs[name] = d
	return d
}

// identify notes which folder d is. It keeps an eye on one of another file system than the folder above: unmounting it
// takes the watches below it without notice.
func (j *Journal) identify(d *dir, n node) {
	known := d.id == n.id()
	d.id, d.access = n.id(), n.access
	if d.parent == nil || known {
		return
	}
	if d.parent.id.dev == d.id.dev {
		delete(j.mounts, d)
		return
	}
	j.mounts[d] = d.id
	if why := unreliable(d.path); why != "" && j.listener != nil {
		j.fallBack(why)
	}
}

// drop takes d and all below it out of the snapshot: its files were deleted, or, when they are still to be seen on
// disk, left out from now on. It frees the watches first.
func (j *Journal) drop(d *dir) {
	j.unwatch(d)
	j.discard(d)
	j.mu.Lock()
	defer j.mu.Unlock()
	if d.parent != nil {
		delete(d.parent.subs, baseOf(d.path))
	}
}

func (j *Journal) discard(d *dir) {
	for _, sub := range slices.Collect(maps.Values(d.subs)) {
		j.discard(sub)
	}
	j.empty(d)
	delete(j.mounts, d)
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.dirs, d.path)
}

// empty takes the files out of d.
func (j *Journal) empty(d *dir) {
	for _, name := range slices.Collect(maps.Keys(d.files)) {
		j.leave(d, name)
	}
}

// leave takes one file out of the snapshot by what the disk says: it was deleted, or it is no longer to be tracked.
func (j *Journal) leave(d *dir, name string) {
	kind := Deleted
	if n, err := lstat(join(d.path, name)); err == nil && n.tracked() {
		kind = Changed
	}
	j.remove(d, name, kind)
}
