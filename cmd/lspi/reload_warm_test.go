package main

import (
	"fmt"
	"slices"

	"lspi/tools"
)

// staysWarm edits while nobody calls, and wants the servers to go on that are the same before and behind.
func (x *reloadRun) staysWarm() {
	x.takesEffect("while others call")
	x.gate.Lock()
	defer x.gate.Unlock()
	before, first := x.world, len(x.epochs)
	if before.broken() {
		return
	}
	pids := map[string]int{}
	for _, id := range []string{"one", "two"} {
		pids[id] = x.asked(id)
	}
	if x.chance(70) && before.user != nil {
		x.editServers(before)
	} else {
		x.edit()
	}
	x.takesEffect("while others call")
	if x.world.broken() || slices.ContainsFunc(x.epochs[first:], func(e reloadEpoch) bool { return e.unknown }) {
		return
	}
	for id, pid := range pids {
		if same := before.process(id); same == "" || same != x.world.process(id) {
			continue
		}
		if now := x.asked(id); pid != now && pid != 0 && now != 0 {
			x.t.Errorf("behind %s %s is process %d, and was %d", x.epochs[len(x.epochs)-1].what, id, now, pid)
		} else if pid != 0 && now != 0 {
			x.kept++
		}
	}
}

// asked is the process of a server that has just been asked; 0 when a tool may not ask it.
func (x *reloadRun) asked(id string) int {
	name := id
	if id == "one" && x.world.user != nil {
		name = fmt.Sprint(id, x.world.user.one)
	}
	for _, q := range reloadQuestions {
		if q.server == id && x.world.process(id) != "" && q.expected(&x.world, nil) == x.askNow(q) {
			if t, err := tools.Lookup(q.today); err == nil && x.world.refusal(t) == "" {
				started := x.started(name)
				return started[len(started)-1]
			}
		}
	}
	return 0
}
