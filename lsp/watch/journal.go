package watch

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// ErrClosed is what Barrier returns once the journal was closed.
var ErrClosed = errors.New("the journal of changes is closed")

// Mode is how changes are found.
type Mode uint8

const (
	Auto    Mode = iota // in Options: Events where they can be relied on, else Compare
	Events              // by ordered events of the system
	Compare             // by walking the tree at each barrier
)

func (m Mode) String() string {
	switch m {
	case Auto:
		return "auto"
	case Events:
		return "events"
	case Compare:
		return "compare"
	}
	return "unknown"
}

// Options are the choices of whoever opens a journal. The zero value is usable. The functions are called from the
// journal's own goroutine, must be quick and must not call the journal.
type Options struct {
	Log *slog.Logger // nil: discarded

	// SkipDir names folders that are left out beyond those that are ignored (dependencies, build output). nil: none.
	SkipDir func(path string) bool

	// Keep is asked for every folder and file that would be left out, except .git: true keeps it. Of what lies in
	// such a folder only what Keep wants is tracked; so for compile_commands.json in an ignored build, Keep has to be
	// true for both. nil: nothing is kept.
	Keep func(path string) bool

	// Passing begins the names of files and folders that are there only while something is being done, and are no part of the
	// tree: they are never tracked. "": none.
	Passing string

	// Mode is Auto or Compare.
	Mode Mode

	historyLimit int                         // 0: historyLimit; for tests
	fault        func(op, path string) error // asked before an "open", "watch" or "token" is done; for tests
}

// A Journal is the record of what changes in one tree. Its methods may be called concurrently.
type Journal struct {
	o      Options
	log    *slog.Logger
	root   string // absolute, links resolved
	opened int64  // when Open was called, in nanoseconds since 1970

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	kick chan struct{} // wakes run; holds one
	done chan struct{} // closed when run has ended

	// Written by run under mu; run reads it without, everyone else with mu.
	mu     sync.Mutex
	dirs   map[string]*dir // the snapshot: the tracked folders by path, and in them their files
	mode   Mode
	reason string
	// Guarded by mu.
	history history
	next    *barrier         // called but not begun: whoever calls Barrier now joins it
	special map[string]bool  // paths that may be special files
	closed  map[string]bool  // folders that this user may be unable to list or enter
	extras  map[string]stamp // files that each barrier looks at; the zero stamp: it is not there

	// Only for run.
	listener     *listener              // nil: comparing
	left         map[string]fsnotify.Op // dirty paths of a listener that was closed
	pending      *barrier
	round        uint64 // counts walks and batches of events, see dir.round
	now          int64  // when the folder that is being scanned was listed, in nanoseconds since 1970
	first        bool   // the first walk is running
	away         bool   // the root is not there; events begin again when it is back
	rootID       inode
	outer        outer
	watched      map[inode]*dir  // the folder that each watch is on
	mounts       map[*dir]inode  // folders on another device than the one above
	links        map[place]bool  // files with several names
	newLinks     map[uint64]bool // inodes of which a further name was seen
	recent       recent
	recentExtras recent
	window       int64 // how close two changes may be and have the same time, in nanoseconds
}

// Open starts the journal of the tree at root and returns at once; the first walk runs in the background. A root that
// is not there is an empty tree until it comes.
func Open(root string, o Options) *Journal {
	j := &Journal{
		o: o, log: o.Log, root: resolve(root), opened: time.Now().UnixNano(),
		kick: make(chan struct{}, 1), done: make(chan struct{}),
		dirs: make(map[string]*dir), mode: Events, history: newHistory(historyLimit), extras: make(map[string]stamp), special: make(map[string]bool), closed: make(map[string]bool),
		watched: make(map[inode]*dir), mounts: make(map[*dir]inode),
		links: make(map[place]bool), newLinks: make(map[uint64]bool), window: int64(tick),
	}
	if j.log == nil {
		j.log = slog.New(slog.DiscardHandler)
	}
	if o.historyLimit > 0 {
		j.history.limit = o.historyLimit
	}
	if o.Mode == Compare {
		j.mode, j.reason = Compare, "asked for"
	} else if noEvents != "" {
		j.mode, j.reason = Compare, noEvents
	}
	j.ctx, j.stop = context.WithCancel(context.Background())
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
func (j *Journal) Mode() (mode Mode, reason string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.mode, j.reason
}

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
