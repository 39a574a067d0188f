package router

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"lspi/lsp/edit"
	"lspi/lsp/watch"
)

// journals are the journals of changes on disk of a group, one for each root, however many look at it. They have a
// lock of their own, because to open one looks at the disk.
type journals struct {
	mu   sync.Mutex
	open map[journalKey]*openJournal // guarded by mu
}

// journalKey names a journal. The table decides which ignored folders are left out; two tables that leave out
// others have two journals of one root, so that neither misses what its servers need, nor is told of files that are
// none of theirs. Tables of configurations leave out the same, whichever servers they have ([Table].SkipDirs), so
// that a server goes on when others come or go.
type journalKey struct {
	root    string
	skipped string // router.Table.SkippedDirs
	mode    watch.Mode
}

type openJournal struct {
	*watch.Journal
	lookers int
}

// looker has the journals that a pool or a slot looks at. A journal is closed when nobody does.
type looker struct {
	all     *journals
	table   *Table
	skipped []string // router.Table.SkippedDirs
	mode    watch.Mode
	log     *slog.Logger
	hold    func(context.Context) (release func(), err error)

	mu     sync.Mutex
	closed bool                      // guarded by mu
	byRoot map[string]*watch.Journal // guarded by mu
}

func newLooker(all *journals, o *PoolOptions) *looker {
	return &looker{all: all, table: o.Table, skipped: o.Table.SkippedDirs(), mode: o.Watch, log: o.Log, hold: o.Hold,
		byRoot: map[string]*watch.Journal{}}
}

// fork is another looker at the same roots, which looks at none yet.
func (l *looker) fork() *looker {
	return &looker{all: l.all, table: l.table, skipped: l.skipped, mode: l.mode, log: l.log, hold: l.hold,
		byRoot: map[string]*watch.Journal{}}
}

// of is the journal of the allowed root that holds path; nil when no root does.
func (l *looker) of(path string) *watch.Journal {
	root := l.table.RootOf(path)
	if root == "" {
		return nil
	}
	return l.at(root)
}

// at is the journal of a root. After the end it is closed, unless others look at it.
func (l *looker) at(root string) *watch.Journal {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.byRoot[root]
	if j == nil {
		j = l.all.look(l.key(root), watch.Options{Log: l.log, SkipDir: NeverWatched, Apart: FollowedApart,
			TempPrefix: edit.Prefix,
			Hold:       l.hold, Mode: l.mode, Keep: func(path string) bool {
				return WatchedThoughIgnored(l.skipped, path)
			}})
		l.byRoot[root] = j
		if l.closed {
			l.all.leave(l.key(root))
		}
	}
	return j
}

func (l *looker) key(root string) journalKey {
	return journalKey{root, strings.Join(l.skipped, "/"), l.mode}
}

func (l *looker) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	for root := range l.byRoot {
		l.all.leave(l.key(root))
	}
}

func (j *journals) look(key journalKey, o watch.Options) *watch.Journal {
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
	one.lookers++
	return one.Journal
}

func (j *journals) leave(key journalKey) {
	j.mu.Lock()
	one := j.open[key]
	one.lookers--
	last := one.lookers == 0
	if last {
		delete(j.open, key)
	}
	j.mu.Unlock()
	if last {
		_ = one.Close()
	}
}
