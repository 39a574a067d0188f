package router

import (
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// A server that has more memory than all of them may have is ended even while it is in use: a project can drive one
// without bound (a source that is a link to /dev/random had go list take 3.5 GB), and then the machine ends
// something else. It is started again once, since a project may have grown in an unlucky moment; behind the second
// end it stays off for a while.
const (
	memoryEnds   = 2
	memoryWindow = 5 * time.Minute
)

// endLargest ends running servers, in use or not, those with the most memory first, until the sum is within the
// limit. Group.mu is held.
func (g *Group) endLargest(used map[*lsp.Server]uint64, sum, limit uint64) {
	for sum > limit {
		var largest *slot
		for _, sl := range g.slots {
			if sl.server != nil && used[sl.server] > 0 && (largest == nil || used[sl.server] > used[largest.server]) {
				largest = sl
			}
		}
		if largest == nil {
			return
		}
		has := used[largest.server]
		err := endedForMemory(largest.spec, has, sum, limit)
		sum -= min(has, sum)
		largest.failures.last, largest.failures.lastAt = err, time.Now()
		largest.oversized = append(largest.recentOversized(time.Now()), time.Now())
		largest.evict(err.Message)
	}
}

func endedForMemory(spec *spec.Spec, has, sum, limit uint64) *contract.Error {
	return contract.Errorf(contract.KindMemoryLimit,
		contract.Facts{"server_id": spec.ID, "memory_mb": has >> 20, "limit_mb": limit >> 20},
		"%s was ended with %d MB of memory: all servers had %d MB and may have %d MB (limits.max_server_memory_mb)",
		spec.ID, has>>20, sum>>20, limit>>20)
}

func (sl *slot) recentOversized(now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(sl.oversized), func(t time.Time) bool { return now.Sub(t) > memoryWindow })
}

// memoryError is a memory_limit error while the server stays off. Group.mu is held.
func (sl *slot) memoryError(now time.Time) error {
	wait := sl.memoryRetry(now)
	if wait == 0 {
		return nil
	}
	facts := contract.Facts{"server_id": sl.spec.ID, "retry_after_ms": wait.Milliseconds()}
	if e, ok := sl.failures.last.(*contract.Error); ok && e.Kind == contract.KindMemoryLimit {
		facts["memory_mb"], facts["limit_mb"] = e.Facts["memory_mb"], e.Facts["limit_mb"]
	}
	return contract.Errorf(contract.KindMemoryLimit, facts, "%s is not started again for %v: %w", sl.spec.ID,
		wait.Round(time.Second), sl.failures.last)
}

// memoryRetry is how long the server stays off for its memory; 0 when it does not. Group.mu is held.
func (sl *slot) memoryRetry(now time.Time) time.Duration {
	recent := sl.recentOversized(now)
	if len(recent) < memoryEnds {
		return 0
	}
	return max(memoryWindow-now.Sub(recent[len(recent)-1]), time.Millisecond)
}

// watchClosely is how often the memory is looked at once half of what is allowed is used, or nothing is known yet.
const watchClosely = time.Second

// memoryInterval is when the memory is looked at again.
func memoryInterval(sum, limit uint64) time.Duration {
	if sum > limit/2 {
		return watchClosely
	}
	return memoryCheck
}
