package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"lspi/internal/source"
)

// StartLimit is how long it may take to reach the shared process, its start included. Who waits longer serves by
// itself.
const StartLimit = 3 * time.Second

// RefusedError is why a shared process does not serve.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "the shared process refused: " + e.Reason }

var (
	errNone  = errors.New("no shared process runs")
	errAgain = errors.New("the shared process is about to end")
)

// SilentError is a shared process that did not answer in time.
type SilentError struct{ PID int } // 0 when the system does not tell

func (e *SilentError) Error() string {
	if e.PID == 0 {
		return "the shared process does not answer"
	}
	return fmt.Sprintf("the shared process (pid %d) does not answer", e.PID)
}

// Silent reports whether err says that the shared process did not answer.
func Silent(err error) bool { return errors.As(err, new(*SilentError)) }

// Connect gives a connection to the shared process of the place, behind its first lines; it is started when there
// is none. Its error says why that is not possible within [StartLimit].
func Connect(ctx context.Context, p Place, h Hello) (*Conn, *Welcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, StartLimit, fmt.Errorf("the shared process did not start within %v",
		StartLimit))
	defer cancel()
	h.Place = p.Name
	if c, w, err := dialActivated(ctx, p, h); err == nil {
		return c, w, nil
	}
	for {
		c, w, err := Dial(ctx, p, h)
		if !errors.Is(err, errNone) && !errors.Is(err, errAgain) {
			return c, w, err
		}
		if c, w, err = startOrDial(ctx, p, h); !errors.Is(err, errNone) && !errors.Is(err, errAgain) {
			return c, w, err
		}
		if err := pause(ctx); err != nil {
			return nil, nil, err
		}
	}
}

// Activated is the name of the socket that systemd makes: it stands for whatever build its unit starts.
const Activated = "lspi"

// activatedLimit is how long systemd may take to start its unit: of [StartLimit] it leaves enough to start another
// process.
const activatedLimit = StartLimit / 2

func dialActivated(ctx context.Context, p Place, h Hello) (*Conn, *Welcome, error) {
	ctx, cancel := context.WithTimeout(ctx, activatedLimit)
	defer cancel()
	return Dial(ctx, Place{p.Dir, Activated}, h)
}

// Reach is [Connect] without a start.
func Reach(ctx context.Context, p Place, h Hello) (*Conn, *Welcome, error) {
	h.Place = p.Name
	if c, w, err := dialActivated(ctx, p, h); err == nil {
		return c, w, nil
	}
	return Dial(ctx, p, h)
}

// None reports whether err says that no shared process runs, or none for long.
func None(err error) bool { return errors.Is(err, errNone) || errors.Is(err, errAgain) }

// Dial connects to the process of exactly this place, which may be [Activated]; it starts none.
func Dial(ctx context.Context, p Place, h Hello) (*Conn, *Welcome, error) {
	info, err := os.Lstat(p.Socket())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, errNone
	case err != nil:
		return nil, nil, err
	}
	if err := ours(info); err != nil {
		return nil, nil, fmt.Errorf("%s is not lspi's: %w", p.Socket(), err)
	}
	var c *net.UnixConn
	err = p.reach(func(path string) error {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "unix", path)
		if err == nil {
			c = conn.(*net.UnixConn)
		}
		return err
	})
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return nil, nil, errNone
	case err != nil:
		return nil, nil, cause(ctx, err)
	}
	uid, pid, err := peerOf(c)
	if err == nil && uid != os.Geteuid() {
		err = fmt.Errorf("the process that listens at %s is another user's", p.Socket())
	}
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	conn := newConn(c, pid)
	conn.Place = p
	if p.Name == Activated {
		conn.Peer = 0 // the system tells who made the socket, systemd, which nobody must end
	}
	w, err := conn.sayHello(ctx, h)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	if p.Name == Activated {
		conn.Peer = w.PID
	}
	return conn, w, nil
}

// sayHello says hello and reads the answer.
func (c *Conn) sayHello(ctx context.Context, h Hello) (*Welcome, error) {
	deadline := time.Now().Add(helloLimit)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	w := &Welcome{}
	err := c.say(h, deadline)
	if err == nil {
		err = c.hear(w, deadline)
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return nil, errAgain
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &SilentError{c.Peer}
	case err != nil:
		return nil, err
	case w.Again:
		return nil, errAgain
	case !w.OK:
		return nil, &RefusedError{w.Reason}
	}
	return w, nil
}

// poll is how often a lock is tried, for which the system gives no signal that can be waited for together with ctx.
const poll = 5 * time.Millisecond

func pause(ctx context.Context) error {
	timer := time.NewTimer(poll)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// startOrDial starts the shared process unless another host does so: then it waits for that one.
func startOrDial(ctx context.Context, p Place, h Hello) (*Conn, *Welcome, error) {
	f, err := openLock(p.start())
	if err != nil {
		return nil, nil, fmt.Errorf("locking the start: %w", err)
	}
	defer f.Close() // and with it the lock
	for {
		mine, err := source.LockFile(f, true)
		if err != nil {
			return nil, nil, fmt.Errorf("locking %s: %w", p.start(), err)
		}
		c, w, err := Dial(ctx, p, h)
		if !errors.Is(err, errNone) {
			return c, w, err
		}
		if mine {
			break
		}
		if err := pause(ctx); err != nil {
			return nil, nil, err
		}
	}
	switch err := start(ctx); {
	case errors.Is(err, ErrTaken):
		return dialSoon(ctx, p, h)
	case err != nil:
		return nil, nil, fmt.Errorf("starting the shared process: %w", err)
	}
	return Dial(ctx, p, h)
}

// soon is how long to wait for the socket of a process that has the place, before another one is started.
const soon = 250 * time.Millisecond

// dialSoon waits for a process that no host started to listen, or for one whose socket was deleted to make another one.
func dialSoon(ctx context.Context, p Place, h Hello) (*Conn, *Welcome, error) {
	for began := time.Now(); ; {
		c, w, err := Dial(ctx, p, h)
		if !errors.Is(err, errNone) || time.Since(began) > soon {
			return c, w, err
		}
		if err := pause(ctx); err != nil {
			return nil, nil, err
		}
	}
}

// ReadyFD is the file that a started process writes to: one line, "ready", or why it is not.
const ReadyFD = 3

// Detached are the arguments of the shared process when a host starts it.
var Detached = []string{"daemon", "run", "--detached"}

// start starts the shared process, detached, and waits until it listens; [ErrTaken] says that another one has the
// place. It is the same program as this one, also when its file was replaced meanwhile.
func start(ctx context.Context) error {
	path, err := program()
	if err != nil {
		return err
	}
	said, says, err := os.Pipe()
	if err != nil {
		return err
	}
	defer said.Close()
	cmd := exec.Command(path, Detached...)
	cmd.Args[0] = os.Args[0]
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{says}
	ownSession(cmd)
	err = cmd.Start()
	says.Close()
	if err != nil {
		return err
	}
	go cmd.Wait() // it outlives this process, or is reaped
	if deadline, ok := ctx.Deadline(); ok {
		_ = said.SetReadDeadline(deadline)
	}
	word, err := io.ReadAll(io.LimitReader(said, 4<<10))
	switch text := strings.TrimSpace(string(word)); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("it was not ready in time")
	case err != nil:
		return cause(ctx, err)
	case text == "ready":
		return nil
	case text == ErrTaken.Error():
		return ErrTaken
	case text == "":
		return errors.New("it ended at once")
	default:
		return errors.New(text)
	}
}

// Detach starts this program with arguments, detached from this process, its terminal and its host, gives it input on
// stdin, and waits for nothing. input has to fit into a pipe (32 kB do everywhere).
func Detach(input []byte, args ...string) error {
	path, err := program()
	if err != nil {
		return err
	}
	in, says, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	defer says.Close()
	if _, err := says.Write(input); err != nil {
		return err
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin = in
	ownSession(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
