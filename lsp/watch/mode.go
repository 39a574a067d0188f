package watch

import (
	"fmt"

	"github.com/fsnotify/fsnotify"
)

// startEvents makes a new listener; a walk must follow, which puts the watches. When that is not possible it leaves the
// journal comparing.
func (j *Journal) startEvents() {
	n, err := lstat(j.root)
	j.away = err != nil || n.sort != folder
	if j.away {
		j.setMode(Compare, "the root is not there")
		return
	}
	if why := unreliable(j.root); why != "" {
		j.window = int64(coarseTick)
		j.fallBack(why)
		return
	}
	s, err := j.openListener()
	if err != nil {
		j.fallBack(fmt.Sprintf("no watcher: %v%s", err, advice(err)))
		return
	}
	j.listener, j.rootID = s, n.id()
	if j.mode != Events {
		j.setMode(Events, "the root is back")
	}
}

func (j *Journal) openListener() (*listener, error) {
	if err := j.fault("open", j.root); err != nil {
		return nil, err
	}
	return newListener(j.root, j.wake, j.o.fault)
}

// stopEvents closes the listener. The events that it still had are kept to be applied: two writes to a file may be so
// close that only the event tells of the second.
func (j *Journal) stopEvents() {
	if j.listener == nil {
		return
	}
	left := j.listener.close()
	j.listener = nil
	if j.left == nil {
		j.left = make(map[string]fsnotify.Op, len(left))
	}
	for path, op := range left {
		j.left[path] |= op
	}
	for _, d := range j.dirs {
		d.watched = false
	}
	clear(j.watched)
}

func (j *Journal) applyLeft() {
	left := j.left
	j.left = nil
	j.apply(left)
}

// restart is for when events were lost or watches are not where they should be: new watches, and one comparison.
func (j *Journal) restart(why string) {
	j.log.Warn("watching anew", "root", j.root, "reason", why)
	j.stopEvents()
	j.setMode(Events, "began anew: "+why)
	j.startEvents()
	j.recent.turn()
	j.walk()
	j.applyLeft()
	j.checkExtras()
}

// fallBack ends events for good.
func (j *Journal) fallBack(why string) {
	j.stopEvents()
	j.setMode(Compare, why)
	j.log.Warn("comparing files instead of watching them", "root", j.root, "reason", why)
}

func (j *Journal) setMode(m Mode, why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mode, j.reason = m, why
}

// fault lets tests make an operation fail.
func (j *Journal) fault(op, path string) error {
	if j.o.fault == nil {
		return nil
	}
	return j.o.fault(op, path)
}
