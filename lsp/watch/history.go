package watch

import (
	"slices"
	"strings"
	"sync"
)

// historyLimit is how many changes are remembered, which takes about 3 MB. A caller that is further behind has to
// treat everything as changed, which then costs it less than the list would.
const historyLimit = 1 << 16

// step is the change of one path between two barriers: whether it existed at the first and exists at the second.
type step struct {
	place
	existed, exists bool
}

// history is the list of steps, oldest first. No caller holds a mark between two barriers, so all that happens to one
// path between them is one step: a build that writes a file a thousand times costs one. Its methods may be called
// from several goroutines.
type history struct {
	limit int

	mu     sync.Mutex // guards what follows
	base   Mark       // position of log[0]; earlier steps were trimmed
	first  Mark       // position of the first barrier; 0 before
	sealed Mark       // position of the last barrier: callers see the steps before it
	begun  bool       // there was a barrier
	log    []step
	open   map[place]Mark // position of the step of each path changed after sealed
}

func newHistory(limit int) *history {
	return &history{limit: limit, open: make(map[place]Mark)}
}

// end returns the position behind the last step. h.mu is held.
func (h *history) end() Mark { return h.base + Mark(len(h.log)) }

// add notes a change of p: it begins a step, or extends the one of p since the last barrier.
func (h *history) add(p place, kind Kind) {
	h.mu.Lock()
	defer h.mu.Unlock()
	exists := kind != Deleted
	if at, ok := h.open[p]; ok {
		h.log[at-h.base].exists = exists
		return
	}
	h.open[p] = h.end()
	h.log = append(h.log, step{place: p, existed: kind != Created, exists: exists})
	if len(h.log) > h.limit {
		h.trim()
	}
}

// trim forgets the older half. Half, so that the copy is made once in many changes. h.mu is held.
func (h *history) trim() {
	drop := len(h.log) - h.limit/2
	h.log = slices.Clone(h.log[drop:])
	h.base += Mark(drop)
	for p, at := range h.open {
		if at < h.base {
			delete(h.open, p)
		}
	}
}

// seal ends the open steps, so that later changes are new ones, and returns the position of the barrier.
func (h *history) seal() Mark {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sealed != h.end() {
		h.sealed = h.end()
		h.open = make(map[place]Mark) // not clear: that keeps the memory that one large checkout took
	}
	if !h.begun {
		h.first, h.begun = h.sealed, true
	}
	return h.sealed
}

// net is the sum of the steps of one path.
type net struct {
	existed, exists bool
	shown           bool // it existed at a barrier in between
}

// netChanges returns the net changes between m and the last barrier, sorted by path. ok is false when steps after m
// were trimmed.
func (h *history) netChanges(m Mark) (changes []Change, ok bool) {
	sums, ok := h.sums(m)
	if !ok {
		return nil, false
	}
	changes = make([]Change, 0, len(sums))
	for p, sum := range sums {
		if k, ok := sum.netKind(); ok {
			changes = append(changes, Change{Path: p.path(), Kind: k})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, true
}

// sums adds up the steps after m by path. Only this needs the lock; sorting is done without it.
func (h *history) sums(m Mark) (sums map[place]net, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m < h.base {
		return nil, false
	}
	// Steps behind the last barrier are not shown: what they say may be half of a change.
	if m >= h.sealed {
		return nil, true
	}
	steps := h.log[m-h.base : h.sealed-h.base]
	sums = make(map[place]net, len(steps))
	for _, s := range steps {
		// The first step says whether the path existed at m, the last whether it exists now.
		sum, ok := sums[s.place]
		if !ok {
			sum.existed = s.existed
		}
		sum.shown = sum.shown || sum.exists
		sum.exists = s.exists
		sums[s.place] = sum
	}
	return sums, true
}

// netKind returns the net change; ok is false when there is none. A file that was created and deleted again is still
// reported as deleted when it existed at a barrier in between: [Journal.Since] goes up to the last barrier of any
// caller, so this caller may have been told of the file then.
func (n net) netKind() (k Kind, ok bool) {
	switch {
	case n.exists && n.existed:
		return Changed, true
	case n.exists:
		return Created, true
	case n.existed, n.shown:
		return Deleted, true
	}
	return 0, false
}
