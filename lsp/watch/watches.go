package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// watches decides how changes are found (see [Mode]) and knows which folder each watch is on. While there is a
// listener, the folders of the tree have watches and events tell where to look; without one, the tree is compared.
// Only Journal.run may use it, but for mode.
type watches struct {
	root  string
	log   *slog.Logger
	wake  func()                      // called by the listener when there is something to take
	fault func(op, path string) error // for tests; may be nil

	mu     sync.Mutex // held to write found and reason, which run reads without
	found  Mode       // how changes are found
	reason string     // see [Journal.Mode]

	listener *listener              // nil: comparing
	left     map[string]fsnotify.Op // dirty paths of a listener that was closed
	away     bool                   // the root is not there; events begin again when it is back
	rootID   inode                  // of the root when the listener was made
	on       map[inode]*dir         // the folder that each watch is on
	mounts   map[*dir]inode         // folders on another device than the one above
	window   int64                  // how close two changes may be and have the same time, in nanoseconds
}

func newWatches(root string, log *slog.Logger, wake func(), fault func(op, path string) error) *watches {
	return &watches{
		root: root, log: log, wake: wake, fault: fault, found: Events,
		on: make(map[inode]*dir), mounts: make(map[*dir]inode), window: int64(tick),
	}
}

// mode tells how changes are found, and why so.
func (w *watches) mode() (Mode, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.found, w.reason
}

func (w *watches) setMode(m Mode, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found, w.reason = m, why
}

// comparing reports whether there are no events.
func (w *watches) comparing() bool { return w.listener == nil }

// start makes a new listener; a walk must follow, which puts the watches. Where events are not possible, or not to
// be relied on, the tree is compared from now on.
func (w *watches) start() {
	n, err := lstat(w.root)
	w.away = err != nil || n.sort != folder
	if w.away {
		w.setMode(Compare, "the root is not there")
		return
	}
	if why := unreliable(w.root); why != "" {
		w.window = int64(coarseTick)
		w.fallBack(why)
		return
	}
	l, err := w.listen()
	if err != nil {
		w.fallBack(fmt.Sprintf("no watcher: %v%s", err, advice(err)))
		return
	}
	w.listener, w.rootID = l, n.id()
	if w.found != Events {
		w.setMode(Events, "the root is back")
	}
}

func (w *watches) listen() (*listener, error) {
	if err := w.failing("open", w.root); err != nil {
		return nil, err
	}
	return newListener(w.root, w.wake, w.fault)
}

// failing lets tests make an operation fail.
func (w *watches) failing(op, path string) error {
	if w.fault == nil {
		return nil
	}
	return w.fault(op, path)
}

// stop closes the listener, and with it all watches. The events that it still had are kept for takeLeft: two writes
// to a file may be so close that only the event tells of the second.
func (w *watches) stop() {
	if w.listener == nil {
		return
	}
	left := w.listener.close()
	w.listener = nil
	if w.left == nil {
		w.left = make(map[string]fsnotify.Op, len(left))
	}
	for path, op := range left {
		w.left[path] |= op
	}
	clear(w.on)
}

// takeLeft gives the dirty paths of closed listeners, once.
func (w *watches) takeLeft() map[string]fsnotify.Op {
	left := w.left
	w.left = nil
	return left
}

// restart is for when events were lost or watches are not where they should be. As after start, a walk must follow.
func (w *watches) restart(why string) {
	w.log.Warn("watching anew", "root", w.root, "reason", why)
	w.stop()
	w.setMode(Events, "began anew: "+why)
	w.start()
}

// fallBack ends events for good.
func (w *watches) fallBack(why string) {
	w.stop()
	w.setMode(Compare, why)
	w.log.Warn("comparing files instead of watching them", "root", w.root, "reason", why)
}

// announce sends a token behind the events of all that was done so far; batch.arrived tells when it came. When
// comparing there is none.
func (w *watches) announce() {
	if w.listener == nil {
		return
	}
	err := w.listener.announce()
	if err != nil { // something that cleans up temporary folders took it, perhaps
		w.log.Debug("making the barrier's folder anew", "error", err)
		err = w.listener.renew()
	}
	if err != nil {
		w.fallBack(fmt.Sprintf("the barrier's file cannot be renamed: %v", err))
	}
}

// distrust tells why the watches may no longer be on what is at their paths; "" when they are.
func (w *watches) distrust() string {
	if n, err := lstat(w.root); err != nil || n.id() != w.rootID {
		return "the root was removed or replaced"
	}
	for d, id := range w.mounts {
		if n, err := lstat(d.path); err != nil || n.id() != id {
			return "a mount changed: " + d.path
		}
	}
	return ""
}

// returned reports whether only the absence of the root kept events away, and it is back.
func (w *watches) returned() bool {
	if !w.away {
		return false
	}
	n, err := lstat(w.root)
	return err == nil && n.sort == folder
}

// private reports whether path is the folder of the barrier's token.
func (w *watches) private(path string) bool {
	return w.listener != nil && path == w.listener.private.path
}

// identify notes which folder is at d's path. It keeps an eye on one of another file system than the folder above:
// unmounting it takes the watches below it without notice.
func (w *watches) identify(d *dir, n node) {
	known := d.id == n.id()
	d.id, d.access = n.id(), n.access
	if d.parent == nil || known {
		return
	}
	if d.parent.id.dev == d.id.dev {
		delete(w.mounts, d)
		return
	}
	w.mounts[d] = d.id
	if why := unreliable(d.path); why != "" && w.listener != nil {
		w.fallBack(why)
	}
}

// put puts the watch on d, unless it has one. It is put on whatever is at d's path, so it must be made sure that
// this is the folder that d stands for: with a watch that another path's folder is thought to have, either's events
// would be lost as soon as one of them is taken away. Whether d can be read at all shows in listing it.
func (w *watches) put(d *dir) {
	for range 10 { // more folders taking turns at one path than that: their events are on the way
		if w.listener == nil || w.on[d.id] == d || !w.release(d) || !w.add(d) {
			return
		}
		n, err := lstat(d.path)
		if err == nil && n.id() == d.id {
			w.on[d.id] = d
			return
		}
		_ = w.listener.w.Remove(d.path)
		if err != nil {
			return
		}
		w.identify(d, n)
	}
}

// add asks for the watch. When watching as such fails, it falls back.
func (w *watches) add(d *dir) bool {
	if w.listener == nil { // release fell back
		return false
	}
	err := w.failing("watch", d.path)
	if err == nil {
		err = w.listener.w.Add(d.path)
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), isNotDir(err):
		w.log.Debug("folder not watched", "path", d.path, "error", err)
	default:
		w.fallBack(fmt.Sprintf("watching %s: %v%s", d.path, err, advice(err)))
	}
	return false
}

// release frees the watch that d's folder has under another path. There is one watch per folder, and fsnotify would
// go on to report it with that path. Most often the folder was moved and the event is not here yet; then taking the
// watch from the other path loses nothing, as what is there now is looked at when the event comes. When both paths
// are the same folder (a bind mount), no event could ever tell which one it means: it falls back, and reports false.
func (w *watches) release(d *dir) bool {
	for {
		was := w.on[d.id]
		if was == nil || was == d {
			return true
		}
		if n, err := lstat(was.path); err != nil || n.id() != d.id {
			w.remove(was)
			return true
		}
		n, err := lstat(d.path)
		if err == nil && n.id() != d.id { // it is d that was moved, since it was listed
			w.identify(d, n)
			continue
		}
		if err == nil && mountedBelow(w.root) {
			w.fallBack(fmt.Sprintf("%s and %s are the same folder", was.path, d.path))
			return false
		}
		if err == nil { // moved between the two looks
			w.remove(was)
		}
		return err == nil
	}
}

// remove takes the watches from d and all below it. The watch follows the folder when it is moved, fsnotify's name for
// it does not; so this must be done before the folder is watched at its new place.
func (w *watches) remove(d *dir) {
	if w.on[d.id] == d {
		delete(w.on, d.id)
		if w.listener != nil {
			_ = w.listener.w.Remove(d.path) // gone with its folder already, most of the time
		}
	}
	for _, sub := range d.subs {
		w.remove(sub)
	}
}

// forget is for a folder that is no longer in the tree.
func (w *watches) forget(d *dir) { delete(w.mounts, d) }
