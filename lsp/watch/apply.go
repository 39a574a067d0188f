package watch

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// sighting is a dirty path that is there.
type sighting struct {
	path string
	node node
	op   fsnotify.Op
}

// apply looks at each dirty path and brings the snapshot up to date with what it finds. What is gone comes first, for
// the watches' sake (see watches.remove); then folders before what is in them, so that each is scanned once.
func (t *tree) apply(dirty map[string]fsnotify.Op) {
	if len(dirty) == 0 {
		return
	}
	t.round++
	reread := make(map[*dir]bool) // folders whose ignore file changed
	there := make([]sighting, 0, len(dirty))
	for path, op := range dirty {
		n, err := lstat(path)
		if err != nil {
			t.gone(path, reread)
			continue
		}
		there = append(there, sighting{path, n, op})
	}
	slices.SortFunc(there, func(a, b sighting) int { return strings.Compare(a.path, b.path) })
	for _, s := range there {
		t.seen(s, reread)
	}
	for d := range reread {
		if d.round != t.round && t.dirs[d.path] == d {
			t.scan(d)
		}
	}
	t.findLinks()
}

// split finds the folder of a path in the snapshot. nil: it is not tracked, which is so for events that carry a name of
// the past; the walk of the new place has what they tell.
func (t *tree) split(path string) (d *dir, name string) {
	i := strings.LastIndexByte(path, filepath.Separator)
	if i < 0 {
		return nil, path
	}
	return t.dirs[path[:max(i, 1)]], path[i+1:]
}

func (t *tree) gone(path string, reread map[*dir]bool) {
	d, name := t.split(path)
	if d == nil {
		return
	}
	if name == ignoreFile {
		reread[d] = true
	}
	if sub := d.subs[name]; sub != nil {
		t.drop(sub)
	}
	if _, was := d.files[name]; was {
		t.remove(d, name, Deleted)
	}
}

func (t *tree) seen(s sighting, reread map[*dir]bool) {
	d, name := t.split(s.path)
	if s.path == t.root {
		d, name = nil, ""
	}
	if s.node.sort == folder {
		t.seenDir(d, name, s)
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
	if name == ignoreFile {
		reread[d] = true
	}
	t.seenFile(d, name, s)
}

// confirmFile is for a file in a folder that was scanned after the look s: the scan's stamp is newer, and stays.
// But the event means that somebody wrote the file, perhaps without changing its stamp, so the change is noted.
func (t *tree) confirmFile(d *dir, name string, s sighting) {
	if stamp, is := d.files[name]; is && s.op != fsnotify.Chmod {
		t.put(d, name, stamp, Changed)
	}
}

// seenDir scans a folder that is new, or may be another one than before: events do not tell. d is nil for the root.
func (t *tree) seenDir(d *dir, name string, s sighting) {
	sub := t.dirs[s.path]
	switch {
	case d != nil && d.round == t.round: // scanned since, with its watch
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
		sub = t.enter(d, name, s.node, kept)
	case s.op == fsnotify.Chmod && sub.access == s.node.access && !sub.shut: // its time was set
		return
	}
	t.watches.remove(sub)
	t.visit(sub, s.node)
}

// seenFile notes any event of a file as a change, even when it looks the same: two writes may get the same time.
func (t *tree) seenFile(d *dir, name string, s sighting) {
	old, was := d.files[name]
	_, wanted := t.wanted(d, name, false)
	if wanted && !d.apart {
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
	case s.node.sort == file && s.node.nlink > 1: // maybe of a file that is tracked
		t.newLinks[s.node.ino] = true
	}
}
