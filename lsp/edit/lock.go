package edit

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lspi/contract"
	"lspi/internal/source"
)

// lock excludes all other holders of these roots, of folders in them and of folders around them, in this process and
// in others. It locks a file for each root exclusively, and a file for each folder above a root shared: a caller that
// locks a folder above meets the shared lock, one that locks a root beside shares it. It blocks until ctx ends; a
// holder needs milliseconds.
func (w *Writer) lock(ctx context.Context, roots []string) (release func(), err error) {
	// Nothing signals the release of a file lock in a way that can be waited for together with ctx.
	const poll = 5 * time.Millisecond
	timer := time.NewTimer(poll)
	defer timer.Stop()
	for {
		release, err := w.tryLock(roots)
		if err != nil || release != nil {
			return release, err
		}
		timer.Reset(poll)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, contract.Errorf(contract.KindCancelled, nil, "waiting for another edit of the same files: %w",
				context.Cause(ctx))
		}
	}
}

// tryLock is lock without waiting; release is nil when another caller holds one of the locks.
func (w *Writer) tryLock(roots []string) (release func(), err error) {
	dir := filepath.Join(w.dir, "locks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unreadable(dir, err)
	}
	var held []*os.File
	free := func() {
		for _, f := range slices.Backward(held) {
			f.Close() // and with it the lock
		}
	}
	exclusive := locks(roots)
	for _, path := range slices.Sorted(maps.Keys(exclusive)) { // in the same order for all callers
		// The files stay: to delete one while another process opens it would give two holders.
		name := filepath.Join(dir, DigestText(path)[:32])
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			free()
			return nil, unreadable(name, err)
		}
		held = append(held, f)
		ok, err := source.LockFile(f, exclusive[path])
		if err != nil {
			free()
			return nil, unreadable(name, err)
		}
		if !ok {
			free()
			return nil, nil
		}
	}
	return free, nil
}

// locks returns the folders to lock for the roots → whether exclusively.
func locks(roots []string) map[string]bool {
	exclusive := map[string]bool{}
	for _, r := range roots {
		exclusive[r] = true
		for dir := filepath.Dir(r); ; dir = filepath.Dir(dir) {
			exclusive[dir] = exclusive[dir] || false
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return exclusive
}

// overlap reports whether a path of a equals, holds or lies in one of b.
func overlap(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			_, in := source.RelativeTo(y, x)
			_, around := source.RelativeTo(x, y)
			if in || around {
				return true
			}
		}
	}
	return false
}
