package lsp

import (
	"sync"

	"lspi/lsp/watch"
)

// IndexAge remembers, over the processes of one server, how far the journals were when the first of them was started: from
// there on files have changed that its index may have of a text before. It belongs to whoever starts the processes.
type IndexAge struct {
	mu    sync.Mutex
	marks map[*watch.Journal]watch.Mark // guarded by mu
}

// note keeps the first mark of a journal.
func (a *IndexAge) note(j *watch.Journal, at watch.Mark) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.marks == nil {
		a.marks = map[*watch.Journal]watch.Mark{}
	}
	if _, known := a.marks[j]; !known {
		a.marks[j] = at
	}
}

// changed are the files that changed since, by path; all is true when that is not known any more.
func (a *IndexAge) changed() (files map[string]bool, all bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	files = map[string]bool{}
	for j, mark := range a.marks {
		changes, ok := j.Since(mark)
		if !ok {
			return nil, true
		}
		for _, c := range changes {
			files[c.Path] = true
		}
	}
	return files, false
}
