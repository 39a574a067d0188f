package config

import (
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Watcher watches files for all sessions of a process. The zero value is ready, and opens nothing before the first
// [Watcher.Watch].
type Watcher struct {
	Log *slog.Logger // nil logs nothing

	mu      sync.Mutex
	closed  bool              // guarded by mu
	events  *fsnotify.Watcher // nil before the first subscription, and where the system has none; guarded by mu
	dirs    map[string]int    // watched folders, with the number of subscriptions that want each; guarded by mu
	all     []*Subscription   // guarded by mu
	reading sync.WaitGroup
}

// Subscription is one session's wish to hear of changes.
type Subscription struct {
	watcher *Watcher
	changed func()

	paths  []string    // guarded by watcher.mu
	dirs   []string    // watched for them; guarded by watcher.mu
	timer  *time.Timer // guarded by watcher.mu
	waits  bool        // the timer has not fired; guarded by watcher.mu
	ended  bool        // guarded by watcher.mu
	called sync.WaitGroup
}

// Watch has changed called, one call at a time, when something has happened to one of the subscription's files and
// nothing more for [Quiet]. [Subscription.Set] says which files. Whoever watches calls [Subscription.Stop].
func (w *Watcher) Watch(changed func()) *Subscription {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &Subscription{watcher: w, changed: changed}
	if w.closed {
		s.ended = true
		return s
	}
	if w.events == nil {
		w.open()
	}
	w.all = append(w.all, s)
	return s
}

// open needs mu.
func (w *Watcher) open() {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		if w.Log != nil {
			w.Log.Warn("changes of configuration are seen with the next call only", "error", err)
		}
		return
	}
	w.events, w.dirs = events, map[string]int{}
	w.reading.Go(func() { w.read(events) })
}

// read hands on events until the watcher is closed.
func (w *Watcher) read(events *fsnotify.Watcher) {
	for {
		select {
		case e, ok := <-events.Events:
			if !ok {
				return
			}
			w.mu.Lock()
			for _, s := range w.all {
				s.hear(e.Name)
			}
			w.mu.Unlock()
		case _, ok := <-events.Errors: // too many at once: whatever it was, all look
			if !ok {
				return
			}
			w.mu.Lock()
			for _, s := range w.all {
				s.wake()
			}
			w.mu.Unlock()
		}
	}
}

// Close ends all subscriptions.
func (w *Watcher) Close() {
	w.mu.Lock()
	w.closed = true
	all, events := slices.Clone(w.all), w.events
	w.mu.Unlock()
	for _, s := range all {
		s.Stop()
	}
	if events != nil {
		_ = events.Close()
	}
	w.reading.Wait()
}

// Set makes paths the files and folders that are watched; of a folder what lies in it counts, too. All are absolute.
func (s *Subscription) Set(paths []string) {
	s.watcher.mu.Lock()
	defer s.watcher.mu.Unlock()
	if s.ended || slices.Equal(paths, s.paths) {
		return
	}
	s.paths = slices.Clone(paths)
	s.watch()
}

// watch watches the folders of the paths, and leaves those that it watched before. It needs watcher.mu.
func (s *Subscription) watch() {
	w := s.watcher
	if w.events == nil {
		return
	}
	var dirs []string
	add := func(dir string) {
		if !slices.Contains(dirs, dir) && w.watchDir(dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, path := range s.paths {
		add(path) // when it is a folder
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			n := len(dirs)
			if add(dir); len(dirs) > n || slices.Contains(dirs, dir) || filepath.Dir(dir) == dir {
				break // the nearest one that exists
			}
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			add(filepath.Dir(real))
		}
	}
	before := s.dirs
	s.dirs = dirs
	for _, dir := range before {
		w.leaveDir(dir)
	}
}

// watchDir counts one more subscription that wants a folder; false when it cannot be watched. It needs mu.
func (w *Watcher) watchDir(dir string) bool {
	// adding once more does no harm, and finds a folder again that was made anew
	if !isDir(dir) || w.events.Add(dir) != nil {
		return false
	}
	w.dirs[dir]++
	return true
}

// leaveDir needs mu.
func (w *Watcher) leaveDir(dir string) {
	if w.dirs[dir]--; w.dirs[dir] <= 0 {
		delete(w.dirs, dir)
		_ = w.events.Remove(dir)
	}
}

// hear looks whether an event concerns the subscription: it is about one of its paths, about something in one of
// them, about a folder that leads to one, or about the file that one is a link to. It needs watcher.mu.
func (s *Subscription) hear(name string) {
	for _, path := range s.paths {
		real, err := filepath.EvalSymlinks(path)
		leads := len(path) > len(name) && path[:len(name)] == name && path[len(name)] == filepath.Separator
		if leads || name == path {
			s.watch() // it may be a folder that was made, or is gone
		}
		if leads || name == path || filepath.Dir(name) == path || err == nil && name == real {
			s.wake()
			return
		}
	}
}

// wake has changed called after a while in which nothing more happens. It needs watcher.mu.
func (s *Subscription) wake() {
	if s.ended {
		return
	}
	if s.timer != nil && s.timer.Stop() {
		s.called.Done()
	}
	s.called.Add(1)
	s.waits = true
	s.timer = time.AfterFunc(Quiet, func() {
		defer s.called.Done()
		s.watcher.mu.Lock()
		s.waits = false
		s.watcher.mu.Unlock()
		s.changed()
	})
}

// Later has changed called after [Quiet], unless it will be anyway: who has seen a change that does not rest yet
// looks again, also where the file system has no events.
func (s *Subscription) Later() {
	s.watcher.mu.Lock()
	defer s.watcher.mu.Unlock()
	if !s.waits {
		s.wake()
	}
}

// Stop ends the subscription, and returns when changed is not running any more.
func (s *Subscription) Stop() {
	w := s.watcher
	w.mu.Lock()
	if !s.ended {
		s.ended = true
		if s.timer != nil && s.timer.Stop() {
			s.called.Done()
		}
		for _, dir := range s.dirs {
			w.leaveDir(dir)
		}
		w.all = slices.DeleteFunc(w.all, func(other *Subscription) bool { return other == s })
	}
	w.mu.Unlock()
	s.called.Wait()
}
