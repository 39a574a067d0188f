package router

import (
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// When ending idle servers does not bring memory below the limit, the largest server ends even while it is in use: a
// project can make one grow without bound (a source that links to /dev/random made go list take 3.5 GB), and then
// the system's out-of-memory killer would end something else. The server is started again once, since its growth may
// have been a moment's; after the second end within the window it stays off, and calls get memory_limit.
const (
	maxMemoryEnds = 2
	memoryWindow  = 5 * time.Minute
	sparingFor    = time.Hour // its next processes do with less for so long
)

// endLargest ends running servers, in use or not, largest first, until the sum is within the limit. used and sum are
// the measurement in bytes. Group.mu is held.
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
		// The end does not count for the crash budget, which has other limits: it has its own in memoryEnds.
		largest.failures.last, largest.failures.lastAt = err, time.Now()
		largest.memoryEnds = append(largest.recentMemoryEnds(time.Now()), time.Now())
		largest.maxFolders = max(len(largest.server.Folders().All())/2, 1)
		largest.evict(err.Message)
	}
}

func endedForMemory(spec *spec.Spec, has, sum, limit uint64) *contract.Error {
	return contract.Errorf(contract.KindMemoryLimit,
		contract.Facts{"server_id": spec.ID, "memory_mb": has >> 20, "limit_mb": limit >> 20},
		"%s was ended with %d MB of memory: all servers had %d MB and may have %d MB (limits.max_server_memory_mb)",
		spec.ID, has>>20, sum>>20, limit>>20)
}

func (sl *slot) recentMemoryEnds(now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(sl.memoryEnds), func(t time.Time) bool { return now.Sub(t) > memoryWindow })
}

// memoryError returns a memory_limit error while the server stays off for its memory, else nil. Group.mu is held.
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

// memoryRetry returns how long the server stays off for its memory; 0 when it may be started. Group.mu is held.
func (sl *slot) memoryRetry(now time.Time) time.Duration {
	recent := sl.recentMemoryEnds(now)
	if len(recent) < maxMemoryEnds {
		return 0
	}
	return max(memoryWindow-now.Sub(recent[len(recent)-1]), time.Millisecond)
}

// watchClosely is how often memory is measured when more than half of the limit is used, or before the first
// measurement. A child of a server that reads a device grows by about 1 GB a second, which memoryCheck would notice
// too late.
const watchClosely = time.Second

// memoryInterval returns how long to wait before memory is measured again.
func memoryInterval(sum, limit uint64) time.Duration {
	if sum > limit/2 {
		return watchClosely
	}
	return memoryCheck
}
