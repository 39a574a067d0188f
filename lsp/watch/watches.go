package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// watches decides how changes are found (see [Mode]) and knows which folder each watch is on. While it has a
// listener, the folders of the tree have watches and events say where to look; without one, barriers compare the
// tree. Only Journal.run uses it, but for current.
type watches struct {
	root  string
	log   *slog.Logger
	wake  func()                      // called by the listener when it has gathered something
	fault func(op, path string) error // for tests; may be nil

	mu     sync.Mutex // held by run to write found and reason, and by others to read them
	found  Mode       // how changes are found
	reason string     // see [Journal.Mode]

	// All below is used by run alone.
	listener    *listener              // nil while comparing
	leftover    map[string]fsnotify.Op // dirty paths of closed listeners
	rootMissing bool                   // the root did not exist at start; events begin when it does
	// rootID is the root as it was when the listener was opened; misplaced compares it.
	rootID inode
	on     map[inode]*dir // the folder that each watch is on
	mounts map[*dir]inode // folders on another device than the one above
	// window: two changes within so many nanoseconds may have the same time.
	window int64
}

func newWatches(root string, log *slog.Logger, wake func(), fault func(op, path string) error) *watches {
	return &watches{
		root: root, log: log, wake: wake, fault: fault, found: Events,
		on: make(map[inode]*dir), mounts: make(map[*dir]inode), window: int64(tick),
	}
}

// current returns how changes are found, and why so.
func (w *watches) current() (Mode, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.found, w.reason
}

func (w *watches) setMode(m Mode, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found, w.reason = m, why
}

// comparing reports whether barriers compare the tree, because there are no events.
func (w *watches) comparing() bool { return w.listener == nil }

// start opens a listener; the caller then walks the tree, which adds the watches. Where there are no events, or they
// do not tell everything, the tree is compared from now on.
func (w *watches) start() {
	n, err := lstat(w.root)
	w.rootMissing = err != nil || n.sort != folder
	if w.rootMissing {
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
	if err := w.injectedFault("open", w.root); err != nil {
		return nil, err
	}
	return newListener(w.root, w.wake, w.fault)
}

// injectedFault returns the error that a test wants an operation to have.
func (w *watches) injectedFault(op, path string) error {
	if w.fault == nil {
		return nil
	}
	return w.fault(op, path)
}

// stop closes the listener, and with it all watches. The events that it still had are kept for takeLeftover: two
// writes may be so close that only the event tells of the second.
func (w *watches) stop() {
	if w.listener == nil {
		return
	}
	left := w.listener.shutDown()
	w.listener = nil
	if w.leftover == nil {
		w.leftover = make(map[string]fsnotify.Op, len(left))
	}
	for path, op := range left {
		w.leftover[path] |= op
	}
	clear(w.on)
}

// takeLeftover returns the dirty paths of closed listeners, once.
func (w *watches) takeLeftover() map[string]fsnotify.Op {
	left := w.leftover
	w.leftover = nil
	return left
}

// restart opens a new listener, because events were lost or watches are not on the folders at their paths. As after
// start, the caller walks the tree.
func (w *watches) restart(why string) {
	w.log.Warn("watching anew", "root", w.root, "reason", why)
	w.stop()
	w.setMode(Events, "began anew: "+why)
	w.start()
}

// fallBack ends events for the rest of the journal's life; barriers compare the tree from now on.
func (w *watches) fallBack(why string) {
	w.stop()
	w.setMode(Compare, why)
	w.log.Warn("comparing files instead of watching them", "root", w.root, "reason", why)
}

// sendToken sends the token of a barrier behind the events of all that was done so far; batch.arrived says when it
// has come. While comparing there is none.
func (w *watches) sendToken() {
	if w.listener == nil {
		return
	}
	err := w.listener.sendToken()
	if err != nil { // perhaps a program that cleans up temporary folders removed it
		w.log.Debug("making the barrier's folder anew", "error", err)
		err = w.listener.renew()
	}
	if err != nil {
		w.fallBack(fmt.Sprintf("the barrier's file cannot be renamed: %v", err))
	}
}

// misplaced returns why watches may no longer be on the folders at their paths; "" when they are.
func (w *watches) misplaced() string {
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

// rootReturned reports whether events were off only because the root did not exist, and it exists now.
func (w *watches) rootReturned() bool {
	if !w.rootMissing {
		return false
	}
	n, err := lstat(w.root)
	return err == nil && n.sort == folder
}

// private reports whether path is the folder of the barrier's token: it lies in the tree when that is the folder for
// temporary files, or the root of the file system.
func (w *watches) private(path string) bool {
	return w.listener != nil && path == w.listener.private.path
}

// identify records which folder is at d's path. A folder on another file system than its parent is checked in each
// barrier (misplaced), since unmounting it removes the watches below it without an event.
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

// watch puts a watch on d, unless d has one. inotify watches whatever is at d's path, so watch looks whether that is
// the folder that d stands for: with a watch recorded for the wrong folder, the events of both would be lost as soon
// as one of them is removed. Whether d can be read at all shows when it is listed.
func (w *watches) watch(d *dir) {
	for range 10 { // when more folders than that take turns at one path, their events are on the way
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

// add asks for the watch on d, and reports whether it has it. When watching as such fails, such as for the limit on
// watches, it falls back.
func (w *watches) add(d *dir) bool {
	if w.listener == nil { // release fell back
		return false
	}
	err := w.injectedFault("watch", d.path)
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

// release frees the watch that d's folder has under another path. The kernel has one watch per folder, and fsnotify
// would go on to report it with the other path. Most often the folder was moved and the event has not come yet; then
// taking the watch from the other path loses nothing, as what is at that path now is looked at when the event comes.
// When both paths are the same folder (a bind mount), no event can say which of them it means: release falls back and
// returns false.
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
		if err == nil && n.id() != d.id { // d itself was moved since it was listed
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

// remove takes the watches from d and everything below it. A watch follows its folder when that is moved, but
// fsnotify goes on with the old path; so the watch must be removed before the folder is watched at its new path.
func (w *watches) remove(d *dir) {
	if w.on[d.id] == d {
		delete(w.on, d.id)
		if w.listener != nil {
			_ = w.listener.w.Remove(d.path) // its error: the folder was deleted, and the watch with it
		}
	}
	for _, sub := range d.subs {
		w.remove(sub)
	}
}

// forget removes what is recorded of a folder that is no longer in the tree.
func (w *watches) forget(d *dir) { delete(w.mounts, d) }
