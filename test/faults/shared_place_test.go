//go:build linux

package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
)

var (
	socketDeleted    = sharedFault("the socket of the shared process is deleted while hosts use it")
	folderDeleted    = sharedFault("the folder of the shared process's socket is deleted")
	folderUnwritable = sharedFault("the folder of the shared process's socket is made unwritable, and the shared process is killed")
	diskFull         = sharedFault("no room for the shared process's socket")
	logFull          = sharedFault("no room for the shared process's log and the state of lspi")
)

// shareLimit is how long lspi waits for a shared process to start.
const shareLimit = 3 * time.Second

// The shared process makes its socket again when that was deleted: hosts keep their connections, and the next host
// shares with them.
func TestSharedSocketDeleted(t *testing.T) {
	atBoth(t, socketDeleted, func(c *cell, p *project) {
		u := p.user(c)
		hosts, daemon := u.together(2)
		socket := u.status()[0].Socket
		testkit.Must(c, os.Remove(socket))
		c.again()
		u.again(hosts)
		u.sharesWith(daemon, hosts)
	})
}

// The same holds for the socket's folder.
func TestSharedFolderDeleted(t *testing.T) {
	atBoth(t, folderDeleted, func(c *cell, p *project) {
		u := p.user(c)
		hosts, daemon := u.together(2)
		testkit.Must(c, os.RemoveAll(u.path("run/lspi")))
		c.again()
		u.again(hosts)
		began := time.Now()
		late := u.host(as{})
		u.within("a host that came then", began, shareLimit)
		c.measured()
		if s := late.sharing(); !s.Shared || s.PID == daemon.PID {
			c.breaks("the next host is served by %+v", s)
		}
		u.again(append(hosts, late))
		c.says("hosts go on, the next one starts another process")
		for _, h := range hosts {
			h.Close()
		}
		u.nothingOf(daemon) // nobody could reach it
	})
}

// sharesWith makes sure that one more host comes to the process that the others have, and that no other was started.
func (u *user) sharesWith(daemon process, hosts []*host) {
	u.Helper()
	began := time.Now()
	late := u.host(as{})
	u.within("a host that came then", began, shareLimit)
	u.cell.measured()
	if s := late.sharing(); !s.Shared || s.PID != daemon.PID {
		u.breaks("the next host is served by %+v", s)
	}
	u.again(append(hosts, late))
	if all := u.daemons(); len(all) != 1 {
		u.breaks("processes: %v", all)
	}
	u.says("the next host shares with them")
}

// daemons are the shared processes that live, whether they can be reached or not.
func (u *user) daemons() (out []process) {
	for _, p := range marked(u.marker) {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		if strings.Contains(string(raw), "\x00daemon\x00run\x00") {
			out = append(out, p)
		}
	}
	return out
}

// When no socket can be made, each host has a process of its own and is told why.
func TestSharedFolderUnwritable(t *testing.T) {
	atBoth(t, folderUnwritable, func(c *cell, p *project) {
		u := p.user(c)
		hosts, daemon := u.together(2)
		folder := u.path("run/lspi")
		unwritable(c, folder)
		early := u.host(as{})
		if s := early.sharing(); s.PID != daemon.PID {
			c.breaks("a host that came when it was unwritable is served by %+v", s)
		}
		hosts = append(hosts, early)
		servers := u.servers()
		c.again()
		daemon.Kill()
		u.stale = true
		u.again(hosts)
		c.measured()
		u.ownProcesses(append(hosts, u.host(as{})), "permission denied")
		testkit.Must(c, os.Chmod(folder, 0o700))
		u.nothingOf(append(servers, daemon)...)
	})
}

// unwritable takes the right to make files in a folder away, and makes sure that it counts.
func unwritable(c *cell, dir string) {
	c.Helper()
	testkit.Must(c, os.Chmod(dir, 0o500))
	c.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if os.Mkdir(filepath.Join(dir, "x"), 0o700) == nil {
		c.Skip("this user may write everywhere")
	}
}

// ownProcesses makes sure that hosts have processes of their own, that each is told a reason with these words, and
// so is lspi doctor.
func (u *user) ownProcesses(hosts []*host, why string) {
	u.Helper()
	for _, h := range hosts {
		if s := h.sharing(); s.Shared || !strings.Contains(s.Reason, why) {
			u.breaks("sharing is %+v", s)
		}
	}
	if out, _ := u.run("doctor", "--config", u.path("config.toml"), "--workspace-root", u.dir); !strings.Contains(out,
		why) {
		u.breaks("lspi doctor says nothing of %q: %s", why, out)
	}
	u.says("each has its own process, which is told: %s", why)
}

// On a file system without room no socket can be made.
func TestNoRoomForTheSocket(t *testing.T) {
	atBoth(t, diskFull, func(c *cell, p *project) {
		u := p.user(c)
		u.mount(c, "run", "nr_inodes=1,mode=0700") // the folder itself is the one
		c.again()
		h := u.host(as{})
		c.measured()
		u.ownProcesses([]*host{h}, "no space left on device")
	})
}

// mount puts a small file system at a folder of the user.
func (u *user) mount(c *cell, name, options string) {
	c.Helper()
	dir := u.path(name)
	testkit.Must(c, os.MkdirAll(dir, 0o700))
	if err := syscall.Mount("none", dir, "tmpfs", 0, options); err != nil {
		if os.Getenv("CI") != "" && os.Getuid() == 0 {
			c.Fatalf("mounting: %v", err)
		}
		c.Skipf("mounting is not possible here: %v", err)
	}
	c.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// Sharing needs neither a log nor state.
func TestNoRoomForTheLog(t *testing.T) {
	atBoth(t, logFull, func(c *cell, p *project) {
		u := p.user(c)
		u.mount(c, "lspi", "size=16k,nr_inodes=1,mode=0700")
		c.again()
		hosts, daemon := u.together(2)
		servers := u.servers()
		daemon.Kill()
		u.again(hosts)
		c.measured()
		u.oneAgain(hosts)
		u.nothingOf(append(servers, daemon)...)
	})
}

// strangers are what may lie at the place of the socket.
var strangers = []struct {
	*fault
	make func(path, elsewhere string) error
}{
	{sharedFault("a file lies at the socket's place"), func(path, _ string) error {
		return os.WriteFile(path, []byte("precious"), 0o600)
	}},
	{sharedFault("a folder lies at the socket's place"), func(path, _ string) error {
		return os.Mkdir(path, 0o700)
	}},
	{sharedFault("a link to nowhere lies at the socket's place"), func(path, elsewhere string) error {
		return os.Symlink(elsewhere, path)
	}},
}

// lspi leaves a file of somebody else at the socket's place as it is, and hosts have processes of their own.
func TestStrangerAtTheSocket(t *testing.T) {
	t.Parallel()
	for _, s := range strangers {
		t.Run(s.name, func(t *testing.T) {
			eachAtOnce(t, s.fault, func(c *cell, p *project) {
				u := p.user(c)
				path := u.socket()
				testkit.Must(c, s.make(path, u.path("elsewhere")))
				before, err := os.Lstat(path)
				testkit.Must(c, err)
				c.again()
				hosts := []*host{u.host(as{}), u.host(as{})}
				c.measured()
				u.ownProcesses(hosts, "is not lspi's")
				after, err := os.Lstat(path)
				if err != nil || !os.SameFile(before, after) || after.ModTime() != before.ModTime() {
					c.breaks("it is another one: %v %v", after, err)
				}
				if _, err := os.Lstat(u.path("elsewhere")); err == nil {
					c.breaks("something was made behind the link")
				}
			})
		})
	}
}

// socket is where the socket of this user and this lspi lies: a process that runs tells.
func (u *user) socket() string {
	u.Helper()
	h := u.host(as{})
	path := u.status()[0].Socket
	h.Close()
	if out, err := u.run("daemon", "stop"); err != nil {
		u.cell.Fatalf("%v\n%s", err, out)
	}
	return path
}
