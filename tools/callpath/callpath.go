// Package callpath searches the shortest call paths between declarations. It knows no server: a [Graph] tells what a
// function calls and what calls it, and [Search] asks it from both ends of each path that it looks for.
//
// Each end has two waves, one along the calls and one against them. A wave grows by whole levels, so that where two of
// them meet first the path through that node is a shortest one. The smallest wave that can still help grows first: of a
// function that everything calls, the callers are asked for last. Nothing is asked for twice.
//
// A pair of ends is settled when a path in either direction is known, or when both directions are shown to have none: a
// wave along the calls has seen all that its end reaches, or a wave against them all that reaches its end. Otherwise a
// bound ended the search, and the pair says which.
package callpath

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Graph tells the calls of functions, which it names by keys of its own. Its methods are called at the same time.
type Graph interface {
	Callees(ctx context.Context, node string) ([]string, error)
	Callers(ctx context.Context, node string) ([]string, error)
	// Hidden reports whether a node may be called in ways that Callers does not tell, such as through what it overrides.
	Hidden(node string) bool
	// Final reports whether an error ends the search; any other costs the node that it is about.
	Final(err error) bool
}

// Bounds are what a search may cost.
type Bounds struct {
	Requests int       // questions to the graph
	Level    int       // questions of one level of a wave
	Depth    int       // levels of one wave
	Until    time.Time // when no further level begins
	Parallel int       // questions at the same time
}

// Reason is why a wave grew no further.
type Reason string

// The reasons. Exhausted: there is nothing beyond it. Wide: the next level has more nodes than may be asked about.
const (
	Exhausted Reason = "exhausted"
	Requests  Reason = "requests"
	Wide      Reason = "wide"
	Depth     Reason = "depth"
	Time      Reason = "time"
	Failed    Reason = "failed" // some of its nodes could not be asked about
)

// Path is a shortest path from one end to another. Its first node is one of the first end's, its last one of the other.
type Path struct {
	From, To int // numbers of ends
	Nodes    []string
}

// Gap is a pair of ends without a known path. Bounds are the reasons why the waves that could still find one ended;
// without any there is no path, and Along and Against have the nodes of the waves that show it.
type Gap struct {
	A, B           int
	Bounds         []Reason
	Along, Against []string
}

// Result has a path or a gap for each pair of ends.
type Result struct {
	Paths    []Path
	Gaps     []Gap
	Requests int
}

// Search looks for a path between each pair of ends, in either direction. Each end is a set of nodes, such as the
// methods of a type. The error is one that is final for the graph, or that of ctx.
func Search(ctx context.Context, g Graph, ends [][]string, b Bounds) (Result, error) {
	s := &state{g: g, b: b, known: [2]map[string]neighbours{{}, {}}}
	for _, end := range ends {
		s.waves = append(s.waves, [2]*wave{newWave(end), newWave(end)})
	}
	for i := range ends {
		for j := range ends {
			s.meet(i, j) // ends that share a node
		}
	}
	for {
		end, direction := s.next()
		if end < 0 {
			break
		}
		if err := s.grow(ctx, end, direction); err != nil {
			return Result{}, err
		}
		for other := range ends {
			if direction == along {
				s.meet(end, other)
			} else {
				s.meet(other, end)
			}
		}
	}
	return s.result(), nil
}

// The directions of waves.
const (
	along   = 0 // from callers to callees
	against = 1
)

type state struct {
	g        Graph
	b        Bounds
	waves    [][2]*wave // of each end, by direction
	known    [2]map[string]neighbours
	paths    []Path
	requests int
}

// neighbours is the answer of the graph about one node.
type neighbours struct {
	nodes  []string
	failed bool
}

// wave is what is reached from an end in one direction.
type wave struct {
	from   map[string]string // each node by the one that it was reached from; "" at the end itself
	level  map[string]int
	front  []string // the nodes of the last level
	depth  int
	failed bool
	ended  Reason // "" while it can grow
}

func newWave(end []string) *wave {
	w := &wave{from: map[string]string{}, level: map[string]int{}}
	for _, node := range end {
		if _, twice := w.from[node]; !twice {
			w.from[node], w.front = "", append(w.front, node)
			w.level[node] = 0
		}
	}
	if len(w.front) == 0 {
		w.ended = Exhausted
	}
	return w
}

// next returns the wave that grows next, the smallest of those that can still find a path; -1 where there is none.
func (s *state) next() (end, direction int) {
	end = -1
	for i := range s.waves {
		for j := range s.waves {
			if i == j || s.found(i, j) || s.none(i, j) {
				continue
			}
			for _, one := range [][2]int{{i, along}, {j, against}} {
				w := s.waves[one[0]][one[1]]
				if w.ended == "" && (end < 0 || len(w.front) < len(s.waves[end][direction].front)) {
					end, direction = one[0], one[1]
				}
			}
		}
	}
	return end, direction
}

// found reports whether a path between two ends is known, in any direction.
func (s *state) found(i, j int) bool {
	return slices.ContainsFunc(s.paths, func(p Path) bool {
		return p.From == i && p.To == j || p.From == j && p.To == i
	})
}

// none reports whether no path leads from one end to another.
func (s *state) none(from, to int) bool {
	w, _ := s.proof(from, to)
	return w != nil
}

// proof returns the wave that shows that no path leads from one end to another, and its direction; nil where none shows
// it.
func (s *state) proof(from, to int) (w *wave, direction int) {
	if w := s.waves[from][along]; w.ended == Exhausted {
		return w, along
	}
	if w := s.waves[to][against]; w.ended == Exhausted && !s.hides(w) {
		return w, against
	}
	return nil, 0
}

// hides reports whether a node of a wave may have callers that the graph does not tell.
func (s *state) hides(w *wave) bool {
	for node := range w.from {
		if s.g.Hidden(node) {
			return true
		}
	}
	return false
}

// grow adds a level to a wave, or ends it.
func (s *state) grow(ctx context.Context, end, direction int) error {
	w := s.waves[end][direction]
	var ask []string
	for _, node := range w.front {
		if _, ok := s.known[direction][node]; !ok {
			ask = append(ask, node)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case w.depth == s.b.Depth:
		w.ended = Depth
	case len(ask) > 0 && !time.Now().Before(s.b.Until):
		w.ended = Time
	case len(ask) > s.b.Level:
		w.ended = Wide
	case s.requests+len(ask) > s.b.Requests:
		w.ended = Requests
	}
	if w.ended != "" {
		return nil
	}
	if err := s.ask(ctx, direction, ask); err != nil {
		return err
	}
	var front []string
	w.depth++
	for _, node := range w.front {
		answer := s.known[direction][node]
		w.failed = w.failed || answer.failed
		for _, to := range answer.nodes {
			if _, seen := w.from[to]; !seen {
				w.from[to], w.level[to], front = node, w.depth, append(front, to)
			}
		}
	}
	w.front = front
	if len(front) == 0 {
		w.ended = Exhausted
		if w.failed {
			w.ended = Failed
		}
	}
	return nil
}

// ask asks the graph about nodes, a few at the same time.
func (s *state) ask(ctx context.Context, direction int, nodes []string) error {
	answers, errs := make([]neighbours, len(nodes)), make([]error, len(nodes))
	room := make(chan struct{}, max(s.b.Parallel, 1))
	var work sync.WaitGroup
	for i, node := range nodes {
		room <- struct{}{}
		work.Go(func() {
			defer func() { <-room }()
			of := s.g.Callees
			if direction == against {
				of = s.g.Callers
			}
			answers[i].nodes, errs[i] = of(ctx, node)
		})
	}
	work.Wait()
	s.requests += len(nodes)
	for i, node := range nodes {
		if err := errs[i]; err != nil && (ctx.Err() != nil || s.g.Final(err)) {
			return err
		}
		answers[i].failed = errs[i] != nil
		s.known[direction][node] = answers[i]
	}
	return nil
}

// meet keeps the shortest path from one end to another, where their waves have met.
func (s *state) meet(from, to int) {
	if from == to || s.found(from, to) {
		return
	}
	a, b := s.waves[from][along], s.waves[to][against]
	best, length := "", 0
	for node, level := range a.level {
		other, met := b.level[node]
		if sum := level + other; met && (best == "" || sum < length || sum == length && node < best) {
			best, length = node, sum
		}
	}
	if best == "" {
		return
	}
	var nodes []string
	for node := best; node != ""; node = a.from[node] {
		nodes = append(nodes, node)
	}
	slices.Reverse(nodes)
	for node := b.from[best]; node != ""; node = b.from[node] {
		nodes = append(nodes, node)
	}
	s.paths = append(s.paths, Path{from, to, nodes})
}

// result returns the paths, and a gap for each other pair.
func (s *state) result() Result {
	r := Result{Paths: s.paths, Requests: s.requests}
	for i := range s.waves {
		for j := i + 1; j < len(s.waves); j++ {
			if !s.found(i, j) {
				r.Gaps = append(r.Gaps, s.gap(i, j))
			}
		}
	}
	slices.SortFunc(r.Paths, func(a, b Path) int { return (a.From-b.From)*len(s.waves) + a.To - b.To })
	return r
}

// gap returns what is known of two ends without a path.
func (s *state) gap(i, j int) Gap {
	g := Gap{A: i, B: j}
	seen := [2]map[string]bool{{}, {}}
	for _, way := range [][2]int{{i, j}, {j, i}} {
		if w, direction := s.proof(way[0], way[1]); w != nil {
			for node := range w.from {
				seen[direction][node] = true
			}
			continue
		}
		for _, w := range []*wave{s.waves[way[0]][along], s.waves[way[1]][against]} {
			if w.ended != Exhausted && !slices.Contains(g.Bounds, w.ended) {
				g.Bounds = append(g.Bounds, w.ended)
			}
		}
	}
	slices.Sort(g.Bounds)
	if len(g.Bounds) == 0 {
		g.Along, g.Against = slices.Sorted(maps.Keys(seen[along])), slices.Sorted(maps.Keys(seen[against]))
	}
	return g
}
