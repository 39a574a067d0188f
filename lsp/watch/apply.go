package watch

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// foundEntry is a dirty path that exists, as it was when apply looked.
type foundEntry struct {
	path string
	node node
	op   fsnotify.Op
}

// apply looks at each dirty path and brings the snapshot up to date. Paths that are gone come first, since their
// watches must be free before the same folder is watched elsewhere (see watches.remove); then folders before what is
// in them, so that each is scanned once.
func (t *tree) apply(dirty map[string]fsnotify.Op) {
	if len(dirty) == 0 {
		return
	}
	t.round++
	reread := make(map[*dir]bool) // folders whose ignore file or .git changed
	there := make([]foundEntry, 0, len(dirty))
	for path, op := range dirty {
		n, err := lstat(path)
		if err != nil {
			t.applyGone(path, reread)
			continue
		}
		there = append(there, foundEntry{path, n, op})
	}
	slices.SortFunc(there, func(a, b foundEntry) int { return strings.Compare(a.path, b.path) })
	for _, s := range there {
		t.applyFound(s, reread)
	}
	// After all paths, since a scan by new ignore rules looks at everything below its folder anyway.
	for d := range reread {
		if d.round != t.round && t.dirs[d.path] == d {
			t.scan(d)
		}
	}
	t.findLinks()
}

// split returns the snapshot's folder of a path, and the last name. d is nil when that folder is not tracked: so for
// events that name a path which has moved since; the walk of the new path finds what they would tell.
func (t *tree) split(path string) (d *dir, name string) {
	i := strings.LastIndexByte(path, filepath.Separator)
	if i < 0 {
		return nil, path
	}
	return t.dirs[path[:max(i, 1)]], path[i+1:]
}

// applyGone takes a path that no longer exists out of the snapshot. A deleted ignore file marks its folder for a
// scan.
func (t *tree) applyGone(path string, reread map[*dir]bool) {
	d, name := t.split(path)
	if d == nil {
		return
	}
	if name == ignoreFile || name == gitName {
		reread[d] = true
	}
	if sub := d.subs[name]; sub != nil {
		t.drop(sub)
	}
	if _, was := d.files[name]; was {
		t.remove(d, name, Deleted)
	}
}

// applyFound brings the snapshot up to date with one path that exists.
func (t *tree) applyFound(s foundEntry, reread map[*dir]bool) {
	d, name := t.split(s.path)
	if s.path == t.root {
		d, name = nil, ""
	}
	if s.node.sort == folder {
		t.applyDir(d, name, s)
		return
	}
	if d == nil {
		return
	}
	if d.round == t.round {
		t.confirmFile(d, name, s)
		return
	}
	if sub := d.subs[name]; sub != nil {
		t.drop(sub)
	}
	if name == ignoreFile || name == gitName {
		reread[d] = true
	}
	t.applyFile(d, name, s)
}

// confirmFile handles an event of a file whose folder was scanned in this round, after the look s. The stamp of the
// scan is newer and stays. But the event means that somebody wrote the file, perhaps without a change of its stamp,
// so the change is noted.
func (t *tree) confirmFile(d *dir, name string, s foundEntry) {
	if stamp, is := d.files[name]; is && s.op != fsnotify.Chmod {
		t.put(d, name, stamp, Changed)
	}
}

// applyDir scans a folder that is new, or may be another one than before at the same path: events do not say which. d
// is nil for the root.
func (t *tree) applyDir(d *dir, name string, s foundEntry) {
	sub := t.dirs[s.path]
	switch {
	case d != nil && d.round == t.round: // scanned in this round, with its watch
		return
	case sub == nil && d == nil:
		return
	case sub == nil:
		if _, was := d.files[name]; was {
			t.remove(d, name, Deleted)
		}
		kept, ok := t.wanted(d, name, true)
		if !ok {
			return
		}
		sub = t.addDir(d, name, s.node, kept)
	case s.op == fsnotify.Chmod && sub.access == s.node.access && !sub.unlistable: // only its time was set
		return
	}
	t.watches.remove(sub)
	t.visit(sub, s.node)
}

// applyFile notes every event of a file but a chmod as a change, even when the file looks the same: two writes may
// leave it with the same time.
func (t *tree) applyFile(d *dir, name string, s foundEntry) {
	old, was := d.files[name]
	_, wanted := t.wanted(d, name, false)
	if wanted && !d.unlisted {
		t.unreadable.noteSpecial(s.path, s.node)
	}
	switch {
	case !s.node.tracked():
		if was {
			t.remove(d, name, Deleted)
		}
	case was && s.op == fsnotify.Chmod && old == s.node.stamp:
	case was:
		t.countLinks(d, name, s.node)
		t.put(d, name, s.node.stamp, Changed)
	case wanted:
		t.countLinks(d, name, s.node)
		t.put(d, name, s.node.stamp, Created)
	case s.node.sort == file && s.node.nlink > 1: // ignored, but perhaps another name of a tracked file
		t.newLinks[s.node.ino] = true
	}
}
