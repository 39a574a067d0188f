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

// Two sessions share a server when everything that determines its process and its answers is the same for both,
// whatever else their configurations differ in. So the slots belong to the group and not to a pool: a pool uses those
// that it would have made itself, and a slot ends with the last pool that uses it.

// slotKey identifies a slot, and so a process.
type slotKey struct {
	Key
	digest string // of everything else that determines the process ([Pool.digest])
}

// digests caches [Pool.digest], which every call needs: it encodes the whole spec and reads the environment.
type digests struct {
	mu sync.Mutex
	of map[*spec.Spec]string // guarded by mu
}

// keyOf is the key of the process for a route.
func (p *Pool) keyOf(r Route) slotKey { return slotKey{r.Key(), p.digest(r.Spec)} }

// digest returns a hash of what determines the process of a server in this pool, and what it is told: the whole spec,
// with trust and settings; the variables of the session's environment that the server sees or that lspi looks at for
// it; the allowed roots; and the folders that its journals skip. A server that serves a session with fewer roots must
// not show it what only another session may read.
//
// It is a hash and not the text, because environments hold secrets.
// TestDigestHasEveryField fails for a field of the spec that is left out.
func (p *Pool) digest(s *spec.Spec) string {
	p.digests.mu.Lock()
	defer p.digests.mu.Unlock()
	if d, ok := p.digests.of[s]; ok {
		return d
	}
	sum := sha256.New()
	d, own := "", *s
	own.Environ = nil // counted below, without what differs by terminal
	own.Commands = slices.Clone(s.Commands)
	for i := range own.Commands {
		own.Commands[i].Line = 0 // it moves with every edit of the configuration above it
	}
	// What lspi itself reads for this server, such as PATH to find its program, even if the process does not get it.
	looked := map[string]string{}
	for _, name := range launch.LookedAt(s) {
		looked[name] = launch.SharedValue(name, s.Getenv(name))
	}
	if err := json.NewEncoder(sum).Encode([]any{own, launch.SharedEnvironment(s), looked, p.opt.Table.Allowed(),
		p.opt.Cache, p.opt.Watch, p.journals.skipped}); err != nil {
		d = fmt.Sprintf("of one pool: %p", p) // a setting that has no JSON, such as NaN: the server is not shared
	} else {
		d = hex.EncodeToString(sum.Sum(nil))
	}
	p.digests.of[s] = d
	return d
}

// poolSlot is a slot with the spec of the pool that looks at it. That spec equals the slot's own, which belongs to
// the pool that made the slot; but callers compare specs by their pointers into their own pool's table.
type poolSlot struct {
	*slot
	spec *spec.Spec
}

// slots returns the slots that the pool uses, in the order of the table, then of their roots. Group.mu is held.
func (p *Pool) slots() []poolSlot {
	var out []poolSlot
	for i := range p.opt.Table.Specs {
		s, from := &p.opt.Table.Specs[i], len(out)
		// By key and not by the pool that made the slot: that is how pools share it.
		for _, sl := range p.group.slots {
			if sl.key.Server == s.ID && sl.key.digest == p.digest(s) {
				out = append(out, poolSlot{sl, s})
			}
		}
		slices.SortFunc(out[from:], func(a, b poolSlot) int { return strings.Compare(a.root, b.root) })
	}
	return out
}

// RouteTo returns the route by which [Caller.Get] returns a server again. Its spec is the pool's own, which callers
// compare by pointer; that of the server may belong to the table of another pool.
func (p *Pool) RouteTo(s *lsp.Server) Route {
	return Route{Spec: cmp.Or(p.specByID(s.ID()), s.Spec()), Root: s.Root()}
}

// specByID returns the spec of the table with an id; nil when it has none.
func (p *Pool) specByID(id string) *spec.Spec {
	specs := p.opt.Table.Specs
	i := slices.IndexFunc(specs, func(s spec.Spec) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return &specs[i]
}

// uses reports whether the pool uses a slot, which is when it would have made the same one. Group.mu is held.
func (p *Pool) uses(sl *slot) bool {
	own := p.specByID(sl.key.Server)
	return own != nil && p.digest(own) == sl.key.digest
}

// shared reports whether a pool other than except uses a slot. With attended, pools that their sessions have left
// ([Pool.LeaveWarm]) and that nobody has asked since do not count. mu is held.
func (g *Group) shared(sl *slot, except *Pool, attended bool) bool {
	return slices.ContainsFunc(g.pools, func(p *Pool) bool {
		return p != except && !(attended && p.withoutSessions) && p.uses(sl)
	})
}
