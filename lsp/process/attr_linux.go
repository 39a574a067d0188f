package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr puts the process in a group of its own, and has the kernel kill it when lspi's spawner thread, and so
// lspi, ends for whatever reason. The group is a session of its own too: where the kernel shares the processors
// between sessions (sched_autogroup_enabled, sched(7)), a build in lspi's session then takes no more than its share.
// clangd indexes in threads of SCHED_IDLE, whatever --background-index-priority says (16.0.6 and 22.1.8; LLVM pull
// request 212700), and such threads get no time while another process of their session keeps the processors busy.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
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
