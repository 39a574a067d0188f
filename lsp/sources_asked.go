package lsp

import (
	"sync"
	"time"
)

// askedFolders are the folders of [Sources] for one process. They are found out once, unless a command that was to tell some
// failed: on a machine that is busy it may not end in time, and does later.
type askedFolders struct {
	find func() (folders []string, whole bool)

	mu      sync.Mutex
	folders []string      // guarded by mu
	whole   bool          // nothing is missing in folders; guarded by mu
	again   time.Time     // not asked before; guarded by mu
	pause   time.Duration // up to the next time but one; guarded by mu
	asking  chan struct{} // closed when those who ask now have ended; nil when nobody asks; guarded by mu
}

// The pauses after commands that failed: each is bounded by askLimit, and somebody waits for the answer.
const (
	firstPause = 5 * time.Second
	lastPause  = 10 * time.Minute
)

// all are the folders as far as they are known. Who comes while they are asked for waits for that.
func (a *askedFolders) all() []string {
	a.mu.Lock()
	for a.asking != nil {
		asking := a.asking
		a.mu.Unlock()
		<-asking
		a.mu.Lock()
	}
	if a.whole || time.Now().Before(a.again) {
		defer a.mu.Unlock()
		return a.folders
	}
	asking := make(chan struct{})
	a.asking = asking
	a.mu.Unlock()

	folders, whole := a.find()

	a.mu.Lock()
	defer a.mu.Unlock()
	a.pause = min(max(2*a.pause, firstPause), lastPause)
	a.folders, a.whole, a.again, a.asking = folders, whole, time.Now().Add(a.pause), nil
	close(asking)
	return folders
}
