package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"time"
)

// clockTick is the unit of times in /proc: USER_HZ, which is 100 on every architecture that Go supports (time(7)).
const clockTick = 10 * time.Millisecond

// UsageOf returns what the processes of a group use, by proc_pid_stat(5); ok is false when it finds none.
func UsageOf(group int) (u Usage, ok bool) {
	names, _ := namesIn("/proc")
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		raw, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // ended meanwhile
		}
		fields := fieldsOf(raw)
		const pgrp, utime, stime, rss = 2, 11, 12, 21 // fields 5, 14, 15 and 24
		if len(fields) <= rss || string(fields[pgrp]) != strconv.Itoa(group) {
			continue
		}
		ok = true
		number := func(i int) uint64 {
			n, _ := strconv.ParseUint(string(fields[i]), 10, 64)
			return n
		}
		u.Memory += number(rss) * uint64(os.Getpagesize())
		u.CPU += time.Duration(number(utime)+number(stime)) * clockTick
	}
	return u, ok
}

// Works reports whether a thread of a process runs, or would if it had a processor, by proc_pid_stat(5).
func Works(pid int) bool {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task/"
	names, _ := namesIn(tasks)
	return slices.ContainsFunc(names, func(name string) bool {
		raw, _ := os.ReadFile(tasks + name + "/stat")
		fields := fieldsOf(raw)
		// Its state: running, or in a wait of the kernel.
		return len(fields) > 0 && bytes.Contains([]byte("RD"), fields[0])
	})
}

// fieldsOf are the fields of a stat from the third on. The second one is the name in parentheses, which may hold
// anything.
func fieldsOf(raw []byte) [][]byte { return bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:]) }

// namesIn lists a folder without a stat of each entry: /proc has one for every process of the machine.
func namesIn(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
