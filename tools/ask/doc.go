// Package ask puts a question to the servers of a file or of the whole workspace. The functions of package tools say
// what is asked; this package says whom, in which state, and whether the answer counts.
//
// Life of a question ([File], [Route], [Diagnostics]): the routes of the file are tried in order of preference until
// one server can answer at all. At a server, each attempt gets the process from the pool, shows it what changed on disk
// (Sync), waits until it is ready, takes a snapshot of what the server knows, and runs the tool's function. Afterwards
// the attempt is void when the server ended, reloaded its project meanwhile, or answered with places that the disk does
// not have; it is then repeated, up to [MaxAttempts] times, and what it had said of the answer is taken back. Only
// behind the last attempt follows what the answer may lack: this package explains it by the state of the server (its
// load failed, a project file is broken, it ended), and package loaded by what the server has not read.
//
// A question about the workspace ([Search], [WalkWorkspace]) is one such question at each of the servers that the files
// of the workspace need, all at the same time.
package ask
