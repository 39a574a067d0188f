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

// ErrClosed is what Barrier returns once the journal was closed.
var ErrClosed = errors.New("the journal of changes is closed")

// A Journal is the record of what changes in one tree. Its methods may be called concurrently.
//
// It is put together from parts that know nothing of each other but what is drawn here; each says who may use it:
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
	kick chan struct{} // wakes run; holds one
	done chan struct{} // closed when run has ended

	history    *history
	unreadable *unreadable
	extras     extras
	watches    *watches // only for run, but for its mode
	tree       *tree    // only for run, but for the lists of files

	mu   sync.Mutex
	next *barrier // called but not begun, guarded by mu: whoever calls Barrier now joins it

	pending *barrier // begun, only for run
	hold    func(context.Context) (release func(), err error)
	release func() // what hold gave for pending; nil when nothing is held; only for run
}

// Open starts the journal of the tree at root and returns at once; the first walk runs in the background. A root that
// is not there is an empty tree until it comes.
func Open(root string, o Options) *Journal {
	j := &Journal{
		log: o.Log, root: resolve(root), hold: o.Hold, kick: make(chan struct{}, 1), done: make(chan struct{}),
		history: newHistory(cmp.Or(o.historyLimit, historyLimit)), extras: extras{stamps: map[string]stamp{}},
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

// Root is the folder whose tree is tracked: absolute, links resolved. All paths of changes in the tree begin with it.
func (j *Journal) Root() string { return j.root }

// Mode tells how changes are found, Events or Compare, and the reason when it is not Events from the start on, or no
// longer. While the first walk runs it tells what is being tried.
func (j *Journal) Mode() (mode Mode, reason string) { return j.watches.mode() }

// Since returns the net changes after m up to the last barrier, one per path, sorted by path. ok is false when the
// history after m is no longer complete: treat every file as changed then. Consumers that go on from a barrier of
// their own may be given a change twice when another consumer's barrier came between; never not at all.
func (j *Journal) Since(m Mark) (changes []Change, ok bool) { return j.history.since(m) }

// SinceFirst is [Journal.Since] of the first barrier.
func (j *Journal) SinceFirst() (changes []Change, ok bool) {
	j.history.mu.Lock()
	first := j.history.first
	j.history.mu.Unlock()
	return j.Since(first)
}

// Files iterates over the paths of all tracked files, extra ones not among them, folder by folder in sorted order. It
// gives the state of the last barrier or a later one; call [Journal.Barrier] first, since before the first walk there
// are none. The journal may be used in the loop.
func (j *Journal) Files() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, path := range j.tree.files() {
			if !yield(path) {
				return
			}
		}
	}
}

// Choose are the files of [Journal.Files] that wanted is true for, in the same order. They are kept under key until
// a file comes or goes: of the same key wanted must always choose the same, by the path alone. The caller must not
// write to them; as long as the choice is the same, so is the slice.
func (j *Journal) Choose(key any, wanted func(path string) bool) []string {
	return j.tree.choose(key, wanted)
}

// Tracks reports whether a path is that of a tracked file, extra ones not among them, as far as the last barrier saw.
func (j *Journal) Tracks(path string) bool { return j.tree.tracks(path) }

// CountByExt counts the tracked files by extension, as filepath.Ext has it (".go", "" for none).
func (j *Journal) CountByExt() map[string]int { return j.tree.countByExt() }

// Extra tracks single files beside the tree from now on: outside it (a go.work above), left out of it
// (build/compile_commands.json), there or not. Each barrier looks at each of them, and links are followed. Their
// changes come with the path as given, made absolute. A folder changes when entries come and go (node_modules).
func (j *Journal) Extra(paths ...string) { j.extras.add(paths) }

// Special are the special files (pipes, sockets, devices, and links to one) among what is tracked, sorted, as far
// as the last Barrier saw them, and as far as they still are. Only those count for which wanted is true.
func (j *Journal) Special(wanted func(path string) bool) []string {
	return j.unreadable.specialFiles(wanted)
}

// Closed are the folders among what is tracked whose files nobody knows, because this user may not list or enter
// them, sorted, as far as the last Barrier saw them, and as far as they still are.
func (j *Journal) Closed() []string { return j.unreadable.closedFolders() }

// Close ends the journal and waits until its goroutines and watches are gone. Barriers that are waiting return
// ErrClosed.
func (j *Journal) Close() error {
	j.stop()
	<-j.done
	return nil
}

// wake makes run look for something to do.
func (j *Journal) wake() {
	select {
	case j.kick <- struct{}{}:
	default:
	}
}
