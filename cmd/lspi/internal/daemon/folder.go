package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lspi/cmd/lspi/internal/trust"
)

// Folder is where the sockets are: lspi in $XDG_RUNTIME_DIR, or in the folder that systemd makes for it, else run
// in lspi's state folder. It is made with mode 0700. Its error is why there is none: nothing that another user
// could replace is used.
func Folder(u trust.User) (string, error) {
	for _, dir := range []string{u.Env("XDG_RUNTIME_DIR"), "/run/user/" + strconv.Itoa(os.Geteuid())} {
		if !filepath.IsAbs(dir) {
			continue
		}
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && onlyUsers(info) == nil {
			return private(filepath.Join(dir, "lspi"))
		}
	}
	state := u.StateDir()
	if state == "" {
		return "", errors.New("there is no folder for a socket: no home folder is known")
	}
	return private(filepath.Join(state, "run"))
}

// private makes the folder when it is not there, and looks whether it is the user's alone.
func private(dir string) (string, error) {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Lstat(dir); err == nil {
			if !info.IsDir() {
				err = errors.New("it is no folder")
			} else {
				err = onlyUsers(info)
			}
		}
	}
	if err == nil {
		err = trust.OnlyUserWrites(dir)
	}
	if err != nil {
		return "", fmt.Errorf("the folder for the socket, %s: %w", dir, err)
	}
	return dir, nil
}

// Place is where one shared process listens.
type Place struct {
	Dir  string // by [Folder]
	Name string // by [Identity.Name]
}

// Socket is the path of the socket.
func (p Place) Socket() string { return filepath.Join(p.Dir, p.Name+socketSuffix) }

// socketSuffix ends the name of a socket that listens.
const socketSuffix = ".sock"

// Lock is the path of the lock file, in which the number of the process stands that has the place.
func (p Place) Lock() string { return filepath.Join(p.Dir, p.Name+".lock") }

// start is the path of the file that is locked while a process is started.
func (p Place) start() string { return filepath.Join(p.Dir, p.Name+".start") }

// maxSocket is how long the path of a socket may be on every system, with its final zero byte.
const maxSocket = 103

// reach gives the path under which the socket is bound or connected to: its own, or where that is too long one
// through the open folder.
func (p Place) reach(use func(path string) error) error {
	if len(p.Socket()) <= maxSocket {
		return use(p.Socket())
	}
	dir, err := os.Open(p.Dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	through := fmt.Sprintf("/proc/self/fd/%d", dir.Fd())
	if _, err := os.Stat(through); err != nil {
		return fmt.Errorf("the path of the socket is too long: %s", p.Socket())
	}
	return use(filepath.Join(through, filepath.Base(p.Socket())))
}

// Places are those in a folder that have a socket of the user, of whatever build.
func Places(dir string) []Place {
	found, _ := filepath.Glob(filepath.Join(dir, "*"+socketSuffix))
	var out []Place
	for _, path := range found {
		if info, err := os.Lstat(path); err != nil || ours(info) != nil {
			continue
		}
		name := filepath.Base(path)
		out = append(out, Place{dir, strings.TrimSuffix(name, socketSuffix)})
	}
	return out
}

// openLock opens a lock file, which is no link and the user's own.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = onlyUsers(info)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
