package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr puts the process in a group of its own and lets the kernel kill it when lspi's spawner thread, that is
// lspi, ends for whatever reason.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit waits for the end of the process without reaping it; false when that is not possible.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}
