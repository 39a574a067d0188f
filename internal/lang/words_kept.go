package lang

import (
	"container/list"
	"hash/maphash"
	"sync"
)

// keptMarks are the marks of the texts that questions were lately about: most ask about the same few files, of which no
// server vouches. It may be used from several goroutines.
type keptMarks struct {
	seed  maphash.Seed
	mu    sync.Mutex
	size  int                       // bytes, guarded by mu
	order *list.List                // of *keptMark, most recent first; guarded by mu
	known map[markKey]*list.Element // guarded by mu
}

// markKey is a text of a file.
type markKey struct {
	path string
	hash uint64
}

type keptMark struct {
	key markKey
	*marked
}

// maxKept bounds the texts of which the marks are kept, in bytes; each has as many marks.
const maxKept = 4 << 20

var kept = keptMarks{seed: maphash.MakeSeed(), order: list.New(), known: map[markKey]*list.Element{}}

// mark is [mark] for a text that may have been asked about before.
func (k *keptMarks) mark(path, text string) *marked {
	key := markKey{path, maphash.String(k.seed, text)}
	k.mu.Lock()
	if e := k.known[key]; e != nil {
		k.order.MoveToFront(e)
		k.mu.Unlock()
		return e.Value.(*keptMark).marked
	}
	k.mu.Unlock()
	m := mark(path, text)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known[key] != nil || len(text) > maxKept {
		return m
	}
	k.known[key] = k.order.PushFront(&keptMark{key, m})
	for k.size += len(text); k.size > maxKept; {
		last := k.order.Remove(k.order.Back()).(*keptMark)
		delete(k.known, last.key)
		k.size -= len(last.text)
	}
	return m
}
