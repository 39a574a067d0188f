package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"lspi/internal/source"
)

// ErrTaken says that another process listens at the place.
var ErrTaken = errors.New("a shared process runs already")

// Listener is the socket of a shared process, and the lock that makes it the only one.
type Listener struct {
	*net.UnixListener
	place Place
	lock  *os.File
	file  os.FileInfo // of the socket; nil for one that systemd has made
}

// Listen takes the place: the error is [ErrTaken] when another process has it, or tells what keeps the socket from
// being made. A socket that a process left which was killed is taken away; whatever else is in its place stays.
func Listen(p Place) (*Listener, error) {
	lock, err := openLock(p.Lock())
	if err != nil {
		return nil, fmt.Errorf("locking the place of the socket: %w", err)
	}
	free, err := source.LockFile(lock, true)
	switch {
	case err != nil:
		lock.Close()
		return nil, fmt.Errorf("locking %s: %w", p.Lock(), err)
	case !free:
		lock.Close()
		return nil, ErrTaken
	}
	l, err := listenLocked(p)
	if err != nil {
		lock.Close()
		return nil, err
	}
	l.lock = lock
	removeLeft(p)
	// The owner's id, for people; the lock itself needs it not.
	_ = lock.Truncate(0)
	_, _ = lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return l, nil
}

// Startable is an error when no process could listen at the place, as far as that can be seen without one.
func Startable(p Place) error {
	if info, err := os.Lstat(p.Socket()); err == nil {
		if err := ours(info); err != nil {
			return fmt.Errorf("%s is not lspi's: %w", p.Socket(), err)
		}
	}
	if err := mayWrite(p.Dir); err != nil { // the lock files may be there
		return fmt.Errorf("the folder for the socket, %s: %w", p.Dir, err)
	}
	f, err := openLock(p.start())
	if err != nil {
		return err
	}
	return f.Close()
}

// listenLocked makes the socket of a place. It needs the place's lock, or a name that no other process uses.
// The socket gets its name only when it listens: a connection made between bind(2) and listen(2) is refused, and
// whoever was refused takes the process for dead, so that removeLeft would delete its socket.
func listenLocked(p Place) (*Listener, error) {
	if info, err := os.Lstat(p.Socket()); err == nil {
		if err := ours(info); err != nil {
			return nil, fmt.Errorf("%s is not lspi's: %w", p.Socket(), err)
		}
	}
	l := &Listener{place: p}
	err := p.reach(func(path string) (err error) {
		unnamed := strings.TrimSuffix(path, socketSuffix) + ".new"
		_ = os.Remove(unnamed) // of a process that was killed at this point
		if l.UnixListener, err = Bind(unnamed); err != nil {
			return err
		}
		if err = os.Rename(unnamed, path); err != nil {
			_ = os.Remove(unnamed)
		}
		return err
	})
	if err == nil {
		l.file, err = os.Lstat(p.Socket())
	}
	if err != nil {
		if l.UnixListener != nil {
			l.UnixListener.Close()
		}
		return nil, fmt.Errorf("making the socket: %w", err)
	}
	return l, nil
}

// firstInherited is the first file that systemd hands over (sd_listen_fds(3)).
const firstInherited = 3

// Inherit takes the socket that systemd has made, and the place's lock so that no other process takes the place.
func Inherit(p Place) (*Listener, error) {
	lock, err := openLock(p.Lock())
	if err != nil {
		return nil, fmt.Errorf("locking the place of the socket: %w", err)
	}
	free, err := source.LockFile(lock, true)
	if err == nil && !free {
		err = ErrTaken
	}
	var l net.Listener
	if err == nil {
		f := os.NewFile(firstInherited, "socket")
		l, err = net.FileListener(f)
		f.Close()
	}
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("taking the socket from systemd: %w", err)
	}
	unix, ok := l.(*net.UnixListener)
	if !ok {
		l.Close()
		lock.Close()
		return nil, errors.New("taking the socket from systemd: it is no Unix socket")
	}
	unix.SetUnlinkOnClose(false)
	return &Listener{UnixListener: unix, place: p, lock: lock}, nil
}

// Inherited reports whether systemd has made the socket.
func (l *Listener) Inherited() bool { return l.file == nil }

// Place is where it listens, by its build and confinement; systemd's socket is elsewhere ([Activated]).
func (l *Listener) Place() Place { return l.place }

// ours is an error unless a file is a socket of the user.
func ours(info os.FileInfo) error {
	if info.Mode()&os.ModeSocket == 0 {
		return errors.New("it is no socket")
	}
	return onlyUsers(info)
}

// Deleted reports whether the socket can be reached no more by its name.
func (l *Listener) Deleted() bool {
	if l.file == nil {
		return false
	}
	info, err := os.Lstat(l.place.Socket())
	return err != nil || !os.SameFile(info, l.file)
}

// Again is a listener in the place of this one, whose socket is gone: nobody would find the process any more. The
// error says why there can be none; then this one goes on.
func (l *Listener) Again() (*Listener, error) {
	mine, err := l.lock.Stat()
	if err != nil {
		return nil, err
	}
	// the folder was deleted, so the place may be another process's
	if there, err := os.Lstat(l.place.Lock()); err != nil || !os.SameFile(mine, there) {
		return nil, errDeleted
	}
	next, err := listenLocked(l.place)
	if err != nil {
		return nil, err
	}
	next.lock = l.lock
	l.UnixListener.Close()
	return next, nil
}

// giveWay gives the place free for the next process. Who asks for this one, until Close, finds it among the
// [Places] of the folder under another name, where hosts do not look. It returns the listener there: this one, or
// another one where systemd has made the socket, which is systemd's again.
func (l *Listener) giveWay() *Listener {
	next := Place{l.place.Dir, l.place.Name + ending + strconv.Itoa(os.Getpid())}
	there := l
	if l.Inherited() {
		l.UnixListener.Close()
		if there, _ = listenLocked(next); there == nil {
			there = l // nobody finds it
		}
	} else if !l.Deleted() {
		err := next.reach(func(string) error { return nil })
		if err == nil {
			err = os.Rename(l.place.Socket(), next.Socket())
		}
		if err != nil {
			_ = os.Remove(l.place.Socket())
		}
	}
	there.place = next
	l.lock.Close()
	l.lock = nil
	return there
}

// ending is in the name of the socket of a process that has given its place free; behind it comes its number.
const ending = ".stopped-"

// removeLeft takes away the sockets of processes that had given the place free and were killed then. It needs the
// lock of the place.
func removeLeft(p Place) {
	for _, left := range Places(p.Dir) {
		if !strings.HasPrefix(left.Name, p.Name+ending) {
			continue
		}
		err := left.reach(func(path string) error {
			c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
			if err == nil {
				c.Close()
			}
			return err
		})
		if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(left.Socket())
		}
	}
}

// Close ends listening and gives the place free.
func (l *Listener) Close() error {
	if l.file != nil && !l.Deleted() {
		_ = os.Remove(l.place.Socket())
	}
	err := l.UnixListener.Close()
	if l.lock != nil {
		l.lock.Close()
	}
	return err
}

// Accept waits for the next connection of the user; those of others are closed unheard.
func (l *Listener) Accept() (*Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		uid, pid, err := peerOf(c)
		if err != nil || uid != os.Geteuid() {
			c.Close()
			continue
		}
		return newConn(c, pid), nil
	}
}

// helloLimit is how long the other side may take for its first line.
const helloLimit = 5 * time.Second

// Greet reads the first line of a connection.
func (c *Conn) Greet() (*Hello, error) {
	h := &Hello{}
	if err := c.hear(h, time.Now().Add(helloLimit)); err != nil {
		return nil, err
	}
	return h, nil
}

// Answer writes the first line of the shared process.
func (c *Conn) Answer(w Welcome) error { return c.say(w, time.Now().Add(helloLimit)) }

// Tell writes one line of JSON, the answer to a command.
func (c *Conn) Tell(v any) error { return c.say(v, time.Now().Add(helloLimit)) }
