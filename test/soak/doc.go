//go:build linux

// Command soak asks lspi questions for as long as it is told, while another hand edits the project, calls are cancelled
// and language servers are killed, and holds every answer against what is true:
//
//	go run ./soak -server gopls -for 20m -seed 1
//
// The project is generated, so the truth is known: the generator wrote each name and remembers where (project, render,
// tree). A step edits the model and with it the disk (edit, disk), asks several questions of the real binary over stdio
// at once (question, host), perhaps with a fault (fault), and compares (check). From time to time the same questions go
// to an lspi with a fresh server on a second copy of the tree, which holds the truth itself to account.
//
// With -hosts it is so many hosts that share one process: each question goes to one of them, hosts and the process
// are killed as well.
//
// With -loop it is an agent's edit loop instead (loop): an error into one file, its diagnostics, the error mended,
// its diagnostics, and every answer has to tell what is on disk.
//
// Edits and questions follow from the seed alone; faults, cancellations and pauses have a stream of their own, so that
// -faults=false repeats the same edits and questions. A wrong answer that is marked complete is printed with the
// seed, the step, question, answer and truth, and the exit code is 1; so it is when something leaked.
package main
