package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/internal/source"
)

// entry is one tracked name in a listed folder.
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
	// Read before the folders, whose rules stand over these.
	t.outer.read(t.root)
	if top == nil {
		top = t.addDir(nil, "", n, false)
	}
	t.visit(top, n)
	t.findLinks()
}

// visit scans d, which the caller has just seen on disk as n.
func (t *tree) visit(d *dir, n node) {
	if d.id != n.id() { // another folder is at its path now
		t.watches.remove(d)
	}
	t.watches.identify(d, n)
	t.scan(d)
}

// scan brings d and all below it up to date. The watch comes before the listing, so that a file that is made in
// between is found by one of the two.
func (t *tree) scan(d *dir) {
	if t.ctx.Err() != nil {
		return
	}
	d.round = t.round
	t.watches.watch(d)
	t.now = time.Now().UnixNano()
	entries, err := t.list(d)
	d.unlistable = err != nil
	if err != nil {
		if !d.unlisted {
			t.unreadable.noteClosed(d.path, err)
		}
		t.log.Debug("folder left out", "path", d.path, "error", err)
	}
	t.dropMissing(d, entries)
	for _, e := range entries {
		if e.node.sort == folder {
			t.scanSub(d, e)
			continue
		}
		t.scanFile(d, e)
	}
}

// list returns the tracked entries of d, sorted by name, and notes special files and closed folders on the way.
func (t *tree) list(d *dir) ([]entry, error) {
	found, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	d.rules = t.rulesFor(d, found)
	if t.isOtherTree(d, found) {
		return nil, nil
	}
	entries := make([]entry, 0, len(found))
	room := t.unlistedRoom()
	for _, de := range found {
		kept, ok := t.wanted(d, de.Name(), de.IsDir())
		if !ok {
			continue
		}
		// Checked once per folder and not by unlistedRoom for each entry, which takes the lock.
		if d.unlisted && !t.known(d, de.Name(), de.IsDir()) {
			if room == 0 {
				continue
			}
			room--
		}
		n, err := lstat(join(d.path, de.Name()))
		switch {
		case d.unlisted:
		case err == nil:
			t.unreadable.noteSpecial(join(d.path, de.Name()), n)
		default:
			t.unreadable.noteClosed(d.path, err)
		}
		if err != nil || n.sort == other || (n.sort == folder) != de.IsDir() {
			continue // it changed since the listing, which has an event of its own
		}
		entries = append(entries, entry{name: de.Name(), node: n, kept: kept})
	}
	return entries, nil
}

// isOtherTree reports whether d is the root of a linked working tree of git below the journal's root: a copy of the
// code, which has a journal of its own ([source.WorkingTree]). found are the entries of d.
func (t *tree) isOtherTree(d *dir, found []os.DirEntry) bool {
	return d.parent != nil && slices.ContainsFunc(found, func(e os.DirEntry) bool {
		return e.Name() == gitName && !e.IsDir()
	}) && source.LinkedTree(source.OS{}, d.path) && source.InWorkingTree(source.OS{}, t.root)
}

// rulesFor returns the ignore rules for what is in d: its own, over those of the folder above.
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

// kernelFolders have no files on a disk: the kernel makes the text when a file there is read, also without an end. A
// tree at / has them.
var kernelFolders = []string{"/proc", "/sys", "/dev"}

// wanted reports whether an entry of d is tracked (ok), and whether only because Keep or Unlisted wants it (kept).
func (t *tree) wanted(d *dir, name string, isDir bool) (kept, ok bool) {
	if name == gitName || t.o.TempPrefix != "" && strings.HasPrefix(name, t.o.TempPrefix) {
		return false, false
	}
	path := join(d.path, name)
	if t.watches.private(path) || isDir && slices.Contains(kernelFolders, path) {
		return false, false
	}
	if d.unlisted {
		return true, t.wantedUnlisted(d, name, isDir)
	}
	out := d.kept || d.rules.ignored(path, isDir) || isDir && t.o.SkipDir != nil && t.o.SkipDir(path)
	if !out {
		return false, true
	}
	kept = t.o.Keep != nil && t.o.Keep(path) || isDir && t.wantedUnlisted(d, name, true)
	return kept, kept
}

// known reports whether the snapshot has the entry of d.
func (t *tree) known(d *dir, name string, isDir bool) bool {
	if isDir {
		return d.subs[name] != nil
	}
	_, has := d.files[name]
	return has
}

// dropMissing takes out of the snapshot what is no longer in d. This comes before new folders are added, since a
// folder that was moved must give up its watch at the old path first (see watches.remove).
func (t *tree) dropMissing(d *dir, entries []entry) {
	for name, sub := range d.subs {
		if e := find(entries, name); e == nil || e.node.sort != folder {
			t.drop(sub)
		}
	}
	for name := range d.files {
		if e := find(entries, name); e == nil || e.node.sort == folder {
			t.dropFile(d, name)
		}
	}
}

// find returns the entry of a name; nil when there is none. entries are sorted.
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
		sub = t.addDir(d, e.name, e.node, e.kept)
	}
	t.setKept(sub, e.kept)
	t.visit(sub, e.node)
}

func (t *tree) scanFile(d *dir, e entry) {
	t.countLinks(d, e.name, e.node)
	old, was := d.files[e.name]
	changed := !was || old != e.node.stamp
	// With events each write has its own, and the stamp is enough to find what was made before the watch.
	if t.watches.comparing() {
		edge := t.now - t.watches.window
		changed = t.recent.differs(join(d.path, e.name), old, e.node.stamp, edge) || !was
	}
	switch {
	case !was:
		t.put(d, e.name, e.node.stamp, Created)
	case changed:
		t.put(d, e.name, e.node.stamp, Changed)
	}
}
