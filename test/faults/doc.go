// Package faults holds lspi to its promise under every fault that can be made on purpose: never a wrong, stale or
// silently partial answer, never a wait for nothing, no process left behind. Its tests are one matrix, faults ×
// servers: what is done (a kill, a stop, an edit from outside, a flood), to which server, what came back to the
// host, and how long it took. The matrix is written into docs/faults.md, and a run whose outcome differs from what
// is written there fails.
//
//	go test ./test/faults                             the cells that run always: each fault with one real server at least
//	LSPI_FAULTS=all go test ./test/faults             all cells
//	LSPI_FAULTS=all go test ./test/faults -update     all cells, and docs/faults.md is written anew (make faults); with -run or
//	                                             without all, the cells that do not run stay as they are
//
// What is about processes (kills, orphans, the ends of lspi) goes through the real binary over stdio; what is about
// answers goes through tools.Run in this process. The scripted server does on demand what real ones do not. Each
// cell waits for what it can see (an answer, a process, a line of the log), never for a time.
//
// The attacks (attack_test.go) are a second table: what a stranger's repository, a hostile server or a host does,
// what must not come of it, and what lspi does. A row is one struct in one file; docs/attacks.md has them all.
package faults
