package handover

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// End is one end of a pipe or of a socket of a host: reads and writes can be ended by deadlines and by Close. Others that have the same pipe
// or socket see no change.
type End struct {
	file   *os.File
	socket syscall.RawConn // of file; nil for a pipe
}

// give is a descriptor of an end as another process can take it: a pipe is opened once more, so that O_NONBLOCK is set for the taker alone.
func give(f *os.File, flag int) (fd int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	ctlErr := raw.Control(func(own uintptr) {
		var stat unix.Stat_t
		if err = unix.Fstat(int(own), &stat); err != nil {
			return
		}
		switch stat.Mode & unix.S_IFMT {
		case unix.S_IFIFO:
			fd, err = unix.Open("/proc/self/fd/"+strconv.Itoa(int(own)), flag|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		case unix.S_IFSOCK:
			var domain int
			if domain, err = unix.GetsockoptInt(int(own), unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil {
				return
			}
			if domain != unix.AF_UNIX {
				err = fmt.Errorf("%s is a socket of a network, which takes a part of a line that is shorter than Whole", f.Name())
				return
			}
			fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 3)
		default:
			err = fmt.Errorf("%s is neither a pipe nor a socket", f.Name())
		}
	})
	return fd, errors.Join(ctlErr, err)
}

// take makes an end of a descriptor that another process gave. The descriptor is closed with it.
func take(fd int, name string) (*End, error) {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	switch {
	case errors.Is(err, unix.ENOTSOCK): // a pipe, whose O_NONBLOCK is for this process alone
		return &End{file: os.NewFile(uintptr(fd), name)}, nil
	case err != nil:
		return nil, err
	case kind != unix.SOCK_STREAM:
		return nil, errors.New("the socket keeps no order")
	}
	// A file is waited for by Go's poller only when O_NONBLOCK is set as it is made. Others have the same socket, so the flag goes back, and each
	// call says that it does not wait.
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	e := &End{file: os.NewFile(uintptr(fd), name)}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags); err != nil {
		return nil, err
	}
	e.socket, err = e.file.SyscallConn()
	return e, err
}

// Read is part of [io.Reader].
func (e *End) Read(p []byte) (n int, err error) {
	if e.socket == nil {
		return e.file.Read(p)
	}
	waitErr := e.socket.Read(func(fd uintptr) bool {
		n, err = again(func() (int, error) {
			n, _, err := unix.Recvfrom(int(fd), p, unix.MSG_DONTWAIT)
			return n, err
		})
		return !errors.Is(err, unix.EAGAIN)
	})
	switch {
	case waitErr != nil:
		return 0, ended(waitErr)
	case err != nil:
		return 0, os.NewSyscallError("recv", err)
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// Write is part of [io.Writer].
func (e *End) Write(p []byte) (n int, err error) {
	if e.socket == nil {
		return e.file.Write(p)
	}
	waitErr := e.socket.Write(func(fd uintptr) bool {
		for n < len(p) {
			var sent int
			if sent, err = again(func() (int, error) {
				return unix.SendmsgN(int(fd), p[n:], nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
			}); err != nil {
				return !errors.Is(err, unix.EAGAIN)
			}
			n += sent
		}
		return true
	})
	switch {
	case waitErr != nil:
		return n, ended(waitErr)
	case err != nil:
		return n, os.NewSyscallError("send", err)
	}
	return n, nil
}

// ended is why waiting has ended, as reads and writes of files tell it.
func ended(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return os.ErrClosed
}

// again repeats a call that a signal has ended.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// SetDeadline is when waiting reads and writes end with [os.ErrDeadlineExceeded]; never for the zero time.
func (e *End) SetDeadline(t time.Time) error { return e.file.SetDeadline(t) }

// Close gives the end up for this process. Waiting reads and writes end.
func (e *End) Close() error { return e.file.Close() }
