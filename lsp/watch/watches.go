package watch

import (
	"errors"
	"fmt"
	"io/fs"
)

// watch puts the watch on d, unless it has one. It is put on whatever is at d's path, so it must be made sure that
// this is the folder that d stands for: with a watch that another path's folder is thought to have, either's events
// would be lost as soon as one of them is taken away. Whether d can be read at all shows in listing it.
func (j *Journal) watch(d *dir) {
	for range 10 { // more folders taking turns at one path than that: their events are on the way
		if j.listener == nil || d.watched || !j.release(d) || !j.add(d) {
			return
		}
		n, err := lstat(d.path)
		if err == nil && n.id() == d.id {
			d.watched = true
			j.watched[d.id] = d
			return
		}
		_ = j.listener.w.Remove(d.path)
		if err != nil {
			return
		}
		j.identify(d, n)
	}
}

// add asks for the watch. When watching as such fails, it falls back.
func (j *Journal) add(d *dir) bool {
	err := j.fault("watch", d.path)
	if err == nil {
		err = j.listener.w.Add(d.path)
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), isNotDir(err):
		j.log.Debug("folder not watched", "path", d.path, "error", err)
	default:
		j.fallBack(fmt.Sprintf("watching %s: %v%s", d.path, err, advice(err)))
	}
	return false
}

// release frees the watch that d's folder has under another path. There is one watch per folder, and fsnotify would
// go on to report it with that path. Most often the folder was moved and the event is not here yet; then taking the
// watch from the other path loses nothing, as what is there now is looked at when the event comes. When both paths
// are the same folder (a bind mount), no event could ever tell which one it means: it falls back, and reports false.
func (j *Journal) release(d *dir) bool {
	for {
		was := j.watched[d.id]
		if was == nil || was == d {
			return true
		}
		if n, err := lstat(was.path); err != nil || n.id() != d.id {
			j.unwatch(was)
			return true
		}
		n, err := lstat(d.path)
		if err == nil && n.id() != d.id { // it is d that was moved, since it was listed
			j.identify(d, n)
			continue
		}
		if err == nil && mountedBelow(j.root) {
			j.fallBack(fmt.Sprintf("%s and %s are the same folder", was.path, d.path))
			return false
		}
		if err == nil { // moved between the two looks
			j.unwatch(was)
		}
		return err == nil
	}
}

// unwatch takes the watches from d and all below it. The watch follows the folder when it is moved, fsnotify's name for
// it does not; so this must be done before the folder is watched at its new place.
func (j *Journal) unwatch(d *dir) {
	if d.watched {
		d.watched = false
		if j.watched[d.id] == d {
			delete(j.watched, d.id)
		}
		if j.listener != nil {
			_ = j.listener.w.Remove(d.path) // gone with its folder already, most of the time
		}
	}
	for _, sub := range d.subs {
		j.unwatch(sub)
	}
}
