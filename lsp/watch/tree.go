package watch

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
)

// tree is the snapshot of the tracked files and folders. It is brought up to date with the disk by walk, which
// looks at everything, and by apply, which looks where events point to; every difference goes into the history. Its
// methods belong to Journal.run, but for files and countByExt.
type tree struct {
	o          Options
	log        *slog.Logger
	root       string          // see Journal.root
	opened     int64           // when Open was called, in nanoseconds since 1970
	ctx        context.Context // ends with the journal
	watches    *watches
	history    *history
	unreadable *unreadable

	mu   sync.Mutex      // held to write dirs, dir.files and dir.subs, which run reads without
	dirs map[string]*dir // the tracked folders by path, and in them their files
	// what files gives; nil when files came or went since. What it holds is never written again; guarded by mu
	listed []string
	// what select gave by key since files came or went the last time; what it holds is never written again; guarded
	// by mu
	chosen map[any][]string
	beside int    // files and folders that are followed apart, up to maxApart; guarded by mu
	comes  uint64 // how often files came or went; guarded by mu

	// Only for run.
	round    uint64 // counts walks and batches of events, see dir.round
	now      int64  // when the folder that is being scanned was listed, in nanoseconds since 1970
	first    bool   // the first walk is running
	outer    outer
	links    map[place]bool  // files with several names
	newLinks map[uint64]bool // inodes of which a further name was seen
	recent   recent
}

// put enters the file into the snapshot and notes what happened.
func (t *tree) put(d *dir, name string, s stamp, kind Kind) {
	t.set(d, name, s)
	if t.first && s.changedAt() < t.opened-t.watches.window {
		return
	}
	if t.first {
		kind = Changed // or created, which nobody can know
	}
	t.history.add(place{d.path, name}, kind)
}

func (t *tree) set(d *dir, name string, s stamp) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.files == nil {
		d.files = make(map[string]stamp)
	}
	if _, known := d.files[name]; !known {
		t.besides(d, 1)
		t.listed, t.chosen = nil, nil
		t.comes++
	}
	d.files[name] = s
}

// remove takes the file out of the snapshot.
func (t *tree) remove(d *dir, name string, kind Kind) {
	t.mu.Lock()
	if _, known := d.files[name]; known {
		t.besides(d, -1)
	}
	delete(d.files, name)
	t.listed, t.chosen = nil, nil
	t.comes++
	t.mu.Unlock()
	delete(t.links, place{d.path, name})
	t.history.add(place{d.path, name}, kind)
}

// enter adds a folder, empty still, to the snapshot.
func (t *tree) enter(parent *dir, name string, n node, kept bool) *dir {
	d := &dir{path: t.root, parent: parent, kept: kept}
	if parent != nil {
		d.path = join(parent.path, name)
		d.apart = t.isApart(parent, d.path, kept)
	}
	t.watches.identify(d, n)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirs[d.path] = d
	t.besides(d, 1)
	if parent == nil {
		return d
	}
	if parent.subs == nil {
		parent.subs = make(map[string]*dir)
	}
	parent.subs[name] = d
	return d
}

// drop takes d and all below it out of the snapshot: its files were deleted, or, when they are still to be seen on
// disk, left out from now on. It frees the watches first.
func (t *tree) drop(d *dir) {
	t.watches.remove(d)
	t.discard(d)
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.parent != nil {
		delete(d.parent.subs, baseOf(d.path))
	}
}

func (t *tree) discard(d *dir) {
	for _, sub := range slices.Collect(maps.Values(d.subs)) {
		t.discard(sub)
	}
	for _, name := range slices.Collect(maps.Keys(d.files)) {
		t.leave(d, name)
	}
	t.watches.forget(d)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dirs[d.path] == d {
		t.besides(d, -1)
	}
	delete(t.dirs, d.path)
}

// maxApart bounds the files and folders that are followed apart: what a build writes may be large.
const maxApart = 5000

// besides counts n more of d where d is apart. mu is held.
func (t *tree) besides(d *dir, n int) {
	if d.apart {
		t.beside += n
	}
}

// isApart reports whether a folder that is tracked, kept or not, is so only because of Apart.
func (t *tree) isApart(parent *dir, path string, kept bool) bool {
	return parent.apart || kept && (t.o.Keep == nil || !t.o.Keep(path))
}

// wantedApart reports whether something in d that is left out is followed apart: what is there already, and else
// while there is room.
func (t *tree) wantedApart(d *dir, name string, isDir bool) bool {
	return t.o.Apart != nil && t.o.Apart(join(d.path, name), isDir) && (t.known(d, name, isDir) || t.roomApart() > 0)
}

// roomApart is how much more may be followed apart.
func (t *tree) roomApart() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, maxApart-t.beside)
}

// rekeep notes anew whether a folder is kept, by rules that may have changed.
func (t *tree) rekeep(d *dir, kept bool) {
	apart := t.isApart(d.parent, d.path, kept)
	t.mu.Lock()
	defer t.mu.Unlock()
	d.kept = kept
	if apart != d.apart {
		t.besides(d, -1-len(d.files))
		d.apart = apart
		t.besides(d, 1+len(d.files))
		t.listed, t.chosen = nil, nil
		t.comes++
	}
}

// leave takes one file out of the snapshot by what the disk says: it was deleted, or it is no longer to be tracked.
func (t *tree) leave(d *dir, name string) {
	kind := Deleted
	if n, err := lstat(join(d.path, name)); err == nil && n.tracked() {
		kind = Changed
	}
	t.remove(d, name, kind)
}

// tracks reports whether the snapshot has a file.
func (t *tree) tracks(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, name := t.split(path)
	if d == nil {
		return false
	}
	_, has := d.files[name]
	return has && !d.apart
}

// files are the paths of all tracked files, folder by folder in sorted order. The caller must not write into it. It
// is kept, because each question goes over it several times.
func (t *tree) files() []string {
	t.mu.Lock()
	if t.listed != nil {
		defer t.mu.Unlock()
		return t.listed
	}
	comes := t.comes
	names := make(map[string][]string, len(t.dirs))
	for path, d := range t.dirs {
		if d.apart {
			continue
		}
		names[path] = slices.Collect(maps.Keys(d.files))
	}
	t.mu.Unlock()
	// Sorted without the lock: run must not wait for it.
	all := []string{}
	for _, dir := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[dir])
		for _, name := range names[dir] {
			all = append(all, join(dir, name))
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.comes == comes {
		t.listed = all
	}
	return all
}

// choose are the tracked files that wanted, which depends on the path alone, is true for. They are kept under key.
func (t *tree) choose(key any, wanted func(path string) bool) []string {
	t.mu.Lock()
	found, ok := t.chosen[key]
	comes := t.comes
	t.mu.Unlock()
	if ok {
		return found
	}
	for _, path := range t.files() {
		if wanted(path) {
			found = append(found, path)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.comes == comes {
		if t.chosen == nil {
			t.chosen = map[any][]string{}
		}
		t.chosen[key] = found
	}
	return found
}

// countByExt counts the tracked files by extension.
func (t *tree) countByExt() map[string]int {
	counts := make(map[string]int)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.dirs {
		if d.apart {
			continue
		}
		for name := range d.files {
			counts[filepath.Ext(name)]++
		}
	}
	return counts
}
