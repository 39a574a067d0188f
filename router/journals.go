package router

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"lspi/internal/source"
	"lspi/lsp/edit"
	"lspi/lsp/watch"
)

// journals are the open journals of changes on disk of a group: one for each root and set of skipped folders, shared
// by all that use it. They have a lock of their own, because opening a journal reads the disk, and no call may wait
// for that under Group.mu.
type journals struct {
	mu   sync.Mutex
	open map[journalKey]*openJournal // guarded by mu
}

// journalKey identifies a journal. Tables that skip different folders need different journals of one root: with a
// common one, either a session would miss changes that its servers need, or its servers would be told of files that
// they do not know. Tables of one user skip the same folders whichever servers are in use ([Table].SkipDirs), so that
// a server keeps running, with its journal, when others are added or removed.
type journalKey struct {
	root    string
	skipped string // [Table.SkippedDirs], joined
	mode    watch.Mode
}

type openJournal struct {
	*watch.Journal
	refs int // pools and slots that use it
}

// journalRefs are the references of one pool or one slot to journals. A journal is closed with its last reference. A
// slot has references of its own, because it may outlive the pool that made it.
type journalRefs struct {
	all     *journals
	table   *Table
	skipped []string // [Table.SkippedDirs]
	mode    watch.Mode
	log     *slog.Logger
	hold    func(context.Context) (release func(), err error)

	mu     sync.Mutex
	closed bool                      // guarded by mu
	byRoot map[string]*watch.Journal // guarded by mu
}

func newJournalRefs(all *journals, o *PoolOptions) *journalRefs {
	return &journalRefs{all: all, table: o.Table, skipped: o.Table.SkippedDirs(), mode: o.Watch, log: o.Log,
		hold: o.Hold, byRoot: map[string]*watch.Journal{}}
}

// fork returns an empty set of references to journals with the same options.
func (l *journalRefs) fork() *journalRefs {
	return &journalRefs{all: l.all, table: l.table, skipped: l.skipped, mode: l.mode, log: l.log, hold: l.hold,
		byRoot: map[string]*watch.Journal{}}
}

// forPath returns the journal of the allowed root that holds path, or of the linked working tree of git below it; nil
// when no root does.
func (l *journalRefs) forPath(path string) *watch.Journal {
	root := l.table.RootOf(path)
	if root == "" {
		return nil
	}
	// A root of a server may be the tree itself.
	return l.forRoot(source.WorkingTree(source.OS{}, filepath.Join(path, "_"), root))
}

// forRoot returns the journal of a root, and opens it when nobody has yet. After releaseAll it still returns one, for
// calls that are ending, but without a reference: that journal is closed unless others use it.
func (l *journalRefs) forRoot(root string) *watch.Journal {
	l.mu.Lock()
	defer l.mu.Unlock()
	// l.mu is held while the journal opens; a root is opened once, and later calls for it need the journal anyway.
	j := l.byRoot[root]
	if j == nil {
		j = l.all.acquire(l.keyFor(root), watch.Options{Log: l.log, SkipDir: NeverWatched,
			Unlisted: l.table.FollowedUnlisted, TempPrefix: edit.Prefix,
			Hold: l.hold, Mode: l.mode, Keep: func(path string) bool {
				return WatchedThoughIgnored(l.skipped, path)
			}})
		l.byRoot[root] = j
		// The journal is handed out after the end for a call that still runs; the reference is given back at once.
		if l.closed {
			l.all.release(l.keyFor(root))
		}
	}
	return j
}

func (l *journalRefs) keyFor(root string) journalKey {
	return journalKey{root, strings.Join(l.skipped, "/"), l.mode}
}

func (l *journalRefs) releaseAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	for root := range l.byRoot {
		l.all.release(l.keyFor(root))
	}
}

func (j *journals) acquire(key journalKey, o watch.Options) *watch.Journal {
	j.mu.Lock()
	defer j.mu.Unlock()
	one := j.open[key]
	if one == nil {
		if j.open == nil {
			j.open = map[journalKey]*openJournal{}
		}
		one = &openJournal{Journal: watch.Open(key.root, o)}
		j.open[key] = one
	}
	one.refs++
	return one.Journal
}

func (j *journals) release(key journalKey) {
	j.mu.Lock()
	one := j.open[key]
	one.refs--
	// Closed without the lock, since Close waits for the goroutine of the journal. The entry is gone before: a pool
	// that opens the same root meanwhile gets a journal of its own.
	last := one.refs == 0
	if last {
		delete(j.open, key)
	}
	j.mu.Unlock()
	if last {
		_ = one.Close()
	}
}
