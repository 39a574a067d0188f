package lang

import (
	"container/list"
	"hash/maphash"
	"sync"
)

// keptMarks are those of the texts that questions were lately about: most ask about the same few files, of which no
// server vouches. They may be used from several goroutines.
type keptMarks struct {
	seed  maphash.Seed
	mu    sync.Mutex
	size  int                       // bytes of the texts, guarded by mu
	order *list.List                // of *kept, most recent first; guarded by mu
	known map[textKey]*list.Element // guarded by mu
}

// textKey is a text of a file.
type textKey struct {
	path string
	hash uint64
}

type kept struct {
	key textKey
	*marked
}

// maxKept bounds the texts whose marks are kept, in bytes.
const maxKept = 4 << 20

// marks are those of this process.
var marks = &keptMarks{seed: maphash.MakeSeed(), order: list.New(), known: map[textKey]*list.Element{}}

// of returns the marks of a text.
func (k *keptMarks) of(path, text string) *marked {
	key := textKey{path, maphash.String(k.seed, text)}
	k.mu.Lock()
	if e := k.known[key]; e != nil {
		k.order.MoveToFront(e)
		k.mu.Unlock()
		return e.Value.(*kept).marked
	}
	k.mu.Unlock()
	found := mark(path, text)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known[key] != nil || len(text) > maxKept {
		return found
	}
	k.known[key] = k.order.PushFront(&kept{key, found})
	for k.size += len(text); k.size > maxKept; {
		last := k.order.Remove(k.order.Back()).(*kept)
		delete(k.known, last.key)
		k.size -= len(last.text)
	}
	return found
}
