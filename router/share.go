package router

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// Pools of a group share a server when all is the same that decides about its process and its answers, however much
// else their configurations differ in. So the slots are the group's, and a pool sees those that it would have made
// itself. A slot ends with the last pool that sees it.

// slotKey names a process: slots with equal keys are one.
type slotKey struct {
	Key
	digest string // of all that decides about the process beside its root ([Pool.digest])
}

// digests are kept because each question needs one.
type digests struct {
	mu sync.Mutex
	of map[*spec.Spec]string // guarded by mu
}

// keyOf is the key of the process for a route.
func (p *Pool) keyOf(r Route) slotKey { return slotKey{r.Key(), p.digest(r.Spec)} }

// digest stands for what decides about the process of a server in this pool and about what it is told: the whole
// spec, in which trust and the settings are, what of the session's environment counts, the roots, and what its
// journals follow. It is no text, because environments hold secrets.
func (p *Pool) digest(s *spec.Spec) string {
	p.digests.mu.Lock()
	defer p.digests.mu.Unlock()
	if d, ok := p.digests.of[s]; ok {
		return d
	}
	sum := sha256.New()
	d, own := "", *s
	own.Environ = nil
	own.Commands = slices.Clone(s.Commands)
	for i := range own.Commands {
		own.Commands[i].Line = 0 // it moves with every edit of the configuration above it
	}
	looked := map[string]string{}
	for _, name := range launch.LookedAt(s) {
		looked[name] = launch.SharedValue(name, s.Getenv(name))
	}
	if err := json.NewEncoder(sum).Encode([]any{own, launch.SharedEnvironment(s), looked, p.opt.Table.Allowed(),
		p.opt.Cache, p.opt.Watch, p.journals.skipped}); err != nil {
		d = fmt.Sprintf("of one pool: %p", p) // a value that has no JSON, such as nan: nobody shares it
	} else {
		d = hex.EncodeToString(sum.Sum(nil))
	}
	p.digests.of[s] = d
	return d
}

// sight is a slot as a pool sees it: its own spec is equal to that of the slot, and what callers of the pool
// compare with.
type sight struct {
	*slot
	spec *spec.Spec
}

// sees are the slots of the pool, in the order of the table, then of their roots. Group.mu is held.
func (p *Pool) sees() []sight {
	var out []sight
	for i := range p.opt.Table.Specs {
		s, from := &p.opt.Table.Specs[i], len(out)
		for _, sl := range p.group.slots {
			if sl.key.Server == s.ID && sl.key.digest == p.digest(s) {
				out = append(out, sight{sl, s})
			}
		}
		slices.SortFunc(out[from:], func(a, b sight) int { return strings.Compare(a.root, b.root) })
	}
	return out
}

// RouteTo is the route by which [Caller.Get] gives a server again. It has the pool's own spec, which callers
// compare with, where that of the server is of the pool that has started it.
func (p *Pool) RouteTo(s *lsp.Server) Route {
	return Route{Spec: cmp.Or(p.own(s.ID()), s.Spec()), Root: s.Root()}
}

// own is the spec of the table with an id; nil when it has none.
func (p *Pool) own(id string) *spec.Spec {
	specs := p.opt.Table.Specs
	i := slices.IndexFunc(specs, func(s spec.Spec) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return &specs[i]
}

// hasSight reports whether the pool sees a slot. Group.mu is held.
func (p *Pool) hasSight(sl *slot) bool {
	own := p.own(sl.key.Server)
	return own != nil && p.digest(own) == sl.key.digest
}

// shared reports whether another pool sees a slot; with inUse only those count that somebody has asked since they
// were left ([Pool.LeaveWarm]). mu is held.
func (g *Group) shared(sl *slot, except *Pool, inUse bool) bool {
	return slices.ContainsFunc(g.pools, func(p *Pool) bool {
		return p != except && !(inUse && p.left) && p.hasSight(sl)
	})
}
