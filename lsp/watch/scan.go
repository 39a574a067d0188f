package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is one name of a listed folder that is to be tracked.
type entry struct {
	name string
	node node
	kept bool // see dir.kept
}

// walk brings the whole snapshot up to date with the disk.
func (t *tree) walk() {
	t.round++
	n, err := lstat(t.root)
	top := t.dirs[t.root]
	if err != nil || n.sort != folder {
		if top != nil {
			t.drop(top)
		}
		return
	}
	t.outer.read(t.root)
	if top == nil {
		top = t.enter(nil, "", n, false)
	}
	t.visit(top, n)
	t.findLinks()
}

// visit scans d, which was just seen as n.
func (t *tree) visit(d *dir, n node) {
	if d.id != n.id() { // another folder has its place
		t.watches.remove(d)
	}
	t.watches.identify(d, n)
	t.scan(d)
}

// scan brings d and all below it up to date. The watch comes before the listing, so that what is made in between is in
// one of the two.
func (t *tree) scan(d *dir) {
	if t.ctx.Err() != nil {
		return
	}
	d.round = t.round
	t.watches.put(d)
	t.now = time.Now().UnixNano()
	entries, err := t.list(d)
	d.shut = err != nil
	if err != nil {
		if !d.apart {
			t.unreadable.noteClosed(d.path, err)
		}
		t.log.Debug("folder left out", "path", d.path, "error", err)
	}
	t.part(d, entries)
	for _, e := range entries {
		if e.node.sort == folder {
			t.scanSub(d, e)
			continue
		}
		t.scanFile(d, e)
	}
}

// list reads d: what is to be tracked in it, sorted by name.
func (t *tree) list(d *dir) ([]entry, error) {
	found, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	d.rules = t.rulesFor(d, found)
	entries := make([]entry, 0, len(found))
	room := t.roomApart()
	for _, de := range found {
		kept, ok := t.wanted(d, de.Name(), de.IsDir())
		if !ok {
			continue
		}
		if d.apart && !t.known(d, de.Name(), de.IsDir()) {
			if room == 0 {
				continue
			}
			room--
		}
		n, err := lstat(join(d.path, de.Name()))
		switch {
		case d.apart:
		case err == nil:
			t.unreadable.noteSpecial(join(d.path, de.Name()), n)
		default:
			t.unreadable.noteClosed(d.path, err)
		}
		if err != nil || n.sort == other || (n.sort == folder) != de.IsDir() {
			continue // it changed since it was listed, which is a change of its own
		}
		entries = append(entries, entry{name: de.Name(), node: n, kept: kept})
	}
	return entries, nil
}

// rulesFor are those of the folder above with d's own.
func (t *tree) rulesFor(d *dir, found []os.DirEntry) *rules {
	above := t.outer.rules
	if d.parent != nil {
		above = d.parent.rules
	}
	for _, de := range found {
		if de.Name() == ignoreFile && !de.IsDir() {
			return readRules(filepath.Join(d.path, ignoreFile), d.path, above)
		}
	}
	return above
}

// wanted reports whether the path name in d is tracked, and, for a folder, whether only because Keep wants it.
func (t *tree) wanted(d *dir, name string, isDir bool) (kept, ok bool) {
	if name == ".git" || t.o.TempPrefix != "" && strings.HasPrefix(name, t.o.TempPrefix) {
		return false, false
	}
	path := join(d.path, name)
	if t.watches.private(path) {
		return false, false
	}
	if d.apart {
		return true, t.wantedApart(d, name, isDir)
	}
	out := d.kept || d.rules.ignored(path, isDir) || isDir && t.o.SkipDir != nil && t.o.SkipDir(path)
	if !out {
		return false, true
	}
	kept = t.o.Keep != nil && t.o.Keep(path) || isDir && t.wantedApart(d, name, true)
	return kept, kept
}

// known reports whether the snapshot has something in d.
func (t *tree) known(d *dir, name string, isDir bool) bool {
	if isDir {
		return d.subs[name] != nil
	}
	_, has := d.files[name]
	return has
}

// part takes out of the snapshot what is in d no longer. It comes before anything new is entered, for the watches'
// sake (see watches.remove).
func (t *tree) part(d *dir, entries []entry) {
	for name, sub := range d.subs {
		if e := find(entries, name); e == nil || e.node.sort != folder {
			t.drop(sub)
		}
	}
	for name := range d.files {
		if e := find(entries, name); e == nil || e.node.sort == folder {
			t.leave(d, name)
		}
	}
}

func find(entries []entry, name string) *entry {
	i, ok := slices.BinarySearchFunc(entries, name, func(e entry, name string) int {
		return strings.Compare(e.name, name)
	})
	if !ok {
		return nil
	}
	return &entries[i]
}

func (t *tree) scanSub(d *dir, e entry) {
	sub := d.subs[e.name]
	if sub == nil {
		sub = t.enter(d, e.name, e.node, e.kept)
	}
	t.rekeep(sub, e.kept)
	t.visit(sub, e.node)
}

func (t *tree) scanFile(d *dir, e entry) {
	t.countLinks(d, e.name, e.node)
	old, was := d.files[e.name]
	changed := !was || old != e.node.stamp
	if t.watches.comparing() { // with events, each write has one
		changed = t.recent.differs(join(d.path, e.name), old, e.node.stamp, t.now-t.watches.window) || !was
	}
	switch {
	case !was:
		t.put(d, e.name, e.node.stamp, Created)
	case changed:
		t.put(d, e.name, e.node.stamp, Changed)
	}
}
