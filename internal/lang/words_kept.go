package lang

import (
	"container/list"
	"hash/maphash"
	"sync"
)

// keptByText keeps what was found out of the texts that questions were lately about: most ask about the same few files,
// of which no server vouches. It may be used from several goroutines.
type keptByText[T any] struct {
	seed  maphash.Seed
	mu    sync.Mutex
	size  int                       // bytes of the texts, guarded by mu
	order *list.List                // of *kept[T], most recent first; guarded by mu
	known map[textKey]*list.Element // guarded by mu
}

// textKey is a text of a file.
type textKey struct {
	path string
	hash uint64
}

type kept[T any] struct {
	key   textKey
	size  int
	value T
}

// maxKept bounds the texts of which something is kept, in bytes.
const maxKept = 4 << 20

func newKeptByText[T any]() *keptByText[T] {
	return &keptByText[T]{seed: maphash.MakeSeed(), order: list.New(), known: map[textKey]*list.Element{}}
}

// get returns what find finds out of a text, or did when it was asked before.
func (k *keptByText[T]) get(path, text string, find func(path, text string) T) T {
	key := textKey{path, maphash.String(k.seed, text)}
	k.mu.Lock()
	if e := k.known[key]; e != nil {
		k.order.MoveToFront(e)
		k.mu.Unlock()
		return e.Value.(*kept[T]).value
	}
	k.mu.Unlock()
	found := find(path, text)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known[key] != nil || len(text) > maxKept {
		return found
	}
	k.known[key] = k.order.PushFront(&kept[T]{key, len(text), found})
	for k.size += len(text); k.size > maxKept; {
		last := k.order.Remove(k.order.Back()).(*kept[T])
		delete(k.known, last.key)
		k.size -= last.size
	}
	return found
}
