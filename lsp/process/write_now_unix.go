//go:build unix

package process

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// writeNow writes to a pipe that was opened without blocking, which takes all of up to PIPE_BUF bytes, or says EAGAIN (write(2) of POSIX, pipe(7) of Linux).
func writeNow(conn syscall.RawConn, b []byte) bool {
	if len(b) > pipeBuf() {
		return false
	}
	written := false
	err := conn.Write(func(fd uintptr) bool {
		n, err := unix.Write(int(fd), b)
		written = err == nil && n == len(b)
		return true // it does not wait
	})
	return err == nil && written
}

// pipeBuf is PIPE_BUF: that of Linux, or the least that POSIX allows.
func pipeBuf() int {
	if runtime.GOOS == "linux" {
		return 4096
	}
	return 512
}
