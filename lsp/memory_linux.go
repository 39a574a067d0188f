package lsp

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// groupMemory is the resident memory of all processes of a group, in bytes: launchers of npm and the proc-macro server
// of rust-analyzer are children in the same group (proc(5)). 0 when /proc tells nothing.
func groupMemory(group int) uint64 {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var pages uint64
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		// The second field is the name in parentheses, which may hold anything; the fields are counted behind it.
		end := bytes.LastIndexByte(raw, ')')
		if end < 0 {
			continue
		}
		fields := bytes.Fields(raw[end+1:])
		const pgrp, rss = 2, 21 // fields 5 and 24 of proc_pid_stat(5)
		if len(fields) <= rss || string(fields[pgrp]) != strconv.Itoa(group) {
			continue
		}
		if n, err := strconv.ParseUint(string(fields[rss]), 10, 64); err == nil {
			pages += n
		}
	}
	return pages * uint64(os.Getpagesize())
}
