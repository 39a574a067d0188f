package session

import (
	"slices"
	"sync"

	"lspi/tools/recall"
)

// maxStores bounds the stores of transcripts that a process keeps: each may remember much, and few users have more
// than one place for them.
const maxStores = 4

// transcripts are the stores of a process, shared by all sessions whose clients write into the same folders.
type transcripts struct {
	mu     sync.Mutex
	stores []storeOf // the last used first; guarded by mu
}

type storeOf struct {
	folders recall.Folders
	*recall.Store
}

// Transcripts answers questions about the transcripts below some folders. It reads nothing itself. A store that
// many others have taken the place of is forgotten; who still has it may go on with it.
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
