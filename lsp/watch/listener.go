package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// dirtyLimit bounds the dirty paths that wait while nothing is looked at (during a long walk). More of them are
// treated like an overflow of the kernel's queue: the tree is compared.
const dirtyLimit = 1 << 16

// listener is one fsnotify watcher with the private folder of the barrier's token. It turns events into a set of
// dirty paths. Its owner is Journal.run.
type listener struct {
	w     *fsnotify.Watcher
	root  string
	wake  func()
	fault func(op, path string) error // for tests; may be nil
	done  chan struct{}               // closed when collect has ended

	tokens uint64 // how many names the token has had; used by the owner alone

	// The owner writes these under mu; collect reads them under mu.
	mu      sync.Mutex
	private privateDir // the barrier's folder
	token   string     // the path of the token at present
	// collect adds to it under mu; the owner takes it.
	gathered batch
}

// batch is what was gathered since the batch before.
type batch struct {
	dirty   map[string]fsnotify.Op // what happened to each path
	arrived bool                   // the token came; all events before it are in this batch or an earlier one
	fault   string                 // why events were lost; "" when none were
}

// newListener opens a watcher that watches nothing but its private folder.
func newListener(root string, wake func(), fault func(op, path string) error) (*listener, error) {
	w, err := fsnotify.NewBufferedWatcher(256)
	if err != nil {
		return nil, err
	}
	l := &listener{w: w, root: root, wake: wake, fault: fault, done: make(chan struct{})}
	go l.collect()
	sweepOnce()
	if err := l.makePrivate(); err != nil {
		l.shutDown()
		return nil, err
	}
	return l, nil
}

// makePrivate makes the private folder with the file that becomes the token, and watches it.
func (l *listener) makePrivate() error {
	private, err := newPrivateDir()
	if err != nil {
		return err
	}
	token := join(private.path, "0")
	l.mu.Lock()
	l.private, l.token = private, token
	l.mu.Unlock()
	if err := os.WriteFile(token, nil, 0o600); err != nil {
		return err
	}
	return l.w.Add(private.path)
}

// shutDown closes the watcher and returns the dirty paths that were not taken.
func (l *listener) shutDown() map[string]fsnotify.Op {
	l.w.Close()
	<-l.done
	l.private.remove()
	return l.take().dirty
}

// take returns what was gathered. A nil listener has gathered nothing.
func (l *listener) take() batch {
	if l == nil {
		return batch{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.gathered
	l.gathered = batch{}
	return b
}

// sendToken renames the token to a name that no earlier event had. A rename takes 10 to 20 µs, where creating a file
// took 700 (ext4 looked for a free inode, on a busy machine).
func (l *listener) sendToken() error {
	l.tokens++
	was, token := l.token, join(l.private.path, strconv.FormatUint(l.tokens, 10))
	l.mu.Lock()
	l.token = token
	l.mu.Unlock()
	if l.fault != nil {
		if err := l.fault("token", token); err != nil {
			return err
		}
	}
	return os.Rename(was, token)
}

// renew sends the token in a new private folder.
func (l *listener) renew() error {
	old := l.private
	if err := l.makePrivate(); err != nil {
		return err
	}
	_ = l.w.Remove(old.path)
	old.remove()
	return l.sendToken()
}

// collect gathers events and errors until the watcher is closed. It blocks on nothing but fsnotify, which sends some
// errors while it holds the lock that Add needs.
func (l *listener) collect() {
	defer close(l.done)
	events, errs := l.w.Events, l.w.Errors
	for events != nil || errs != nil {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			l.add(ev)
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			l.fail(err)
		}
	}
}

// add gathers one event and wakes the owner.
func (l *listener) add(ev fsnotify.Event) {
	name := ev.Name
	if strings.HasPrefix(name, "//") { // below a watched "/"
		name = filepath.Clean(name)
	}
	l.mu.Lock()
	woken := l.gather(name, ev.Op)
	l.mu.Unlock()
	if woken {
		l.wake()
	}
}

// gather adds one event to the batch, and reports whether the owner has something to do. l.mu is held.
func (l *listener) gather(name string, op fsnotify.Op) bool {
	g := &l.gathered
	const left = fsnotify.Remove | fsnotify.Rename
	switch {
	case name == l.token:
		if !op.Has(fsnotify.Create) {
			return false
		}
		g.arrived = true
		return true
	case name == l.private.path && op&left != 0:
		g.fault = "the barrier's folder was removed"
		return true
	case name == l.private.path, strings.HasPrefix(name, l.private.path+"/"): // an earlier name of the token
		return false
	case name == l.root && op&left != 0:
		g.fault = "the root was removed or moved"
		return true
	case len(g.dirty) >= dirtyLimit:
		g.fault = "more changes at once than are kept"
		return true
	}
	if g.dirty == nil {
		g.dirty = make(map[string]fsnotify.Op)
	}
	g.dirty[name] |= op
	return true
}

// fail records that events were lost. EINVAL is the exception: fsnotify tried to remove the watch of a folder that
// was moved and then deleted; the kernel had removed it already, and nothing is lost.
func (l *listener) fail(err error) {
	if errors.Is(err, syscall.EINVAL) {
		return
	}
	l.mu.Lock()
	l.gathered.fault = fmt.Sprintf("events were lost: %v", err)
	l.mu.Unlock()
	l.wake()
}
