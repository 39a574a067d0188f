//go:build linux

package faults

import (
	"debug/elf"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"lspi/internal/testkit"
)

var (
	tenStarts = sharedFault("ten hosts start at the same instant, again and again")
	otherOld  = sharedFault("an old version runs when a host of a newer one comes")
)

const (
	atOnce       = 10
	rounds       = 2
	roundsForAll = 100 // with LSPI_FAULTS=all
)

// However many hosts start at once, one process serves them all, and after its end no process is left. The time is that
// of one round.
func TestTenStarts(t *testing.T) {
	atBoth(t, tenStarts, func(c *cell, p *project) {
		u := p.user(c)
		n := rounds
		if all {
			n = roundsForAll
		}
		c.again()
		for range n {
			u.tenStart()
			if len(c.broken) > 0 {
				break
			}
		}
		c.took = time.Since(c.began) / time.Duration(n)
		c.says("one process each time, all right, nothing is left")
	})
}

// tenStart is one round.
func (u *user) tenStart() {
	u.Helper()
	u.hosts = nil
	for range atOnce {
		u.hosts = append(u.hosts, u.newHost())
	}
	var done sync.WaitGroup
	for _, h := range u.hosts {
		done.Go(func() {
			u.connect(h, as{})
			u.right(h.call("find_references", u.project.question()))
		})
	}
	done.Wait()
	daemon := u.sharedBy(u.hosts)
	if all := u.daemons(); len(all) != 1 || !all[0].Is(daemon) {
		u.breaks("processes: %v", all)
	}
	if s := u.status(); len(s) != 1 || len(s[0].servers()) != 1 || len(s[0].Sessions) != atOnce {
		u.breaks("status: %+v", s)
	}
	for _, h := range u.hosts {
		h.Close()
	}
	if out, err := u.run("daemon", "stop"); err != nil {
		u.breaks("lspi daemon stop: %v %s", err, out)
	}
	if rest := u.left(); len(rest) > 0 {
		u.breaks("left: %v", rest)
	}
}

// An update does not disturb running hosts: the old process ends with the last of them.
func TestOldVersion(t *testing.T) {
	atBoth(t, otherOld, func(c *cell, p *project) {
		u := p.user(c)
		older := as{program: u.otherBuild()}
		a := u.host(older)
		old := u.sharedBy([]*host{a})
		servers := u.servers()
		c.again()
		b := u.host(as{})
		recent := u.sharedBy([]*host{b})
		c.measured()
		if old.Is(recent) {
			c.breaks("the newer host is served by the old process")
		}
		second := u.host(older)
		if now := u.sharedBy([]*host{a, second}); !now.Is(old) {
			c.breaks("the old hosts are served by %v", now)
		}
		u.again([]*host{a, b, second})
		for _, s := range u.status() {
			if s.Retired != (s.PID == old.PID) {
				c.breaks("%d is retired: %v", s.PID, s.Retired)
			}
		}
		a.Close()
		second.Close()
		u.nothingOf(append(servers, old)...)
		if now := u.sharedBy([]*host{b}); !now.Is(recent) {
			c.breaks("the newer host is served by %v", now)
		}
		u.again([]*host{b})
		c.says("each version has a process, the old one ends with its last host")
	})
}

// otherBuild is lspi with another build id, as another build has it.
func (u *user) otherBuild() string {
	u.Helper()
	path := u.path("lspi-other")
	text, err := os.ReadFile(u.program)
	testkit.Must(u, err)
	f, err := elf.Open(u.program)
	testkit.Must(u, err)
	defer f.Close()
	section := f.Section(".note.go.buildid")
	id := text[section.Offset:][:section.Size]
	at := slices.Index(id, '/') + 1 // its parts are between slashes
	if at == 0 {
		u.cell.Fatalf("no build id in %q", id)
	}
	id[at] ^= 1
	testkit.WriteProgram(u, path, string(text))
	return path
}
