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
func (j *Journal) walk() {
	j.round++
	n, err := lstat(j.root)
	top := j.dirs[j.root]
	if err != nil || n.sort != folder {
		if top != nil {
			j.drop(top)
		}
		return
	}
	j.outer.read(j.root)
	if top == nil {
		top = j.enter(nil, "", n, false)
	}
	j.visit(top, n)
	j.findLinks()
}

// visit scans d, which was just seen as n.
func (j *Journal) visit(d *dir, n node) {
	if d.id != n.id() { // another folder has its place
		j.unwatch(d)
	}
	j.identify(d, n)
	j.scan(d)
}

// scan brings d and all below it up to date. The watch comes before the listing, so that what is made in between is in
// one of the two.
func (j *Journal) scan(d *dir) {
	if j.ctx.Err() != nil {
		return
	}
	d.round = j.round
	j.watch(d)
	j.now = time.Now().UnixNano()
	entries, err := j.list(d)
	d.shut = err != nil
	if err != nil {
		j.noteClosed(d.path, err)
		j.log.Debug("folder left out", "path", d.path, "error", err)
	}
	j.part(d, entries)
	for _, e := range entries {
		if e.node.sort == folder {
			j.scanSub(d, e)
			continue
		}
		j.scanFile(d, e)
	}
}

// list reads d: what is to be tracked in it, sorted by name.
func (j *Journal) list(d *dir) ([]entry, error) {
	found, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	d.rules = j.rulesFor(d, found)
	entries := make([]entry, 0, len(found))
	for _, de := range found {
		kept, ok := j.wanted(d, de.Name(), de.IsDir())
		if !ok {
			continue
		}
		n, err := lstat(join(d.path, de.Name()))
		if err == nil {
			j.noteSpecial(join(d.path, de.Name()), n)
		} else {
			j.noteClosed(d.path, err)
		}
		if err != nil || n.sort == other || (n.sort == folder) != de.IsDir() {
			continue // it changed since it was listed, which is a change of its own
		}
		entries = append(entries, entry{name: de.Name(), node: n, kept: kept})
	}
	return entries, nil
}

// rulesFor are those of the folder above with d's own.
func (j *Journal) rulesFor(d *dir, found []os.DirEntry) *rules {
	above := j.outer.rules
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
func (j *Journal) wanted(d *dir, name string, isDir bool) (kept, ok bool) {
	if name == ".git" || j.o.Passing != "" && strings.HasPrefix(name, j.o.Passing) {
		return false, false
	}
	path := join(d.path, name)
	if j.listener != nil && path == j.listener.private.path {
		return false, false
	}
	out := d.kept || d.rules.ignored(path, isDir) || isDir && j.o.SkipDir != nil && j.o.SkipDir(path)
	if !out {
		return false, true
	}
	kept = j.o.Keep != nil && j.o.Keep(path)
	return kept, kept
}

// part takes out of the snapshot what is in d no longer. It comes before anything new is entered, for the watches'
// sake (see unwatch).
func (j *Journal) part(d *dir, entries []entry) {
	for name, sub := range d.subs {
		if e := find(entries, name); e == nil || e.node.sort != folder {
			j.drop(sub)
		}
	}
	for name := range d.files {
		if e := find(entries, name); e == nil || e.node.sort == folder {
			j.leave(d, name)
		}
	}
}

func find(entries []entry, name string) *entry {
	i, ok := slices.BinarySearchFunc(entries, name, func(e entry, name string) int { return strings.Compare(e.name, name) })
	if !ok {
		return nil
	}
	return &entries[i]
}

func (j *Journal) scanSub(d *dir, e entry) {
	sub := d.subs[e.name]
	if sub == nil {
		sub = j.enter(d, e.name, e.node, e.kept)
	}
	sub.kept = e.kept
	j.visit(sub, e.node)
}

func (j *Journal) scanFile(d *dir, e entry) {
	j.countLinks(d, e.name, e.node)
	old, was := d.files[e.name]
	changed := !was || old != e.node.stamp
	if j.listener == nil { // with events, each write has one
		changed = j.recent.differs(join(d.path, e.name), old, e.node.stamp, j.now-j.window) || !was
	}
	switch {
	case !was:
		j.put(d, e.name, e.node.stamp, Created)
	case changed:
		j.put(d, e.name, e.node.stamp, Changed)
	}
}
