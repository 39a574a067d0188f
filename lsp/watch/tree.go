package watch

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
)

// tree is the snapshot of the tracked files and folders. walk brings it up to date by looking at everything, apply by
// looking where events point to; every difference goes into the history. Only Journal.run calls its methods, but for
// those that list files, which take mu.
type tree struct {
	o          Options
	log        *slog.Logger
	root       string          // as Journal.root
	opened     int64           // the time of Open, in nanoseconds since 1970
	ctx        context.Context // ends with the journal
	watches    *watches
	history    *history
	unreadable *unreadable

	mu   sync.Mutex      // held by run to write dirs, dir.files and dir.subs, and by others to read them
	dirs map[string]*dir // the tracked folders by path, and in them their files
	// listed is the result of trackedFiles; nil when a file came or went since. The slice is never written again.
	// Guarded by mu.
	listed []string
	// chosen are the results of selectFiles by key since a file came or went. The slices are never written again.
	// Guarded by mu.
	chosen        map[any][]string
	unlistedCount int    // unlisted files and folders, at most maxUnlisted; guarded by mu
	generation    uint64 // grows when a file comes or goes; guarded by mu

	// Used by run alone.
	round    uint64 // counts walks and batches of events; dir.round says in which a folder was scanned
	now      int64  // when the folder that is being scanned was listed, in nanoseconds since 1970
	first    bool   // the first walk is running
	outer    outerRules
	links    map[place]bool  // files with several names (hard links)
	newLinks map[uint64]bool // inodes of which a further name was found
	recent   recent
}

// put enters a file into the snapshot and notes the change, but for files that the first walk finds unchanged since
// Open.
func (t *tree) put(d *dir, name string, s stamp, kind Kind) {
	t.set(d, name, s)
	// A file that was written right after Open may have a time that is up to a tick (window) earlier.
	if t.first && s.changedAt() < t.opened-t.watches.window {
		return
	}
	if t.first {
		kind = Changed // it may have been created, which nobody can tell
	}
	t.history.add(place{d.path, name}, kind)
}

// changedSince is [Journal.ChangedSince], with nanoseconds since 1970.
func (t *tree) changedSince(at int64) (out []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.dirs {
		for name, s := range d.files {
			if s.changedAt() >= at-t.watches.window {
				out = append(out, filepath.Join(d.path, name))
			}
		}
	}
	slices.Sort(out)
	return out
}

// set enters a file into the snapshot. Lists of files stay valid when only its stamp changes.
func (t *tree) set(d *dir, name string, s stamp) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.files == nil {
		d.files = make(map[string]stamp)
	}
	if _, known := d.files[name]; !known {
		t.countUnlisted(d, 1)
		t.listed, t.chosen = nil, nil
		t.generation++
	}
	d.files[name] = s
}

// remove takes the file out of the snapshot.
func (t *tree) remove(d *dir, name string, kind Kind) {
	t.mu.Lock()
	if _, known := d.files[name]; known {
		t.countUnlisted(d, -1)
	}
	delete(d.files, name)
	t.listed, t.chosen = nil, nil
	t.generation++
	t.mu.Unlock()
	delete(t.links, place{d.path, name})
	t.history.add(place{d.path, name}, kind)
}

// addDir adds an empty folder to the snapshot. n is the look at it; parent is nil for the root.
func (t *tree) addDir(parent *dir, name string, n node, kept bool) *dir {
	d := &dir{path: t.root, parent: parent, kept: kept}
	if parent != nil {
		d.path = join(parent.path, name)
		d.unlisted = t.isUnlisted(parent, d.path, kept)
	}
	t.watches.identify(d, n)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dirs[d.path] = d
	t.countUnlisted(d, 1)
	if parent == nil {
		return d
	}
	if parent.subs == nil {
		parent.subs = make(map[string]*dir)
	}
	parent.subs[name] = d
	return d
}

// drop takes d and everything below it out of the snapshot. Its files are noted as deleted, or, when they are still
// on disk and only no longer tracked, as changed. The watches are freed first (see watches.remove).
func (t *tree) drop(d *dir) {
	t.watches.remove(d)
	t.discard(d)
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.parent != nil {
		delete(d.parent.subs, baseOf(d.path))
	}
}

// discard is drop without the watches and the parent.
func (t *tree) discard(d *dir) {
	// Collected first, because discard and dropFile delete from the maps that are walked here.
	for _, sub := range slices.Collect(maps.Values(d.subs)) {
		t.discard(sub)
	}
	for _, name := range slices.Collect(maps.Keys(d.files)) {
		t.dropFile(d, name)
	}
	t.watches.forget(d)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dirs[d.path] == d {
		t.countUnlisted(d, -1)
	}
	delete(t.dirs, d.path)
}

// maxUnlisted bounds the unlisted files and folders: the output of a build may be large, and each folder needs a
// watch.
var maxUnlisted = 5000

// countUnlisted adds n to the count when d is unlisted. mu is held.
func (t *tree) countUnlisted(d *dir, n int) {
	if d.unlisted {
		t.unlistedCount += n
	}
}

// isUnlisted reports whether a tracked folder is unlisted: its parent is, or only Options.Unlisted keeps it.
func (t *tree) isUnlisted(parent *dir, path string, kept bool) bool {
	return parent.unlisted || kept && (t.o.Keep == nil || !t.o.Keep(path))
}

// wantedUnlisted reports whether an ignored entry of d is tracked without being listed: one that is already, and
// others while there is room.
func (t *tree) wantedUnlisted(d *dir, name string, isDir bool) bool {
	return t.o.Unlisted != nil && t.o.Unlisted(join(d.path, name), isDir) &&
		(t.known(d, name, isDir) || t.unlistedRoom() > 0)
}

// unlistedRoom returns how many more unlisted files and folders may be tracked.
func (t *tree) unlistedRoom() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, maxUnlisted-t.unlistedCount)
}

// setKept records whether a folder is kept by the present rules, and moves its files to or from the unlisted ones.
func (t *tree) setKept(d *dir, kept bool) {
	apart := t.isUnlisted(d.parent, d.path, kept)
	t.mu.Lock()
	defer t.mu.Unlock()
	d.kept = kept
	if apart != d.unlisted {
		t.countUnlisted(d, -1-len(d.files))
		d.unlisted = apart
		t.countUnlisted(d, 1+len(d.files))
		t.listed, t.chosen = nil, nil
		t.generation++
	}
}

// dropFile takes one file out of the snapshot: as deleted, or as changed when it exists and is no longer tracked.
func (t *tree) dropFile(d *dir, name string) {
	kind := Deleted
	if n, err := lstat(join(d.path, name)); err == nil && n.tracked() {
		kind = Changed
	}
	t.remove(d, name, kind)
}

// hasFile reports whether the snapshot lists a file.
func (t *tree) hasFile(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, name := t.split(path)
	if d == nil {
		return false
	}
	_, has := d.files[name]
	return has && !d.unlisted
}

// trackedFiles returns the paths of all listed files, folder by folder in sorted order. The caller must not write to
// the slice. It is kept until a file comes or goes, because one question goes over it several times.
func (t *tree) trackedFiles() []string {
	t.mu.Lock()
	if t.listed != nil {
		defer t.mu.Unlock()
		return t.listed
	}
	comes := t.generation
	names := make(map[string][]string, len(t.dirs))
	for path, d := range t.dirs {
		if d.unlisted {
			continue
		}
		names[path] = slices.Collect(maps.Keys(d.files))
	}
	t.mu.Unlock()
	// Sorted without the lock, for which run would wait. When a file comes or goes meanwhile the result is not kept.
	all := []string{}
	for _, dir := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[dir])
		for _, name := range names[dir] {
			all = append(all, join(dir, name))
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.generation == comes {
		t.listed = all
	}
	return all
}

// selectFiles is [Journal.Choose].
func (t *tree) selectFiles(key any, wanted func(path string) bool) []string {
	t.mu.Lock()
	found, ok := t.chosen[key]
	comes := t.generation
	t.mu.Unlock()
	if ok {
		return found
	}
	for _, path := range t.trackedFiles() {
		if wanted(path) {
			found = append(found, path)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.generation == comes {
		if t.chosen == nil {
			t.chosen = map[any][]string{}
		}
		t.chosen[key] = found
	}
	return found
}

// extCounts is [Journal.CountByExt].
func (t *tree) extCounts() map[string]int {
	counts := make(map[string]int)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.dirs {
		if d.unlisted {
			continue
		}
		for name := range d.files {
			counts[filepath.Ext(name)]++
		}
	}
	return counts
}
