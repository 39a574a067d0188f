//go:build linux

package main

import (
	"context"
	"math/rand/v2"
	"syscall"
	"time"

	"lspi/internal/testkit"
)

// killEvery is the least time between two kills: below it lspi's crash budget (5 in 3 minutes) would rightly take the
// server away.
const killEvery = 50 * time.Second

// faults does what happens to servers. It is used by one goroutine.
type faults struct {
	r      *rand.Rand
	hosts  *hosts
	last   time.Time
	parted time.Time // when a host or the shared process was killed last
	killed int
	held   int
}

// strike kills or holds a server now and then, after a moment in which the questions of the step are under way.
func (f *faults) strike(ctx context.Context) (words string) {
	children, all := f.hosts.family.look()
	if len(all) == 0 || time.Since(f.last) < killEvery {
		return ""
	}
	f.last = time.Now()
	if !pause(ctx, time.Duration(f.r.IntN(300))*time.Millisecond) {
		return ""
	}
	victim := pick(f.r, all)
	if len(children) > 0 && f.r.IntN(4) > 0 {
		victim = pick(f.r, children)
	}
	if f.r.IntN(3) == 0 {
		f.hold(ctx, victim, time.Duration(200+f.r.IntN(4000))*time.Millisecond)
		f.held++
		return "hold " + victim.Command
	}
	if victim.Signal(syscall.SIGKILL) != nil {
		return ""
	}
	f.killed++
	return "kill " + victim.Command
}

// partEvery is the least time between two kills of a host or of the process that hosts share.
const partEvery = 20 * time.Second

// part kills the process that all hosts share now and then, while they wait for answers, or has a host killed when
// it has them. The process rarely: its servers have to load the project again.
func (f *faults) part() (words string) {
	if time.Since(f.parted) < partEvery || f.hosts.env == nil {
		return ""
	}
	f.parted = time.Now()
	if f.r.IntN(5) > 0 {
		return killHost
	}
	_ = syscall.Kill(f.hosts.family.root, syscall.SIGKILL)
	return killShared
}

// hold stops a process for a while.
func (f *faults) hold(ctx context.Context, k testkit.Process, d time.Duration) {
	if k.Signal(syscall.SIGSTOP) != nil {
		return
	}
	pause(ctx, d)
	_ = k.Signal(syscall.SIGCONT)
}
