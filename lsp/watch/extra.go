package watch

import (
	"maps"
	"path/filepath"
	"sync"
	"time"
)

// extras are single files beside the tree ([Journal.Extra]). No event tells of them: each barrier looks at each.
type extras struct {
	mu     sync.Mutex
	stamps map[string]stamp // by path, guarded by mu; the zero stamp: it is not there

	recent recent // only for Journal.run
}

// add begins to track files.
func (e *extras) add(paths []string) {
	found := make(map[string]stamp, len(paths))
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			found[abs] = followed(abs)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for path, s := range found {
		if _, ok := e.stamps[path]; !ok {
			e.stamps[path] = s
		}
	}
}

// check looks at the files and enters into h what changed. Two changes within window nanoseconds may have the same
// time.
func (e *extras) check(h *history, window int64) {
	e.mu.Lock()
	stamps := maps.Clone(e.stamps)
	e.mu.Unlock()
	if len(stamps) == 0 {
		return
	}
	e.recent.turn()
	edge := time.Now().UnixNano() - window
	for path, old := range stamps {
		if s := followed(path); e.recent.differs(path, old, s, edge) {
			e.set(path, s)
			h.add(placeOf(path), kindBetween(old, s))
		}
	}
}

func (e *extras) set(path string, s stamp) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stamps[path] = s
}

func kindBetween(old, s stamp) Kind {
	switch (stamp{}) {
	case old:
		return Created
	case s:
		return Deleted
	}
	return Changed
}
