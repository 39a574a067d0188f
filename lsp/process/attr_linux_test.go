package process

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"lspi/internal/testkit"
)

// A server has a session of its own, so that it has its share of the processors beside what runs in the session of
// lspi.
func TestSession(t *testing.T) {
	p, err := Spawn("/bin/sh", []string{"-c", "read end"}, "/", os.Environ())
	testkit.Must(t, err)
	t.Cleanup(p.Kill)
	session, err := unix.Getsid(p.PID())
	testkit.Must(t, err)
	testkit.Equal(t, session, p.PID())
}
