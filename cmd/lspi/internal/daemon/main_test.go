package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"testing"
	"time"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/testkit"
)

// place is one in a folder of its own, short enough for a socket.
func place(t *testing.T) Place {
	t.Helper()
	dir, err := os.MkdirTemp("", "lspi-share")
	testkit.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return Place{dir, "0123456789abcdef"}
}

// serving runs a server at a place until the test ends; ended tells why it did before.
func serving(t *testing.T, p Place, o ServerOptions) (s *Server, ended chan error) {
	t.Helper()
	l, err := Listen(p)
	testkit.Must(t, err)
	if o.Idle == 0 {
		o.Idle = time.Hour
	}
	o.Log = slog.New(slog.DiscardHandler)
	if o.Serve == nil {
		o.Serve = func(ctx context.Context, c *Conn, _ *Session) { // echoes until the host has left
			stop := context.AfterFunc(ctx, func() { c.Close() })
			defer stop()
			buffer := make([]byte, 1000)
			for {
				n, err := c.Read(buffer)
				if err != nil {
					return
				}
				_, _ = c.Write(buffer[:n])
			}
		}
	}
	if o.Command == nil {
		o.Command = func(context.Context, *Hello, func(any)) (any, bool) { return nil, false }
	}
	s, ended = NewServer(o), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		why := s.Run(ctx, l)
		s.Close()
		ended <- why
	}()
	t.Cleanup(cancel)
	return s, ended
}

func hello(p Place) Hello { return Hello{Kind: KindMCP, Place: p.Name, Session: "s", PID: os.Getpid()} }

// Only one process listens at a place; when it has ended the next one does, also over what a killed one left.
func TestOneListener(t *testing.T) {
	p := place(t)
	first, err := Listen(p)
	testkit.Must(t, err)
	if _, err := Listen(p); !errors.Is(err, ErrTaken) {
		t.Fatalf("a second one listens: %v", err)
	}
	info, err := os.Lstat(p.Socket())
	testkit.Must(t, err)
	testkit.Equal(t, info.Mode().Perm(), 0o600, "mode of the socket")
	// As if it had been killed: the lock is gone, and the socket stays.
	first.lock.Close()
	first.UnixListener.Close()
	second, err := Listen(p)
	testkit.Must(t, err)
	testkit.Must(t, second.Close())
	if _, err := os.Lstat(p.Socket()); err == nil {
		t.Error("the socket stays behind a process that ended in order")
	}
}

// What is not lspi's at the place of the socket or of a lock stays as it is, and nobody connects to it.
func TestStranger(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"file":   func(path string) error { return os.WriteFile(path, []byte("precious"), 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"link":   func(path string) error { return os.Symlink("/nowhere", path) },
	} {
		t.Run(name, func(t *testing.T) {
			p := place(t)
			testkit.Must(t, make(p.Socket()))
			if l, err := Listen(p); err == nil {
				l.Close()
				t.Error("it listens over what is not its own")
			}
			if _, _, err := Dial(t.Context(), p, hello(p)); err == nil || None(err) {
				t.Errorf("connecting: %v", err)
			}
			if _, err := os.Lstat(p.Socket()); err != nil {
				t.Error("it is gone")
			}
		})
	}
	p := place(t)
	testkit.Must(t, os.Symlink(p.Dir+"/target", p.Lock()))
	if l, err := Listen(p); err == nil {
		l.Close()
		t.Error("it locks through a link")
	}
}

// A folder that others may enter or replace is not used.
func TestFolder(t *testing.T) {
	home := testkit.Project(t, nil)
	user := func(runtime string) trust.User {
		return trust.User{Home: home, Getenv: func(name string) string {
			if name == "XDG_RUNTIME_DIR" {
				return runtime
			}
			return ""
		}}
	}
	testkit.Must(t, os.Mkdir(home+"/runtime", 0o700))
	dir, err := Folder(user(home + "/runtime"))
	testkit.Must(t, err)
	testkit.Equal(t, dir, home+"/runtime/lspi", "folder")
	info, err := os.Stat(dir)
	testkit.Must(t, err)
	testkit.Equal(t, info.Mode().Perm(), 0o700, "its mode")
	testkit.Must(t, os.Chmod(dir, 0o755))
	if _, err := Folder(user(home + "/runtime")); err == nil {
		t.Error("a folder that others may enter is used")
	}
	testkit.Must(t, os.Chmod(home+"/runtime", 0o777)) // not the user's alone, so it counts for nothing
	if dir, err := Folder(user(home + "/runtime")); err == nil && dir == home+"/runtime/lspi" {
		t.Error("a folder is used that others may replace")
	}
}

// The same build in the same surroundings has the same name, and every part of the identity another one.
func TestIdentity(t *testing.T) {
	a, err := ThisIdentity("/home/a")
	testkit.Must(t, err)
	again, err := ThisIdentity("/home/a")
	testkit.Must(t, err)
	testkit.Equal(t, a.Name(), again.Name(), "name of the same")
	for i := range a {
		other := append(Identity{}, a...)
		other[i] += "x"
		if other.Name() == a.Name() {
			t.Errorf("%q does not count", a[i])
		}
	}
	testkit.Equal(t, len(a.Name()), 16, "length of the name")
}

// A socket whose path is too long for the system is reached all the same, or nothing is shared.
func TestLongFolder(t *testing.T) {
	p := place(t)
	p.Dir += "/a-folder-with-a-name-that-is-rather-long/and-another-one-in-it-that-is-long-as-well/and-a-third"
	testkit.Must(t, os.MkdirAll(p.Dir, 0o700))
	if len(p.Socket()) <= maxSocket {
		t.Fatal("the path is short")
	}
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		if _, err := Listen(p); err == nil {
			t.Error("it listens")
		}
		return
	}
	serving(t, p, ServerOptions{})
	c, _, err := Dial(t.Context(), p, hello(p))
	testkit.Must(t, err)
	c.Close()
}

func connectRaw(p Place) (*net.UnixConn, error) {
	return net.DialUnix("unix", nil, &net.UnixAddr{Name: p.Socket(), Net: "unix"})
}
