package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// privatePattern names the barrier's folders in the folder for temporary files.
const privatePattern = "lspi-barrier-*"

// errPrivateTaken is a new folder that a sweep took for one that was left behind, between its making and its locking.
var errPrivateTaken = errors.New("the barrier's folder was removed as it was made")

// privateDir is the folder of one barrier. Its owner holds a lock on it, which ends with the process, however that
// ends: so a folder without a lock was left behind. A process id in the name would not tell: containers share the
// folder for temporary files and number their processes anew.
type privateDir struct {
	path string
	lock *os.File // nil where there is no such lock; nothing is swept there
}

// newPrivateDir makes and locks a folder.
func newPrivateDir() (privateDir, error) {
	var err error
	for range 3 {
		var d privateDir
		if d.path, err = os.MkdirTemp("", privatePattern); err != nil {
			return privateDir{}, err
		}
		if d.lock, err = lockDir(d.path); err == nil {
			return d, nil
		}
		os.Remove(d.path)
	}
	return privateDir{}, err
}

// remove removes the folder, then lets go of the lock.
func (d privateDir) remove() {
	if d.path == "" {
		return
	}
	os.RemoveAll(d.path)
	if d.lock != nil {
		d.lock.Close()
	}
}

// sweepOnce looks once in the life of a process for what others left behind.
var sweepOnce = sync.OnceFunc(sweep)

// sweep removes the folders of processes that were killed.
func sweep() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), privatePattern))
	for _, path := range left {
		removeLeft(path)
	}
}

// removeLeft removes a folder that nobody holds, with the files in it; a folder in it is none of ours.
func removeLeft(path string) {
	if !ownDir(path) {
		return
	}
	lock, err := lockDir(path)
	if err != nil || lock == nil {
		return
	}
	defer lock.Close()
	files, err := os.ReadDir(path)
	if err != nil || slices.ContainsFunc(files, os.DirEntry.IsDir) {
		return
	}
	for _, f := range files {
		os.Remove(filepath.Join(path, f.Name()))
	}
	os.Remove(path)
}
