//go:build linux || darwin

package daemon

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// Of a socket that systemd has made the system says that systemd is at the other end. The process that serves there
// is another one; only that one may be ended, and one that hangs is noticed.
func TestActivated(t *testing.T) {
	p := place(t)
	systemd := Place{p.Dir, Activated}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: systemd.Socket(), Net: "unix"})
	testkit.Must(t, err)
	defer l.Close()
	testkit.Must(t, os.Chmod(systemd.Socket(), 0o600))
	service := os.Getpid() + 1
	go func() {
		first, err := l.AcceptUnix()
		if err != nil {
			return
		}
		c := newConn(first, 0)
		if _, err := c.Greet(); err == nil {
			_ = c.Answer(Welcome{OK: true, PID: service})
		}
	}() // and then it hangs

	c, _, err := Reach(t.Context(), p, hello(p))
	testkit.Must(t, err)
	defer c.Close()
	testkit.Equal(t, c.Peer, service, "process that would be ended")

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if !(&Remote{Conn: c}).Hangs(ctx) {
		t.Error("a process that hangs is not noticed")
	}
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var silent *SilentError
	if _, _, err := Dial(ctx, systemd, hello(p)); !errors.As(err, &silent) || silent.PID != 0 {
		t.Errorf("%v, by which systemd would be ended", err)
	}
}
