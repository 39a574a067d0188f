package watch

import (
	"slices"
	"strings"
	"sync"
)

// historyLimit is how many changes are remembered, about 3 MB of them. A consumer that is further behind has to
// treat everything as changed, which then costs it less than the list would.
const historyLimit = 1 << 16

// step is one path's change between two barriers: whether it was there before the first of them and after the last.
type step struct {
	place
	existed, exists bool
}

// history is the list of steps, oldest first. Nobody can hold a position between two barriers, so all that happens to
// one path between them is one step. It may be used concurrently.
type history struct {
	limit int

	mu     sync.Mutex     // guards what follows
	base   Mark           // position of log[0]; what came before was trimmed
	first  Mark           // position of the first barrier; 0 before
	sealed Mark           // position of the last barrier: what consumers may see ends here
	begun  bool           // there was a barrier
	log    []step         //
	open   map[place]Mark // position of the step of each path changed after sealed
}

func newHistory(limit int) *history {
	return &history{limit: limit, open: make(map[place]Mark)}
}

// end needs mu.
func (h *history) end() Mark { return h.base + Mark(len(h.log)) }

// add notes a change of p.
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

// trim forgets the older half. It needs mu.
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

// seal ends the steps: changes from here on are new ones. It returns the position.
func (h *history) seal() Mark {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sealed != h.end() {
		h.sealed = h.end()
		h.open = make(map[place]Mark) // not cleared: one large checkout would keep its size for good
	}
	if !h.begun {
		h.first, h.begun = h.sealed, true
	}
	return h.sealed
}

// net is the sum of the steps of one path.
type net struct {
	existed, exists bool
	shown           bool // it was there at a barrier in between
}

// since returns the net changes after m up to the last barrier, sorted by path; ok is false when steps after m were
// trimmed.
func (h *history) since(m Mark) (changes []Change, ok bool) {
	sums, ok := h.sums(m)
	if !ok {
		return nil, false
	}
	changes = make([]Change, 0, len(sums))
	for p, sum := range sums {
		if k, ok := sum.kind(); ok {
			changes = append(changes, Change{Path: p.path(), Kind: k})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, true
}

// sums adds up the steps after m by path.
func (h *history) sums(m Mark) (sums map[place]net, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m < h.base {
		return nil, false
	}
	if m >= h.sealed {
		return nil, true
	}
	steps := h.log[m-h.base : h.sealed-h.base]
	sums = make(map[place]net, len(steps))
	for _, s := range steps {
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

// kind is the net change; ok is false when there is none. A file that came and went is still reported as deleted when
// it was there at a barrier in between: a consumer may have been told of it then, as [Journal.Since] goes up to the
// last barrier, which may be another consumer's.
func (n net) kind() (k Kind, ok bool) {
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
