//go:build linux

// Command soak asks lspi questions for a given time, while another program edits the project, calls are cancelled and
// language servers are killed, and compares every answer with the truth:
//
//	go run ./test/soak -server gopls -for 20m -seed 1
//
// The project is generated, so the truth is known: the generator writes each name and remembers where (project, tree,
// languages). A step edits the model and then the disk (edit, disk), asks the real binary several questions at once
// over stdio (question, host), sometimes with a fault (fault), and judges the answers (check). From time to time the
// same questions go to an lspi with a fresh server on a second copy of the tree, which checks the truth itself.
//
// With -hosts several hosts share one process: each question goes to one of them, and hosts and the process are killed
// as well.
//
// With -loop it runs an agent's edit loop instead (loop): put an error into a file, ask for its diagnostics, mend the
// error, ask again. Every answer has to show what is on disk.
//
// Edits and questions depend on the seed alone. Faults, cancellations and pauses have a random stream of their own, so
// that -faults=false repeats the same edits and questions. A wrong answer that is marked complete is printed with the
// seed, the step, question, answer and truth, and the exit code is 1; likewise when a process or memory leaked.
package main
