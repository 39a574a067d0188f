package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// privatePattern names the barrier's folders in the system's folder for temporary files.
const privatePattern = "lspi-barrier-*"

// errPrivateTaken says that the sweep of another process took a new folder for an abandoned one, after it was made
// and before it was locked.
var errPrivateTaken = errors.New("the barrier's folder was removed as it was made")

// privateDir is the folder of the barrier's token. Its owner holds a file lock on it, which ends with the process
// however that ends: a folder without a lock is abandoned. A process id in the name would not tell, because
// containers may share the folder for temporary files and number their processes for themselves.
type privateDir struct {
	path string
	lock *os.File // nil where the file system has no locks; nothing is swept there
}

// newPrivateDir makes a folder and locks it. It tries again when a sweep removed the folder in between.
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

// remove removes the folder and then unlocks it: in the other order a sweep could find it meanwhile.
func (d privateDir) remove() {
	if d.path == "" {
		return
	}
	os.RemoveAll(d.path)
	if d.lock != nil {
		d.lock.Close()
	}
}

// sweepOnce removes abandoned folders once in the life of a process.
var sweepOnce = sync.OnceFunc(sweep)

// sweep removes the folders of processes that were killed.
func sweep() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), privatePattern))
	for _, path := range left {
		removeLeft(path)
	}
}

// removeLeft removes a folder that nobody has locked, with its files. One that holds a folder is not ours and stays.
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
