package edit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// disk is everything that changes files. Each operation passes its hook before and after, so that a test can end the
// process, or fail the operation, at each of them.
type disk struct {
	hook func(point, path string) error // nil in production
	// plain acts as on a system without an atomic exchange and without a rename that replaces nothing; for tests.
	plain bool
}

// errNoExchange is returned by exchangeNow where the system or the file system has no atomic exchange.
var errNoExchange = errors.New("no atomic exchange")

func nothing() error { return nil }

func (d *disk) at(point, path string) error {
	if d.hook == nil {
		return nil
	}
	return d.hook(point, path)
}

func (d *disk) do(name, path string, f func() error) error {
	if err := d.at("before "+name, path); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return d.at("after "+name, path)
}

// hold is do with the paths as [pinned] names them; the first one is what the operation changes. The hook runs before
// the folders are opened, where a test replaces them.
func (d *disk) hold(name string, f func(at []string) error, paths ...string) error {
	return d.do(name, paths[0], func() error { return pinned(f, paths...) })
}

// write creates a file with the text, and syncs it. With like, the file gets the mode of that file, and its owner and
// extended attributes where the system allows.
func (d *disk) write(path, text, like string) error {
	return d.hold("write", func(at []string) error {
		mode := fs.FileMode(0o666)
		if like != "" {
			mode = 0o600 // nobody else reads it before it has the mode of like
		}
		f, err := os.OpenFile(at[0], os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if err != nil {
			return err
		}
		if like != "" {
			err = copyAttributes(f, like)
		}
		if err == nil {
			err = d.fill(f, text, "during write", path)
		}
		if closing := f.Close(); err == nil {
			err = closing
		}
		return err
	}, path)
}

// fill writes a text to an open file, durably. A hook runs in the middle.
func (d *disk) fill(f *os.File, text, point, path string) error {
	// In two halves, so that a test can end the process within a write.
	half := len(text) / 2
	if _, err := f.WriteString(text[:half]); err != nil {
		return err
	}
	if err := d.at(point, path); err != nil {
		return err
	}
	if _, err := f.WriteString(text[half:]); err != nil {
		return err
	}
	return f.Sync()
}

// move renames what is at from. Its error is fs.ErrExist when something is at to.
func (d *disk) move(from, to string) error {
	return d.hold("move", func(at []string) error { return d.moveNow(at[0], at[1]) }, from, to)
}

// moveNow is move for paths in pinned folders.
func (d *disk) moveNow(from, to string) error {
	if d.plain {
		return moveByLink(from, to, func() error { return d.at("during move", from) })
	}
	return moveNow(from, to)
}

// moveByLink moves a file without replacing anything, where the system has no such rename: link fails when the target
// exists, and rename does not. A crash in the middle leaves a file with both names, which run.inspect mends.
func moveByLink(from, to string, between func() error) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	// A hard link fails when the target exists, in one step; folders and symbolic links cannot have one.
	if info.Mode().IsRegular() {
		err := os.Link(from, to)
		if err == nil {
			if err := between(); err != nil {
				return err
			}
			return os.Remove(from)
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	// Two steps, and something may come between them; there is no other way here.
	if exists(to) {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// besideSuffix is appended to aux for the third name that an exchange in three steps needs.
const besideSuffix = ".old"

// exchange swaps aux and path: in one step where the system can, else in three, which mendExchange can complete.
func (d *disk) exchange(aux, path string) error {
	return d.hold("exchange", func(at []string) error {
		held, heldAux := at[0], at[1]
		// One step: at no moment is the name missing.
		if !d.plain {
			if err := exchangeNow(heldAux, held); !errors.Is(err, errNoExchange) {
				return err
			}
		}
		if err := d.moveNow(held, heldAux+besideSuffix); err != nil {
			return err
		}
		if err := d.at("during exchange", path); err != nil {
			return err
		}
		if err := d.moveNow(heldAux, held); err != nil {
			return err
		}
		if err := d.at("during exchange", path); err != nil {
			return err
		}
		return d.moveNow(heldAux+besideSuffix, heldAux)
	}, path, aux)
}

// mendExchange completes an exchange in three moves that stopped midway: forward when the new text is in place, else
// back. Each move may have left a file with both names (moveByLink). When somebody has made a file at path meanwhile,
// the old one stays beside it.
func (d *disk) mendExchange(aux, path string) error {
	beside := aux + besideSuffix
	if !exists(beside) {
		return nil
	}
	if same(path, beside) || same(aux, beside) {
		return d.remove(beside)
	}
	if same(aux, path) {
		if err := d.remove(aux); err != nil {
			return err
		}
	}
	switch {
	case !exists(path):
		return d.move(beside, path)
	case !exists(aux):
		return d.move(beside, aux)
	default:
		return nil
	}
}

func (d *disk) mkdir(path string) error {
	return d.hold("mkdir", func(at []string) error { return os.Mkdir(at[0], 0o777) }, path)
}

// remove deletes a file, a link or an empty folder. It is no error when nothing is there.
func (d *disk) remove(path string) error {
	err := d.hold("remove", func(at []string) error {
		if err := os.Remove(at[0]); !gone(err) {
			return err
		}
		return nil
	}, path)
	if gone(err) { // its folder too
		return nil
	}
	return err
}

func (d *disk) removeAll(path string) error {
	return d.hold("removeall", func(at []string) error { return os.RemoveAll(at[0]) }, path)
}

// syncFolder makes the names in a folder durable. Where the file system cannot sync a folder, it does nothing.
func (d *disk) syncFolder(path string) error {
	return d.do("syncfolder", path, func() error {
		f, err := os.Open(path)
		if gone(err) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
		err = syncFolderNow(f)
		if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		return err
	})
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !gone(err)
}

// same reports whether two paths are names of one file.
func same(a, b string) bool {
	first, err := os.Lstat(a)
	second, err2 := os.Lstat(b)
	return err == nil && err2 == nil && os.SameFile(first, second)
}

// resolved reports whether no symbolic link is on the way to path, so that it still means the planned file.
func resolved(path string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if !gone(err) || dir == filepath.Dir(dir) {
			return err == nil && real == dir
		}
	}
}
