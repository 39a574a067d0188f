package pool

import (
	"sync"

	"lspi/lsp/edit"
	"lspi/lsp/watch"
	"lspi/router"
)

// journals are the journals of changes on disk, one for each root that was asked for. They have a lock of their own, because to open
// one looks at the disk.
type journals struct {
	mu     sync.Mutex
	byRoot map[string]*watch.Journal // guarded by mu
}

func (j *journals) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, journal := range j.byRoot {
		_ = journal.Close()
	}
}

// Journal is the journal of the allowed root that holds path; nil when no root does.
func (p *Pool) Journal(path string) *watch.Journal {
	root := p.opt.Table.RootOf(path)
	if root == "" {
		return nil
	}
	return p.journal(root)
}

func (p *Pool) journal(root string) *watch.Journal {
	p.journals.mu.Lock()
	defer p.journals.mu.Unlock()
	j := p.journals.byRoot[root]
	if j == nil {
		j = watch.Open(root, watch.Options{Log: p.opt.Log, SkipDir: router.NeverWatched, Keep: p.opt.Table.WatchedThoughIgnored, Apart: router.FollowedApart,
			TempPrefix: edit.Prefix, Mode: p.opt.Watch})
		p.journals.byRoot[root] = j
	}
	return j
}
