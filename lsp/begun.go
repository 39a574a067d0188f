package lsp

import (
	"sync"

	"lspi/lsp/watch"
)

// Begun remembers, over the processes of one server, how far the journals were when the first of them was started: from
// there on files have changed that its index may have of a text before. It belongs to whoever starts the processes.
type Begun struct {
	mu    sync.Mutex
	marks map[*watch.Journal]watch.Mark // guarded by mu
}

// note keeps the first mark of a journal.
func (b *Begun) note(j *watch.Journal, at watch.Mark) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.marks == nil {
		b.marks = map[*watch.Journal]watch.Mark{}
	}
	if _, known := b.marks[j]; !known {
		b.marks[j] = at
	}
}

// changed are the files that changed since, by path; all is true when that is not known any more.
func (b *Begun) changed() (files map[string]bool, all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	files = map[string]bool{}
	for j, mark := range b.marks {
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
