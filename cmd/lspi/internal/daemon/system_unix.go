//go:build linux || darwin

package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// onlyUsers is an error when a file or folder is not the user's own, or others may enter or use it.
func onlyUsers(info os.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || int(stat.Uid) != os.Geteuid():
		return errors.New("it belongs to another user")
	case info.Mode()&os.ModeSocket == 0 && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("others may enter it: its mode is %o", info.Mode().Perm())
	}
	return nil
}

// mayWrite is an error when the user may make no files in a folder.
func mayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// masking is held while the mask of new files is another one, which is the whole process's.
var masking sync.Mutex

// Bind listens at a Unix socket that has the mode 0600 from its first instant. Closing the listener leaves the socket.
func Bind(path string) (*net.UnixListener, error) {
	masking.Lock()
	was := unix.Umask(0o177)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	unix.Umask(was)
	masking.Unlock()
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it is taken away under the lock, and only if it is still this one
	return l, nil
}

// ownSession makes a process outlive its parent, and the terminal.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// kill ends a process that does not answer.
func kill(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }

// noFollow makes opening a symbolic link an error.
const noFollow = unix.O_NOFOLLOW | unix.O_CLOEXEC
