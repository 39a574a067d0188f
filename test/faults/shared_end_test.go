//go:build linux

package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
)

const groupShared = "What happens to the process that hosts share"

// bothServers are the columns of the rows about the shared process.
var bothServers = []string{gopls, scripted}

func sharedFault(name string) *fault {
	return &fault{group: groupShared, name: name, servers: bothServers}
}

var (
	sharedKilled     = sharedFault("the shared process is killed while 20 calls of 4 hosts run")
	sharedTerminated = sharedFault("SIGTERM to the shared process while 20 calls of 4 hosts run")
	sharedCrashed    = sharedFault("the shared process crashes (SIGABRT) while 20 calls of 4 hosts run")
	sharedStopped    = sharedFault("the shared process is stopped (SIGSTOP), 4 hosts ask and a fifth comes")
	sharedEnded      = sharedFault("lspi daemon stop while 8 calls of 4 hosts run")
	hostKilled       = sharedFault("one of two hosts that share a process is killed")
)

// hosts that share a process in most of the cells.
const hostsTogether = 4

// When the shared process is killed, its hosts only see a slow call: calls that read are repeated in the next process.
func TestSharedKilled(t *testing.T) {
	atBoth(t, sharedKilled, func(c *cell, p *project) { endedInFlight(c, p, syscall.SIGKILL) })
}

// A signal has the same outcome as a kill.
func TestSharedTerminated(t *testing.T) {
	atBoth(t, sharedTerminated, func(c *cell, p *project) { endedInFlight(c, p, syscall.SIGTERM) })
}

// A crash is in the log, because nobody reads the stderr of the shared process.
func TestSharedCrashed(t *testing.T) {
	atBoth(t, sharedCrashed, func(c *cell, p *project) {
		u := endedInFlight(c, p, syscall.SIGABRT)
		if out, err := u.run("daemon", "logs"); err != nil || !strings.Contains(out, "SIGABRT: abort") ||
			!strings.Contains(out, "goroutine ") {
			c.breaks("lspi daemon logs: %v %.2000s", err, out)
		}
		c.says("the log tells why")
	})
}

func endedInFlight(c *cell, p *project, by syscall.Signal) *user {
	u := p.user(c)
	hosts, daemon := u.together(hostsTogether)
	servers := u.servers()
	calls := u.inFlight(hosts, 20/hostsTogether)
	c.again()
	testkit.Must(c, daemon.Signal(by))
	u.answered(calls)
	c.measured()
	u.again(hosts)
	u.oneAgain(hosts)
	u.nothingOf(append(servers, daemon)...)
	return u
}

// hangs is how long it takes until hosts end a process that does not react: three seconds of silence, one until
// somebody looks, and five for an answer to a ping.
const hangs = 9 * time.Second

// Hosts that wait for a shared process that does not react end it. A host that comes at that time does not wait for it.
func TestSharedStopped(t *testing.T) {
	atBoth(t, sharedStopped, func(c *cell, p *project) {
		u := p.user(c)
		hosts, daemon := u.together(hostsTogether)
		servers := u.servers()
		u.cell.stop([]process{daemon})
		c.again()
		began := time.Now()
		var calls []*pending
		for _, h := range hosts {
			calls = append(calls, h.start("find_references", p.question()))
		}
		late := u.host(as{})
		u.within("a host that came meanwhile", began, hangs)
		u.answered(calls)
		c.measured()
		u.within("an answer", began, hangs)
		u.oneAgain(hosts)
		u.again(append(hosts, late))
		u.nothingOf(append(servers, daemon)...)
	})
}

// lspi daemon stop waits for the answers to earlier calls.
func TestSharedEnded(t *testing.T) {
	atBoth(t, sharedEnded, func(c *cell, p *project) {
		u := p.user(c)
		hosts, daemon := u.together(hostsTogether)
		servers := u.servers()
		calls := u.inFlight(hosts, 8/hostsTogether)
		c.again()
		stopped := make(chan string, 1)
		go func() {
			out, err := u.run("daemon", "stop")
			if err != nil {
				out = err.Error() + ": " + out
			}
			stopped <- out
		}()
		// The process takes no more hosts once it is to end.
		testkit.Wait(c, "the end to begin", func() bool {
			now := u.status()
			return len(now) == 0 || now[0].Ending
		})
		for _, s := range servers {
			_ = s.Signal(syscall.SIGCONT)
		}
		u.answered(calls)
		if out := <-stopped; !strings.HasSuffix(out, "The shared process has ended.\n") {
			c.breaks("lspi daemon stop says %q", out)
		}
		c.measured()
		u.nothingOf(append(servers, daemon)...)
		u.again(hosts)
		u.oneAgain(hosts)
	})
}

// When a host is killed its session ends, and the servers of other sessions go on.
func TestHostOfSharedKilled(t *testing.T) {
	atBoth(t, hostKilled, func(c *cell, p *project) {
		u := p.user(c)
		hosts, daemon := u.together(2)
		before := u.status()[0]
		c.again()
		_ = hosts[0].Cmd.Process.Kill()
		<-hosts[0].Exited
		testkit.Wait(c, "the end of its session", func() bool { return len(u.status()[0].Sessions) == 1 })
		c.measured()
		after := u.status()[0]
		if after.Sessions[0].PID != hosts[1].Cmd.Process.Pid {
			c.breaks("the session of the other host ended")
		}
		u.again(hosts[1:])
		if now := u.sharedBy(hosts[1:]); !now.Is(daemon) {
			c.breaks("another process serves it")
		}
		if have, want := u.status()[0].servers(), before.servers(); len(have) != 1 || have[0] != want[0] {
			c.breaks("servers were %v and are %v", want, have)
		}
		c.says("one session, the same server")
	})
}
