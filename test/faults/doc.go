// Package faults tests lspi under every fault that can be made on purpose. The promise is: never a wrong, stale or
// silently partial answer, no call that waits in vain, no process left behind. The tests are a matrix of faults and
// servers; a cell says what was done (a kill, a stop, an edit by another program, a flood), to which server, what the
// host got, and how long it took. docs/faults.md has the matrix, and a cell with another outcome than there fails.
//
//	go test ./test/faults                          the cells of the scripted server, and one of a real server each
//	LSPI_FAULTS=all go test ./test/faults          all cells: nightly
//	LSPI_FAULTS=all go test ./test/faults -update  all cells, and writes docs/faults.md (make faults); cells that do
//	                                               not run, without all or with -run, stay there as they are
//
// The scripted server shows what lspi does about a fault, in milliseconds; real servers show that they behave as the
// script does, which changes with their versions and not with ours. Cells about processes (kills, orphans, the ends of
// lspi) run the real binary over stdio; cells about answers call tools.Run in this process. A cell waits for what
// it can see (an answer, a process, a line of the log), never for a time.
//
// The attacks (attack_test.go) are a second table: what a stranger's repository, a hostile server or a host does, what
// must not come of it, and what lspi does instead. A row is one struct in one file; docs/attacks.md lists them.
package faults
