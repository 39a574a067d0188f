package watch

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// extras are single files beside the tree. A barrier looks at each of those that [Journal.Extra] tracks, which are few
// and may lie where others write much (the folders above the tree). [Journal.ExtraRead] tracks many: where there are
// events their folders are watched, so that a barrier looks at each folder, and at the files that changed.
type extras struct {
	mu     sync.Mutex
	stamps map[string]map[string]stamp // by folder and name; the zero stamp for one that does not exist; guarded by mu

	read    map[string]bool  // the folders of files that are read; guarded by mu
	watched map[string]inode // the folders with a watch, each as it was then; guarded by mu

	// Used by Journal.run alone.
	recent   recent
	listener *listener      // that the folders are watched by; nil while comparing
	dirty    map[place]bool // files with events
}

// add begins to track files. Of those that are read, one that changed after since, in nanoseconds since 1970, counts as
// changed.
func (e *extras) add(paths []string, read bool, since int64) {
	// The files are looked at without the lock, since that reads the disk.
	found := make(map[place]stamp, len(paths))
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			s := statStamp(abs)
			if read && s.changedAt() > since {
				s = stamp{}
			}
			found[placeOf(abs)] = s
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for p, s := range found {
		if _, ok := e.stamps[p.dir][p.name]; ok {
			continue
		}
		if e.stamps[p.dir] == nil {
			e.stamps[p.dir] = map[string]stamp{}
		}
		e.stamps[p.dir][p.name] = s
		if read {
			if e.read == nil {
				e.read = map[string]bool{}
			}
			e.read[p.dir] = true
		}
		// What is new has to be looked at once, although its folder may have its watch.
		delete(e.watched, p.dir)
	}
}

// note takes down which of the files have events.
func (e *extras) note(dirty map[string]fsnotify.Op) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for path := range dirty {
		delete(e.watched, path) // the folder itself: it went, or is another one
		p := placeOf(path)
		if _, ok := e.stamps[p.dir][p.name]; !ok {
			continue
		}
		if e.dirty == nil {
			e.dirty = map[place]bool{}
		}
		e.dirty[p] = true
	}
}

// check looks at the files and adds what changed to h.
func (e *extras) check(h *history, w *watches) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.stamps) == 0 {
		return
	}
	if e.listener != w.listener || e.watched == nil {
		e.listener, e.watched = w.listener, map[string]inode{}
	}
	e.recent.nextRound()
	// Two changes within window nanoseconds may have the same time.
	edge := time.Now().UnixNano() - w.window
	for dir, files := range e.stamps {
		told := e.listener != nil && e.read[dir] && e.watch(dir, w.on)
		for name, old := range files {
			p := place{dir, name}
			if told && !e.dirty[p] {
				continue
			}
			path := join(dir, name)
			// With events each write has its own, though the file may look the same.
			if s := statStamp(path); e.recent.differs(path, old, s, edge) || told {
				files[name] = s
				if (old != stamp{} || s != stamp{}) {
					h.add(p, kindBetween(old, s))
				}
			}
		}
	}
	clear(e.dirty)
}

// watch reports whether a folder has had its watch since the files in it were looked at last; it puts one there. A
// folder of the tree, by whatever path, has the tree's: the kernel has one for each, and names one path in its events.
func (e *extras) watch(path string, tree map[inode]*dir) bool {
	n, err := stat(path)
	taken := err == nil && tree[n.id()] != nil
	if was, ok := e.watched[path]; ok && err == nil && was == n.id() && !taken {
		return true
	}
	delete(e.watched, path)
	// Of a folder that is there no more each file is looked at, as where there is no room for watches.
	if err == nil && !taken && n.sort == folder && e.listener.w.Add(path) == nil {
		e.watched[path] = n.id()
	}
	return false
}

// kindBetween returns the change from one stamp to another.
func kindBetween(old, s stamp) Kind {
	switch (stamp{}) {
	case old:
		return Created
	case s:
		return Deleted
	}
	return Changed
}
