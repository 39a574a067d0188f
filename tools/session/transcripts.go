package session

import (
	"slices"
	"sync"

	"lspi/tools/recall"
)

// maxStores bounds the stores of transcripts that a process keeps: each may remember much, and few users have more
// than one place for them.
const maxStores = 4

// transcriptStores are the stores of a process. Sessions whose clients write into the same folders
// share one, since each remembers much.
type transcriptStores struct {
	mu     sync.Mutex
	stores []storeOf // the last used first; guarded by mu
}

type storeOf struct {
	folders recall.Folders
	*recall.Store
}

// Transcripts returns the store of the transcripts below some folders. It reads nothing. The least used
// store is forgotten beyond maxStores; whoever has it may go on with it.
func (p *Process) Transcripts(f recall.Folders) *recall.Store {
	t := &p.transcripts
	t.mu.Lock()
	defer t.mu.Unlock()
	one := storeOf{folders: f}
	if i := slices.IndexFunc(t.stores, func(s storeOf) bool { return s.folders == f }); i >= 0 {
		one = t.stores[i]
		t.stores = slices.Delete(t.stores, i, i+1)
	} else {
		one.Store = recall.Open(f)
	}
	t.stores = slices.Insert(t.stores, 0, one)
	t.stores = t.stores[:min(len(t.stores), maxStores)]
	return one.Store
}
