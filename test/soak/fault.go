//go:build linux

package main

import (
	"context"
	"math/rand/v2"
	"syscall"
	"time"

	"lspi/internal/testkit"
)

// killEvery is the least time between two kills: with more, lspi would rightly stop restarting the server (5 crashes in
// 3 minutes).
const killEvery = 50 * time.Second

// faults kills and stops processes. It is used by one goroutine.
type faults struct {
	r      *rand.Rand
	hosts  *hosts
	last   time.Time
	parted time.Time // when a host or the shared process was killed last
	killed int
	held   int
}

// strike kills or stops a process of a server now and then, while the questions of the step are in flight. It returns
// what it did, "" for nothing.
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

// part, now and then, kills the process that all hosts share while they wait for answers, or returns that a host is to
// be killed once it has them. It kills the process less often, because the servers then load the project again.
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

// hold stops a process (SIGSTOP) for d.
func (f *faults) hold(ctx context.Context, k testkit.Process, d time.Duration) {
	if k.Signal(syscall.SIGSTOP) != nil {
		return
	}
	pause(ctx, d)
	_ = k.Signal(syscall.SIGCONT)
}
