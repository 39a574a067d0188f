package clangd

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

// brokenLists remembers which project files that list the sources cannot be read.
type brokenLists struct {
	mu    sync.Mutex
	known map[string]listRead // by the path of the list; guarded by mu
}

// listRead is the verdict about one version of a list, by its time and size.
type listRead struct {
	changed time.Time
	size    int64
	broken  bool
}

// brokenProject is [lsp.ProjectHooks].BrokenProject: clangd goes on without a list that it cannot read, and gives
// no sign of an index.
func (a *Process) brokenProject(root string) string {
	p := a.Server.Spec().Project
	if p == nil {
		return ""
	}
	dir := a.Server.Projects().Folder(root)
	if dir == "" {
		return ""
	}
	// The first file of the row is the list; the others hold flags, which need no form.
	list := filepath.Join(dir, p.Files[0])
	info, err := os.Stat(list)
	if err != nil {
		return ""
	}
	b := &a.brokenLists
	b.mu.Lock()
	have, ok := b.known[list]
	b.mu.Unlock()
	if !ok || !have.changed.Equal(info.ModTime()) || have.size != info.Size() {
		// Read without the lock: a list may have 64 MB. Two callers may read it at the same time, and find the same.
		have = listRead{info.ModTime(), info.Size(), !Files(list, func(string) bool { return true })}
		b.mu.Lock()
		if b.known == nil {
			b.known = map[string]listRead{}
		}
		b.known[list] = have
		b.mu.Unlock()
	}
	if !have.broken {
		return ""
	}
	return p.Files[0] + " is not a list of compile commands in JSON, or ends in the middle"
}
