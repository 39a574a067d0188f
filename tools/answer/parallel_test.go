package answer

import (
	"sync/atomic"
	"testing"
)

func TestTogetherRunsAllWithinTheLimit(t *testing.T) {
	var running, most, done atomic.Int32
	Parallel(20, 3, func(int) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		done.Add(1)
		running.Add(-1)
	})
	if done.Load() != 20 || most.Load() > 3 {
		t.Errorf("%d done, %d at a time", done.Load(), most.Load())
	}
}
