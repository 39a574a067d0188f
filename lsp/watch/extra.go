package watch

import (
	"maps"
	"path/filepath"
	"sync"
	"time"
)

// extras are single files beside the tree ([Journal.Extra]). They have no events: each barrier looks at each of them.
type extras struct {
	mu     sync.Mutex
	stamps map[string]stamp // by path; the zero stamp for one that does not exist; guarded by mu

	recent recent // used by Journal.run alone
}

// add begins to track files.
func (e *extras) add(paths []string) {
	// The files are looked at without the lock, since that reads the disk.
	found := make(map[string]stamp, len(paths))
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			found[abs] = statStamp(abs)
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

// check looks at the files and adds what changed to h. Two changes within window nanoseconds may have the same time.
func (e *extras) check(h *history, window int64) {
	e.mu.Lock()
	stamps := maps.Clone(e.stamps)
	e.mu.Unlock()
	if len(stamps) == 0 {
		return
	}
	e.recent.nextRound()
	edge := time.Now().UnixNano() - window
	for path, old := range stamps {
		if s := statStamp(path); e.recent.differs(path, old, s, edge) {
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

// kindBetween returns the change from one stamp to another.
func kindBetween(old, s stamp) Kind {
	switch (stamp{}) {
	case old:
		return Created
	case s:
		return Deleted
	}
	return Changed
}
