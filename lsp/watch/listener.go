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

// dirtyLimit bounds the paths that wait to be looked at. More of them while nothing is looked at (a long walk) are
// treated as an overflow of the queue.
const dirtyLimit = 1 << 16

// listener is one fsnotify watcher with the barrier's private folder. It turns events into a set of dirty paths.
type listener struct {
	w     *fsnotify.Watcher
	root  string
	wake  func()
	fault func(op, path string) error // for tests; may be nil
	done  chan struct{}               // closed when collect has ended

	tokens uint64 // how many names the token had; only for the owner

	// Written by the owner under mu, read by collect.
	mu      sync.Mutex
	private privateDir // the barrier's folder
	token   string     // the path of the token
	// Written by collect under mu, taken by the owner.
	gathered batch
}

// batch is what was gathered since the last one.
type batch struct {
	dirty   map[string]fsnotify.Op // what happened to each path
	arrived bool                   // the token came; all events before it are in this batch or in an earlier one
	fault   string                 // why events were lost
}

// newListener opens a watcher that watches nothing but its private folder.
func newListener(root string, wake func(), fault func(op, path string) error) (*listener, error) {
	w, err := fsnotify.NewBufferedWatcher(256)
	if err != nil {
		return nil, err
	}
	s := &listener{w: w, root: root, wake: wake, fault: fault, done: make(chan struct{})}
	go s.collect()
	sweepOnce()
	if err := s.makePrivate(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// makePrivate makes the folder of the token, with the file that is to be it, and watches it.
func (s *listener) makePrivate() error {
	private, err := newPrivateDir()
	if err != nil {
		return err
	}
	token := join(private.path, "0")
	s.mu.Lock()
	s.private, s.token = private, token
	s.mu.Unlock()
	if err := os.WriteFile(token, nil, 0o600); err != nil {
		return err
	}
	return s.w.Add(private.path)
}

// close ends the watcher and returns the dirty paths that were left.
func (s *listener) close() map[string]fsnotify.Op {
	s.w.Close()
	<-s.done
	s.private.remove()
	return s.take().dirty
}

// take returns what was gathered. A nil listener has nothing.
func (s *listener) take() batch {
	if s == nil {
		return batch{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.gathered
	s.gathered = batch{}
	return b
}

// announce gives the token a new name, which no event had before. Renaming takes 10 to 20 µs where making a file took
// 700 (ext4 looking for an inode, on a busy machine).
func (s *listener) announce() error {
	s.tokens++
	was, token := s.token, join(s.private.path, strconv.FormatUint(s.tokens, 10))
	s.mu.Lock()
	s.token = token
	s.mu.Unlock()
	if s.fault != nil {
		if err := s.fault("token", token); err != nil {
			return err
		}
	}
	return os.Rename(was, token)
}

// renew announces in a new private folder.
func (s *listener) renew() error {
	old := s.private
	if err := s.makePrivate(); err != nil {
		return err
	}
	_ = s.w.Remove(old.path)
	old.remove()
	return s.announce()
}

// collect gathers until the watcher is closed. It waits for nothing but fsnotify, which sends some errors with the lock
// held that Add needs.
func (s *listener) collect() {
	defer close(s.done)
	events, errs := s.w.Events, s.w.Errors
	for events != nil || errs != nil {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			s.add(ev)
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			s.fail(err)
		}
	}
}

// add gathers one event and wakes the owner.
func (s *listener) add(ev fsnotify.Event) {
	name := ev.Name
	if strings.HasPrefix(name, "//") { // below a watched "/"
		name = filepath.Clean(name)
	}
	s.mu.Lock()
	woken := s.gather(name, ev.Op)
	s.mu.Unlock()
	if woken {
		s.wake()
	}
}

// gather reports whether there is something to wake up for.
func (s *listener) gather(name string, op fsnotify.Op) bool {
	g := &s.gathered
	const left = fsnotify.Remove | fsnotify.Rename
	switch {
	case name == s.token:
		if !op.Has(fsnotify.Create) {
			return false
		}
		g.arrived = true
		return true
	case name == s.private.path && op&left != 0:
		g.fault = "the barrier's folder was removed"
		return true
	case name == s.private.path, strings.HasPrefix(name, s.private.path+"/"): // tokens of the past
		return false
	case name == s.root && op&left != 0:
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

// fail gathers an error. EINVAL is fsnotify's attempt to remove the watch of a folder that was moved and then
// deleted; the kernel had removed it, and nothing is lost.
func (s *listener) fail(err error) {
	if errors.Is(err, syscall.EINVAL) {
		return
	}
	s.mu.Lock()
	s.gathered.fault = fmt.Sprintf("events were lost: %v", err)
	s.mu.Unlock()
	s.wake()
}
