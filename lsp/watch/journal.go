package watch

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"
	"time"
)

// ErrClosed is what Barrier returns after Close.
var ErrClosed = errors.New("the journal of changes is closed")

// A Journal records what changes in one tree. Its methods may be called from several goroutines at the same time.
//
// Its parts know of each other only what is drawn here; each says which goroutine may use it:
//
//	callers -> barrier.go -> run.go -> watches -> listener   which folders are watched, and what the events were
//	                              \-> tree -> rules, recent    what is tracked: the snapshot, by walks and by events
//	                              \-> extras                  single files beside the tree
//	callers <- history <- tree, extras                       what changed, by marks
//	callers <- unreadable <- tree                            special files, closed folders
type Journal struct {
	log  *slog.Logger
	root string // absolute, links resolved

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	kick chan struct{} // wakes run; buffers one wake-up, which is enough: run looks at everything
	done chan struct{} // closed when run has ended

	history    *history
	unreadable *unreadable
	extras     extras
	watches    *watches // used by run alone, but for its mode
	tree       *tree    // used by run alone, but for the lists of files

	mu   sync.Mutex
	next *pendingBarrier // asked for and not begun; callers of Barrier join it; guarded by mu

	pending *pendingBarrier // begun; used by run alone
	hold    func(context.Context) (release func(), err error)
	release func() // returned by hold for pending; nil when nothing is held; used by run alone
}

// Open starts the journal of the tree at root. It returns at once; the first walk runs in the background. A root that
// does not exist is an empty tree until it does. The caller must Close the journal.
func Open(root string, o Options) *Journal {
	j := &Journal{
		log: o.Log, root: resolve(root), hold: o.Hold, kick: make(chan struct{}, 1), done: make(chan struct{}),
		history: newHistory(cmp.Or(o.historyLimit, historyLimit)), extras: extras{stamps: map[string]map[string]stamp{}},
		unreadable: &unreadable{special: map[string]bool{}, closed: map[string]bool{}},
	}
	if j.log == nil {
		j.log = slog.New(slog.DiscardHandler)
	}
	j.ctx, j.stop = context.WithCancel(context.Background())
	j.watches = newWatches(j.root, j.log, j.wake, o.fault)
	if o.Mode == Compare {
		j.watches.setMode(Compare, "asked for")
	} else if noEvents != "" {
		j.watches.setMode(Compare, noEvents)
	}
	j.tree = &tree{
		o: o, log: j.log, root: j.root, opened: time.Now().UnixNano(), ctx: j.ctx,
		watches: j.watches, history: j.history, unreadable: j.unreadable,
		dirs: make(map[string]*dir), links: make(map[place]bool), newLinks: make(map[uint64]bool),
	}
	go j.run()
	return j
}

// resolve makes root absolute and follows the links in it, as far as it exists.
func resolve(root string) string {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	return root
}

// Root returns the folder whose tree is tracked: absolute, links resolved. Paths of changes in the tree begin with
// it.
func (j *Journal) Root() string { return j.root }

// Mode returns how changes are found, Events or Compare, and the reason when that is not Events, or was not all the
// time. During the first walk it returns what is being tried.
func (j *Journal) Mode() (mode Mode, reason string) { return j.watches.current() }

// Since returns the net changes between m and the last barrier, one per path, sorted by path. ok is false when the
// history since m is no longer complete: the caller must treat every file as changed. A caller may be told of a
// change twice, when the barrier of another caller came between its own; it is never not told.
func (j *Journal) Since(m Mark) (changes []Change, ok bool) { return j.history.netChanges(m) }

// SinceFirst returns [Journal.Since] of the first barrier.
func (j *Journal) SinceFirst() (changes []Change, ok bool) {
	j.history.mu.Lock()
	first := j.history.first
	j.history.mu.Unlock()
	return j.Since(first)
}

// Files iterates over the paths of all tracked files, without those of [Journal.Extra], folder by folder in sorted
// order. It has the state of the last barrier or a later one; before the first barrier it may be empty. The loop may
// use the journal.
func (j *Journal) Files() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, path := range j.tree.trackedFiles() {
			if !yield(path) {
				return
			}
		}
	}
}

// ChangedSince returns the tracked files that changed at a time or behind it, by the times that the system keeps of
// them, sorted: it tells of changes from before the first barrier. One may have changed up to a tick of the system's
// clock earlier. It has the state of the last barrier or a later one.
func (j *Journal) ChangedSince(t time.Time) []string { return j.tree.changedSince(t.UnixNano()) }

// Choose returns the files of [Journal.Files] for which wanted is true, in the same order. The result is kept under
// key until a file is created or deleted; so for one key wanted must always give the same result, by the path alone.
// The caller must not write to the slice. While the result is the same, so is the slice.
func (j *Journal) Choose(key any, wanted func(path string) bool) []string {
	return j.tree.selectFiles(key, wanted)
}

// Tracks reports whether path was a tracked file at the last barrier, or later. Files of [Journal.Extra] are not.
func (j *Journal) Tracks(path string) bool { return j.tree.hasFile(path) }

// CountByExt returns how many tracked files each extension has, as filepath.Ext returns it (".go", "" for none).
func (j *Journal) CountByExt() map[string]int { return j.tree.extCounts() }

// Extra tracks further files from now on, whether they exist or not: outside of the tree (a go.work above it), or
// ignored in it (build/compile_commands.json). Each barrier looks at each of them and follows links. Their changes
// have the given path, made absolute. A folder (node_modules) changes when entries are added to it or removed.
func (j *Journal) Extra(paths ...string) { j.extras.add(paths, false, 0) }

// ExtraRead is [Journal.Extra] for many files that somebody may have read since a time: those that changed later count
// as created.
func (j *Journal) ExtraRead(since time.Time, paths ...string) {
	j.extras.add(paths, true, since.UnixNano())
}

// Special returns the tracked paths for which wanted is true that are special files (pipes, sockets, devices) or
// links to one, sorted: those that the last barrier knew and that still are special.
func (j *Journal) Special(wanted func(path string) bool) []string {
	return j.unreadable.specialFiles(wanted)
}

// Closed returns the folders that this user may not list or enter, whose files are therefore unknown, sorted: those
// that the last barrier knew and that are still so.
func (j *Journal) Closed() []string { return j.unreadable.closedFolders() }

// Close ends the journal, and returns when its goroutines and watches are gone. Waiting calls of Barrier return
// ErrClosed.
func (j *Journal) Close() error {
	j.stop()
	<-j.done
	return nil
}

// wake makes run look again whether there is something to do. It never blocks.
func (j *Journal) wake() {
	select {
	case j.kick <- struct{}{}:
	default:
	}
}
